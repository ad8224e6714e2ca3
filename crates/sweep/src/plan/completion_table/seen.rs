//! Numbers that decide that a task is next, for its explanation.

use std::cmp::Reverse;

use crate::heuristic::completion::ChosenTask;
use crate::heuristic::{DecidingNumber, Heuristic, Rank};
use crate::plan::chart::{Chart, ClusterCompletion};
use crate::plan::completion_table::CompletionTable;
use crate::results::record::NextTask;

/// Numbers that decided that a task is next.
#[derive(Debug)]
pub(crate) struct SeenTask {
    pub(crate) completions: Vec<ClusterCompletion>,
    pub(crate) compared: Vec<DecidingNumber>,
    pub(crate) rank: Rank,
    pub(crate) next: Option<NextTask>,
}

impl CompletionTable {
    /// The completions of a chosen task, what the heuristic compared, its rank, and the task that
    /// would be next.
    pub(crate) fn seen(
        &mut self,
        chart: &mut Chart,
        chosen: ChosenTask,
        heuristic: &dyn Heuristic,
    ) -> SeenTask {
        for class in 0..self.classes.len() {
            if !self.classes[class].tasks.is_empty() {
                self.settle(chart, class, heuristic);
            }
        }
        let compared = heuristic.compared(&self.row(chosen.class));
        for place in 0..self.clusters.len() {
            self.look(chart, chosen.class, place);
        }
        let firsts = self.classes.iter().enumerate().filter_map(|(place, class)| {
            let first = class.tasks.iter().copied().find(|task| *task != chosen.task)?;
            Some((first, self.ranks.rank(place)?, place))
        });
        let next = firsts.max_by_key(|(task, rank, _)| (*rank, Reverse(*task)));
        SeenTask {
            compared,
            rank: self.ranks.rank(chosen.class).unwrap_or_default(),
            next: next.map(|(task, rank, class)| NextTask {
                task,
                rank,
                compared: heuristic.compared(&self.row(class)),
            }),
            completions: self.row(chosen.class).by_cluster().copied().collect(),
        }
    }
}
