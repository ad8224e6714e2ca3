//! What the report of a run of jobs draws: levels over time, the Gantt chart, waits and slowdowns, users.
//!
//! Of jobs it needs more than `jobs.csv` holds: whose each is, and which the metrics observe. The run knows it; of a finished run the
//! workload, read once more, does. Without that users are unknown, and equal submissions stand in the order of leaving.

use std::io;

use smallvec::SmallVec;

use crate::collections::StableSort as _;
use crate::ids::JobId;
use crate::instrument::State;
use crate::instrument::metrics::{BOUND, FinishedRun};
use crate::instrument::tables::{JobRows, of_run as tables_of};
use crate::kernel::SimTime;
use crate::kernel::stats::WarmUp;
use crate::output::{
    Cell, Drawn, Figure, Names, On, Pictures, RowSink, RowSource, Rows, Series, Spans, Table, columns,
};
use crate::scenario::{Rejected, RunDirectory};
use crate::system::cluster::description::Cluster;
use crate::system::cluster::experiment::Finished;
use crate::system::cluster::workload_again::{jobs, submitted};
use crate::workload::{Job, UNKNOWN_ID};

const SIZE: Names = &["given_number_of_resources", "requested_number_of_resources"];
const OBSERVED: Rows = Rows { table: "jobs", what: "jobs", only: Some("observed") };
const END_OF_WARM_UP: &str = "end of the warm-up";

const HEADLINE: &str = "jobs.submitted jobs.completed jobs.killed jobs.cancelled jobs.lost jobs.rejected jobs.unfinished \
    wait-time.mean wait-time.median wait-time.p95 wait-time.max recorded-wait-time.mean response-time.mean slowdown.mean \
    bounded-slowdown.mean utilization throughput makespan cpu-utilization loss-of-cpu loss-of-capacity.per-slot \
    scheduling-skewness fairness deadlines.missed";

const JOBS: Spans = Spans {
    table: "jobs",
    span: ["starting_time", "finish_time"],
    on: On::Intervals("allocated_resources"),
    name: "{job_id}",
    unless: None,
    facts: &[
        ("wait_ns", &["waiting_time"]),
        ("submitted_ns", &["submission_time"]),
        ("estimate_ns", &["given_time", "requested_time"]),
        ("processors", SIZE),
        ("user", &["user"]),
        ("reason", &["reason"]),
    ],
    behind: None,
};

const RESERVATIONS: Spans = Spans {
    table: "reservations",
    span: ["from", "to"],
    on: On::Intervals("processors"),
    name: "reservation {reservation}, time {occurrence}",
    facts: &[],
    behind: Some("reserved"),
    ..JOBS
};

const OUTAGES: Spans =
    Spans { table: "outages", name: "node {node}", behind: Some("out of service"), ..RESERVATIONS };

const PROFILE: &str = "Where the time of all processors went while they were observed, and of the time that they gave to the tasks of \
    each class.";
const ON_PROCESSORS: &str = "A bar is a job, from its start to its end, on the processors it held; where jobs share processors one bar may \
    cover another.";
const STOPPED: &str = "Jobs that had not ended when the run was stopped are not drawn.";
const SHARED: &str = "From submission to end: jobs that share processors take longer instead of waiting.";
const BOUNDED: &str = "Response time over run time, where run times below 10 s count as 10 s; at least 1.";
const USERS: &str = "1 is the best there is. Users far above the others waited out of proportion.";

/// The figures of a run on so many processors, which jobs share or not.
fn figures(procs: u32, shared: bool) -> Vec<Figure> {
    let used = Series::between("processors in use", "jobs", "starting_time", "finish_time");
    let used = Series { weight: SIZE, whole: f64::from(procs), ..used };
    let queue = Series::between("jobs waiting", "jobs", "submission_time", "starting_time");
    let distribution = |value, label| Drawn::Distribution { of: OBSERVED, value, label };
    let (spans, numbered) = (vec![JOBS, RESERVATIONS, OUTAGES], Some(("processor", procs)));
    let lanes = Drawn::Lanes { spans, numbered, words: ("job", "processors") };
    let (across, down) = ((SIZE, "processors"), ("execution_time", "run times"));
    let waits = Drawn::HeatMap { of: OBSERVED, value: "waiting_time", across, down };
    let (by, value) = (("user", "user"), ("bounded_slowdown", "bounded slowdown"));
    let profile = Drawn::Shares { family: "profile", label: "share of processor time" };
    let (level, long) = if shared {
        let tasks = Drawn::Series(Series { name: "tasks of running jobs per processor", ..used });
        let responses = distribution("turnaround_time", "response");
        (Figure::new("Tasks over time", STOPPED, tasks), Figure::new("Response times", SHARED, responses))
    } else {
        let share = Drawn::Series(Series { unit: "%", ..used });
        let slowdowns = distribution(value.0, value.1);
        let slowdowns = Figure::new("Bounded slowdowns", BOUNDED, slowdowns);
        (Figure::new("Utilization over time", STOPPED, share), slowdowns)
    };
    let waiting = "Jobs that were submitted and had not started.";
    vec![
        Figure::new("Execution profile", PROFILE, profile),
        level,
        Figure::new("Queue length over time", waiting, Drawn::Series(queue)),
        Figure::new("Jobs on processors", ON_PROCESSORS, lanes),
        Figure::new("Wait times", "From submission to start.", distribution("waiting_time", "wait")),
        long,
        Figure::new("Mean wait by size and run time", "", waits),
        Figure::new(
            "Fairness: bounded slowdown of each user",
            USERS,
            Drawn::Groups { of: OBSERVED, by, value },
        ),
    ]
}

/// What the report of a run draws.
pub(super) fn of_run(finished: &Finished) -> Pictures<'_> {
    let run = finished.outcomes.run();
    let more = more_of(&run);
    let mut tables = tables_of(run, &finished.workload);
    let rows: Box<dyn RowSource> = Box::new(JobRows { run, workload: &finished.workload });
    tables[0] = Box::new(WithMore { rows, more: more.rows });
    let shared = finished.outcomes.task_run().is_some();
    pictures(&finished.workload, run.procs, shared, tables, more.mark)
}

fn pictures<'a>(
    workload: &str,
    procs: u32,
    shared: bool,
    tables: Vec<Box<dyn RowSource + 'a>>,
    mark: Option<SimTime>,
) -> Pictures<'a> {
    let mut pictures = Pictures::new(figures(procs, shared), tables);
    pictures.about = format!("workload {workload}, {procs} processors");
    pictures.headline = HEADLINE;
    pictures.mark = mark.map(|at| (at, END_OF_WARM_UP));
    pictures
}

/// What the report of a finished run draws, from its files.
pub(super) fn of_files(run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
    let summary = run.json("summary.json")?;
    let cluster = run.scenario.own::<Cluster>().expect("what the system read of its scenario");
    let warm_up = match summary["warm-up"]["jobs"].as_u64() {
        Some(jobs) if cluster.finds_warm_up && jobs > 0 => WarmUp::Count(jobs),
        _ => cluster.warm_up,
    };
    let mut tables = run.tables()?;
    let mut mark = None;
    if let Some(place) = tables.iter().position(|table| table.table().name == "jobs") {
        let wrong = |why: String| run.not_understood("jobs.csv", "drawn", &why);
        let left = Left::read(&*tables[place]).map_err(wrong)?;
        // the workload may have moved or changed since: then the page is drawn from what is in the directory
        let whole = jobs(run).and_then(|workload| submitted(workload.work, run));
        let whole = whole.and_then(|work| more_of_rows(&left, warm_up, Some(&work.jobs)));
        let more = whole.or_else(|why| {
            (run.note)(&format!("the users of the jobs are left out: {why}"));
            more_of_rows(&left, warm_up, None)
        });
        let more = more.map_err(wrong)?;
        mark = more.mark;
        let rows = tables.swap_remove(place);
        tables.insert(0, Box::new(WithMore { rows, more: more.rows }));
    }
    let procs = run.manifest["processors"].as_u64().and_then(|procs| u32::try_from(procs).ok());
    let workload = run.manifest["workload"]["name"].as_str().unwrap_or_default();
    let shared = cluster.nodes.is_some();
    Ok(pictures(workload, procs.unwrap_or(1).max(1), shared, tables, mark))
}

/// What figures need of each row of the jobs besides its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
struct More {
    /// The user, if that is known, and whether the metrics observe it and it ran.
    rows: Vec<(Option<u32>, bool)>,
    /// Where observations begin, if there is a warm-up.
    mark: Option<SimTime>,
}

/// Of the jobs in order of submission whether the warm-up leaves them: of each when it was submitted, and whether it was rejected.
fn kept(warm_up: WarmUp, jobs: impl Iterator<Item = (SimTime, bool)>) -> Vec<bool> {
    let mut accepted = 0;
    let of = |(submit, rejected): (SimTime, bool)| {
        accepted += u64::from(!rejected);
        !rejected && warm_up.keeps(accepted - 1, submit)
    };
    jobs.map(of).collect()
}

fn begin(warm_up: WarmUp, observed: impl Iterator<Item = SimTime>) -> Option<SimTime> {
    if warm_up == WarmUp::None { None } else { observed.min() }
}

fn more_of(run: &FinishedRun<'_>) -> More {
    let states = run.record.outcomes().map(|outcome| outcome.state == State::Rejected);
    let kept = kept(run.warm_up, run.jobs.iter().map(|job| job.submit_time).zip(states));
    let left = run.record.left();
    let observed = |id: JobId| kept[id.index()] && run.record.outcome(id).ran();
    let rows = left.iter().map(|id| (known(run.jobs[id.index()].user), observed(*id)));
    let submits = left.iter().filter(|id| observed(**id)).map(|id| run.jobs[id.index()].submit_time);
    More { rows: rows.collect(), mark: begin(run.warm_up, submits) }
}

fn known(user: u32) -> Option<u32> {
    (user != UNKNOWN_ID).then_some(user)
}

/// Of a row of a `jobs.csv` the number, submission and size of its job, whether that was rejected, and whether it ran.
type Gone = ((u64, SimTime, u32), bool, bool);

/// The rows of a `jobs.csv`, as far as needed for [`More`].
struct Left {
    places: [usize; 5],
    rows: Vec<Gone>,
}

impl Left {
    fn read(table: &dyn RowSource) -> Result<Vec<Gone>, String> {
        let declared = table.table();
        let mut places = [0; 5];
        let names = ["job_id", "submission_time", SIZE[1], "final_state", "starting_time"];
        for (place, name) in places.iter_mut().zip(names) {
            *place = declared.place(&[name]).ok_or_else(|| format!("it has no column `{name}`"))?;
        }
        let mut left = Left { places, rows: Vec::new() };
        table.push(&mut left).map_err(|error| error.to_string())?;
        Ok(left.rows)
    }
}

impl RowSink for Left {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let [number, submit, size, state, start] = self.places.map(|place| cells[place]);
        let (Cell::Count(number), Cell::Time(submit), Cell::Integer(size)) = (number, submit, size) else {
            let why = format!("row {} lacks what every job has", self.rows.len() + 1);
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        };
        let key = (number, SimTime::ZERO.saturating_add(submit), u32::try_from(size).unwrap_or(0));
        self.rows.push((key, state == Cell::Text("REJECTED"), start != Cell::Empty));
        Ok(())
    }
}

/// The same from the rows of a `jobs.csv`; `jobs` are those of the workload, if they can still be read.
fn more_of_rows(rows: &[Gone], warm_up: WarmUp, jobs: Option<&[Job]>) -> Result<More, String> {
    // the place of each row in the order of submission
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut places = vec![0; rows.len()];
    let kept = if let Some(jobs) = jobs {
        let key = |place: &usize| (jobs[*place].number, jobs[*place].submit_time, jobs[*place].procs);
        let mut all: Vec<usize> = (0..jobs.len()).collect();
        all.stable_sort_by_key(key);
        order.stable_sort_by_key(|row| rows[*row].0);
        let mut all = all.into_iter();
        let mut rejected = vec![false; jobs.len()];
        for row in order {
            let wanted = rows[row].0;
            let place = all.by_ref().find(|place| key(place) >= wanted).filter(|place| key(place) == wanted);
            places[row] = place.ok_or_else(|| format!("job {} is not in the workload", wanted.0))?;
            rejected[places[row]] = rows[row].1;
        }
        kept(warm_up, jobs.iter().map(|job| job.submit_time).zip(rejected))
    } else {
        order.stable_sort_by_key(|row| rows[*row].0.1);
        order.iter().zip(0..).for_each(|(row, place)| places[*row] = place);
        kept(warm_up, order.iter().map(|row| (rows[*row].0.1, rows[*row].1)))
    };
    let more =
        || rows.iter().zip(&places).map(|((key, _, ran), place)| (key.1, *place, kept[*place] && *ran));
    let user = |place: usize| jobs.and_then(|jobs| known(jobs[place].user));
    Ok(More {
        rows: more().map(|(_, place, observed)| (user(place), observed)).collect(),
        mark: begin(warm_up, more().filter(|row| row.2).map(|row| row.0)),
    })
}

/// The rows of the jobs with what figures need besides.
struct WithMore<'a> {
    rows: Box<dyn RowSource + 'a>,
    more: Vec<(Option<u32>, bool)>,
}

impl RowSource for WithMore<'_> {
    fn table(&self) -> Table {
        self.rows.table().with(columns! {
            "user" Count "", "the number of its user";
            "observed" Count "", "1 if it ran and the metrics observe it";
            "bounded_slowdown" Real "", "max(1, turnaround time / max(run time, 10 s))";
        })
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let table = self.rows.table();
        let response = table.place(&["turnaround_time"]).unwrap_or(0);
        let run = table.place(&["dedicated_time", "execution_time"]).unwrap_or(0);
        self.rows.push(&mut Adding { sink, more: self.more.iter(), response, run })
    }
}

/// Adds cells to rows that pass by.
struct Adding<'a> {
    sink: &'a mut dyn RowSink,
    more: std::slice::Iter<'a, (Option<u32>, bool)>,
    response: usize,
    run: usize,
}

impl RowSink for Adding<'_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let (user, observed) = self.more.next().copied().unwrap_or_default();
        let slowdown = match (cells[self.response], cells[self.run]) {
            (Cell::Time(response), Cell::Time(run)) => {
                let run = run.max(BOUND).as_nanos();
                Cell::Real((response.as_nanos() as f64 / run as f64).max(1.0))
            }
            _ => Cell::Empty,
        };
        let user = user.map_or(Cell::Empty, |user| Cell::Count(u64::from(user)));
        let mut all: SmallVec<[Cell<'_>; 24]> = SmallVec::from_slice(cells);
        all.extend_from_slice(&[user, Cell::Count(u64::from(observed)), slowdown]);
        self.sink.row(&all)
    }
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::instrument::tables::{self, jobs_header};
    use crate::instrument::{Reason, Record};
    use crate::kernel::SimDuration;
    use crate::output::{FileRows, TableFormat};

    use super::*;

    /// Three jobs of one instant that leave in another order than they came, one of them refused.
    fn run() -> (Vec<Job>, Record) {
        let at = SimTime::from_nanos;
        let mut jobs: Vec<Job> = [9, 4, 4, 7]
            .map(|number| Job::new(number, at(5), 2, SimDuration::from_nanos(1_500_000_001)))
            .into();
        for (user, job) in (0..).zip(&mut jobs) {
            job.user = 10 + user;
        }
        let mut record = Record::new(4);
        record.started(JobId(0), at(40), &[Interval::new(0, 0), Interval::new(5, 5)], Reason::Head);
        record.started(JobId(1), at(20), &[Interval::new(1, 2)], Reason::Head);
        record.started(JobId(2), at(30), &[Interval::new(3, 4)], Reason::Head);
        record.rejected(JobId(3), at(5), Reason::TooLarge);
        for job in [1, 2, 0] {
            record.ended(JobId(job), at(100_000_000_000 - u64::from(job)));
        }
        (jobs, record)
    }

    fn more_of_csv(text: &str, warm_up: WarmUp, jobs: Option<&[Job]>) -> Result<More, String> {
        let declared = tables::declared().remove(0);
        more_of_rows(&Left::read(&FileRows::new(&declared, text.to_owned())?)?, warm_up, jobs)
    }

    #[test]
    fn a_run_and_its_file_have_the_same_users_and_observations() {
        let (jobs, record) = run();
        for warm_up in [WarmUp::None, WarmUp::Count(2), WarmUp::Until(SimTime::from_nanos(5))] {
            let run = FinishedRun { jobs: &jobs, record: &record, procs: 8, until: None, warm_up };
            let csv = TableFormat::Csv.bytes(&JobRows { run, workload: "a \"b\", c" }).expect("into memory");
            let text = String::from_utf8(csv).expect("text");
            // two jobs with equal numbers of one instant cannot be distinguished: they may be exchanged
            let sorted = |mut more: More| {
                more.rows.sort_unstable();
                more
            };
            let known = more_of(&run);
            assert_eq!(
                sorted(more_of_csv(&text, warm_up, Some(&jobs)).expect("rows")),
                sorted(known.clone()),
                "{warm_up:?}"
            );
            assert_eq!(known.mark.is_some(), warm_up != WarmUp::None);
            let alone = more_of_csv(&text, warm_up, None).expect("rows");
            assert!(alone.rows.len() == 4 && alone.rows.iter().all(|(user, _)| user.is_none()));
        }
    }

    #[test]
    fn every_cell_may_be_quoted() {
        let (jobs, record) = run();
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 8, until: None, warm_up: WarmUp::None };
        let csv = TableFormat::Csv.bytes(&JobRows { run, workload: "w" }).expect("into memory");
        let text = String::from_utf8(csv).expect("text");
        let quoted = |line: &str| format!("\"{}\"\r\n", line.replace(',', "\",\""));
        let all: String = text.lines().map(quoted).collect();
        let more = |text: &str| more_of_csv(text, WarmUp::None, None).expect("rows");
        assert_eq!(more(&all), more(&text));
    }

    #[test]
    fn what_is_no_jobs_csv_is_reported_with_its_line() {
        let why = |text: &str| more_of_csv(text, WarmUp::None, None).expect_err("refused");
        assert!(why("a,b\n").contains("`a`") && why("profile\n").contains("job_id"), "{}", why("a,b\n"));
        for row in ["", "1,w,rigid", "x,w,rigid,0,1,1,1,C,0,1,1,0,1,1,0,-1,,head"] {
            assert!(why(&format!("{}\n{row}\n", jobs_header(false))).contains("line 2"), "{row}");
        }
    }
}
