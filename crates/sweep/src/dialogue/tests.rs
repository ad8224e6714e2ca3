//! Dialogues that are recorded, read, and repeated.

use std::rc::Rc;
use std::sync::Arc;

use crate::dialogue::line::DialogueLine;
use crate::dialogue::read::read;
use crate::dialogue::recorder::recorded;
use crate::dialogue::replay::DialogueReplay;
use crate::dialogue::write::Names;
use crate::estimate::bounded::PerfectEstimator;
use crate::estimate::known::{EstimateBasis, KnownSweep};
use crate::heuristic::WorkqueueOrder;
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimError, Simulation};
use crate::model::application::Sweep;
use crate::model::grid::SweepGrid;
use crate::plan::planner::Planner;
use crate::plan::settings::PlanSettings;
use crate::results::record::SweepOutcomes;
use crate::run::execution::execute;
use crate::run::running::SweepProblem;
use crate::scheduler::interfaces::SweepScheduler;
use crate::scheduler::workqueue::WorkqueueScheduler;
use crate::tests::{grid, joined_case, lawful, secs_at, sweep, workqueue};
use clustersim_experiment::dialogue::recorded::{NumberedLine, Replay};

/// Runs a scheduler and records it, to the end or to this second.
fn run(
    (sweep, grid): (&Rc<Sweep>, &Rc<SweepGrid>),
    scheduler: Box<dyn SweepScheduler>,
    until: Option<u64>,
) -> Result<(SweepOutcomes, String), SimError> {
    let streams = Streams::new(7, 0);
    let problem = SweepProblem {
        known: Rc::new(KnownSweep::new(Rc::clone(sweep), EstimateBasis::File)),
        sweep: Rc::clone(sweep),
        grid: Rc::clone(grid),
        streams,
        overdue: SimDuration::from_secs(10),
        progress: None,
    };
    let (scheduler, record) = recorded(scheduler, sweep, grid);
    let simulation = Simulation::with_streams(streams);
    let until = until.map(secs_at);
    let outcomes = execute(Rc::new(problem), scheduler, Box::new(PerfectEstimator), simulation, until)?;
    let text = record.finish(&outcomes);
    Ok((outcomes, text))
}

fn shared(grid: SweepGrid, mut sweep: Sweep) -> (Rc<Sweep>, Rc<SweepGrid>) {
    // files are known by their names
    for (number, file) in sweep.files.iter_mut().enumerate() {
        file.name = Arc::from(format!("f{number}"));
    }
    (Rc::new(sweep), Rc::new(grid))
}

fn lines(text: &str, (sweep, grid): (&Rc<Sweep>, &Rc<SweepGrid>)) -> Vec<NumberedLine<DialogueLine>> {
    read(text, sweep, grid).unwrap_or_else(|wrong| panic!("{wrong:?}"))
}

/// A scheduler that repeats a text.
fn replay(text: &str, of: (&Rc<Sweep>, &Rc<SweepGrid>)) -> Box<dyn SweepScheduler> {
    let names = Names { sweep: Rc::clone(of.0), grid: Rc::clone(of.1) };
    Box::new(DialogueReplay::of(Replay::new("dialogue.jsonl".to_owned(), names, lines(text, of))))
}

#[test]
fn a_replayed_run_is_the_run_and_its_dialogue_the_dialogue() {
    let (mut failed, mut copies, mut removed, mut steals, mut noted) = (0, 0, 0, 0, 0);
    for case in 0..300 {
        let (grid, sweep, settings) = joined_case(case);
        let (sweep, grid) = shared(grid, sweep);
        let of = (&sweep, &grid);
        let scheduler: Box<dyn SweepScheduler> = if case % 4 == 3 {
            let order = if case % 8 == 3 { WorkqueueOrder::First } else { WorkqueueOrder::MostBytes };
            Box::new(WorkqueueScheduler::new(order, settings.links).duplicating(settings.duplicate))
        } else {
            let steal = settings.steal || case % 2 == 0;
            Box::new(Planner::new(PlanSettings { steal, ..settings }, Streams::new(case, 0)))
        };
        let until = (case % 5 == 4).then_some(150);
        let (first, text) = run(of, scheduler, until).expect("it ends");
        let (again, repeated) = run(of, replay(&text, of), until).expect("it is the same");
        assert_eq!(text, repeated, "case {case}");
        assert_eq!((&first.tasks, &first.transfers), (&again.tasks, &again.transfers), "case {case}");
        assert_eq!((&first.removals, &first.discarded), (&again.removals, &again.discarded));
        assert_eq!((&first.lost_runs, first.steals), (&again.lost_runs, again.steals));
        assert_eq!((&first.busy, &first.used), (&again.busy, &again.used));
        if until.is_none() {
            lawful(&again);
        }
        (failed, copies, removed) =
            (failed + first.failed, copies + first.duplicates, removed + first.removals.len());
        steals += first.steals;
        noted += text.matches("\"note\":\"planned\"").count();
    }
    assert!(
        failed > 50 && copies > 20 && removed > 100 && steals > 20,
        "{failed} {copies} {removed} {steals}"
    );
    assert!(noted > 0, "some tasks are planned when runs are cut");
}

/// Two tasks that read a file, on one host.
fn small() -> (Rc<Sweep>, Rc<SweepGrid>) {
    shared(grid(&[(10e3, &[1.0])]), sweep(&[100_000], &[(&[0], 50.0, 0), (&[0], 50.0, 10_000)]))
}

const SMALL: &str = r#"{"at":0,"entry":"new-host","host":"0.0"}
{"at":0,"entry":"new-work","tasks":["0","1"]}
{"at":0,"entry":"decide"}
{"at":0,"action":"store","cluster":"0","file":"f0","task":"0"}
{"at":10,"entry":"transfer-done","cluster":"0","link":"0","direction":"input","file":"f0","task":"0"}
{"at":10,"entry":"decide"}
{"at":10,"action":"compute","task":"0","host":"0.0","queued":0}
{"at":60,"entry":"work-done","task":"0","host":"0.0"}
{"at":60,"entry":"decide"}
{"at":60,"action":"compute","task":"1","host":"0.0","queued":60}
{"at":110,"entry":"work-done","task":"1","host":"0.0"}
{"at":110,"entry":"decide"}
{"at":110,"action":"retrieve","cluster":"0","file":"f1","task":"1"}
{"at":111,"entry":"transfer-done","cluster":"0","link":"0","direction":"output","file":"f1","task":"1"}
{"at":111,"note":"end","steals":0}
"#;

#[test]
fn a_dialogue_has_entries_and_actions_in_order() {
    let (sweep, grid) = small();
    let (_, text) = run((&sweep, &grid), workqueue(), None).expect("it ends");
    assert_eq!(text, SMALL);
}

#[test]
fn a_run_ends_where_it_differs_from_the_dialogue() {
    let (sweep, grid) = small();
    let of = (&sweep, &grid);
    for (old, new, what) in [
        (
            "{\"at\":10,\"entry\":\"transfer-done\"",
            "{\"at\":9,\"entry\":\"transfer-done\"",
            "at 10 s: line 5 of `dialogue.jsonl` is {\"at\":9,\"entry\":\"transfer-done\",\"cluster\":\"0\",\"link\":\"0\",\
             \"direction\":\"input\",\"file\":\"f0\",\"task\":\"0\"}, and in its place there is \
             {\"at\":10,\"entry\":\"transfer-done\"",
        ),
        (
            "{\"at\":10,\"entry\":\"decide\"}\n",
            "{\"at\":10,\"entry\":\"new-host\",\"host\":\"0.0\"}\n{\"at\":10,\"entry\":\"decide\"}\n",
            "at 10 s: line 6 of `dialogue.jsonl` is {\"at\":10,\"entry\":\"new-host\",\"host\":\"0.0\"}, and in its place \
             there is {\"at\":10,\"entry\":\"decide\"}",
        ),
        (
            "{\"at\":60,\"entry\":\"work-done\",\"task\":\"0\",\"host\":\"0.0\"}\n",
            "",
            "at 60 s: line 8 of `dialogue.jsonl` is {\"at\":60,\"entry\":\"decide\"}, and in its place there is \
             {\"at\":60,\"entry\":\"work-done\"",
        ),
        (
            "{\"at\":60,\"action\":\"compute\",\"task\":\"1\"",
            "{\"at\":60,\"action\":\"compute\",\"task\":\"0\"",
            "\"task\":\"0\",\"host\":\"0.0\",\"queued\":60}, which has no such effect here: task `0` starts, which is not to start",
        ),
        (
            "{\"at\":10,\"action\":\"compute\"",
            "{\"at\":10,\"action\":\"cancel\",\"task\":\"1\",\"host\":\"0.0\"}\n{\"at\":10,\"action\":\"compute\"",
            "at 10 s: line 7 of `dialogue.jsonl` is {\"at\":10,\"action\":\"cancel\",\"task\":\"1\",\"host\":\"0.0\"}, which has \
             no such effect here",
        ),
        (
            "{\"at\":111,\"note\"",
            "{\"at\":111,\"entry\":\"decide\"}\n{\"at\":111,\"note\"",
            "at 111 s: line 15 of `dialogue.jsonl` is {\"at\":111,\"entry\":\"decide\"}, and all tasks are completed",
        ),
        (
            "{\"at\":111,\"entry\":\"transfer-done\",\"cluster\":\"0\",\"link\":\"0\",\"direction\":\"output\",\"file\":\"f1\",\"task\":\"1\"}\n",
            "",
            "`dialogue.jsonl` ends before this run, in which there is {\"at\":111,\"entry\":\"transfer-done\"",
        ),
    ] {
        assert!(SMALL.contains(old), "{old}");
        let text = SMALL.replacen(old, new, 1);
        let why = run(of, replay(&text, of), None).expect_err(new).to_string();
        assert!(why.contains("the scheduler cannot go on at ") && why.contains(what), "{why}\n{what}");
    }
    // a task that takes longer: the end of the recorded one is missed at its instant
    let mut longer = (*sweep).clone();
    longer.tasks[0].times[0].real = 51.0;
    let longer = Rc::new(longer);
    let why = run((&longer, &grid), replay(SMALL, (&longer, &grid)), None).expect_err("later").to_string();
    assert!(why.contains("at 60 s: line 8 of"), "{why}");
    // the last transfer comes sooner, and nothing is decided any more
    let mut sooner = (*sweep).clone();
    sooner.files[1].bytes = 5_000;
    let sooner = Rc::new(sooner);
    let why = run((&sooner, &grid), replay(SMALL, (&sooner, &grid)), None).expect_err("sooner").to_string();
    assert!(why.contains("at 110.5 s: line 14 of"), "{why}");
}

#[test]
fn what_is_wrong_with_a_dialogue_has_its_place() {
    let (sweep, grid) = small();
    let compute = "{\"at\":10,\"action\":\"compute\",\"task\":\"0\",\"host\":\"0.0\",\"queued\":0}";
    for (old, new, what, line, column) in [
        ("\"host\":\"0.0\"}", "\"host\":\"0.1\"}", "there is no host `0.1`", 1, 35),
        ("[\"0\",\"1\"]", "[\"0\",\"2\"]", "there is no task `2`", 2, 41),
        ("[\"0\",\"1\"]", "[\"0\",1]", "unexpected `1`", 2, 41),
        ("{\"at\":10,\"entry\":\"t", "{\"at\":-10,\"entry\":\"t", "`at` is to be seconds from 0", 5, 7),
        (
            "{\"at\":10,\"entry\":\"d",
            "{\"at\":9.5,\"entry\":\"d",
            "this line is before the last, which is at 10 s",
            6,
            7,
        ),
        ("\"direction\":\"input\"", "\"direction\":\"in\"", "`direction` cannot be `in`", 5, 71),
        ("\"action\":\"store\"", "\"action\":\"stare\"", "`action` cannot be `stare`", 4, 18),
        (
            "\"action\":\"store\"",
            "\"deed\":\"store\"",
            "this line has none of `entry`, `action`, `note`",
            4,
            1,
        ),
        ("\"queued\":0", "\"queue\":0", "this line has no use for `queue`", 7, 53),
        ("\"queued\":0", "\"queued\":0,\"queued\":1", "`queued` is there twice", 7, 64),
        ("\"queued\":0", "\"planned-start\":0", "this line has no `planned-end`", 7, 1),
        ("\"steals\":0", "\"steals\":-1", "`steals` is to be a whole number from 0", 15, 33),
        ("\"file\":\"f0\"", "\"file\":\"f1\"", "task `0` has no input `f1`", 4, 47),
        ("{\"at\":10,\"entry\":\"decide\"}\n", "", "an action without `decide` before it", 6, 1),
        ("{\"at\":111,\"note\":\"end\",\"steals\":0}\n", "", "the dialogue has no end", 14, 104),
        (compute, &compute[..30], "the text has no end", 7, 31),
        (
            "\"steals\":0}",
            "\"steals\":0}\n\n{\"at\":111,\"entry\":\"decide\"}",
            "a line after the end",
            17,
            1,
        ),
        ("\"note\":\"end\"", "\"note\":\"the end\"", "`note` cannot be `the end`", 15, 18),
    ] {
        assert!(SMALL.contains(old), "{old}");
        let text = SMALL.replacen(old, new, 1);
        let wrong = read(&text, &sweep, &grid).expect_err(new);
        let found = wrong.iter().find(|mistake| mistake.message.contains(what));
        let found = found.unwrap_or_else(|| panic!("{what}: {wrong:?}"));
        let before = &text[..found.spot.at as usize];
        let (at_line, start) = (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |at| at + 1));
        assert_eq!((at_line, before.len() - start + 1), (line, column), "{what}");
    }
}

#[test]
fn no_text_is_a_panic() {
    let (sweep, grid) = small();
    for cut in 0..SMALL.len() - 1 {
        read(&SMALL[..cut], &sweep, &grid).expect_err("it is cut");
        let mut bytes = SMALL.as_bytes().to_vec();
        bytes[cut] = [b'"', b'}', b'-', b'9', b'\n'][cut % 5];
        let text = String::from_utf8(bytes).expect("a text");
        let Ok(lines) = read(&text, &sweep, &grid) else { continue };
        let names = Names { sweep: Rc::clone(&sweep), grid: Rc::clone(&grid) };
        let replay = DialogueReplay::of(Replay::new("d".to_owned(), names, lines));
        drop(run((&sweep, &grid), Box::new(replay), None));
    }
}
