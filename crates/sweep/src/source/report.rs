//! Profile of an application: its tasks and files, the sharing of files, and the ratio of bytes
//! sent to work computed.

use crate::model::application::Sweep;
use crate::source::GridMeans;
use crate::source::scaled::{ccr, mean_seconds};

/// An application in numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepReport {
    /// Tasks.
    pub tasks: u64,
    /// Architectures that tasks have times for: the least and the most.
    pub architectures: [usize; 2],
    /// Least, mean and greatest of the tasks' mean times \[s\].
    pub seconds: [f64; 3],
    /// Tasks that arrive during the run.
    pub late: u64,
    /// Files that tasks read.
    pub inputs: u64,
    /// Bytes of these files, and those that would be sent if no tasks shared them.
    pub input_bytes: [u64; 2],
    /// Files that more than one task reads, and their bytes.
    pub shared: [u64; 2],
    /// Tasks that read a shared file: the mean and the most.
    pub users: [f64; 2],
    /// Files that tasks write, and their bytes.
    pub outputs: [u64; 2],
    /// Files that no task reads or writes.
    pub unused: u64,
    /// Communication to computation on a grid.
    pub ccr: Option<f64>,
}

impl SweepReport {
    /// The report of an application, for a grid if there is one.
    pub fn new(sweep: &Sweep, grid: Option<GridMeans>) -> Self {
        let mut users = vec![0_u64; sweep.files.len()];
        let mut is_written = vec![false; sweep.files.len()];
        for task in &sweep.tasks {
            task.inputs.iter().for_each(|file| users[file.index()] += 1);
            task.outputs.iter().for_each(|file| is_written[file.index()] = true);
        }
        let (mut inputs, mut shared, mut outputs, mut input_bytes) = (0, [0; 2], [0; 2], [0_u64; 2]);
        let mut most = 0;
        let (mut uses, mut unused) = (0, 0);
        for ((file, &users), is_written) in sweep.files.iter().zip(&users).zip(is_written) {
            match (users, is_written) {
                (0, false) => unused += 1,
                (0, true) => outputs = [outputs[0] + 1, file.bytes.saturating_add(outputs[1])],
                _ => {
                    inputs += 1;
                    let plain = file.bytes.saturating_mul(users);
                    input_bytes =
                        [input_bytes[0].saturating_add(file.bytes), input_bytes[1].saturating_add(plain)];
                }
            }
            if users > 1 {
                shared = [shared[0] + 1, file.bytes.saturating_add(shared[1])];
                uses += users;
                most = most.max(users);
            }
        }
        let seconds: Vec<f64> = sweep.tasks.iter().map(mean_seconds).collect();
        let architectures = sweep.tasks.iter().map(|task| task.times.len());
        let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        SweepReport {
            tasks: sweep.tasks.len() as u64,
            architectures: [architectures.clone().min(), architectures.max()].map(Option::unwrap_or_default),
            seconds: [
                seconds.iter().copied().fold(f64::INFINITY, f64::min),
                mean(seconds.iter().sum(), seconds.len() as u64),
                seconds.iter().copied().fold(0.0, f64::max),
            ],
            late: sweep.tasks.iter().filter(|task| task.arrival > crate::kernel::SimTime::ZERO).count()
                as u64,
            inputs,
            input_bytes,
            shared,
            users: [mean(uses as f64, shared[0]), most as f64],
            outputs,
            unused,
            ccr: grid.map(|grid| ccr(sweep, grid)),
        }
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "worked out by hand, and exact")]
mod tests {
    use super::*;
    use crate::read::application::read;

    #[test]
    fn the_sample_of_the_report_shares_nine_files() {
        let sweep = read(include_str!("../../../../tests/data/sweeps/appendix_b.txt")).expect("the sample");
        let grid = GridMeans { clusters: 2, bandwidth: 1e5, availability: 4.0 };
        let report = SweepReport::new(&sweep, Some(grid));
        assert_eq!((report.tasks, report.architectures, report.late), (12, [3, 3], 0));
        // file_0 and file_7 have one user each
        assert_eq!((report.inputs, report.shared[0], report.unused, report.outputs[0]), (10, 8, 0, 12));
        assert_eq!(report.users, [34.0 / 8.0, 9.0]);
        assert!((report.seconds[1] - 5_300.0 / 12.0 * 1.0).abs() < 200.0, "{:?}", report.seconds);
        let bytes: u64 = sweep.files[..10].iter().map(|file| file.bytes).sum();
        assert_eq!(report.input_bytes[0], bytes);
        let outputs: u64 = sweep.files[10..].iter().map(|file| file.bytes).sum();
        let sent = (2 * bytes + outputs) as f64 / 2e5;
        let computed = report.seconds[1] * 12.0 / 4.0;
        assert!((report.ccr.expect("a grid") - sent / computed).abs() < 1e-12);
    }
}
