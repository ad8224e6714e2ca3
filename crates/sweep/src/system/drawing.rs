//! An application as a drawing: shared files above, and the tasks that read the same of them below.

use crate::collections::OrderedMap;
use crate::model::application::Sweep;
use crate::output::number::{grouped, span};
use crate::output::{Arrangement, Drawing, DrawnEdge, DrawnNode, EdgeLine, EdgeText, NodeShape};
use crate::source::scaled::mean_seconds;
use clustersim_experiment::report::drawing::label::{cut, prefixed};

/// Shared files, and groups of tasks, that are drawn one by one.
const DRAWN: usize = 60;
/// Letters of a name that are shown.
const NAME: usize = 22;

/// Tasks that read the same shared files.
#[derive(Default)]
struct Group {
    tasks: u64,
    seconds: f64,
    /// Bytes that each task reads for itself, of all together.
    own: u64,
}

/// The drawing of an application; `about` says what it shows.
pub(super) fn drawing(sweep: &Sweep, about: String) -> Drawing {
    let mut users = vec![0_u64; sweep.files.len()];
    sweep.tasks.iter().flat_map(|task| &task.inputs).for_each(|file| users[file.index()] += 1);
    let mut groups: OrderedMap<Vec<usize>, Group> = OrderedMap::new();
    for task in &sweep.tasks {
        let (shared, own): (Vec<usize>, Vec<usize>) =
            task.inputs.iter().map(|file| file.index()).partition(|file| users[*file] > 1);
        let group = groups.entry(shared).or_default();
        group.tasks += 1;
        group.seconds += mean_seconds(task);
        group.own += own.iter().map(|file| sweep.files[*file].bytes).sum::<u64>();
    }
    let shared: Vec<usize> = (0..users.len()).filter(|file| users[*file] > 1).collect();
    let mut drawing = Drawing { about, arrangement: Arrangement::Levels, ..Drawing::default() };
    let task_box = |group: &Group| {
        let mut text = vec![
            format!("{} tasks", grouped(group.tasks)),
            format!("{} each on the mean", span(group.seconds / group.tasks as f64)),
        ];
        if group.own > 0 {
            text.push(format!("{} of their own", prefixed(group.own as f64, "B")));
        }
        let is_stack = group.tasks > 1;
        DrawnNode { level: 1, ..DrawnNode::new(text).shaped(NodeShape::Box { is_stack }) }
    };
    if shared.len() > DRAWN || groups.len() > DRAWN {
        let bytes: u64 = shared.iter().map(|file| sweep.files[*file].bytes).sum();
        let text =
            vec![format!("{} shared files", grouped(shared.len() as u64)), prefixed(bytes as f64, "B")];
        drawing.nodes.push(DrawnNode::new(text).shaped(NodeShape::Box { is_stack: true }));
        let mut all = Group::default();
        for group in groups.values() {
            all = Group {
                tasks: all.tasks + group.tasks,
                seconds: all.seconds + group.seconds,
                own: all.own + group.own,
            };
        }
        drawing.nodes.push(task_box(&all));
        drawing.edges.push(edge(0, 1));
        drawing
            .captions
            .push(format!("{} groups of tasks read the same shared files", grouped(groups.len() as u64)));
        return drawing;
    }
    let mut places = OrderedMap::new();
    for file in shared {
        places.insert(file, drawing.nodes.len());
        let shared = &sweep.files[file];
        let text = vec![cut(&shared.name, NAME), prefixed(shared.bytes as f64, "B")];
        drawing.nodes.push(DrawnNode::new(text).shaped(NodeShape::Rounded { is_double: false }));
    }
    for (files, group) in &groups {
        let place = drawing.nodes.len();
        drawing.edges.extend(files.iter().filter_map(|file| Some(edge(*places.get(file)?, place))));
        drawing.nodes.push(task_box(group));
    }
    drawing
}

fn edge(from: usize, to: usize) -> DrawnEdge {
    DrawnEdge { ends: (from, to), line: EdgeLine::Single, text: EdgeText::Nothing, is_marked: false }
}
