//! Tasks without a host that are planned: all of them, or some, so that a plan costs less.
//!
//! Source: section 5.6.2 of the report of the Parameter Sweep Template; the default number is a
//! choice of ours.

use std::cmp::Reverse;
use std::fmt;

use crate::collections::OrderedSet;
use crate::estimate::known::KnownSweep;
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Key, Kind, Table, entry, keys};
use crate::workflow::{FileNumber, TaskNumber};

/// Candidates of a rule, and the state that it may look at.
#[derive(Debug)]
pub struct SubsetQuestion<'a> {
    /// The tasks that have no host, in order.
    pub tasks: &'a OrderedSet<TaskNumber>,
    /// The application.
    pub known: &'a KnownSweep,
    /// Number of tasks that have not started use each file.
    pub usage: &'a [u32],
    /// Hosts that are there.
    pub hosts: u32,
    /// Random stream, another one for each plan.
    pub stream: &'a mut Stream,
}

/// A rule that says which tasks are planned.
pub trait Subset: fmt::Debug {
    /// The tasks, in order.
    fn choose(&self, question: &mut SubsetQuestion<'_>) -> Vec<TaskNumber>;

    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }
}

const PER_HOST: u32 = 8;

const TASKS: &[Key] = &keys! {
    "tasks" Kind::count_from(1), absent "8 for each host that is there" => "how many tasks";
};

const SOURCE: &str = "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999";

/// The rules by name.
pub fn table() -> Table<dyn Subset> {
    const ENTRIES: &[Entry<dyn Subset>] = &[
        entry!("all" => "all tasks", source SOURCE, builds AllTasks),
        entry!("random" => "some tasks by chance", source SOURCE, keys TASKS,
            reads |params| RandomTasks { tasks: params.read("tasks")? }),
        entry!("sharing" => "the users of the file with the most bytes times users, then of the next",
            source SOURCE, keys TASKS, reads |params| SharingTasks { tasks: params.read("tasks")? }),
    ];
    Table::new("subset", "which tasks of a parameter sweep are planned", ENTRIES)
}

/// All.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllTasks;

impl Subset for AllTasks {
    fn choose(&self, question: &mut SubsetQuestion<'_>) -> Vec<TaskNumber> {
        question.tasks.iter().copied().collect()
    }
}

/// Number of tasks to choose.
fn wanted(tasks: Option<u32>, question: &SubsetQuestion<'_>) -> usize {
    tasks.unwrap_or_else(|| PER_HOST.saturating_mul(question.hosts)) as usize
}

/// Some by chance, each set of so many equally likely.
#[derive(Clone, Copy, Debug)]
pub struct RandomTasks {
    /// Number of tasks; 8 for each host if it is not given.
    pub tasks: Option<u32>,
}

impl Subset for RandomTasks {
    fn choose(&self, question: &mut SubsetQuestion<'_>) -> Vec<TaskNumber> {
        let mut left = wanted(self.tasks, question) as u64;
        let mut behind = question.tasks.len() as u64;
        let mut chosen = Vec::new();
        // selection sampling: D. E. Knuth, The Art of Computer Programming 2, algorithm S
        for &task in question.tasks {
            if question.stream.below(behind) < left {
                chosen.push(task);
                left -= 1;
            }
            behind -= 1;
        }
        chosen
    }

    fn draws(&self) -> bool {
        true
    }
}

/// Tasks that share files.
#[derive(Clone, Copy, Debug)]
pub struct SharingTasks {
    /// Number of tasks; 8 for each host if it is not given.
    pub tasks: Option<u32>,
}

impl Subset for SharingTasks {
    fn choose(&self, question: &mut SubsetQuestion<'_>) -> Vec<TaskNumber> {
        let wanted = wanted(self.tasks, question);
        let (known, usage) = (question.known, question.usage);
        let mut files: Vec<FileNumber> =
            (0..known.file_count() as u32).map(FileNumber).filter(|file| usage[file.index()] > 1).collect();
        let weight = |file: &FileNumber| u128::from(known.bytes(*file)) * u128::from(usage[file.index()]);
        files.sort_by_key(|file| (Reverse(weight(file)), *file));
        let mut chosen = OrderedSet::new();
        let users =
            files.iter().flat_map(|file| known.users(*file)).filter(|task| question.tasks.contains(task));
        for task in users.chain(question.tasks) {
            if chosen.len() >= wanted {
                break;
            }
            chosen.insert(*task);
        }
        chosen.into_iter().collect()
    }
}
