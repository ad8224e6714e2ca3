//! Keys of classes. Tasks that a chart cannot tell apart have a key in common: the same shared
//! inputs, own inputs and outputs of equal sizes on the same origins, and equal times. Own inputs
//! that are stored are so on the same cluster: most are when queues are taken back for the next
//! plan.

use smallvec::SmallVec;

use crate::model::grid::{ClusterNumber, OriginNumber};
use crate::plan::chart::Chart;
use crate::workflow::{FileNumber, TaskNumber};

/// Input as part of a key: a certain file, or one of some size and origin that no other task has
/// and that is stored nowhere, or on one cluster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ClassInput {
    Certain(FileNumber),
    Own(u64, OriginNumber, Option<ClusterNumber>),
}

/// Common properties of the tasks of a class: inputs in the order in which they are sent, sizes and
/// origins of outputs, times by architecture.
pub(crate) type ClassKey =
    (SmallVec<[ClassInput; 4]>, SmallVec<[(u64, OriginNumber); 2]>, SmallVec<[u64; 2]>);

/// Returns the key of the class of a task.
pub(crate) fn class_key(chart: &Chart, clusters: &[ClusterNumber], task: TaskNumber) -> ClassKey {
    let known = chart.known();
    let input = |file: &FileNumber| {
        if known.users(*file).len() > 1 {
            return ClassInput::Certain(*file);
        }
        let mut having = clusters.iter().copied().filter(|cluster| chart.has(*cluster, *file));
        match [having.next(), having.next()] {
            [None, _] => ClassInput::Own(known.bytes(*file), known.origin(*file), None),
            [Some(cluster), None] if chart.keeps(cluster, *file) => {
                ClassInput::Own(known.bytes(*file), known.origin(*file), Some(cluster))
            }
            _ => ClassInput::Certain(*file),
        }
    };
    let times = (0..).map_while(|architecture| {
        (architecture < known.architectures()).then(|| known.seconds(task, architecture))
    });
    (
        chart.in_order(task).iter().map(input).collect(),
        known.outputs(task).iter().map(|file| (known.bytes(*file), known.origin(*file))).collect(),
        times.map(|time| time.map_or(u64::MAX, f64::to_bits)).collect(),
    )
}
