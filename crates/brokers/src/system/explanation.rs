//! Explanation of the server of a task: what its scheduler saw of each, and what was true then.

use serde_json::{Map, Value as Json, json};

use crate::collections::StableSort as _;
use crate::decision::{Decision, SeenServer};
use crate::info::ServerNumber;
use crate::kernel::SimTime;
use crate::outcomes::BrokerOutcomes;
use crate::output::number::{clock, lasting, plain, span};
use crate::output::{Explanation, Paragraph};
use crate::record::{CalledTask, TaskState};

/// Servers that are described.
const DESCRIBED: usize = 8;

/// The explanation of a task by its number.
pub(super) fn of(outcomes: &BrokerOutcomes, number: u64, scheduler: &str) -> Explanation {
    let mut members = Map::new();
    members.insert("task".to_owned(), json!(number));
    let task = usize::try_from(number).ok().and_then(|place| outcomes.tasks.get(place));
    let Some(task) = task else {
        let text = format!("The run had {} tasks, numbered from 0", outcomes.issued);
        let paragraphs = vec![Paragraph { text, span: None }];
        return Explanation { title: format!("Task {number} was not issued"), members, paragraphs };
    };
    let client = &outcomes.clients[task.client.index()];
    members.insert("client".to_owned(), json!(client));
    members.insert("issued".to_owned(), json!(task.issued.as_secs_f64()));
    let decisions = outcomes.decisions.iter().map(|decision| document(outcomes, decision));
    members.insert("decisions".to_owned(), decisions.collect());
    let mut texts = vec![described(task)];
    for decision in &outcomes.decisions {
        texts.extend(decided(outcomes, decision, scheduler));
    }
    texts.push(became(outcomes, task));
    let paragraphs = texts.into_iter().map(|text| Paragraph { text, span: None }).collect();
    Explanation { title: format!("Task {number} of client `{client}`"), members, paragraphs }
}

fn document(outcomes: &BrokerOutcomes, decision: &Decision) -> Json {
    let name = |server: ServerNumber| &outcomes.servers[server.index()].name;
    let forecast = |seen: &SeenServer, place: usize| {
        seen.forecasts[place].as_ref().map(|forecast| {
            json!({ "forecaster": forecast.forecaster, "value": forecast.value, "error": forecast.error })
        })
    };
    let seen = decision.seen.iter().map(|seen| {
        json!({
            "server": name(seen.server),
            "predicted": { "send": seen.times.send, "service": seen.times.service, "receive": seen.times.receive },
            "score": seen.score,
            "bandwidth": seen.paths.map(|path| path.bandwidth),
            "load": seen.info.load,
            "sent-since": seen.sent,
            "nominal": seen.nominal,
            "measured": seen.measured.map(|at| at.map(SimTime::as_secs_f64)),
            "forecasts": [forecast(seen, 0), forecast(seen, 1), forecast(seen, 2)],
            "true-load": seen.load,
            "true-completion": (seen.completion < SimTime::MAX).then(|| seen.completion.as_secs_f64()),
        })
    });
    json!({
        "at": decision.at.as_secs_f64(),
        "servers": seen.collect::<Json>(),
        "given-up": decision.given_up.iter().map(|server| json!(name(*server))).collect::<Json>(),
        "too-late": decision.too_late.iter().map(|server| json!(name(*server))).collect::<Json>(),
        "chosen": decision.chosen.iter().map(|server| json!(name(*server))).collect::<Json>(),
        "best": decision.best().map(|best| name(best.server)),
    })
}

/// Description of the task.
fn described(task: &CalledTask) -> String {
    let [send, receive] = task.bytes.map(plain);
    let deadline = if task.deadline < SimTime::MAX {
        format!(", wanted by {}", clock(task.deadline))
    } else {
        String::new()
    };
    format!(
        "It was issued at {}: {send} B of arguments, {} operations, {receive} B of results{deadline}",
        clock(task.issued),
        plain(task.instructions)
    )
}

/// Servers seen and chosen at a decision.
fn decided(outcomes: &BrokerOutcomes, decision: &Decision, scheduler: &str) -> Vec<String> {
    let name = |server: ServerNumber| &outcomes.servers[server.index()].name;
    let names = |servers: &[ServerNumber]| {
        let names: Vec<String> =
            servers.iter().take(DESCRIBED).map(|server| format!("`{}`", name(*server))).collect();
        let more = if servers.len() > DESCRIBED { " and others" } else { "" };
        names.join(", ") + more
    };
    let mut order: Vec<&SeenServer> = decision.seen.iter().collect();
    order.stable_sort_by(|one, other| {
        let key = |seen: &SeenServer| (seen.score.unwrap_or(f64::INFINITY), seen.times.total());
        let (one_key, other_key) = (key(one), key(other));
        let by_score = one_key.0.total_cmp(&other_key.0).then(one_key.1.total_cmp(&other_key.1));
        by_score.then(one.server.cmp(&other.server))
    });
    let lines: String =
        order.iter().take(DESCRIBED).map(|seen| line(name(seen.server), seen, decision.at)).collect();
    let mut texts = vec![format!(
        "At {} `{scheduler}` chose among {} servers{lines}",
        clock(decision.at),
        decision.seen.len()
    )];
    if !decision.given_up.is_empty() {
        texts.push(format!("Given up before, and out of question: {}", names(&decision.given_up)));
    }
    if !decision.too_late.is_empty() {
        texts.push(format!("Left out, as not predicted to be in time: {}", names(&decision.too_late)));
    }
    let Some(winner) = decision.winner() else {
        texts.push(if decision.seen.is_empty() {
            "No server was in question: the task waits for another try, or is rejected if it has had all of them".to_owned()
        } else {
            "It chose none: the task was rejected".to_owned()
        });
        return texts;
    };
    let same = |seen: &&&SeenServer| {
        seen.server != winner.server && seen.score.is_some() && seen.score == winner.score
    };
    let tie = match order.iter().find(same) {
        Some(other) => {
            format!("; `{}` has the same score, and the scheduler breaks the tie", name(other.server))
        }
        None => String::new(),
    };
    texts.push(format!("It chose `{}`{tie}", name(winner.server)));
    if winner.completion == SimTime::MAX {
        texts.push(
            "As servers fail, it would not have been executed there, nor anywhere after that".to_owned(),
        );
    } else if let Some(best) = decision.best() {
        let cost = winner.completion.since(best.completion);
        texts.push(if cost.is_zero() {
            format!(
                "If no further work came but that of others, no server would have been sooner: results at {}",
                clock(winner.completion)
            )
        } else {
            format!(
                "If no further work came but that of others, results would have been back at {}, from `{}` at {}: the choice cost {}",
                clock(winner.completion),
                name(best.server),
                clock(best.completion),
                lasting(cost)
            )
        });
    }
    texts
}

/// Observation of a server, as a line.
fn line(name: &str, seen: &SeenServer, at: SimTime) -> String {
    let times = seen.times;
    let age = |place: usize| match seen.measured[place] {
        Some(measured) => format!("measured {} before", lasting(at.since(measured))),
        None => "never measured".to_owned(),
    };
    let by = |place: usize| match &seen.forecasts[place] {
        Some(forecast) => format!(" by {}, which errs by {}", forecast.forecaster, plain(forecast.error)),
        None if seen.nominal[place] => " nominal".to_owned(),
        None => String::new(),
    };
    let score = seen.score.map_or_else(String::new, |score| format!("score {}; ", plain(score)));
    let sent = match seen.sent {
        0 => String::new(),
        sent => format!(", {sent} tasks sent since"),
    };
    format!(
        "\n  - `{name}`: {score}predicted to take {} (send {}, service {}, receive {}); bandwidth {} B/s{}, {}; back {} B/s{}, {}; load {}{}, {}{sent}; in truth load {}, results at {}",
        span(times.total()),
        span(times.send),
        span(times.service),
        span(times.receive),
        plain(seen.paths[0].bandwidth),
        by(0),
        age(0),
        plain(seen.paths[1].bandwidth),
        by(1),
        age(1),
        plain(seen.info.load),
        by(2),
        age(2),
        plain(seen.load),
        if seen.completion < SimTime::MAX { clock(seen.completion) } else { "never".to_owned() },
    )
}

/// Outcome.
fn became(outcomes: &BrokerOutcomes, task: &CalledTask) -> String {
    let server = outcomes.servers.get(task.server.index()).map_or("no server", |server| &server.name);
    match task.state {
        TaskState::Completed => {
            let late = if task.received > task.deadline { ", after its deadline" } else { "" };
            format!(
                "Its arguments were on `{server}` at {}, it was executed from {} to {}, and its results were back at {}{late}: {} after its issue",
                clock(task.queued),
                clock(task.started),
                clock(task.ended),
                clock(task.received),
                lasting(task.received.since(task.issued))
            )
        }
        TaskState::Rejected => {
            let why = task.rejected.map(|why| why.about().replacen("rejected", "", 1)).unwrap_or_default();
            format!("It was rejected{why}")
        }
        TaskState::Unfinished => "It was not over when the run ended".to_owned(),
    }
}
