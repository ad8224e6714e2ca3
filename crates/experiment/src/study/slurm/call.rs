//! Calling `sbatch` and `squeue`.

use std::io;
use std::path::Path;
use std::process::{Command, Output};

use super::jobs::{Array, Jobs, Seen, parse, ranges};
use super::{FOLDER, LOGS, SCRIPT};
use crate::collections::OrderedMap;

/// The shards to be submitted.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// The study's directory; where tasks run.
    pub directory: &'a Path,
    /// Name of the jobs.
    pub name: &'a str,
    /// The shards, in rising order; at least one.
    pub shards: &'a [u32],
}

impl Submission<'_> {
    /// The arguments of `sbatch` for the array. The user's options come last, and win.
    fn array(&self, jobs: &Jobs) -> Vec<String> {
        let limit = jobs.throttle.map_or_else(String::new, |most| format!("%{most}"));
        let mut words = self.common("shard-%a");
        words.extend([format!("--array={}{limit}", ranges(self.shards)), "--requeue".to_owned()]);
        words.push("--signal=B:TERM@60".to_owned());
        words.extend(jobs.options.iter().cloned());
        words.push(format!("{FOLDER}/{SCRIPT}"));
        words
    }

    /// The arguments of `sbatch` for the collector behind the array `id`.
    fn collector(&self, jobs: &Jobs, id: &str) -> Vec<String> {
        let mut words = self.common("collect");
        words.push(format!("--dependency=afterany:{id}"));
        words.extend(jobs.options.iter().cloned());
        words.push(format!("{FOLDER}/{SCRIPT}"));
        words
    }

    fn common(&self, log: &str) -> Vec<String> {
        vec![
            "--parsable".to_owned(),
            format!("--job-name={}", self.name),
            format!("--chdir={}", self.directory.display()),
            format!("--output={LOGS}/{log}.log"),
            "--open-mode=append".to_owned(),
        ]
    }
}

/// Submits an array of shards and its collector.
///
/// # Errors
/// `sbatch` is not there or refuses the array. A collector that is refused is left out: `collect`
/// can be called by hand.
pub fn submit(submission: &Submission<'_>, jobs: &Jobs) -> io::Result<Array> {
    let id = sbatch(submission.directory, &submission.array(jobs))?;
    let collector = sbatch(submission.directory, &submission.collector(jobs, &id)).ok();
    Ok(Array { id, shards: ranges(submission.shards), collector })
}

/// Calls `sbatch`; gives the number of the job.
fn sbatch(directory: &Path, arguments: &[String]) -> io::Result<String> {
    let output = call("sbatch", directory, arguments)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    // NUMBER, or NUMBER;CLUSTER
    let id = printed.trim().split(';').next().unwrap_or_default().to_owned();
    if !output.status.success() || id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(io::Error::other(format!("sbatch refuses: {}", error_of(&output))));
    }
    Ok(id)
}

/// The state of every submitted shard by Slurm; of a shard in several arrays, the newest.
///
/// # Errors
/// `squeue` is not there or does not answer. Arrays that Slurm has forgotten are no error.
pub fn queue(directory: &Path, jobs: &Jobs) -> io::Result<OrderedMap<u32, Seen>> {
    let mut seen = OrderedMap::new();
    for array in &jobs.arrays {
        let arguments = ["-h", "-r", "-t", "all", "-j", &array.id, "-o", "%K %T %r"].map(str::to_owned);
        let output = call("squeue", directory, &arguments)?;
        if output.status.success() {
            seen.extend(parse(&String::from_utf8_lossy(&output.stdout)));
        } else if !error_of(&output).contains("Invalid job id") {
            return Err(io::Error::other(format!("squeue does not answer: {}", error_of(&output))));
        }
    }
    Ok(seen)
}

fn call(program: &str, directory: &Path, arguments: &[String]) -> io::Result<Output> {
    let output = Command::new(program).args(arguments).current_dir(directory).output();
    output.map_err(|error| io::Error::new(error.kind(), format!("cannot call {program}: {error}")))
}

fn error_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_are_as_slurm_takes_them() {
        let submission =
            Submission { directory: Path::new("/home/me/a study"), name: "study", shards: &[0, 1, 5] };
        let jobs = Jobs::new(Some(16), vec!["--partition=short".to_owned()]);
        assert_eq!(
            submission.array(&jobs).join("|"),
            "--parsable|--job-name=study|--chdir=/home/me/a study|--output=logs/shard-%a.log|--open-mode=append|\
             --array=0-1,5%16|--requeue|--signal=B:TERM@60|--partition=short|slurm/job.sh"
        );
        assert_eq!(
            submission.collector(&jobs, "12").join("|"),
            "--parsable|--job-name=study|--chdir=/home/me/a study|--output=logs/collect.log|--open-mode=append|\
             --dependency=afterany:12|--partition=short|slurm/job.sh"
        );
    }
}
