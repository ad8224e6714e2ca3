//! A run written by hand that keeps every promise, and faults, each of which breaks one.
//!
//! ```text
//!   up    t0 t0 t1 t1
//!   a              t0 t0 t0 t0 t0 t1 t1 t1 t2
//!   down                          t0
//!   b              late at 4 s (t1), fails at 7 s (t2)
//! ```

use serde_json::json;

use super::battery::JudgedSeries;
use super::unjudged::{
    COPIES, NO_ATTEMPTS, NO_BATTERY, NO_DECISIONS, NO_FORECASTS, NO_MEASUREMENTS, NO_METRICS, NO_ORDER,
    NO_PACKETS, NO_TASKS, SHARED, UNFINISHED,
};
use super::{
    AskingRules, BrokerFacts, BrokerFiles, JudgedBattery, JudgedStation, PROMISES, StationFacts,
    StationSpeed, judge_brokers,
};
use crate::kernel::{SimDuration, SimTime};

const TASKS: &str = "\
task,client,class,server,state,issued,decided,sent,queued,started,ended,received,deadline,fallbacks,predicted,send,receive,instructions,processors
0,c,0,a,completed,0,0,2,3,3,8,10,,0,9,200,100,50,1
1,c,0,a,completed,1,4,5,6,8,11,12,11,1,,100,0,30,1
2,c,0,a,completed,5,7,7,8,11,12,13,,1,,0,0,10,1
3,c,0,,rejected,20,20,,,,,,,0,,0,0,10,1
";
const ATTEMPTS: &str = "\
task,server,reason,decided,queued,until
1,b,late,1,4,4
2,b,failed,5,6,7
";
const PACKETS: &str = "\
queue,task,transfer,packet,hop,bytes,entered,started,left
up,0,1,0,0,100,0,0,1
up,0,1,1,0,100,1,1,2
up,1,2,0,0,100,1,2,3
up,1,3,0,0,100,4,4,5
down,0,4,0,0,100,8,8,9
";
const DECISIONS: &str = "\
time,task,server,completion,by_predictions,completion_by_predictions,by_measurements,completion_by_measurements,by_state,completion_by_state,best,best_completion,regret,rule,forecast,age,estimate
0,0,a,10,b,9,a,10,a,10,b,9,1,1,-1,0,1
1,1,b,13,b,13,b,13,a,12,a,12,1,0,0,1,0
4,1,a,12,a,12,a,12,a,12,a,12,0,0,0,0,0
5,2,b,,a,14,a,14,a,14,a,14,,,,,
7,2,a,13,a,13,a,13,a,13,a,13,0,0,0,0,0
";
const MEASUREMENTS: &str = "\
time,kind,from,to,value
0,load,a,,0
0,availability,a,,1
10,load,a,,0
10,availability,a,,1
20,load,a,,1
20,availability,a,,0.5
20,load,b,,3
20,availability,b,,0.25
30,load,a,,0
30,availability,a,,1
";

/// Servers `a` of one processor and 10 operations a second, and `b` of one that a series leaves a
/// quarter of; queues `up` and `down` of 100 B/s and a latency of a second.
#[derive(Clone)]
struct Testbed {
    in_order: bool,
    is_shared: bool,
    /// Of servers, of queues, and what is available of the second server.
    speeds: [StationSpeed; 3],
}

impl Testbed {
    fn new(in_order: bool, is_shared: bool) -> Self {
        Testbed { in_order, is_shared, speeds: [10.0, 100.0, 0.25].map(StationSpeed::always) }
    }
}

impl BrokerFacts for Testbed {
    fn classes(&self, client: &str) -> Option<usize> {
        (client == "c").then_some(1)
    }

    fn server(&self, name: &str) -> Option<usize> {
        ["a", "b"].iter().position(|server| *server == name)
    }

    fn queue(&self, name: &str) -> Option<usize> {
        ["up", "down"].iter().position(|queue| *queue == name)
    }

    fn station(&self, of: JudgedStation) -> StationFacts {
        let Testbed { in_order, is_shared, .. } = *self;
        let latency = match of {
            JudgedStation::Server(_) => {
                return StationFacts { processors: 1, in_order, is_shared, latency: SimDuration::ZERO };
            }
            JudgedStation::Queue(_) => SimDuration::ceil_secs(1.0),
        };
        StationFacts { processors: 1, in_order: true, is_shared: false, latency }
    }

    fn speed(&self, of: JudgedStation) -> &StationSpeed {
        match of {
            JudgedStation::Server(_) => &self.speeds[0],
            JudgedStation::Queue(_) => &self.speeds[1],
        }
    }

    fn availability(&self, server: usize) -> Option<&StationSpeed> {
        (server == 1).then_some(&self.speeds[2])
    }

    fn down(&self, _: JudgedStation, _: (SimTime, SimTime)) -> Vec<(SimTime, SimTime)> {
        Vec::new()
    }

    fn fails(&self, server: usize) -> bool {
        server == 1
    }

    fn has_others(&self, _: JudgedStation) -> bool {
        true
    }
}

#[derive(Clone)]
struct Written {
    texts: [String; 6],
    metrics: serde_json::Value,
    testbed: Testbed,
    fallbacks: u64,
    has_copies: bool,
    has_battery: bool,
    asking: AskingRules,
}

/// The forecasts of the battery from the values above, as the file has them.
fn forecasts() -> String {
    let mut text = "time,kind,from,to,forecaster,forecast,actual\n".to_owned();
    let (standard, mut series) = (JudgedBattery::standard(), crate::collections::OrderedMap::new());
    for line in MEASUREMENTS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let battery = series.entry((cells[1], cells[2])).or_insert_with(|| JudgedSeries::new(&standard));
        if let Some(best) = battery.best().first() {
            text += &format!(
                "{},{},{},,{},{},{}\n",
                cells[0], cells[1], cells[2], best.name, best.value, cells[4]
            );
        }
        battery.add(cells[4].parse().expect("it is read"));
    }
    assert!(text.lines().count() > 3, "{text}");
    text
}

impl Written {
    fn new() -> Self {
        let metric = |value: f64| json!({ "value": value });
        let metrics = json!({
            "tasks.issued": metric(4.0), "tasks.completed": metric(3.0), "rejected": metric(1.0),
            "unfinished": metric(0.0), "fallbacks": metric(1.0), "failures": metric(1.0),
            "deadline-failures": metric(1.0), "response-time.mean": metric(29.0 / 3.0),
            "time.query": metric(0.0), "time.send": metric(10.0 / 3.0), "time.queue": metric(2.0),
            "time.service": metric(3.0), "time.receive": metric(4.0 / 3.0),
            "decision-regret.mean": metric(0.5), "decision-regret.rule": metric(0.25),
            "decision-regret.forecast": metric(-0.25), "decision-regret.age": metric(0.25),
            "decision-regret.estimate": metric(0.25),
        });
        let query = Some(SimDuration::ZERO);
        let asking = AskingRules { query, times: 1, reads_servers: true, ..AskingRules::default() };
        let texts = [TASKS, ATTEMPTS, PACKETS, MEASUREMENTS, &forecasts(), DECISIONS].map(str::to_owned);
        let testbed = Testbed::new(true, false);
        Written { texts, metrics, testbed, fallbacks: 1, has_copies: false, has_battery: true, asking }
    }

    /// With another text in the place of one that is in a file.
    fn with(mut self, file: usize, from: &str, to: &str) -> Self {
        assert_eq!(self.texts[file].matches(from).count(), 1, "{from}");
        self.texts[file] = self.texts[file].replacen(from, to, 1);
        self
    }

    fn judge(&self, kept: [bool; 7]) -> Result<Vec<super::JudgedPromise>, String> {
        let text = |file: usize| kept[file].then(|| &*self.texts[file]);
        let settings = JudgedBattery::standard();
        let files = BrokerFiles {
            tasks: text(0),
            attempts: text(1),
            packets: text(2),
            measurements: text(3),
            forecasts: text(4),
            decisions: text(5),
            whole: None,
            metrics: kept[6].then_some(&self.metrics),
            warm_up: SimTime::ZERO,
            fallbacks: self.fallbacks,
            has_copies: self.has_copies,
            has_drift: false,
            asking: self.asking,
            battery: self.has_battery.then_some(&settings),
        };
        judge_brokers(&files, &self.testbed)
    }

    /// The promises that are broken, by their places.
    fn broken(&self) -> Vec<usize> {
        let judged = self.judge([true; 7]).expect("it is read");
        (0..judged.len())
            .filter(|place| judged[*place].1.as_ref().is_ok_and(|found| !found.is_empty()))
            .collect()
    }

    /// Reason that a promise is not judged.
    fn unjudged(&self, kept: [bool; 7], promise: usize) -> &'static str {
        self.judge(kept).expect("it is read")[promise].1.as_ref().expect_err("it is refused")
    }
}

#[test]
fn a_run_that_keeps_everything() {
    let judged = Written::new().judge([true; 7]).expect("it is read");
    for (promise, judgement) in judged {
        assert_eq!(judgement, Ok(Vec::new()), "{promise}");
    }
}

#[test]
fn each_promise_is_seen_to_be_broken() {
    let run = Written::new;
    let row = "2,c,0,a,completed,5,7,7,8,11,12,13,,1,,0,0,10,1";
    let faults: [(Written, &[usize]); 36] = [
        (run().with(0, "\n3,c", "\n4,c"), &[0]),
        (run().with(0, "rejected,20,20,", "rejected,4,20,"), &[0, 2]),
        (run().with(0, "0,0,2,3,3,8,10,", "0,0,2,,3,8,10,"), &[0, 8]),
        (run().with(0, "a,completed,0,", "a,unfinished,0,"), &[0, 7]),
        (run().with(0, "\n3,c,0", "\n3,c,1"), &[1]),
        (run().with(0, ",,rejected,20,20,", ",x,rejected,20,20,"), &[1]),
        (run().with(0, "0,0,10,1\n3", "0,0,10,2\n3"), &[1, 4, 6]),
        (run().with(1, "2,b,failed,5,6,7\n", ""), &[2, 7, 8]),
        (run().with(1, "late,1,4,4", "late,0,4,4"), &[2, 8]),
        (run().with(0, "8,11,12,11,1,", "8,11,12,,1,"), &[3]),
        (Written { fallbacks: 0, ..run() }, &[3]),
        (run().with(0, row, "2,c,0,a,completed,5,7,7,8,10,11,12,,1,,0,0,10,1"), &[4, 8]),
        (run().with(0, "1,4,5,6,8,11,12,", "1,4,5,9,8,11,12,"), &[0, 5, 8]),
        (run().with(0, "200,100,50,1", "200,100,51,1"), &[6]),
        (run().with(0, "200,100,50,1", "200,100,49,1"), &[6]),
        (run().with(3, "20,load,a,,1", "20,load,a,,2"), &[9, 10]),
        (run().with(3, "b,,0.25", "b,,0.5"), &[9]),
        (run().with(4, ",0,1\n", ",0.5,1\n"), &[10]),
        (run().with(2, "1,1,0,100,1,1,2", "1,2,0,100,1,1,2"), &[11]),
        (run().with(2, "up,1,2,0,0,100,1,2,3", "up,1,2,0,0,100,1,1,2"), &[12]),
        (run().with(2, "up,1,2,0,0,100,1,2,3", "up,1,2,0,0,100,0.5,2,3"), &[12]),
        (run().with(2, "down,0", "else,0"), &[11, 12]),
        (run().with(2, "down,0,4,0,0,100", "down,0,4,0,0,90"), &[11, 13]),
        (run().with(2, "100,4,4,5", "100,4,4.5,5"), &[13]),
        (run().with(2, "up,1,3,0,0,100,4,4,5\n", ""), &[11]),
        (run().with(2, "down,0,4,0,0,100,8,8,9", "down,0,4,0,0,100,9,9,10"), &[11]),
        // an answer that no wait explains, one more wait than there may be, a server that was not
        // found up
        (run().with(1, "late,1,4,4", "late,2,4,4"), &[2, 8]),
        (Written { asking: AskingRules { times: 0, query: None, ..run().asking }, ..run() }, &[]),
        (run().with(1, "2,b,failed,5,6,7", "2,a,failed,5,6,7"), &[2]),
        (run().with(5, "0,0,a,10,b,9,a,10", "0,0,b,10,b,9,a,10"), &[14]),
        (run().with(5, "a,12,a,12,1", "a,11,a,12,1"), &[14]),
        (run().with(5, "7,2,a", "7,2,x"), &[14]),
        (run().with(5, "a,12,1,0,0,1,0", "a,12,1,0,1,0,0"), &[14]),
        (run().with(5, "14,,,,,", "14,0,,,,"), &[14]),
        (run().with(5, "\n7,2", "\n4.5,2"), &[14]),
        (run().with(5, "\n7,2", "\n7,9"), &[14]),
    ];
    let found: Vec<(usize, Vec<usize>)> =
        faults.iter().enumerate().map(|(place, (fault, _))| (place, fault.broken())).collect();
    let expected: Vec<(usize, Vec<usize>)> =
        faults.iter().enumerate().map(|(place, (_, promises))| (place, promises.to_vec())).collect();
    assert_eq!(found, expected);
    for name in ["tasks.completed", "fallbacks", "deadline-failures"] {
        let mut fault = run();
        fault.metrics[name]["value"] = json!(2);
        assert_eq!(fault.broken(), [7], "{name}");
    }
    for name in ["response-time.mean", "time.query", "time.receive"] {
        let mut fault = run();
        fault.metrics[name]["value"] = json!(2);
        assert_eq!(fault.broken(), [8], "{name}");
    }
    for name in ["decision-regret.mean", "decision-regret.age"] {
        let mut fault = run();
        fault.metrics[name]["value"] = json!(2);
        assert_eq!(fault.broken(), [14], "{name}");
    }
    let found: crate::collections::OrderedSet<usize> =
        faults.iter().flat_map(|(_, promises)| promises.iter().copied()).collect();
    assert_eq!(found.len(), PROMISES.len(), "each promise has a fault");
}

#[test]
fn what_cannot_be_judged_says_why() {
    let run = Written::new();
    let without = |file: usize| std::array::from_fn(|place| place != file);
    assert_eq!(run.unjudged(without(0), 0), NO_TASKS);
    for promise in [2, 3, 7, 8] {
        assert_eq!(run.unjudged(without(1), promise), NO_ATTEMPTS);
    }
    for promise in [11, 12, 13] {
        assert_eq!(run.unjudged(without(2), promise), NO_PACKETS);
    }
    assert_eq!(run.unjudged(without(3), 9), NO_MEASUREMENTS);
    assert_eq!(run.unjudged(without(4), 10), NO_FORECASTS);
    assert_eq!(run.unjudged(without(5), 14), NO_DECISIONS);
    assert_eq!(run.unjudged(without(6), 14), NO_METRICS);
    assert_eq!(run.unjudged(without(6), 7), NO_METRICS);
    let other = Written { has_battery: false, ..run.clone() };
    assert_eq!(other.unjudged([true; 7], 10), NO_BATTERY);
    let copies = Written { has_copies: true, ..run.clone() };
    assert_eq!(copies.unjudged([true; 7], 11), COPIES);
    let unordered = Testbed::new(false, true);
    let other = Written { testbed: unordered, ..run.clone() };
    assert_eq!(other.unjudged([true; 7], 4), SHARED);
    assert_eq!(other.unjudged([true; 7], 5), NO_ORDER);
    let mut stopped = run.with(0, "3,c,0,,rejected,20,20", "3,c,0,a,unfinished,20,20");
    stopped.metrics["rejected"]["value"] = json!(0);
    stopped.metrics["unfinished"]["value"] = json!(1);
    assert_eq!(stopped.unjudged([true; 7], 7), UNFINISHED);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let run = Written::new();
    let cut = run.clone().with(0, "200,100,50,1", "200,100");
    let message = cut.judge([true; 7]).expect_err("it is refused");
    assert!(message.starts_with("tasks.csv, line 2,"), "{message}");
    let nonsense = run.with(1, "late", "tired");
    let message = nonsense.judge([true; 7]).expect_err("it is refused");
    assert_eq!(message, "attempts.csv, line 2, column 5: `tired` is no reason");
}
