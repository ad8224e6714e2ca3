//! A task graph as a drawing: a box for each task on its level, or for each level where there are
//! many.

use crate::output::number::{counted, span};
use crate::output::{Arrangement, Drawing, DrawnEdge, DrawnNode, EdgeLine, EdgeText};
use crate::report::drawing::MOST_BENDS;
use crate::report::drawing::label::{cut, prefixed};
use crate::workflow::report::{levels, longest_path};
use crate::workflow::{Task, TaskNumber, Workflow};

/// Letters of a name that are shown.
const NAME: usize = 22;
/// Boxes for levels at most: of more levels, neighbours are one box.
const MOST_LEVELS: usize = 100;

/// Cost of a task.
enum Cost {
    /// Computation [flop].
    Work(f64),
    /// The mean time on its hosts [s].
    Seconds(f64),
}

/// The cost of a task; graphs of runs state times on hosts as properties.
fn cost(task: &Task) -> Cost {
    let stated = task.times.iter().flatten().map(|(_, seconds)| *seconds);
    let noted = task.properties.iter().flat_map(|properties| properties.iter());
    let noted =
        noted.filter(|(name, _)| name.starts_with("time:")).filter_map(|(_, value)| value.parse().ok());
    let (count, sum) =
        stated.chain(noted).fold((0.0, 0.0), |(count, sum), seconds: f64| (count + 1.0, sum + seconds));
    if count > 0.0 { Cost::Seconds(sum / count) } else { Cost::Work(task.work) }
}

/// The drawing of a graph; `speed` [flop/s] makes work and times comparable, and `most` tasks are
/// drawn one by one.
pub(super) fn drawing(workflow: &Workflow, speed: f64, most: usize) -> Drawing {
    let levels = levels(workflow);
    let depth = levels.iter().max().map_or(0, |last| *last as usize + 1);
    let (path, _) = longest_path(workflow, |task| match cost(workflow.task(task)) {
        Cost::Work(work) => work / speed,
        Cost::Seconds(seconds) => seconds,
    });
    let passed =
        |edge: &crate::workflow::Edge| (levels[edge.to.index()] - levels[edge.from.index()] - 1) as usize;
    let bends = workflow.edges().iter().map(passed).fold(0, usize::saturating_add);
    let is_small =
        workflow.tasks().len() <= most && workflow.edges().len() <= 4 * most && bends <= MOST_BENDS;
    let mut drawing =
        if is_small { by_task(workflow, &levels, &path) } else { by_level(workflow, &levels, depth) };
    drawing.about = format!(
        "{}, {}, {}",
        counted(workflow.tasks().len() as u64, "task"),
        counted(workflow.edges().len() as u64, "edge"),
        counted(depth as u64, "level")
    );
    let names: Vec<String> = path.iter().map(|task| cut(&workflow.task(*task).name, NAME)).collect();
    let shown = match &names[..] {
        [first, .., last] if names.len() > 5 => format!("{first} … {last}"),
        few => few.join(", "),
    };
    let bold = if is_small { ", bold" } else { "" };
    drawing
        .captions
        .push(format!("critical path of the graph{bold}: {}, {shown}", counted(path.len() as u64, "task")));
    drawing
}

/// A box for each task.
fn by_task(workflow: &Workflow, levels: &[u32], path: &[TaskNumber]) -> Drawing {
    let mut is_critical = vec![false; levels.len()];
    path.iter().for_each(|task| is_critical[task.index()] = true);
    let node = |number: TaskNumber| {
        let task = workflow.task(number);
        let cost = match cost(task) {
            Cost::Work(work) => prefixed(work, "flop"),
            Cost::Seconds(seconds) => format!("{} on the mean", span(seconds)),
        };
        let cost = if task.cores > 1 { format!("{cost} on {} cores", task.cores) } else { cost };
        let node = DrawnNode::new(vec![cut(&task.name, NAME), cost]);
        DrawnNode { level: levels[number.index()], is_marked: is_critical[number.index()], ..node }
    };
    let follows = |one: TaskNumber, other: TaskNumber| path.windows(2).any(|pair| pair == [one, other]);
    let edge = |edge: &crate::workflow::Edge| DrawnEdge {
        ends: (edge.from.index(), edge.to.index()),
        line: if edge.bytes.is_some() { EdgeLine::Single } else { EdgeLine::Dotted },
        text: match edge.bytes {
            Some(bytes) => EdgeText::Rows(vec![prefixed(bytes as f64, "B")]),
            None => EdgeText::Nothing,
        },
        is_marked: is_critical[edge.from.index()] && follows(edge.from, edge.to),
    };
    Drawing {
        arrangement: Arrangement::Levels,
        nodes: workflow.numbers().map(node).collect(),
        edges: workflow.edges().iter().map(edge).collect(),
        ..Drawing::default()
    }
}

/// A box for each level, or for neighbouring levels, as wide as it has tasks.
fn by_level(workflow: &Workflow, levels: &[u32], depth: usize) -> Drawing {
    let count = depth.min(MOST_LEVELS);
    let box_of = |task: TaskNumber| levels[task.index()] as usize * count / depth;
    let mut tasks = vec![0_usize; count];
    workflow.numbers().for_each(|task| tasks[box_of(task)] += 1);
    let mut between = vec![0_usize; count * count];
    for edge in workflow.edges() {
        between[box_of(edge.from) * count + box_of(edge.to)] += 1;
    }
    let widest = tasks.iter().copied().max().unwrap_or(1) as f64;
    let node = |number: usize| {
        // the levels whose box this is
        let [first, next] = [number, number + 1].map(|number| (number * depth).div_ceil(count));
        let name = if next - first == 1 {
            format!("level {first}")
        } else {
            format!("levels {first} to {}", next - 1)
        };
        let within = between[number * count + number];
        let within =
            if within > 0 { format!(", {} within", counted(within as u64, "edge")) } else { String::new() };
        let node = DrawnNode::new(vec![name, format!("{}{within}", counted(tasks[number] as u64, "task"))]);
        DrawnNode { level: number as u32, share: Some(tasks[number] as f64 / widest), ..node }
    };
    let pairs = (0..count).flat_map(|from| (from + 1..count).map(move |to| (from, to)));
    let pairs: Vec<((usize, usize), usize)> = pairs
        .map(|(from, to)| ((from, to), between[from * count + to]))
        .filter(|(_, edges)| *edges > 0)
        .collect();
    let bends: usize = pairs.iter().map(|((from, to), _)| to - from - 1).sum();
    let far: usize = pairs.iter().filter(|((from, to), _)| to - from > 1).map(|(_, edges)| edges).sum();
    let all = bends <= MOST_BENDS / 4;
    let edges = pairs.iter().filter(|((from, to), _)| all || to - from == 1).map(|(ends, edges)| DrawnEdge {
        ends: *ends,
        line: EdgeLine::Single,
        text: EdgeText::Rows(vec![counted(*edges as u64, "edge")]),
        is_marked: false,
    });
    let hidden = (!all)
        .then(|| format!("not drawn: {} between boxes that are no neighbours", counted(far as u64, "edge")));
    Drawing {
        arrangement: Arrangement::Levels,
        nodes: (0..count).map(node).collect(),
        edges: edges.collect(),
        captions: hidden.into_iter().collect(),
        ..Drawing::default()
    }
}
