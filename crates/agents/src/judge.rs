//! A finished run of agents and flows, judged by its files: what ends when, on which host, and at
//! what rate.
//!
//! Nothing here knows how agents are simulated. What is judged:
//!
//! - tasks stand in order of their ends, none after the end of the run, and there are as many as
//!   the summary counts;
//! - no host computes for longer than its cores last, and its utilization is that time over cores ×
//!   makespan, or over the time until a core was in use last: where operations are recorded, the
//!   end of one of them, or when the run was stopped;
//! - a flow takes from its start to its end, moves its size at its rate, and is never faster than
//!   its cap, what the network sends at once apart;
//! - where operations are recorded: each computed task is an execution on that host by that agent
//!   that ended then, and no host was given more work than it did.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Row, RowFile};
use crate::rows::{FlowRow, HostRow, OperationRow, TaskRow};

use crate::check::{Judgement, Violation};

/// Relative difference of figures that are equal but for rounding.
const ROUNDED: f64 = 1e-9;

/// The texts of a run's files; `None` for those that the scenario did not ask for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AgentFiles<'a> {
    /// `tasks.csv`.
    pub tasks: Option<&'a str>,
    /// `hosts.csv`.
    pub hosts: Option<&'a str>,
    /// `flows.csv`.
    pub flows: Option<&'a str>,
    /// `operations.csv`.
    pub operations: Option<&'a str>,
    /// The end of the last task or transfer, in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Tasks that were computed, as the summary has it.
    pub computed: Option<u64>,
    /// The instant, in seconds, at which the run is stopped at the latest, if it is.
    pub until: Option<f64>,
    /// The amount that a flow may send before its cap slows it, as of a network of packets.
    pub at_once: f64,
}

/// Operations that keep a core busy.
const EXECUTIONS: [&str; 2] = ["execute", "execute-aside"];

const NO_TASKS: &str = "the run has no tasks.csv (record.tasks)";
const NO_OPERATIONS: &str = "the run has no operations.csv (record.operations)";
const NO_FLOWS: &str = "the scenario has no flows";

/// Judges a run; each promise in words, and what came of it.
///
/// # Errors
/// A file that is not what it should be.
pub(crate) fn judge_agents(files: &AgentFiles<'_>) -> Result<Vec<(&'static str, Judgement)>, String> {
    let tasks = rows::<TaskRow<'_>>(files.tasks)?;
    let hosts = rows::<HostRow<'_>>(files.hosts)?;
    let flows = rows::<FlowRow<'_>>(files.flows)?;
    let operations = rows::<OperationRow<'_>>(files.operations)?;
    let executed = operations.as_ref().zip(tasks.as_ref());
    let executed = executed.map(|(operations, tasks)| executed_as_recorded(operations, tasks));
    let worked = operations.as_ref().zip(hosts.as_ref());
    let worked = worked.map(|(operations, hosts)| work_is_done(operations, hosts));
    let without = if tasks.is_none() { NO_TASKS } else { NO_OPERATIONS };
    let tasks = tasks.map(|tasks| in_order(&tasks, files));
    let hosts = hosts.map(|hosts| within_cores(&hosts, operations.as_deref(), files));
    let flows = flows.map(|flows| rates(&flows, files.at_once));
    Ok(vec![
        ("tasks stand in order of end, and as many as are counted", tasks.ok_or(NO_TASKS)),
        ("no host computes for longer than its cores last", hosts.ok_or(NO_TASKS)),
        ("a flow moves its size in its time, no faster than its cap", flows.ok_or(NO_FLOWS)),
        ("each computed task is an execution that ended then", executed.ok_or(without)),
        ("no host was given more work than it did", worked.ok_or(without)),
    ])
}

/// The rows of a file, if there is one.
fn rows<'a, R: Row<'a>>(text: Option<&'a str>) -> Result<Option<Vec<R>>, String> {
    text.map(|text| RowFile::<R>::new(text)?.all()).transpose()
}

fn in_order(tasks: &[TaskRow<'_>], files: &AgentFiles<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut last = SimTime::ZERO;
    for TaskRow { task, end, .. } in tasks {
        if *end < last {
            found.push(Violation::of_no_job(*end, format!("task {task} ends before the one above it")));
        }
        last = last.max(*end);
    }
    let makespan = files.makespan.map(SimDuration::ceil_secs).map(|span| SimTime::ZERO.saturating_add(span));
    if let Some(makespan) = makespan.filter(|makespan| last > *makespan) {
        found.push(Violation::of_no_job(last, format!("a task ends after the makespan, {makespan}")));
    }
    if let Some(computed) = files.computed.filter(|computed| *computed != tasks.len() as u64) {
        found.push(Violation::of_no_job(
            last,
            format!("{computed} tasks are counted, {} have a row", tasks.len()),
        ));
    }
    found
}

fn within_cores(
    hosts: &[HostRow<'_>],
    operations: Option<&[OperationRow<'_>]>,
    files: &AgentFiles<'_>,
) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut wrong = |what: String| found.push(Violation::of_no_job(SimTime::ZERO, what));
    // to the makespan, or as long as a core was in use: one span for all hosts
    let (makespan, mut span) = (files.makespan.unwrap_or(0.0), None);
    for HostRow { host, cores, busy, utilization, .. } in hosts {
        let (cores, busy, utilization) = (f64::from(*cores), *busy, *utilization);
        if utilization > 1.0 + ROUNDED {
            wrong(format!("host {host} computes for {utilization} of what its cores last"));
        }
        if busy <= 0.0 || utilization <= 0.0 {
            if busy.max(utilization) > 0.0 {
                wrong(format!("host {host} computes for {busy} s, and has a utilization of {utilization}"));
            }
            continue;
        }
        let own = busy / (cores * utilization);
        let all = *span.get_or_insert(own);
        if (own - all).abs() > ROUNDED * all || own < makespan * (1.0 - ROUNDED) {
            wrong(format!(
                "host {host} has a utilization of {utilization}: that of a run of {own} s, not of {all} s to the makespan {makespan} s"
            ));
        }
    }
    let ends = operations.map(used_until).unwrap_or_default();
    let known = || ends.iter().copied().chain([makespan]).chain(files.until);
    let is_known = |span: f64| known().any(|end| (end - span).abs() <= ROUNDED * span);
    if let Some(span) = span.filter(|span| operations.is_some() && !is_known(*span)) {
        let what = format!("no core was in use last after {span} s, by which utilizations are made");
        found.push(Violation::of_no_job(SimTime::ZERO, what));
    }
    found
}

/// The executions of agents.
fn executions<'r, 'a>(operations: &'r [OperationRow<'a>]) -> impl Iterator<Item = &'r OperationRow<'a>> {
    operations.iter().filter(|row| EXECUTIONS.contains(&&*row.operation))
}

/// The ends of executions, in seconds.
fn used_until(operations: &[OperationRow<'_>]) -> Vec<f64> {
    executions(operations).map(|row| row.end.as_secs_f64()).collect()
}

fn rates(flows: &[FlowRow<'_>], at_once: f64) -> Vec<Violation> {
    let mut found = Vec::new();
    for row in flows.iter().filter(|row| &*row.state == "completed") {
        let FlowRow { flow, size, start, end, time, .. } = row;
        let end = end.unwrap_or(*start);
        if end < *start || Some(end.since(*start)) != *time {
            found.push(Violation::of_no_job(
                end,
                format!("flow {flow} does not take from its start to its end"),
            ));
        }
        let Some((rate, time)) = row.rate.zip(*time) else { continue };
        let moved = rate * time.as_secs_f64();
        if (moved - size).abs() > ROUNDED * size.max(1.0) {
            found.push(Violation::of_no_job(end, format!("flow {flow} moves {moved} of {size} at its rate")));
        }
        // a flow ends at a whole nanosecond, so that its rate is above the cap by less than that
        let slack = 1.0 + ROUNDED + 1e-9 / time.as_secs_f64().max(1e-9);
        let capped = (size - at_once).max(0.0) / time.as_secs_f64();
        if row.rate_cap.is_some_and(|cap| capped > cap * slack) {
            found.push(Violation::of_no_job(end, format!("flow {flow} is faster than its cap: {rate}")));
        }
    }
    found
}

fn executed_as_recorded(operations: &[OperationRow<'_>], tasks: &[TaskRow<'_>]) -> Vec<Violation> {
    let mut counts: OrderedMap<(SimTime, &str, &str, u64), i64> = OrderedMap::new();
    for row in operations.iter().filter(|row| &*row.operation == "execute" && &*row.outcome == "done") {
        *counts.entry((row.end, &row.task, &row.host, row.agent)).or_default() += 1;
    }
    for row in tasks {
        *counts.entry((row.end, &row.task, &row.host, row.agent)).or_default() -= 1;
    }
    let mut found = Vec::new();
    for ((at, task, host, agent), count) in counts.into_iter().filter(|(_, count)| *count != 0) {
        let which = if count > 0 { "is executed and has no row" } else { "has a row and is not executed" };
        found.push(Violation::of_no_job(at, format!("task {task} on {host} by agent {agent} {which}")));
    }
    found
}

fn work_is_done(operations: &[OperationRow<'_>], hosts: &[HostRow<'_>]) -> Vec<Violation> {
    let mut given: OrderedMap<&str, f64> = OrderedMap::new();
    for row in executions(operations).filter(|row| &*row.outcome == "done") {
        *given.entry(&*row.host).or_default() += row.amount;
    }
    let mut found = Vec::new();
    for HostRow { host, work, .. } in hosts {
        let asked = given.get(&**host).copied().unwrap_or(0.0);
        if asked > work * (1.0 + 1e-6) + ROUNDED {
            found.push(Violation::of_no_job(SimTime::ZERO, format!("host {host} did {work} of {asked}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: &str = "task,host,agent,name,end\na,h,0,w,1\nb,h,0,w,2.5\n";
    const HOSTS: &str = "host,cores,work,busy,utilization\nh,1,25,2.5,1\n";
    const OPERATIONS: &str = "operation,agent,name,host,task,amount,start,end,outcome\n\
                              execute,0,w,h,a,10,0,1,done\nexecute,0,w,h,b,15,1,2.5,done\n\
                              execute-aside,0,w,h,request,0,2.5,2.5,done\n";
    const FLOWS: &str = "flow,from,to,size,rate-cap,start,end,time,rate,state,reason\n\
                         f,a,b,100,50,1,3,2,50,completed,\n";

    fn files<'a>(tasks: &'a str, hosts: &'a str, flows: &'a str, operations: &'a str) -> AgentFiles<'a> {
        AgentFiles {
            tasks: Some(tasks),
            hosts: Some(hosts),
            flows: Some(flows),
            operations: Some(operations),
            makespan: Some(3.0),
            computed: Some(2),
            until: None,
            at_once: 0.0,
        }
    }

    fn broken(files: &AgentFiles<'_>) -> Vec<&'static str> {
        let all = judge_agents(files).expect("files");
        let is_broken = |judged: &Judgement| matches!(judged, Ok(violations) if !violations.is_empty());
        all.into_iter().filter(|(_, judged)| is_broken(judged)).map(|(promise, _)| promise).collect()
    }

    #[test]
    fn what_holds_is_kept_and_what_is_not_there_is_not_judged() {
        let hosts = HOSTS.replace(",1\n", ",0.8333333333333334\n");
        assert_eq!(broken(&files(TASKS, &hosts, FLOWS, OPERATIONS)), <[&str; 0]>::default());
        let none = judge_agents(&AgentFiles::default()).expect("no files");
        assert!(none.iter().all(|(_, judged)| judged.is_err()));
    }

    #[test]
    fn each_promise_can_be_broken() {
        let hosts = &HOSTS.replace(",1\n", ",0.8333333333333334\n");
        let of = |tasks: &str, hosts: &str, flows: &str, operations: &str| {
            broken(&files(tasks, hosts, flows, operations)).len()
        };
        assert_eq!(of(&TASKS.replace("2.5", "0.5"), hosts, FLOWS, OPERATIONS), 2);
        assert_eq!(of(TASKS, &hosts.replace("2.5", "3.5"), FLOWS, OPERATIONS), 1);
        assert_eq!(of(TASKS, hosts, &FLOWS.replace(",50,1,", ",49,1,"), OPERATIONS), 1);
        assert_eq!(of(TASKS, hosts, &FLOWS.replace(",3,2,", ",4,2,"), OPERATIONS), 1);
        assert_eq!(of(TASKS, hosts, FLOWS, &OPERATIONS.replace(",b,15", ",c,15")), 1);
        assert_eq!(of(TASKS, hosts, FLOWS, &OPERATIONS.replace(",b,15", ",b,150")), 1);
        assert_eq!(of(TASKS, hosts, FLOWS, &OPERATIONS.replace("request,0", "request,1")), 1);
    }

    /// 4.5 s on one core by 3 s: the span that follows is the makespan, the share is too large.
    #[test]
    fn no_host_computes_for_more_than_its_cores_last() {
        for (busy, utilization, wrong) in [("3", "1", 0), ("3.003", "1.001", 1), ("4.5", "1.5", 1)] {
            let hosts = format!("host,cores,work,busy,utilization\nh,1,45,{busy},{utilization}\n");
            let files = AgentFiles { hosts: Some(&hosts), makespan: Some(3.0), ..AgentFiles::default() };
            assert_eq!(broken(&files).len(), wrong, "{busy}");
        }
    }

    #[test]
    fn a_cap_slows_what_comes_behind_the_first_packet() {
        let fast = FLOWS.replace(",50,1,", ",40,1,");
        for (at_once, wrong) in [(0.0, 1), (19.0, 1), (20.0, 0), (100.0, 0), (f64::INFINITY, 0)] {
            let files = AgentFiles { at_once, flows: Some(&fast), ..AgentFiles::default() };
            assert_eq!(broken(&files).len(), wrong, "{at_once}");
        }
    }

    #[test]
    fn a_file_that_is_another_is_refused() {
        let wrong = |tasks| judge_agents(&AgentFiles { tasks: Some(tasks), ..AgentFiles::default() });
        assert!(wrong("a,b\n").is_err() && wrong("task,host,agent,name,end\na,h,0,w,soon\n").is_err());
    }
}
