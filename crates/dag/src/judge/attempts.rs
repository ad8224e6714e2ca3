//! The starts of tasks: as `attempts.csv` has them, or as `tasks.csv` says for tasks that were
//! started once.
//!
//! The file has every start, in the order in which they began, and the source of each one's data.
//! Without it a task has one start, and used what was sent to its host last.

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::SimTime;
use crate::output::RowFile;
use crate::rows::AttemptRow;

use super::cores::{self, further_cores};
use super::run::{Run, named};
use super::{AGAIN, Judgement, Violation};

/// Origin of the data of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// Place among the loads; `None` of an edge without data.
    pub(super) load: Option<usize>,
    pub(super) parent: Option<u32>,
    /// The attempt of the parent, by place among all.
    pub(super) writer: Option<usize>,
    /// The row of the transfer that brought them.
    pub(super) transfer: Option<usize>,
}

/// A start of a task.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) task: u32,
    /// Number of starts of the task up to this one, by the file.
    ordinal: u64,
    /// Host and core, of several cores the lowest.
    pub(super) place: Option<(usize, u32)>,
    /// The other cores.
    pub(super) further: Box<[u32]>,
    pub(super) ready: Option<SimTime>,
    pub(super) start: SimTime,
    pub(super) end: Option<SimTime>,
    pub(super) lost: Option<SimTime>,
    /// The attempt of the same task before it.
    pub(super) earlier: Option<usize>,
    pub(super) data: Vec<Origin>,
    /// False if the file names more edges than the task has, or fewer.
    is_complete: bool,
}

impl Attempt {
    /// Instant from which its core was free again; `None` while it is computed.
    pub(super) fn over(&self) -> Option<SimTime> {
        self.end.or(self.lost)
    }

    /// Cores that it holds, each with the host.
    pub(super) fn held(&self) -> impl Iterator<Item = (usize, u32)> + Clone + '_ {
        cores::held(self.place, &self.further)
    }
}

/// Every start, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    pub(super) all: Vec<Attempt>,
    /// By task: the place of its last, if it counts.
    pub(super) last: Vec<Option<usize>>,
    /// By load: the row of the transfer by which its child had it in its last attempt, or by which
    /// it came home.
    pub(super) transfers: Vec<Option<usize>>,
    /// By task and how often it had been started.
    place_of: OrderedMap<(u32, u64), usize>,
    /// True if they are in a file of their own.
    pub(super) is_recorded: bool,
}

/// A row as it is written.
struct Written {
    attempt: Attempt,
    /// By edge.
    data: Vec<Named>,
}

/// An edge or input of a task: its parent, and what it loads unless it only waits.
type EdgeOf = (Option<u32>, Option<usize>);

/// The attempt of a parent, and the row of a transfer.
type Named = (Option<u64>, Option<usize>);

impl Attempts {
    /// The attempts of a run whose tasks and transfers have been read.
    ///
    /// # Errors
    /// A cell of the file that cannot be read.
    pub(super) fn of(run: &Run<'_>) -> Result<Self, String> {
        let transfers = run.last_transfers().unwrap_or_else(|_| vec![None; run.graph.loads.len()]);
        let mut attempts = Attempts { transfers, last: vec![None; run.tasks.len()], ..Attempts::default() };
        let edges = edges(run);
        match run.files.attempts {
            Some(text) => attempts.read(run, text, &edges)?,
            None => attempts.follow_tasks(run, &edges),
        }
        Ok(attempts)
    }

    /// Takes each task as started once.
    fn follow_tasks(&mut self, run: &Run<'_>, edges: &[Vec<EdgeOf>]) {
        let mut started: Vec<(SimTime, Option<SimTime>, u32)> =
            run.rows().filter_map(|(task, row)| Some((row.start?, row.end, task))).collect();
        started.stable_sort();
        for (place, &(_, _, task)) in started.iter().enumerate() {
            self.last[task as usize] = Some(place);
        }
        for (start, end, task) in started {
            let Some(row) = run.row(task) else { continue };
            let origin = |&(parent, load): &EdgeOf| Origin {
                load,
                parent,
                writer: parent.and_then(|parent| self.only(run, parent)),
                transfer: load.and_then(|load| self.transfers[load]),
            };
            let data = edges[task as usize].iter().map(origin).collect();
            let place = row.host.zip(row.core);
            self.all.push(Attempt {
                task,
                ordinal: 1,
                place,
                further: row.further.clone(),
                ready: row.ready,
                start,
                end,
                lost: None,
                earlier: None,
                data,
                is_complete: true,
            });
        }
    }

    fn read(&mut self, run: &Run<'_>, text: &str, edges: &[Vec<EdgeOf>]) -> Result<(), String> {
        self.is_recorded = true;
        for (place, written) in read_rows(run, text)?.into_iter().enumerate() {
            let Written { mut attempt, data } = written;
            let ordinal = attempt.ordinal;
            attempt.earlier =
                ordinal.checked_sub(1).and_then(|before| self.place_of.get(&(attempt.task, before)).copied());
            let of = &edges[attempt.task as usize];
            let origin = |(&(parent, load), &(ordinal, transfer)): (&EdgeOf, &Named)| {
                let writer = parent.zip(ordinal).and_then(|key| self.place_of.get(&key).copied());
                Origin { load, parent, writer, transfer }
            };
            attempt.data = of.iter().zip(&data).map(origin).collect();
            attempt.is_complete = data.len() == of.len();
            self.place_of.insert((attempt.task, ordinal), place);
            self.last[attempt.task as usize] = Some(place);
            self.all.push(attempt);
        }
        for task in 0..run.tasks.len() as u32 {
            let last = &mut self.last[task as usize];
            *last = last.filter(|_| run.row(task).is_some_and(|row| row.start.is_some()));
            for origin in last.map_or(&[][..], |last| &self.all[last].data) {
                if let Some(load) = origin.load {
                    self.transfers[load] = origin.transfer;
                }
            }
        }
        Ok(())
    }

    /// The attempt of a task of which all are known.
    pub(super) fn only(&self, run: &Run<'_>, task: u32) -> Option<usize> {
        let is_whole = self.is_recorded || run.row(task).is_some_and(|row| row.attempts <= 1);
        self.last[task as usize].filter(|_| is_whole)
    }

    /// The attempt of a task by how often it had been started then.
    pub(super) fn of_task(&self, task: u32, ordinal: u64) -> Option<usize> {
        self.place_of.get(&(task, ordinal)).copied()
    }

    /// Of each attempt, the one before it on its core; of those before it on several cores the one
    /// that was over last, of equal ones that which began last, of these that of the highest task.
    pub(super) fn before_on_core(&self) -> Vec<Option<usize>> {
        let mut last = OrderedMap::new();
        let mut before = |(place, attempt): (usize, &Attempt)| {
            let before = attempt.held().filter_map(|core| last.insert(core, place));
            before.max_by_key(|before| {
                let attempt = &self.all[*before];
                (attempt.over(), attempt.start, attempt.task)
            })
        };
        self.all.iter().enumerate().map(&mut before).collect()
    }
}

/// By task, what it has its data from, inputs first: parent, and load unless it only waits.
fn edges(run: &Run<'_>) -> Vec<Vec<EdgeOf>> {
    let loads = run.graph.loads_into().into_iter();
    let with_parent = |load: usize| (run.graph.loads[load].from, Some(load));
    let mut edges: Vec<Vec<_>> = loads.map(|loads| loads.into_iter().map(with_parent).collect()).collect();
    for edge in run.graph.edges.iter().filter(|edge| edge.bytes.is_none()) {
        edges[edge.to as usize].push((Some(edge.from), None));
    }
    for of_task in &mut edges {
        of_task.stable_sort_by_key(|(parent, _)| *parent);
    }
    edges
}

fn read_rows(run: &Run<'_>, text: &str) -> Result<Vec<Written>, String> {
    let mut rows = Vec::new();
    RowFile::<AttemptRow<'_>>::new(text)?.each(|row, line| {
        let task = |task: &str| run.graph.task_named(&named(&row.application, task));
        let task = line.find(&row.task, "task of the graph", task)?;
        let host = line.find(&row.host, "host", |host| run.platform.host(host))?;
        let data = |words: &str| words.split_whitespace().map(origin).collect::<Option<Vec<_>>>();
        let data = line.find(&row.data, "list of attempts", data)?;
        let attempt = Attempt {
            task,
            ordinal: row.attempt.into(),
            place: Some((host, row.core)),
            further: further_cores(row.further_cores.as_deref(), line)?,
            ready: row.ready,
            start: row.start,
            end: row.end,
            lost: row.lost,
            earlier: None,
            data: Vec::new(),
            is_complete: true,
        };
        rows.push(Written { attempt, data });
        Ok(())
    })?;
    Ok(rows)
}

/// An attempt of a parent and a row of `transfers.csv`, of a word such as `2@17`.
fn origin(word: &str) -> Option<Named> {
    let (attempt, transfer) =
        word.split_once('@').map_or((word, None), |(attempt, row)| (attempt, Some(row)));
    let attempt = match attempt {
        "" | "-" => None,
        number => Some(number.parse().ok()?),
    };
    Some((attempt, transfer.map(str::parse).transpose().ok()?))
}

/// The starts are those that `tasks.csv` counts, and a failure took what was lost.
pub(super) fn recorded(run: &Run<'_>) -> Judgement {
    if !run.attempts.is_recorded {
        return if run.has_failures() { Err(AGAIN) } else { Ok(Vec::new()) };
    }
    let attempts = &run.attempts;
    let mut found = Vec::new();
    let mut count = vec![0_u64; run.tasks.len()];
    let mut before = SimTime::ZERO;
    for attempt in &attempts.all {
        let mut wrong = |what: &str| found.push(run.of_task(attempt.task, attempt.start, what));
        count[attempt.task as usize] += 1;
        if attempt.start < before {
            wrong("stands behind an attempt that began later");
        }
        before = attempt.start;
        let earlier = attempt.earlier.map(|place| &attempts.all[place]);
        if attempt.ordinal != count[attempt.task as usize] || (attempt.ordinal > 1) != earlier.is_some() {
            wrong("has attempts that do not follow each other");
        }
        if earlier.is_some_and(|earlier| earlier.lost.is_none_or(|lost| lost > attempt.start)) {
            wrong("is started again before it is lost");
        }
        if let Some(what) = wrongly_lost(run, attempt) {
            wrong(what);
        }
    }
    for (task, row) in run.rows() {
        if row.attempts != count[task as usize] {
            found.push(run.of_task(
                task,
                row.start.unwrap_or_default(),
                "has another number of attempts in tasks.csv",
            ));
        }
        let Some(last) = attempts.last[task as usize].map(|place| &attempts.all[place]) else { continue };
        let is_there = row.host.zip(row.core) == last.place && row.further == last.further;
        let is_then = (row.ready, row.start, row.end) == (last.ready, Some(last.start), last.end);
        if !is_there || !is_then || last.lost.is_some() {
            found.push(run.of_task(task, last.start, "has another last attempt in tasks.csv"));
        }
    }
    Ok(found)
}

/// Fault in the loss of an attempt, or its absence.
fn wrongly_lost(run: &Run<'_>, attempt: &Attempt) -> Option<&'static str> {
    let (host, _) = attempt.place?;
    let fails = |from: SimTime| run.platform.fails(host, host, from);
    match (attempt.end, attempt.lost) {
        (None, None) => (!run.files.stopped).then_some("neither ends nor is lost"),
        (None, Some(lost)) => {
            (fails(attempt.start) != Some(lost)).then_some("is broken off, and its host does not fail")
        }
        (Some(_), Some(_)) if run.files.keeps_data => {
            Some("is lost after its end, and hosts keep what they hold")
        }
        (Some(end), Some(lost)) => (lost < end || fails(end).is_none_or(|fails| fails > lost))
            .then_some("is lost, and its host has not failed"),
        (Some(_), None) => None,
    }
}

/// Faults in the origins of the data of attempts.
pub(super) fn had_data(run: &Run<'_>) -> Vec<Violation> {
    let attempts = &run.attempts;
    let mut found = Vec::new();
    for attempt in &attempts.all {
        let Some((host, _)) = attempt.place else { continue };
        if !attempt.is_complete {
            found.push(run.of_task(attempt.task, attempt.start, "does not say where its data came from"));
        }
        for origin in &attempt.data {
            if let Some(what) = wrong_origin(run, (attempt.start, host), origin) {
                let parent = origin.parent.map_or("the home host", |parent| run.name(parent));
                found.push(run.of_task(attempt.task, attempt.start, &format!("{what} `{parent}`")));
            }
        }
    }
    found
}

fn wrong_origin(run: &Run<'_>, (start, host): (SimTime, usize), origin: &Origin) -> Option<&'static str> {
    let writer = origin.writer.map(|place| &run.attempts.all[place]);
    if origin.parent.is_some() && writer.and_then(|writer| writer.end).is_none_or(|end| end > start) {
        return Some("starts before the attempt has ended that it names of");
    }
    // who only waits needs nothing on its host
    let load = origin.load?;
    let there = match origin.transfer {
        Some(place) => {
            let row = run.transfers.as_ref()?.get(place);
            let is_it = row.is_some_and(|row| {
                row.load.is_some_and(|other| run.copies[other] == run.copies[load])
                    && row.ends.is_some_and(|(_, to)| to == host)
            });
            if !is_it {
                return Some("names a transfer of other data than those of");
            }
            row.and_then(|row| row.end)
        }
        None => match writer {
            Some(writer) if writer.place.map(|(on, _)| on) == Some(host) => writer.end,
            None if run.home == Some(host) => return None,
            _ => return Some("has on its host what was never sent there, of"),
        },
    };
    let Some(there) = there.filter(|there| *there <= start) else {
        return Some("starts before its data are on its host, of");
    };
    let lost = run.platform.fails(host, host, there).filter(|at| *at < start && !run.files.keeps_data);
    let is_at_home = origin.parent.is_none() && run.home == Some(host);
    (lost.is_some() && !is_at_home).then_some("uses what its host has lost, of")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An attempt that holds some cores of a host from a second to another.
    fn attempt(task: u32, cores: &[u32], [start, end]: [u64; 2]) -> Attempt {
        let at = |secs: u64| SimTime::from_secs(secs).expect("in range");
        Attempt {
            task,
            ordinal: 1,
            place: Some((0, cores[0])),
            further: cores[1..].into(),
            ready: None,
            start: at(start),
            end: Some(at(end)),
            lost: None,
            earlier: None,
            data: Vec::new(),
            is_complete: true,
        }
    }

    /// The attempt before one of all three cores, behind one on each.
    fn before(others: [(u32, [u64; 2]); 3]) -> Option<usize> {
        let on_core = |(core, (task, span)): (u32, (u32, [u64; 2]))| attempt(task, &[core], span);
        let mut all: Vec<Attempt> = (0..).zip(others).map(on_core).collect();
        all.push(attempt(9, &[0, 1, 2], [5, 6]));
        Attempts { all, ..Attempts::default() }.before_on_core()[3]
    }

    #[test]
    fn before_a_task_of_several_cores_is_what_was_over_last_then_began_last_then_has_the_highest_number() {
        assert_eq!(before([(2, [0, 4]), (1, [1, 5]), (3, [2, 3])]), Some(1));
        assert_eq!(before([(2, [0, 5]), (1, [1, 5]), (3, [2, 3])]), Some(1));
        assert_eq!(before([(3, [1, 5]), (2, [1, 5]), (1, [1, 5])]), Some(0));
        assert_eq!(before([(1, [1, 5]), (2, [1, 5]), (3, [1, 5])]), Some(2));
    }
}
