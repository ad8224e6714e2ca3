//! One line of a trace: a job, by the same keys as a class of jobs has.

use crate::kernel::rng::Sampler;
use crate::kernel::{PAST_THE_END, SimDuration, SimTime};
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Span, Tree, code, named_keys};
use crate::units::{Bytes, duration};
use crate::workload::Job;

use super::super::application::{Application, Quality};
use super::super::keys;
use super::super::playback::{self, Unplayable};
use super::super::program::{Program, RecordedStep, Times};

/// Most tasks of a job.
const MOST_TASKS: u64 = 1 << 20;

named_keys! {
    CLASS = "class" Kind::Text, or "job" => "the class of the job, by which results are reported";
    NUMBER = "number" Kind::count_from(0), absent "its place in the file, from 1" =>
        "the number of the job, after which its random streams are named";
    ARRIVAL = "arrival" Kind::Duration(Bounds::NotNegative) =>
        "when the job is submitted, from the start of the run";
    ESTIMATE = "estimate" Kind::Duration(Bounds::Positive),
        absent "its plain dedicated time: mean computing and I/O, messages not counted" =>
        "how long its user says it takes on nodes of its own";
    TASKS = "tasks" Kind::Count { least: 1, most: MOST_TASKS } => "its tasks";
    ITERATIONS = "iterations" Kind::Count { least: 1, most: u32::MAX as u64 }, or_count 1 => "its iterations";
    FRAMES = "frames" ITERATIONS.kind =>
        "frames that pass through the tasks, which are stages of a pipeline then";
    COMPUTE = "compute" keys::COMPUTE.kind, absent "none" =>
        "computing of every task in one iteration, or of every stage on one frame";
    COMPUTE_EACH = "compute-each" Kind::List(&keys::COMPUTE.kind), absent "all tasks by `compute`" =>
        "computing of each task, a distribution for each, in place of `compute`";
    IO = "io" keys::IO.kind, absent "none" => keys::IO.about;
    IO_EACH = "io-each" Kind::List(&keys::IO.kind), absent "all tasks by `io`" =>
        "I/O of each task, a distribution for each, in place of `io`";
    STEPS = "steps" Kind::List(&Kind::List(&Kind::Text)) =>
        "for each task the steps that were recorded: \"compute 5ms\", \"io 10ms\", \
         \"send 1 4KiB\" (to task 1), \"receive 1\" (from task 1)";
}

/// A job that iterates.
pub const ITERATING: &[Key] = &[
    CLASS,
    NUMBER,
    ARRIVAL,
    TASKS,
    ITERATIONS,
    COMPUTE,
    COMPUTE_EACH,
    IO,
    IO_EACH,
    keys::SKEW,
    keys::PATTERN,
    keys::MESSAGES,
    keys::MESSAGE_SIZE,
    keys::MEMORY,
    keys::REAL_TIME,
    ESTIMATE,
];

/// A job that is a pipeline: it has `frames`.
pub const PIPELINE: &[Key] = &[
    CLASS,
    NUMBER,
    ARRIVAL,
    TASKS,
    FRAMES,
    COMPUTE,
    COMPUTE_EACH,
    keys::PERIOD,
    keys::DEADLINE,
    keys::FRAME_SIZE,
    keys::MEMORY,
    keys::REAL_TIME_FRAMES,
    ESTIMATE,
];

/// A job that was recorded: it has `steps`.
pub const RECORDED: &[Key] = &[CLASS, NUMBER, ARRIVAL, STEPS, keys::MEMORY, ESTIMATE];

/// The keys of a job as it is written.
pub(super) fn keys(written: &Tree) -> &'static [Key] {
    if written.get("steps").is_some() {
        RECORDED
    } else if written.get("frames").is_some() {
        PIPELINE
    } else {
        ITERATING
    }
}

/// A job of a trace, before it knows the number of its class.
pub(super) struct TraceJob {
    pub(super) job: Job,
    pub(super) application: Application,
    pub(super) class: String,
    pub(super) at_tasks: Span,
    pub(super) at_number: Span,
}

/// The job that checked values describe; `place` is its place in the file, from 1.
pub(super) fn job(params: &Params<'_>, place: u64) -> Result<TraceJob, Vec<Complaint>> {
    let written = params.tree();
    let (tasks, program, quality) = if written.get("steps").is_some() {
        let steps = steps(params)?;
        (steps.len() as u32, Program::Recorded(steps.into()), Quality::BestEffort)
    } else {
        iterating(params)?
    };
    let memory = keys::memory(params)?;
    let application = Application { class: 0, tasks, program, memory, quality };
    let Some(span) = application.dedicated_time() else {
        return Err(params.complaint("tasks", "the job would take more than 584 years").into());
    };
    let arrival: SimDuration = params.read("arrival")?;
    let submit = SimTime::ZERO.checked_add(arrival).filter(|submit| submit.checked_add(span).is_some());
    let Some(submit) = submit else {
        return Err(params.complaint("arrival", format!("the job would end {PAST_THE_END}")).into());
    };
    let number: Option<u64> = params.read("number")?;
    let mut job = Job::new(number.unwrap_or(place), submit, tasks, span);
    let estimate: Option<SimDuration> = params.read("estimate")?;
    job.estimate = estimate.unwrap_or(span);
    Ok(TraceJob {
        job,
        application,
        class: params.read("class")?,
        at_tasks: params.span(if written.get("steps").is_some() { "steps" } else { "tasks" }),
        at_number: params.span("number"),
    })
}

/// Tasks, program and quality of a job that is not recorded step by step.
fn iterating(params: &Params<'_>) -> Result<(u32, Program, Quality), Complaint> {
    let tasks: u32 = params.read("tasks")?;
    let compute = times(params, "compute", "compute-each", tasks)?;
    if params.has("frames") {
        let pipeline = keys::pipeline(params, params.read("frames")?, compute)?;
        let quality = keys::quality(params, Some(&pipeline))?;
        return Ok((tasks, Program::Pipeline(pipeline), quality));
    }
    let io = times(params, "io", "io-each", tasks)?;
    let iterations = keys::iterations(params, params.read("iterations")?, (compute, io))?;
    if let Some(listed) = iterations.pattern.tasks().filter(|&listed| listed != tasks) {
        let message = format!("the peers of {listed} tasks are listed, but the job has {tasks}");
        return Err(params.complaint("pattern", message).label(format!("expected {tasks} lists")));
    }
    Ok((tasks, Program::Iterations(iterations), keys::quality(params, None)?))
}

/// The laws of all tasks, or of each.
fn times(params: &Params<'_>, all: &str, each: &str, tasks: u32) -> Result<Times, Complaint> {
    if !params.has(each) {
        return if params.has(all) { keys::times(params, all) } else { Ok(Times::None) };
    }
    if params.has(all) {
        let message = format!("`{all}` and `{each}` say two things");
        return Err(params.complaint(each, message).label("write one of them"));
    }
    let laws = params.components::<Sampler>(each, "distribution")?;
    if laws.len() != tasks as usize {
        let message = format!("`{each}` has {} distributions for {tasks} tasks", laws.len());
        return Err(params.complaint(each, message).label("expected one for each task"));
    }
    let laws: Result<Vec<Sampler>, Complaint> =
        laws.into_iter().map(|law| keys::with_mean(params, each, *law)).collect();
    Ok(Times::Each(laws?.into()))
}

/// The steps of every task, each checked by itself and all together.
fn steps(params: &Params<'_>) -> Result<Vec<Box<[RecordedStep]>>, Vec<Complaint>> {
    let lists = list(params.tree().get("steps"));
    let mut complaints = Vec::new();
    let mut tasks: Vec<Box<[RecordedStep]>> = Vec::with_capacity(lists.len());
    for node in lists {
        let steps =
            list(Some(node)).iter().filter_map(|node| match step(node.as_text().unwrap_or_default()) {
                Ok(step) => Some(step),
                Err((problem, expected)) => {
                    let complaint = Complaint::new(code::STEP, problem, node.span);
                    complaints.push(complaint.label(expected));
                    None
                }
            });
        tasks.push(steps.collect());
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    if tasks.is_empty() || tasks.len() as u64 > MOST_TASKS {
        let message = format!("a job has 1 to {MOST_TASKS} tasks, and here are steps of {}", tasks.len());
        let complaint = Complaint::new(code::RANGE, message, params.span("steps"));
        return Err(vec![complaint.label("expected a list of steps for each task")]);
    }
    let mut faults = playback::faults(&tasks);
    if faults.is_empty() {
        faults.extend(playback::dedicated_time(&tasks).err());
    }
    if faults.is_empty() {
        return Ok(tasks);
    }
    let complaint = |fault: Unplayable| {
        let span = list(Some(&lists[fault.rank as usize]))[fault.step].span;
        Complaint::new(code::STEP, fault.reason, span).label("this step")
    };
    Err(faults.into_iter().map(complaint).collect())
}

fn list(node: Option<&Node>) -> &[Node] {
    node.map_or(&[], Node::items)
}

/// One step from its words, or what is wrong with it and what was expected.
fn step(text: &str) -> Result<RecordedStep, (String, String)> {
    const FORMS: &str = "expected \"compute 5ms\", \"io 5ms\", \"send TASK SIZE\" or \"receive TASK\"";
    let mut words = text.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let (first, second, more) = (words.next(), words.next(), words.next());
    let task = |word: &str| {
        word.parse::<u32>()
            .map_err(|_| (format!("`{word}` is no task"), "expected its number, from 0".to_owned()))
    };
    let span = |word: &str| match duration(word) {
        Ok(nanos) => Ok(SimDuration::from_nanos(nanos)),
        Err(bad) => Err((bad.problem, format!("expected {}", bad.expected))),
    };
    match (verb, first, second, more) {
        ("compute", Some(word), None, None) => span(word).map(RecordedStep::Compute),
        ("io", Some(word), None, None) => span(word).map(RecordedStep::Io),
        ("receive", Some(word), None, None) => Ok(RecordedStep::Receive { from: task(word)? }),
        ("send", Some(word), Some(size), None) => {
            let size =
                Bytes::parse(size).map_err(|bad| (bad.problem, format!("expected {}", bad.expected)))?;
            Ok(RecordedStep::Send { to: task(word)?, size })
        }
        _ => Err((format!("`{}` is no step", text.chars().take(40).collect::<String>()), FORMS.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_from_their_words() {
        assert_eq!(step("compute 5ms"), Ok(RecordedStep::Compute(SimDuration::from_millis(5))));
        assert_eq!(step(" io  2h30m "), Ok(RecordedStep::Io(SimDuration::from_secs(9000))));
        assert_eq!(step("send 3 4KiB"), Ok(RecordedStep::Send { to: 3, size: Bytes::new(4096) }));
        assert_eq!(step("receive 0"), Ok(RecordedStep::Receive { from: 0 }));
    }

    #[test]
    fn what_is_no_step_is_reported() {
        let problem = |text: &str| step(text).expect_err("wrong").0;
        assert_eq!(problem(""), "`` is no step");
        assert_eq!(problem("sleep 5ms"), "`sleep 5ms` is no step");
        assert_eq!(problem("compute 5ms 6ms"), "`compute 5ms 6ms` is no step");
        assert_eq!(problem("receive -1"), "`-1` is no task");
        assert_eq!(problem("send 1"), "`send 1` is no step");
        for text in ["compute 5", "io 5 parsec", "send 1 5"] {
            assert!(step(text).is_err(), "{text}");
        }
    }
}
