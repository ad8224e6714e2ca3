//! Pictures of the report of a run of jobs: levels over time, the Gantt chart, waits and slowdowns,
//! users.
//!
//! Of jobs it needs more than `jobs.csv` holds: whose each is, and which the metrics observe. The
//! run knows it; of a finished run the workload, read once more, does. Without that users are
//! unknown, and equal submissions stand in the order of leaving.

use std::io;

use crate::collections::StableSort as _;
use crate::instrument::State;
use crate::instrument::metrics::FinishedRun;
use crate::instrument::tables::{JobRows, UsageRows, of_run as tables_of};
use crate::kernel::SimTime;
use crate::kernel::stats::WarmUp;
use crate::output::{Cell, Drawn, Figure, Names, On, Pictures, RowSink, RowSource, Rows, Series, Spans};
use crate::scenario::{Rejected, RunDirectory, Scenario};
use crate::system::description::Cluster;
use crate::system::experiment::Finished;
use crate::system::pictured_rows::{More, PicturedJobs, Used, WithMore, known};
use crate::system::task_detail::runs_in_slices;
use crate::system::workload_again::{jobs, submitted};
use crate::workload::Job;

const SIZE: Names = &["given_number_of_resources", "requested_number_of_resources"];
const OBSERVED: Rows = Rows { only: Some("observed"), ..Rows::of("jobs", "jobs") };
const END_OF_WARM_UP: &str = "end of the warm-up";

/// Title of the figure that shows which job has which processors when.
pub(super) const SCHEDULE: &str = "Jobs on processors";

/// Title of the figure that shows which job has which processors of which row of the matrix when.
pub(super) const MATRIX: &str = "Rows of the gang matrix";

const HEADLINE: &str = "jobs.submitted jobs.completed jobs.killed jobs.cancelled jobs.lost jobs.rejected jobs.unfinished jobs.held-for-ever \
    wait-time.mean wait-time.median wait-time.p95 wait-time.max recorded-wait-time.mean response-time.mean slowdown.mean \
    bounded-slowdown.mean useful-utilization utilization throughput makespan cpu-utilization loss-of-cpu loss-of-capacity.per-slot \
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

/// Runs that were interrupted.
const ATTEMPTS: Spans = Spans {
    table: "attempts",
    facts: &[("submitted_ns", &["submission_time"]), ("run", &["attempt"]), ("kept_ns", &["saved_work"])],
    ..JOBS
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

/// Rows of the matrix, each a band of all processors.
const fn cells(procs: u32) -> Spans {
    Spans {
        table: "matrix",
        span: ["from", "to"],
        on: On::Bands { band: "row", intervals: "processors", each: procs },
        name: "{job_id}",
        facts: &[("role", &["role"]), ("submitted_ns", &["submission_time"])],
        ..JOBS
    }
}

const PROFILE: &str = "Where the time of all processors went while they were observed, and of the time that they gave to the tasks of \
    each class.";
const ON_PROCESSORS: &str = "A bar is a run of a job, from its start to its end or its interruption, on the processors it held; where jobs \
    share processors one bar may cover another.";
const IN_ROWS: &str = "A band is a row of the matrix, with a lane for each of its processors. A bar is a job, from when it came to the row \
    to when it left it: its own cells, or a replica (role) where it also runs as its processors are free. The rows have \
    their slices in turn, from the top; a job runs in the slices of the rows in which it stands. Single slices are not \
    drawn. A row has another place once one above it is deleted.";
const IN_USE: &str = "Processors that jobs have; one that several jobs share counts once.";
const STOPPED: &str = "Jobs that had not ended when the run was stopped are not drawn.";
const WAITING: &str = "Jobs that were submitted, up to their last start.";
const RESPONSES: &str = "From submission to end: jobs that share processors take longer instead of waiting.";
const BOUNDED: &str =
    "Response time over run time alone, where run times below 10 s count as 10 s; at least 1.";
const STRETCHED: &str = "Response time over run time alone.";
const USERS: &str = "1 is the best there is. Users far above the others waited out of proportion.";

/// Way in which the jobs of a run have their processors.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// Each to itself.
    Alone,
    /// In slices.
    Slices,
    /// As tasks on nodes.
    Tasks,
}

impl Sharing {
    fn of(scenario: &Scenario) -> Self {
        match scenario.own::<Cluster>() {
            Some(cluster) if cluster.nodes.is_some() => Sharing::Tasks,
            _ if runs_in_slices(scenario.root()) => Sharing::Slices,
            _ => Sharing::Alone,
        }
    }
}

/// The figures of a run on so many processors.
fn figures(procs: u32, sharing: Sharing) -> Vec<Figure> {
    let shares = sharing != Sharing::Alone;
    let used =
        Series { weight: &["processors"], ..Series::between("processors in use", "usage", "from", "to") };
    let used = Series { whole: f64::from(procs), unit: "%", ..used };
    let jobs = Series::between("jobs on a processor", "jobs", "starting_time", "finish_time");
    let jobs = Series { weight: SIZE, whole: f64::from(procs), ..jobs };
    let queue = Series::between("jobs waiting", "jobs", "submission_time", "left_queue");
    let distribution = |value, label| Drawn::Distribution { of: OBSERVED, value, label };
    let (spans, numbered) = (vec![JOBS, ATTEMPTS, RESERVATIONS, OUTAGES], Some(("processor", procs)));
    let lanes = Drawn::Lanes { spans, numbered, words: ("job", "processors") };
    let words = ("job", "rows and processors");
    let matrix = Drawn::Lanes { spans: vec![cells(procs)], numbered: None, words };
    let (across, down) = ((SIZE, "processors"), ("run_time", "run times"));
    let classes = |value| Drawn::HeatMap { of: OBSERVED, value, across, down };
    // bounded slowdowns of jobs of nodes, which are often shorter than the bound, say nothing
    let (value, metric, about) = match sharing {
        Sharing::Tasks => (("stretch", "slowdown"), "slowdown", STRETCHED),
        Sharing::Alone | Sharing::Slices => {
            (("bounded_slowdown", "bounded slowdown"), "bounded-slowdown", BOUNDED)
        }
    };
    let by = ("user", "user");
    let profile = Drawn::Shares { family: "profile", whole: None, label: "share of processor time" };
    let mut figures = vec![
        Figure::new("Execution profile", PROFILE, profile),
        Figure::new("Utilization over time", IN_USE, used).of_metric("utilization"),
        Figure::new("Jobs on a processor over time", STOPPED, jobs),
        Figure::new("Queue length over time", WAITING, queue),
        Figure::new(SCHEDULE, ON_PROCESSORS, lanes),
        Figure::new(MATRIX, IN_ROWS, matrix),
        Figure::new("Wait times", "From submission to start.", distribution("waiting_time", "wait"))
            .of_metric("wait-time"),
        Figure::new("Response times", RESPONSES, distribution("turnaround_time", "response"))
            .of_metric("response-time"),
        Figure::new(
            format!("{}{}s", value.1[..1].to_uppercase(), &value.1[1..]),
            about,
            distribution(value.0, value.1),
        )
        .of_metric(metric),
        if shares {
            Figure::new("Mean response by size and run time", "", classes("turnaround_time"))
                .of_metric("response-time")
        } else {
            Figure::new("Mean wait by size and run time", "", classes("waiting_time")).of_metric("wait-time")
        },
        Figure::new(
            format!("Fairness: {} of each user", value.1),
            USERS,
            Drawn::Groups { of: OBSERVED, by, value },
        )
        .of_metric(metric),
    ];
    if !shares {
        figures
            .retain(|figure| !["Jobs on a processor over time", "Response times"].contains(&&*figure.title));
    }
    figures
}

/// Pictures of the report of a run.
pub(super) fn of_run<'a>(finished: &'a Finished, scenario: &Scenario) -> Pictures<'a> {
    let run = finished.outcomes.run();
    let mut tables = tables_of(run, &finished.workload);
    let rows = JobRows { run, workload: &finished.workload };
    tables[0] = Box::new(PicturedJobs { rows, kept: kept_of(&run) });
    if tables.iter().all(|table| table.table().name != "usage") {
        tables.push(Box::new(UsageRows(run)));
    }
    let warm_up = run.warm_up;
    let window = Some(run.window()).filter(|window| window.from < SimTime::MAX);
    let window = window.map(|window| (window.from, window.to));
    pictures(&finished.workload, (run.procs, Sharing::of(scenario)), tables, (warm_up, window))
}

fn pictures<'a>(
    workload: &str,
    (procs, sharing): (u32, Sharing),
    tables: Vec<Box<dyn RowSource + 'a>>,
    (warm_up, window): (WarmUp, Option<(SimTime, SimTime)>),
) -> Pictures<'a> {
    let mut pictures = Pictures::new(figures(procs, sharing), tables);
    pictures.about = format!("workload {workload}, {procs} processors");
    pictures.headline = HEADLINE;
    pictures.mark = window.filter(|_| warm_up != WarmUp::None).map(|(from, _)| (from, END_OF_WARM_UP));
    pictures.window = window;
    pictures
}

/// Pictures of the report of a finished run, from its files.
pub(super) fn of_files(run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
    let summary = run.json("summary.json")?;
    let cluster = run.scenario.own::<Cluster>().expect("what the system read of its scenario");
    let warm_up = match summary["warm-up"]["jobs"].as_u64() {
        Some(jobs) if cluster.finds_warm_up && jobs > 0 => WarmUp::Count(jobs),
        _ => cluster.warm_up,
    };
    let mut tables = run.tables()?;
    let sharing = Sharing::of(run.scenario);
    let mut missing = Vec::new();
    let has = |name: &str| run.has(&format!("{name}.csv"));
    if !has("jobs") {
        missing.push("jobs, and all that is drawn of them: there is no jobs.csv (record.jobs)".to_owned());
    } else if !has("usage") {
        // a run that shares processors or is stopped has the file, but those of versions that wrote
        // no window
        let is_known = sharing == Sharing::Alone || run.manifest["window-ns"].is_array();
        if is_known && run.manifest["stopped"] == false {
            let used = Used::of(&tables).map_err(|(file, why)| run.not_understood(&file, "drawn", &why))?;
            tables.push(Box::new(used));
        } else {
            missing.push("utilization over time: there is no usage.csv (record.jobs)".to_owned());
        }
    }
    if sharing == Sharing::Slices && has("jobs") && !has("matrix") {
        missing.push("rows of the gang matrix: there is no matrix.csv (record.jobs)".to_owned());
    }
    if let Some(place) = tables.iter().position(|table| table.table().name == "jobs") {
        let wrong = |why: String| run.not_understood("jobs.csv", "drawn", &why);
        let left = Left::read(&*tables[place]).map_err(wrong)?;
        // the workload may have moved or changed since: then the page is drawn from what is in the
        // directory
        let whole = jobs(run).and_then(|workload| submitted(workload.work, run));
        let whole = whole.and_then(|work| more_of_rows(&left, warm_up, Some(&work.jobs)));
        let more = whole.or_else(|why| {
            (run.note)(&format!("the users of the jobs are left out: {why}"));
            more_of_rows(&left, warm_up, None)
        });
        let more = more.map_err(wrong)?;
        let rows = tables.swap_remove(place);
        tables.insert(0, Box::new(WithMore { rows, more }));
    }
    let procs = run.manifest["processors"].as_u64().and_then(|procs| u32::try_from(procs).ok());
    let workload = run.manifest["workload"]["name"].as_str().unwrap_or_default();
    let instant = |place: usize| run.manifest["window-ns"][place].as_u64().map(SimTime::from_nanos);
    let kind = (procs.unwrap_or(1).max(1), sharing);
    let pictures = pictures(workload, kind, tables, (warm_up, instant(0).zip(instant(1))));
    Ok(Pictures { missing, ..pictures })
}

/// Of the jobs in order of submission whether the warm-up leaves them: of each when it was
/// submitted, and whether it was rejected.
fn kept(warm_up: WarmUp, jobs: impl Iterator<Item = (SimTime, bool)>) -> Vec<bool> {
    let mut accepted = 0;
    let of = |(submit, rejected): (SimTime, bool)| {
        accepted += u64::from(!rejected);
        !rejected && warm_up.keeps(accepted - 1, submit)
    };
    jobs.map(of).collect()
}

fn kept_of(run: &FinishedRun<'_>) -> Vec<bool> {
    let states = run.record.outcomes().map(|outcome| outcome.state == State::Rejected);
    kept(run.warm_up, run.jobs.iter().map(|job| job.submit_time).zip(states))
}

/// Of a row of a `jobs.csv` the number, submission and size of its job, whether that was rejected,
/// and whether it ran to its end or its limit, as those that metrics observe.
type Gone = ((u64, SimTime, u32), bool, bool);

/// The rows of a `jobs.csv`, as far as needed for [`More`].
struct Left {
    places: [usize; 4],
    rows: Vec<Gone>,
}

impl Left {
    fn read(table: &dyn RowSource) -> Result<Vec<Gone>, String> {
        let declared = table.table();
        let mut places = [0; 4];
        let names = ["job_id", "submission_time", SIZE[1], "final_state"];
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
        let [number, submit, size, state] = self.places.map(|place| cells[place]);
        let (Cell::Count(number), Cell::Time(submit), Cell::Integer(size)) = (number, submit, size) else {
            let why = format!("row {} lacks what every job has", self.rows.len() + 1);
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        };
        let key = (number, SimTime::ZERO.saturating_add(submit), u32::try_from(size).unwrap_or(0));
        let is = |known: State| known.final_state().is_some_and(|word| state == Cell::Text(word));
        self.rows.push((key, is(State::Rejected), is(State::Completed) || is(State::Killed)));
        Ok(())
    }
}

/// The same from the rows of a `jobs.csv`; `jobs` are those of the workload, if they can still be
/// read.
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
    let user = |place: usize| jobs.and_then(|jobs| known(jobs[place].user));
    let more = rows.iter().zip(&places);
    Ok(more.map(|((_, _, has_run), place)| (user(*place), kept[*place] && *has_run)).collect())
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::ids::JobId;
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

    /// Takes users and observations of rows with the columns of figures.
    struct Taking([usize; 2], More);

    impl RowSink for Taking {
        fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
            let [user, observed] = self.0.map(|place| cells[place]);
            let user = if let Cell::Count(user) = user { u32::try_from(user).ok() } else { None };
            self.1.push((user, observed == Cell::Count(1)));
            Ok(())
        }
    }

    fn more_of(run: FinishedRun<'_>) -> More {
        let rows = PicturedJobs { rows: JobRows { run, workload: "w" }, kept: kept_of(&run) };
        let places = ["user", "observed"].map(|name| rows.table().place(&[name]).expect("a column"));
        let mut taking = Taking(places, More::new());
        rows.push(&mut taking).expect("into memory");
        taking.1
    }

    #[test]
    fn a_run_and_its_file_have_the_same_users_and_observations() {
        let (jobs, record) = run();
        for warm_up in [WarmUp::None, WarmUp::Count(2), WarmUp::Until(SimTime::from_nanos(5))] {
            let run = FinishedRun { jobs: &jobs, record: &record, procs: 8, until: None, warm_up };
            let csv = TableFormat::Csv.bytes(&JobRows { run, workload: "a \"b\", c" }).expect("into memory");
            let text = String::from_utf8(csv).expect("text");
            // two jobs with equal numbers of one instant cannot be distinguished: they may be
            // exchanged
            let sorted = |mut more: More| {
                more.sort_unstable();
                more
            };
            let known = more_of(run);
            assert_eq!(
                sorted(more_of_csv(&text, warm_up, Some(&jobs)).expect("rows")),
                sorted(known),
                "{warm_up:?}"
            );
            let alone = more_of_csv(&text, warm_up, None).expect("rows");
            assert!(alone.len() == 4 && alone.iter().all(|(user, _)| user.is_none()));
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
