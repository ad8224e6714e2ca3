//! An assumed iteration structure for the jobs of a log.
//!
//! A log says for how long a job ran on how many processors, and nothing of what it did. To run it
//! at detail `task` one assumes that each job has a task on every processor, and that all tasks
//! iterate alike: the number of iterations is the run time divided by the mean length of an
//! iteration (computing and I/O of the slowest task, messages not counted), rounded to the nearest
//! number from 1 on. Run times and estimates stay as the log has them; what the job really takes
//! then depends on its messages, on rounding, and on the jobs that share its nodes.
//!
//! The structures carry the names and figures of the classes of synthetic streams.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::registry::{Absent, Complaint, Entry, Params, Span, Table, code, variants};
use crate::units::Bytes;
use crate::workload::Job;

use super::application::{Application, Applications, Quality};
use super::class;
use super::keys::{self, Defaults, SOURCE};
use super::program::{Iterations, Program};

/// The structure that every job of a log is assumed to have.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The name of the structure, which the one class of all jobs gets.
    pub name: String,
    /// One iteration; their number means nothing.
    pub iteration: Iterations,
    /// Memory that each task holds.
    pub memory: Bytes,
}

/// The structures by name.
pub fn table() -> Table<Structure> {
    Table::new("structure", "what the tasks of a log's jobs are assumed to do", ENTRIES)
}

const ITERATING: Entry<Structure> = Entry::published(
    "iterations",
    "iterations with nothing assumed",
    SOURCE,
    &keys::iteration_keys(&Defaults { compute: Absent::Error, io: Absent::Text("0s"), pattern: "none" }),
    |params| Ok(Box::new(read(params)?)),
);

const ENTRIES: &[Entry<Structure>] = &variants! { ITERATING;
    "comm-fine" &keys::iteration_keys(&class::COMM_FINE) =>
        "neighbours exchange messages about every millisecond";
    "comm" &keys::iteration_keys(&class::COMM) => "neighbours exchange messages about every 5 ms";
    "cpu" &keys::iteration_keys(&class::CPU) => "neighbours exchange messages about every 50 ms";
    "io" &keys::iteration_keys(&class::IO) =>
        "about 5 ms of computing and 15 ms of I/O, then messages to neighbours";
};

fn read(params: &Params<'_>) -> Result<Structure, Complaint> {
    let times = (keys::times(params, "compute")?, keys::times(params, "io")?);
    let structure = Structure {
        name: params.read("kind")?,
        iteration: keys::iterations(params, 1, times)?,
        memory: keys::memory(params)?,
    };
    // a task alone has the least factor, so no iteration is shorter than this one
    if structure.iteration.mean_length(1).is_none_or(|length| length <= 0.0) {
        let complaint =
            params.complaint("compute", "an iteration takes no time: no number of them fills a run time");
        return Err(complaint.label("expected computing or I/O above zero"));
    }
    Ok(structure)
}

impl Structure {
    /// The applications of `jobs` by this structure.
    ///
    /// # Errors
    /// A job, at `span`, that cannot have this structure: listed peers of another number of tasks,
    /// or more iterations than are counted.
    pub fn applications(&self, jobs: &[Job], span: Span) -> Result<Applications, Complaint> {
        let cannot = |message: String| Complaint::new(code::CONTRADICTION, message, span);
        let mut shared: OrderedMap<(u32, u32), Arc<Application>> = OrderedMap::new();
        let mut of = Vec::with_capacity(jobs.len());
        for job in jobs {
            let (number, tasks) = (job.number, job.procs);
            if let Some(listed) = self.iteration.pattern.tasks().filter(|&listed| listed != tasks) {
                let message = format!("the peers of {listed} tasks are listed, but job {number} has {tasks}");
                return Err(cannot(message));
            }
            let length = self.iteration.mean_length(tasks).unwrap_or(f64::INFINITY);
            let iterations = (job.run_time.as_secs_f64() / length).round().max(1.0);
            if iterations > f64::from(u32::MAX) {
                let message =
                    format!("job {number} would have {iterations} iterations, and {} are counted", u32::MAX);
                return Err(cannot(message).label("an iteration is too short for this log"));
            }
            let iterations = iterations as u32;
            let application = shared.entry((tasks, iterations)).or_insert_with(|| {
                Arc::new(Application {
                    class: 0,
                    tasks,
                    program: Program::Iterations(Iterations { iterations, ..self.iteration.clone() }),
                    memory: self.memory,
                    quality: Quality::BestEffort,
                })
            });
            of.push(Arc::clone(application));
        }
        Ok(Applications { classes: vec![self.name.clone()], of })
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::rng::Sampler;
    use crate::kernel::rng::distribution::Constant;
    use crate::kernel::{SimDuration, SimTime};
    use crate::registry::Sources;
    use crate::workload::parallel::pattern::Explicit;
    use crate::workload::parallel::program::Times;

    use super::*;

    fn structure(compute: f64, lists: &[Vec<u32>]) -> Structure {
        let times = |secs| Times::All(Sampler::new(Constant::new(secs).expect("finite")));
        let pattern = Arc::new(Explicit::new(lists).expect("right"));
        let (compute, io, size) = (times(compute), times(1.0), Bytes::new(8));
        let iteration = Iterations { iterations: 1, compute, io, skew: 1.0, pattern, messages: 1, size };
        Structure { name: "test".to_owned(), iteration, memory: Bytes::new(0) }
    }

    fn jobs(tasks: u32, secs: &[u64]) -> Vec<Job> {
        let job = |&secs: &u64| Job::new(1, SimTime::ZERO, tasks, SimDuration::from_secs(secs));
        secs.iter().map(job).collect()
    }

    fn iterations(applications: &Applications) -> Vec<u32> {
        let count = |application: &Arc<Application>| match &application.program {
            Program::Iterations(iterations) => iterations.iterations,
            _ => 0,
        };
        applications.of.iter().map(count).collect()
    }

    fn nowhere() -> Span {
        Span::new(Sources::new("").add("", "", ""), 0..0)
    }

    #[test]
    fn iterations_fill_the_run_time_of_the_slowest_task() {
        // the second of two tasks computes 2 × 2 s and does 1 s of I/O: 5 s an iteration
        let pair = structure(2.0, &[vec![1], vec![0]]);
        let applications = pair.applications(&jobs(2, &[1, 7, 8, 50, 7]), nowhere()).expect("they fit");
        assert_eq!(iterations(&applications), [1, 1, 2, 10, 1]);
        assert!(Arc::ptr_eq(&applications.of[1], &applications.of[4]));
        assert_eq!(applications.classes, ["test"]);
        let alone = structure(2.0, &[vec![]]);
        assert_eq!(iterations(&alone.applications(&jobs(1, &[30]), nowhere()).expect("it fits")), [10]);
    }

    #[test]
    fn a_job_that_cannot_have_the_structure_is_reported() {
        let pair = structure(2.0, &[vec![1], vec![0]]);
        let message = |jobs: &[Job], structure: &Structure| {
            structure.applications(jobs, nowhere()).expect_err("wrong").message
        };
        assert_eq!(message(&jobs(3, &[1]), &pair), "the peers of 2 tasks are listed, but job 1 has 3");
        let mut short = structure(1e-9, &[vec![]]);
        short.iteration.io = Times::None;
        assert_eq!(
            message(&jobs(1, &[10]), &short),
            "job 1 would have 10000000000 iterations, and 4294967295 are counted"
        );
    }
}
