//! The toolkit by hand, and against schedules that are worked out in another way.

use proptest::prelude::*;

use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::platform::{Errors, Trace};

use super::{Knowledge, Order, Refused, Resource, ResourceId, State, StopCondition, TaskId, Toolkit};

fn secs(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

fn ended(sg: &Toolkit, task: TaskId) -> Option<SimTime> {
    sg.record(task).and_then(|record| record.ended)
}

fn state(sg: &Toolkit, task: TaskId) -> State {
    sg.record(task).expect("a task of the test").state
}

fn trace(points: &[(f64, f64)]) -> Trace {
    let points: Vec<(SimTime, f64)> = points.iter().map(|&(at, value)| (secs(at), value)).collect();
    Trace::new(&points, None).expect("points of a test")
}

/// Speed 1; A of 4 waits for what takes 3, B of 2 for nothing, C of 2 for what takes 1.
fn three(order: Order) -> [SimTime; 3] {
    let mut sg = Toolkit::default();
    let host = sg.resource(Resource::host("h", 1.0, order));
    let feeder = sg.resource(Resource::host("f", 1.0, Order::Shared));
    let [a, b, c] = [("A", 4.0), ("B", 2.0), ("C", 2.0)].map(|(name, work)| sg.computation(name, work));
    // the feeder does 3 and 1 side by side: 1 by 2 s if both were there, so each has one of its own
    let other = sg.resource(Resource::host("g", 1.0, Order::Shared));
    let [x, y] = [3.0, 1.0].map(|work| sg.computation("x", work));
    sg.depends(a, x).expect("no cycle");
    sg.depends(c, y).expect("no cycle");
    for task in [a, b, c] {
        sg.schedule(task, &[host]).expect("a host");
    }
    sg.schedule(x, &[feeder]).expect("a host");
    sg.schedule(y, &[other]).expect("a host");
    sg.simulate(StopCondition::Nothing).expect("all end");
    [a, b, c].map(|task| ended(&sg, task).expect("ended"))
}

#[test]
fn the_three_orders_serve_three_tasks_as_worked_out_by_hand() {
    assert_eq!(three(Order::Fifo), [7.0, 9.0, 11.0].map(secs));
    assert_eq!(three(Order::Frfo), [8.0, 2.0, 4.0].map(secs));
    assert_eq!(three(Order::Shared), [8.0, 3.0, 5.0].map(secs));
}

#[test]
fn a_transfer_takes_its_links_one_after_the_other() {
    let mut sg = Toolkit::default();
    let near = sg.resource(Resource::link("near", 10.0, 1.0, Order::Fifo));
    let far = sg.resource(Resource::link("far", 5.0, 0.5, Order::Fifo));
    let [one, two] = ["one", "two"].map(|name| sg.transfer(name, 20.0));
    for task in [one, two] {
        sg.schedule(task, &[near, far]).expect("links");
    }
    // one: 2 + 1, 4 + 0.5; two leaves the near link at 4, arrives at 5, waits for the far one until
    // 7
    assert_eq!(sg.simulate(StopCondition::Any), Ok(vec![one]));
    assert_eq!(sg.now(), secs(7.5));
    assert_eq!(sg.simulate(StopCondition::Completed(two)), Ok(vec![two]));
    assert_eq!(sg.now(), secs(11.5));
    let record = sg.record(two).expect("a task");
    assert_eq!((record.ready, record.begun), (Some(SimTime::ZERO), Some(secs(2.0))));
}

#[test]
fn time_passes_as_long_as_is_asked_for() {
    let mut sg = Toolkit::default();
    let host = sg.resource(Resource::host("h", 2.0, Order::Shared));
    let [light, heavy] = [1.0, 3.0].map(|priority| {
        let task = sg.computation("t", 6.0);
        sg.prioritize(task, priority).expect("above 0");
        sg.schedule(task, &[host]).expect("a host");
        task
    });
    assert_eq!(sg.simulate(StopCondition::For(SimDuration::from_secs(3))), Ok(vec![]));
    assert_eq!((sg.now(), state(&sg, light)), (secs(3.0), State::Running));
    // heavy has 1.5 a second until 4, when 2 of light are done; 4 more at full speed
    assert_eq!(sg.simulate(StopCondition::Nothing), Ok(vec![heavy, light]));
    assert_eq!([heavy, light].map(|task| ended(&sg, task)), [Some(secs(4.0)), Some(secs(6.0))]);
    assert_eq!(sg.simulate(StopCondition::For(SimDuration::from_secs(1))), Ok(vec![]));
    assert_eq!(sg.now(), secs(7.0));
}

#[test]
fn a_task_that_is_taken_back_makes_room_and_begins_again_elsewhere() {
    let mut sg = Toolkit::default();
    let [slow, fast] = [("slow", 1.0), ("fast", 4.0)]
        .map(|(name, speed)| sg.resource(Resource::host(name, speed, Order::Fifo)));
    let [first, second] = ["first", "second"].map(|name| sg.computation(name, 8.0));
    sg.schedule(first, &[slow]).expect("a host");
    sg.schedule(second, &[slow]).expect("a host");
    sg.simulate(StopCondition::For(SimDuration::from_secs(5))).expect("time passes");
    assert_eq!([first, second].map(|task| state(&sg, task)), [State::Running, State::Ready]);
    sg.unschedule(first).expect("it runs");
    assert_eq!([first, second].map(|task| state(&sg, task)), [State::Unscheduled, State::Running]);
    sg.schedule(first, &[fast]).expect("a host");
    sg.simulate(StopCondition::Nothing).expect("all end");
    assert_eq!([first, second].map(|task| ended(&sg, task)), [Some(secs(7.0)), Some(secs(13.0))]);
    assert_eq!(sg.unschedule(first), Err(Refused::NotOn("first".to_owned())));
}

#[test]
fn a_task_on_a_resource_that_fails_is_lost_and_may_be_scheduled_again() {
    let mut sg = Toolkit::default();
    let host = Resource {
        working: trace(&[(0.0, 1.0), (3.0, 0.0), (10.0, 1.0)]),
        ..Resource::host("h", 1.0, Order::Fifo)
    };
    let host = sg.resource(host);
    let late = sg.resource(Resource::host("l", 1.0, Order::Fifo));
    let [short, long, after] = [2.0, 4.0, 1.0].map(|work| sg.computation("t", work));
    let wait = sg.computation("wait", 5.0);
    sg.depends(after, wait).expect("no cycle");
    for (task, on) in [(short, host), (long, host), (after, host), (wait, late)] {
        sg.schedule(task, &[on]).expect("a host");
    }
    assert_eq!(sg.simulate(StopCondition::Any), Ok(vec![short]));
    assert_eq!(sg.simulate(StopCondition::Completed(long)), Ok(vec![long]));
    assert_eq!((sg.now(), state(&sg, long), state(&sg, after)), (secs(3.0), State::Failed, State::Scheduled));
    // ready at 5, while the host is down
    assert_eq!(sg.simulate(StopCondition::Completed(after)), Ok(vec![wait, after]));
    assert_eq!((sg.now(), state(&sg, after)), (secs(5.0), State::Failed));
    sg.simulate(StopCondition::For(SimDuration::from_secs(5))).expect("time passes");
    for task in [long, after] {
        sg.unschedule(task).expect("it failed");
        sg.schedule(task, &[host]).expect("a host");
    }
    sg.simulate(StopCondition::Nothing).expect("all end");
    assert_eq!([long, after].map(|task| ended(&sg, task)), [Some(secs(14.0)), Some(secs(15.0))]);
}

/// A host that comes and goes for ever does not keep time going.
#[test]
fn time_ends_when_no_task_can_get_on() {
    let comes_round = trace(&[(0.0, 1.0), (3.0, 0.0), (4.0, 1.0)]);
    let working = comes_round.repeated(Some(SimDuration::from_secs(1))).expect("a round");
    let mut sg = Toolkit::default();
    let host = sg.resource(Resource { working, ..Resource::host("h", 1.0, Order::Frfo) });
    let still = Resource { availability: Trace::constant(0.0), ..Resource::host("s", 1.0, Order::Fifo) };
    let still = sg.resource(still);
    let [waits, for_what, stands] = ["waits", "for what", "stands"].map(|name| sg.computation(name, 1.0));
    sg.depends(waits, for_what).expect("no cycle");
    sg.schedule(waits, &[host]).expect("a host");
    assert_eq!(sg.simulate(StopCondition::Nothing), Ok(vec![]));
    sg.schedule(stands, &[still]).expect("a host");
    let stuck = sg.simulate(StopCondition::Any).expect_err("no task can proceed");
    assert_eq!(stuck.waiting, ["waits", "stands"]);
    sg.schedule(for_what, &[host]).expect("a host");
    assert_eq!(sg.simulate(StopCondition::Completed(waits)), Ok(vec![for_what, waits]));
}

#[test]
fn what_cannot_be_is_refused() {
    let mut sg = Toolkit::default();
    let host = sg.resource(Resource::host("h", 1.0, Order::Fifo));
    let link = sg.resource(Resource::link("l", 1.0, 0.0, Order::Fifo));
    let [a, b, c] = ["a", "b", "c"].map(|name| sg.computation(name, 1.0));
    let data = sg.transfer("data", 1.0);
    let wrong = |name: &str| Err(Refused::WrongKind(name.to_owned()));
    assert_eq!(sg.schedule(a, &[link]), wrong("a"));
    assert_eq!(sg.schedule(a, &[host, host]), wrong("a"));
    assert_eq!(sg.schedule(data, &[]), wrong("data"));
    assert_eq!(sg.schedule(data, &[link, host]), wrong("data"));
    sg.depends(c, b).expect("no cycle");
    sg.depends(b, a).expect("no cycle");
    let cycle = |name: &str| Err(Refused::Cycle(name.to_owned()));
    assert_eq!([sg.depends(a, c), sg.depends(a, a)], [cycle("a"), cycle("a")]);
    assert_eq!(sg.prioritize(a, 0.0), Err(Refused::Priority(0.0)));
    sg.schedule(c, &[host]).expect("a host");
    assert_eq!(sg.schedule(c, &[host]), Err(Refused::On("c".to_owned())));
    assert_eq!(sg.depends(c, data), Err(Refused::On("c".to_owned())));
    let stuck = sg.simulate(StopCondition::Completed(c)).expect_err("b is on no resource");
    assert_eq!(stuck.to_string(), "nothing is left to happen at 0 s, and these wait: c");
    let other = Toolkit::default();
    assert_eq!(other.predict(a, &[host], Knowledge::Now), Err(Refused::NotThere("task", 0)));
}

#[test]
fn predictions_know_the_present_or_the_future_and_are_wrong_as_stated() {
    let mut sg = Toolkit::new(&Errors::Uniform { bound: 0.5 }, &Streams::new(3, 0));
    let mut right = Toolkit::default();
    let host =
        Resource { availability: trace(&[(0.0, 1.0), (4.0, 0.5)]), ..Resource::host("h", 2.0, Order::Fifo) };
    let hosts = [&mut sg, &mut right].map(|sg| sg.resource(host.clone()));
    let link = right.resource(Resource::link("l", 4.0, 0.25, Order::Fifo));
    let tasks = [&mut sg, &mut right].map(|sg| sg.computation("t", 12.0));
    let data = right.transfer("d", 8.0);
    let span = |secs: f64| Ok(Some(SimDuration::ceil_secs(secs)));
    assert_eq!(right.predict(tasks[1], &[hosts[1]], Knowledge::Now), span(6.0));
    // 8 by 4 s, the rest at half the speed
    assert_eq!(right.predict(tasks[1], &[hosts[1]], Knowledge::Future), span(8.0));
    assert_eq!(right.predict(data, &[link, link], Knowledge::Now), span(4.5));
    let asked = || sg.predict(tasks[0], &[hosts[0]], Knowledge::Now).expect("a host").expect("it ends");
    let predicted = asked();
    assert_eq!(predicted, asked(), "the same question");
    assert!(predicted != SimDuration::from_secs(6) && predicted >= SimDuration::from_secs(3));
    right.schedule(tasks[1], &[hosts[1]]).expect("a host");
    let next = right.computation("next", 2.0);
    right.simulate(StopCondition::For(SimDuration::from_secs(1))).expect("time passes");
    // 10 of the first are left at 1 s: 5 s at full speed, or 3 + 4 as it will be
    assert_eq!(right.predict_behind_the_queue(next, &[hosts[1]], Knowledge::Now), span(6.0));
    assert_eq!(right.predict_behind_the_queue(next, &[hosts[1]], Knowledge::Future), span(9.0));
    assert_eq!(right.predict(next, &[hosts[1]], Knowledge::Now), span(1.0));
}

proptest! {
    /// Tasks with dependencies on hosts that serve in the order of scheduling: each begins when it
    /// is ready and the task that was scheduled before it on its host has ended.
    #[test]
    fn a_schedule_in_order_is_the_one_worked_out_task_by_task(
        tasks in prop::collection::vec((1_u32..20, 0_usize..3, prop::collection::vec(0_usize..1_000, 0..4)), 1..30)
    ) {
        let mut sg = Toolkit::default();
        let hosts: Vec<ResourceId> =
            (0..3).map(|number| sg.resource(Resource::host(format!("h{number}"), 1.0, Order::Fifo))).collect();
        let ids: Vec<TaskId> =
            tasks.iter().map(|(work, ..)| sg.computation("t", f64::from(*work))).collect();
        let before = |place: usize, on: &Vec<usize>| -> Vec<usize> {
            if place == 0 { Vec::new() } else { on.iter().map(|other| other % place).collect() }
        };
        for (place, (_, host, on)) in tasks.iter().enumerate() {
            for other in before(place, on) {
                sg.depends(ids[place], ids[other]).expect("no cycle");
            }
            sg.schedule(ids[place], &[hosts[*host]]).expect("a host");
        }
        sg.simulate(StopCondition::Nothing).expect("all end");
        let (mut free, mut ends) = ([0_u32; 3], Vec::<u32>::new());
        for (place, (work, host, on)) in tasks.iter().enumerate() {
            let ready = before(place, on).iter().map(|other| ends[*other]).max().unwrap_or(0);
            let begun = ready.max(free[*host]);
            free[*host] = begun + work;
            ends.push(begun + work);
            let record = sg.record(ids[place]).expect("a task");
            let at = |secs: u32| Some(SimTime::ZERO + SimDuration::from_secs(u64::from(secs)));
            prop_assert_eq!((record.ready, record.begun, record.ended), (at(ready), at(begun), at(begun + work)));
        }
    }
}

#[test]
fn what_would_end_after_the_last_instant_never_does() {
    let mut sg = Toolkit::default();
    let host = sg.resource(Resource::host("h", 1.0, Order::Fifo));
    let task = sg.computation("t", 1e30);
    let (known, span) = (Knowledge::Future, SimDuration::from_secs(5));
    assert_eq!(sg.predict(task, &[host], known).expect("a host"), None);
    assert_eq!(sg.predict_behind_the_queue(task, &[host], known).expect("a host"), None);
    sg.schedule(task, &[host]).expect("a host");
    assert_eq!(sg.simulate(StopCondition::Completed(task)).expect_err("22 zeros of years").waiting, ["t"]);
    assert_eq!(sg.simulate(StopCondition::Nothing).expect("nothing ends"), []);
    assert_eq!(sg.simulate(StopCondition::For(span)).expect("it goes on"), []);
    assert_eq!((ended(&sg, task), sg.now()), (None, secs(5.0)));
}
