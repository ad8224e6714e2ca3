//! A run written by hand that keeps every promise, and faults, each of which breaks one.
//!
//! ```text
//!   link of A  s s s s s p p p                      o o
//!   a                          t0 t0 t0 t0 t0 t0 t0    t1 t1 t1 t1      thrown away
//!   b                    t1 t1 t1 t1 t1 t1 t1 t1 t1 t1 t1 t1 t1 t1
//!   link of B          s s s s s                                      no storage
//!   c                            t2 t2 t2 t2
//! ```

use self::testbed::Testbed;
use super::run::{
    AGAIN, ANY_ORDER, DECISIONS, DRAWN, LOST, NO_FILES, NO_PLANS, NO_TASKS, NO_TRANSFERS, OUT_OF_ORDER,
    SEVERAL, STOPPED,
};
use super::verdict::PROMISES;
use super::{SweepFiles, judge_sweeps};

mod joined;
mod origins;
mod testbed;

const WORKS: &str = "\
task,arrival,times,inputs,outputs
t0,0,10,0-1,2
t1,0,10 20,0,
t2,3,4,0,
";
const SIZES: &str = "\
file,bytes
s,2000
p,1000
o,500
";
const TASKS: &str = "\
task,cluster,host,planned-start,planned-end,start,end,output-arrived,attempts
t0,A,a,4,14,4,14,15,1
t1,A,b,2.5,22.5,2.5,27.5,27.5,1
t2,B,c,5.5,9.5,5.5,9.5,9.5,1
";
const TRANSFERS: &str = "\
file,cluster,direction,for-task,bytes,planned,start,end
s,A,input,t0,2000,0,0,2.5
p,A,input,t0,1000,2.5,2.5,4
s,B,input,t2,2000,3,3,5.5
o,A,output,t0,500,14,14,15
";
const HOSTS: &str = "\
host,cluster,processors,tasks,busy,utilization
a,A,1,1,10,0.36363636363636365
b,A,1,1,25,0.9090909090909091
c,B,1,1,4,0.14545454545454545
d,B,1,0,0,0
";
const PLANS: &str = "\
time,trigger,tasks,looks,interval,correctness,delta,horizon,end
0,start,3,9,,,,,22.5
";
const DUPLICATES: &str = "\
task,cluster,host,start,end
t1,A,a,18,27.5
";
const FILES: &str = "\
file,cluster,arrived,bytes,uses,removed
s,A,2.5,2000,2,
p,A,4,1000,1,20
s,B,5.5,2000,1,
";
/// Half of `b` until 12.5 s.
const LOADS: &str = "\
resource,name,from,available
host,b,0,0.5
host,b,12.5,1
";

/// The files of a run.
#[derive(Clone)]
struct Written {
    texts: [(&'static str, String); 9],
    makespan: f64,
    lower_bound: f64,
}

impl Written {
    fn new() -> Self {
        let texts = [
            ("tasks", TASKS),
            ("works", WORKS),
            ("sizes", SIZES),
            ("transfers", TRANSFERS),
            ("hosts", HOSTS),
            ("plans", PLANS),
            ("loads", LOADS),
            ("duplicates", DUPLICATES),
            ("files", FILES),
        ];
        Written {
            texts: texts.map(|(name, text)| (name, text.to_owned())),
            makespan: 27.5,
            lower_bound: 20.0,
        }
    }

    /// The same with something else in one of the files.
    fn with(mut self, file: &str, old: &str, new: &str) -> Self {
        let (_, text) = self.texts.iter_mut().find(|(name, _)| *name == file).expect(file);
        assert!(text.contains(old), "{file}: {old}");
        *text = text.replacen(old, new, 1);
        self
    }

    /// The same with another row.
    fn and(mut self, file: &str, row: &str) -> Self {
        let (_, text) = self.texts.iter_mut().find(|(name, _)| *name == file).expect(file);
        text.push_str(row);
        self
    }

    fn files(&self, without: &str) -> SweepFiles<'_> {
        let text = |name: &str| {
            let (_, text) = self.texts.iter().find(|(own, _)| *own == name).expect(name);
            Some(&**text).filter(|_| name != without)
        };
        SweepFiles {
            tasks: text("tasks"),
            works: text("works"),
            sizes: text("sizes"),
            transfers: text("transfers"),
            hosts: text("hosts"),
            plans: text("plans"),
            loads: text("loads"),
            duplicates: text("duplicates"),
            acts_on_events: true,
            links_in_order: true,
            files: text("files"),
            makespan: Some(self.makespan),
            lower_bound: Some(self.lower_bound),
            ..SweepFiles::default()
        }
    }

    /// The promises that are broken, and what happened.
    fn broken(&self) -> (Vec<String>, String) {
        let judged = judge_sweeps(&self.files(""), &Testbed).expect("the files can be read");
        let found = judged.into_iter().filter_map(|(promise, judged)| {
            let violations = judged.ok().filter(|found| !found.is_empty())?;
            Some((promise, violations.iter().map(|one| one.to_string() + "\n").collect::<String>()))
        });
        found.unzip()
    }
}

/// Reasons that promises are not judged.
fn unjudged(files: &SweepFiles<'_>) -> Vec<&'static str> {
    let judged = judge_sweeps(files, &Testbed).expect("the files can be read");
    judged.into_iter().filter_map(|(_, judged)| judged.err()).collect()
}

#[test]
fn a_run_that_keeps_every_promise_passes() {
    assert_eq!(Written::new().broken(), (vec![], String::new()));
    assert_eq!(unjudged(&Written::new().files("")), [AGAIN, DECISIONS, DECISIONS, DECISIONS, LOST]);
    let under_way = Written::new().and("transfers", "s,B,input,t2,2000,,26,\n");
    assert_eq!(under_way.broken(), (vec![], String::new()));
    let sent_again = later("t3,0,1,1,\n")
        .and("transfers", "p,A,input,t3,1000,,20,21.5\n")
        .and("files", "p,A,21.5,1000,1,\n");
    assert_eq!(sent_again.broken(), (vec![], String::new()));
}

#[test]
fn the_time_of_an_attempt_that_was_lost_at_last_is_in_no_file() {
    let of_hosts = |attempts: u32| {
        let run =
            Written::new().and("works", "t3,0,1,,\n").and("tasks", &format!("t3,,,30,31,,,,{attempts}\n"));
        let (broken, _) = run.with("hosts", "d,B,1,0,0,0", "d,B,1,0,7,0.25").broken();
        broken.iter().any(|promise| promise.starts_with("hosts.csv has"))
    };
    assert_eq!([0, 1].map(of_hosts), [true, false]);
}

#[test]
fn what_has_room_and_second_copies_have_no_place_in_the_planned_order() {
    let in_order = |run: &Written| {
        let (broken, words) = run.broken();
        assert!(!broken.iter().any(|promise| promise.contains("planned order")), "{words}");
        assert!(!broken.iter().any(|promise| promise.starts_with("links that wait")), "{words}");
    };
    // `A` has a storage with a limit: a task and a transfer that were planned later go first
    in_order(&Written::new().and("works", "t3,0,1,,\n").and("tasks", "t3,A,a,5,6,2,3,3,1\n"));
    let later = Written::new().with("transfers", "1000,2.5,2.5,4", "1000,1,2.5,4");
    in_order(&later.with("transfers", "2000,0,0,", "2000,2,0,"));
    // `t3` was planned for `d`, where it began at 9 s; its copy on `c`, which came later than `t2`,
    // was over first
    let copied = Written::new().and("works", "t3,0,1,,\n").and("tasks", "t3,B,c,4,5,10,11,11,1\n");
    in_order(&copied.and("duplicates", "t3,B,d,9,11\n"));
}

/// A fault in words, the run that has it, and the beginning of the promise that it breaks.
type Fault = (&'static str, Written, &'static str);

fn faults_of_tasks() -> Vec<Fault> {
    let run = Written::new;
    let (once, allowed) = ("every task of the application", "tasks run on hosts that exist");
    vec![
        ("a task has two rows", run().and("tasks", "t2,B,c,5.5,9.5,5.5,9.5,9.5,1\n"), once),
        ("a row is of no task", run().and("tasks", "t3,B,c,5.5,9.5,5.5,9.5,9.5,1\n"), once),
        ("a task has no row", run().and("works", "t3,0,10,,\n"), once),
        (
            "a task has not ended",
            run().with("tasks", "5.5,9.5,9.5,1", "5.5,,,1").with("hosts", "c,B,1,1,4", "c,B,1,0,0"),
            once,
        ),
        ("a task runs in no attempt", run().with("tasks", "9.5,9.5,1", "9.5,9.5,0"), once),
        ("a host is of another cluster", run().with("tasks", "t1,A,b", "t1,B,b"), allowed),
        (
            "a host cannot run a task",
            run().with("works", "t1,0,10 20", "t1,0,10 20 30").with("works", "t0,0,10,", "t0,0,,"),
            allowed,
        ),
        ("a task starts before it arrives", later("t3,45,1,,\n"), allowed),
        (
            "two tasks are on one host",
            run().and("works", "t3,0,10,,\n").and("tasks", "t3,A,a,5,15,5,15,15,1\n").with(
                "hosts",
                "a,A,1,1,10",
                "a,A,1,2,20",
            ),
            "no host computes more tasks",
        ),
        (
            "a task computes while its host is away",
            run().and("works", "t3,0,4,,\n").and("tasks", "t3,B,c,18,22,18,22,22,1\n").with(
                "hosts",
                "c,B,1,1,4",
                "c,B,1,2,8",
            ),
            "hosts that are not there",
        ),
        (
            "a task is a microsecond too short",
            run().with("tasks", "5.5,9.5,9.5", "5.5,9.499999,9.499999").with(
                "hosts",
                "1,1,4,",
                "1,1,3.999999,",
            ),
            "tasks compute for as long",
        ),
        ("a drawn load is another", run().with("loads", "b,12.5,1", "b,12.4,1"), "tasks compute for as long"),
        (
            "a task overtakes on its host",
            run().and("works", "t3,0,1,,\n").and("tasks", "t3,B,c,4,5,10,11,11,1\n"),
            "hosts compute their tasks in the planned order",
        ),
        ("a host counts a task too many", run().with("hosts", "d,B,1,0", "d,B,1,1"), "hosts.csv has"),
        ("a host is busy for too long", run().with("hosts", "c,B,1,1,4", "c,B,1,1,5"), "hosts.csv has"),
        ("a host has no row", run().with("hosts", "c,B,1,1,4,0.14545454545454545\n", ""), "hosts.csv has"),
        ("the makespan is not the last completion", Written { makespan: 27.6, ..run() }, "the makespan"),
        ("a plan has another task", run().with("plans", "start,3", "start,4"), "plans are made"),
        ("a plan is made for no reason", run().and("plans", "5,event,1,1,,,,,22.5\n"), "plans are made"),
        ("a load was not drawn", run().with("loads", "b,12.5,1", "b,12.5,0.9"), "loads.csv has"),
        ("a file has another use", run().with("files", "2.5,2000,2", "2.5,2000,1"), "files.csv has"),
        ("the makespan is below the bound", Written { lower_bound: 28.0, ..run() }, "the makespan"),
    ]
}

/// A further task is computed at 40 s.
fn later(work: &str) -> Written {
    let run = Written::new().and("works", work).and("tasks", "t3,A,a,40,41,40,41,41,1\n");
    let run = run.with("hosts", "a,A,1,1,10,0.36363636363636365", "a,A,1,2,11,0.2682926829268293");
    let run = run.with("hosts", "0.9090909090909091", "0.6097560975609756");
    Written { makespan: 41.0, ..run.with("hosts", "0.14545454545454545", "0.0975609756097561") }
}

fn faults_of_transfers() -> Vec<Fault> {
    let run = Written::new;
    let (sent, arrived, within, returned) = (
        "transfers carry files",
        "no task starts before its inputs",
        "no storage holds more",
        "output-arrived of tasks.csv",
    );
    vec![
        ("a file is for no task", run().and("transfers", "s,B,input,t9,2000,,6,8.5\n"), sent),
        ("a file is not of its task", run().and("transfers", "p,B,input,t2,1000,,6,7.5\n"), sent),
        ("a cluster does not exist", run().and("transfers", "s,C,input,t0,2000,,6,8.5\n"), sent),
        ("a file has another size", run().with("sizes", "p,1000", "p,1001"), sent),
        ("a file is sent before its task arrives", run().with("works", "t2,3,4", "t2,4,4"), sent),
        (
            "a link carries two files",
            run().with("transfers", "1000,2.5,2.5,4", "1000,2.5,2,3.5").with("files", "p,A,4", "p,A,3.5"),
            "no link carries two",
        ),
        (
            "a file does not arrive, and its link is there",
            run().and("transfers", "o,A,output,t0,500,,20,\n"),
            "links that are not there",
        ),
        (
            "a file is sent over a link that is away",
            run().and("transfers", "s,B,input,t2,2000,,31,\n"),
            "links that are not there",
        ),
        (
            "a file arrives after its link has left",
            later("t3,0,1,0,\n").and("transfers", "s,B,input,t3,2000,,29,31.5\n"),
            "links that are not there",
        ),
        (
            "a transfer overtakes on its link",
            run()
                .and("works", "t3,0,1,0,\n")
                .and("tasks", "t3,B,d,9,10,9,10,10,1\n")
                .and("transfers", "s,B,input,t3,2000,1,6,8.5\n"),
            "links that wait",
        ),
        (
            "a transfer is too short",
            run().with("transfers", "2.5,4", "2.5,3.999").with("files", "p,A,4", "p,A,3.999"),
            "transfers take as long",
        ),
        (
            "a file is sent to a storage again",
            run().and("transfers", "s,A,input,t1,2000,,16,18.5\n"),
            "no file is sent to a cluster that has it",
        ),
        (
            "a task does not wait for its input",
            run().with("tasks", "t0,A,a,4,14,4,14", "t0,A,a,4,14,3,13"),
            arrived,
        ),
        (
            "an input that does not stay was sent for another task",
            run().and("works", "t3,0,1,0,\n").and("tasks", "t3,B,d,8,9,8,9,9,1\n").with(
                "hosts",
                "d,B,1,0,0",
                "d,B,1,1,1",
            ),
            arrived,
        ),
        (
            "an input is removed while a task reads it",
            run().with("files", "p,A,4,1000,1,20", "p,A,4,1000,1,13"),
            arrived,
        ),
        ("an input is gone when a task starts", later("t3,0,1,1,\n"), arrived),
        (
            "a storage holds too much",
            later("t3,0,1,3,\n")
                .and("sizes", "q,4000\n")
                .and("transfers", "q,A,input,t3,4000,,19,23.5\n")
                .and("files", "q,A,23.5,4000,1,\n"),
            within,
        ),
        ("a file is there that was not sent", run().and("files", "p,B,4,1000,1,\n"), within),
        ("an output is sent too early", run().with("transfers", "14,15", "13,14"), returned),
        ("an output is not sent", run().with("transfers", "o,A,output,t0,500,14,14,15\n", ""), returned),
        ("an output is sent twice", run().and("transfers", "o,A,output,t0,500,,16,17\n"), returned),
        (
            "a task is completed before its output arrives",
            run().with("tasks", "4,14,15", "4,14,14"),
            returned,
        ),
    ]
}

fn faults_of_duplicates() -> Vec<Fault> {
    let run = Written::new;
    let other = |old, new| run().with("duplicates", old, new);
    let broken_off = "of two computations of a task";
    vec![
        ("it is of no task", other("t1", "t9"), broken_off),
        ("its host is on another cluster", other("A,a", "B,a"), broken_off),
        ("it ends before it starts", other("18,27.5", "27.5,18"), broken_off),
        ("it goes on after its task has ended", other("27.5", "27.6"), broken_off),
        ("it had ended before", other("18", "17"), broken_off),
        ("its host computes another task", other("18,27.5", "18,27.5\nt1,A,a,19,27.5"), "no host computes"),
        ("its inputs are not there", other("A,a", "B,d"), "no task starts before its inputs"),
    ]
}

#[test]
fn each_fault_breaks_the_promise_it_is_about() {
    let mut broken = vec![false; PROMISES.len()];
    for (fault, run, promise) in
        [faults_of_tasks(), faults_of_transfers(), faults_of_duplicates()].into_iter().flatten()
    {
        let (found, words) = run.broken();
        assert!(found.iter().any(|words| words.starts_with(promise)), "{fault}: {found:?} {words}");
        let about = PROMISES.iter().position(|(words, _)| words.starts_with(promise));
        about.into_iter().for_each(|place| broken[place] = true);
    }
    // hosts leave here: when things begin is broken, as the application and the counters are, by
    // runs that are recorded whole
    let elsewhere = ["computations and transfers begin", "the application is", "the counters of"];
    for ((promise, _), broken) in PROMISES.iter().zip(broken) {
        assert!(broken || elsewhere.iter().any(|words| promise.starts_with(words)), "{promise}");
    }
}

#[test]
fn what_is_not_in_the_files_is_not_judged() {
    let run = Written::new();
    for (missing, why, count) in [
        ("tasks", NO_TASKS, PROMISES.len()),
        ("transfers", NO_TRANSFERS, 9),
        ("files", NO_FILES, 3),
        ("plans", NO_PLANS, 3),
        ("loads", DRAWN, 1),
    ] {
        let found = unjudged(&run.files(missing)).into_iter().filter(|found| *found == why).count();
        assert!(found >= count, "{missing}: {found}");
    }
    let stopped = SweepFiles { stopped: true, ..run.files("") };
    assert!(unjudged(&stopped).contains(&STOPPED));
    assert!(unjudged(&SweepFiles { may_steal: true, ..run.files("") }).contains(&OUT_OF_ORDER));
    assert!(unjudged(&SweepFiles { links_in_order: false, ..run.files("") }).contains(&ANY_ORDER));
    let several = run.and("plans", "5,idle,1,1,,,,,22.5\n");
    assert_eq!(unjudged(&several.files("")).into_iter().filter(|found| *found == SEVERAL).count(), 2);
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_place() {
    let run = Written::new();
    for (run, error) in [
        (
            run.clone().with("tasks", "t0,A,a,4", "t0,A,a,four"),
            "tasks.csv, line 2, column 8: `four` is no time",
        ),
        (
            run.clone().with("works", "0-1,2", "0-3,2"),
            "works.csv, line 2, column 1: the task has files that are not in sizes.csv",
        ),
        (
            run.clone().with("transfers", "output", "outward"),
            "transfers.csv, line 5, column 5: `outward` is no direction",
        ),
        (
            run.clone().with("loads", "b,0,", "b,1,"),
            "loads.csv, line 2, column 1: values begin at 0, their times rise, and none is less than nothing",
        ),
    ] {
        assert_eq!(judge_sweeps(&run.files(""), &Testbed), Err(error.to_owned()));
    }
}
