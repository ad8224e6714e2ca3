//! The costs of tasks that were measured, and tasks of which a file states none.

use crate::draft::{Draft, Irregularity, Vertex};
use crate::read::ReadOptions;
use crate::text::{Mistake, Spot};

/// Costs of a task as a file states them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    pub(super) seconds: Option<f64>,
    pub(super) cores: Option<u32>,
    pub(super) memory: Option<u64>,
}

/// Gives a task what was measured of it, at so many operations in a second.
pub(super) fn give(draft: &mut Draft, vertex: Vertex, measured: Measured, speed: f64, options: &ReadOptions) {
    let work = measured.seconds.map_or(0.0, |seconds| seconds * speed);
    let Some((name, spot)) = draft.definition(vertex) else { return };
    if !work.is_finite() {
        draft.mistake(format!("the work of `{name}` is not finite"), spot);
    }
    if measured.seconds.is_none() {
        draft.without_cost(vertex);
    }
    if let Some(task) = draft.task_mut(vertex) {
        task.work = work;
        task.memory = measured.memory;
        task.cores = measured.cores.filter(|_| options.cores).unwrap_or(1);
    }
}

/// Counts the tasks without a cost. In a file that states times they are mistakes where it states
/// those of others: a file that states none is a graph whose costs come from elsewhere, or a
/// drawing.
pub(super) fn count(draft: &mut Draft, has_times: bool) {
    if draft.costless.is_empty() {
        return;
    }
    let mut without = std::mem::take(&mut draft.costless);
    // a name that is defined twice is there twice
    without.sort_unstable();
    without.dedup();
    let are_mistakes = has_times && without.len() < draft.computations().len();
    for vertex in &without {
        let Some((name, spot)) = draft.definition(*vertex) else { continue };
        if are_mistakes {
            draft.noted.push_with(|| missing(&name, spot));
        } else {
            draft.count(Irregularity::WithoutCost, &name);
        }
    }
    draft.costless = without;
}

fn missing(name: &str, spot: Spot) -> Mistake {
    let help = "state it as those of the others, or give costs by `work` or `times` of the application";
    Mistake { message: format!("the runtime of `{name}` is missing"), help: Some(help.to_owned()), spot }
}
