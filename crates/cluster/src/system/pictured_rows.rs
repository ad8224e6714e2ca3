//! The rows that figures of jobs are drawn from: those of `jobs.csv` with what these need in
//! addition, and the processors in use.

use std::io;

use smallvec::SmallVec;

use crate::instrument::metrics::BOUND;
use crate::instrument::tables::JobRows;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Cell, Row as _, RowSink, RowSource, Table, columns};
use crate::rows::UsageRow;
use crate::workload::UNKNOWN_ID;
use clustersim_experiment::rows::batsim::in_millionths;

/// The user of each row, if that is known, and true if it ran to its end or limit and the metrics
/// observe it.
pub(super) type More = Vec<(Option<u32>, bool)>;

/// The rows of a `jobs.csv` with what figures need in addition.
pub(super) struct WithMore {
    pub(super) rows: Box<dyn RowSource>,
    pub(super) more: More,
}

impl RowSource for WithMore {
    fn table(&self) -> Table {
        with_more(self.rows.table())
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let adding = Adding::to(&self.rows.table());
        self.rows.push(&mut Each { adding, sink, more: self.more.iter() })
    }
}

/// The rows of the jobs of a run with what figures need in addition.
pub(super) struct PicturedJobs<'a> {
    pub(super) rows: JobRows<'a>,
    /// True for a job, by place, that the warm-up leaves.
    pub(super) kept: Vec<bool>,
}

impl RowSource for PicturedJobs<'_> {
    fn table(&self) -> Table {
        with_more(self.rows.table())
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (run, adding) = (&self.rows.run, Adding::to(&self.rows.table()));
        self.rows.each(&mut |id, cells| {
            let observed = self.kept[id.index()] && run.record.state(id).has_run();
            adding.row(cells, (known(run.jobs[id.index()].user), observed), sink)
        })
    }
}

/// The number of a user, if it is known.
pub(super) fn known(user: u32) -> Option<u32> {
    (user != UNKNOWN_ID).then_some(user)
}

fn with_more(jobs: Table) -> Table {
    jobs.with(columns! {
        "user" Count "", "the number of its user";
        "observed" Count "", "1 if it ran to its end or limit and the metrics observe it";
        "bounded_slowdown" Real "", "max(1, turnaround time / max(run time alone, 10 s))";
        "run_time" Time "s", "its run time alone, which stretch is over";
        "left_queue" Time "s", "when it started last, or was cancelled before it started";
    })
}

/// Rows that pass by, each with more cells.
struct Each<'a> {
    adding: Adding,
    sink: &'a mut dyn RowSink,
    more: std::slice::Iter<'a, (Option<u32>, bool)>,
}

impl RowSink for Each<'_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        self.adding.row(cells, self.more.next().copied().unwrap_or_default(), self.sink)
    }
}

/// Adds cells to rows of jobs, by the places of theirs.
struct Adding {
    response: Option<usize>,
    stretch: Option<usize>,
    execution: Option<usize>,
    dedicated: Option<usize>,
    start: Option<usize>,
    finish: Option<usize>,
}

impl Adding {
    /// To the rows of this table.
    fn to(table: &Table) -> Self {
        let place = |name| table.place(&[name]);
        Adding {
            response: place("turnaround_time"),
            stretch: place("stretch"),
            execution: place("execution_time"),
            dedicated: place("dedicated_time"),
            start: place("starting_time"),
            finish: place("finish_time"),
        }
    }

    fn row(
        &self,
        cells: &[Cell<'_>],
        (user, observed): (Option<u32>, bool),
        sink: &mut dyn RowSink,
    ) -> io::Result<()> {
        let at = |place: Option<usize>| place.map_or(Cell::Empty, |place| cells[place]);
        let (mut slowdown, mut run) = (Cell::Empty, at(self.dedicated));
        if let (Cell::Time(response), Some(stretch)) = (at(self.response), Stretch::of(at(self.stretch))) {
            let bounded = stretch.value.min(response.as_secs_f64() / BOUND.as_secs_f64());
            slowdown = Cell::Real(bounded.max(1.0));
            if run == Cell::Empty {
                run = Cell::Time(alone(response, stretch, at(self.execution)));
            }
        }
        let start = at(self.start);
        let left = if start == Cell::Empty { at(self.finish) } else { start };
        let user = user.map_or(Cell::Empty, |user| Cell::Count(u64::from(user)));
        let mut all: SmallVec<[Cell<'_>; 26]> = SmallVec::from_slice(cells);
        all.extend_from_slice(&[user, Cell::Count(u64::from(observed)), slowdown, run, left]);
        sink.row(&all)
    }
}

/// Response time over run time, and the same in millionths.
#[derive(Clone, Copy)]
struct Stretch {
    value: f64,
    millionths: u128,
}

impl Stretch {
    /// The stretch that a cell has, of a run or of its file.
    fn of(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Decimal(millionths, _) => Some(Stretch { value: millionths as f64 / 1e6, millionths }),
            Cell::Real(value) => Some(Stretch { value, millionths: (value * 1e6).round() as u128 }),
            _ => None,
        }
    }
}

/// The run time alone of a job with this response time and stretch: its time in the machine where
/// that gives the stretch, else what the stretch leaves of the response time, in whole seconds if
/// its digits allow.
fn alone(response: SimDuration, stretch: Stretch, execution: Cell<'_>) -> SimDuration {
    const RESOLUTION: f64 = 1e-6;
    if let Cell::Time(execution) = execution
        && in_millionths(response, execution) == stretch.millionths
    {
        return execution;
    }
    let run = response.as_secs_f64() / stretch.value.max(RESOLUTION);
    let whole = run.round();
    SimDuration::ceil_secs(if (run - whole).abs() <= RESOLUTION * run { whole } else { run })
}

/// The processors in use, from the files of a run whose jobs had processors to themselves: those of
/// the last runs of jobs and of those that were interrupted.
pub(super) struct Used(Vec<(SimTime, SimTime, u64)>);

impl Used {
    /// Of these tables of a run; the error follows the name of its file.
    pub(super) fn of(tables: &[Box<dyn RowSource>]) -> Result<Self, (String, String)> {
        let mut used = Used(Vec::new());
        for source in tables {
            let table = source.table();
            if table.name == "jobs" || table.name == "attempts" {
                let places =
                    ["starting_time", "finish_time", "allocated_resources"].map(|name| table.place(&[name]));
                let [Some(start), Some(end), Some(on)] = places else { continue };
                let mut spans = Spanning { places: [start, end, on], spans: &mut used.0 };
                source
                    .push(&mut spans)
                    .map_err(|error| (format!("{}.csv", table.name), error.to_string()))?;
            }
        }
        Ok(used)
    }
}

impl RowSource for Used {
    fn table(&self) -> Table {
        UsageRow::declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.0
            .iter()
            .try_for_each(|&(from, to, procs)| sink.row(&[Cell::at(from), Cell::at(to), Cell::Count(procs)]))
    }
}

/// Takes the spans of rows of jobs.
struct Spanning<'a> {
    places: [usize; 3],
    spans: &'a mut Vec<(SimTime, SimTime, u64)>,
}

impl RowSink for Spanning<'_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let [start, end, on] = self.places.map(|place| cells[place]);
        if let (Cell::Time(start), Cell::Time(end), Cell::Intervals(on)) = (start, end, on)
            && start < end
        {
            let at = |since: SimDuration| SimTime::ZERO.saturating_add(since);
            self.spans.push((at(start), at(end), on.iter().map(|part| part.count()).sum()));
        }
        Ok(())
    }
}
