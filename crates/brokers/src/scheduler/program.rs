//! A foreign program chooses: it is asked with the task, and with what is predicted of each server
//! that may have it.

use std::rc::Rc;

use crate::dialogue::in_short;
use crate::dialogue::message::Message;
use crate::foreign::answer;
use crate::foreign::program::{ForeignProgram, KEYS};
use crate::info::ServerNumber;
use crate::registry::{Entry, entry};
use crate::scheduler::BrokerScheduler;
use crate::view::{ServerSelection, View};

pub(super) const ENTRY: Entry<dyn BrokerScheduler> = entry!(
    "program" => "a program in any language, which is asked over a pipe",
    source "A. Takefusa and others, HPDC 1999, section 3.2",
    keys &KEYS,
    reads |params| ForeignScheduler(ForeignProgram::read(params, "scheduler", None)?)
);

#[derive(Debug)]
struct ForeignScheduler(Rc<ForeignProgram>);

impl BrokerScheduler for ForeignScheduler {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        let question = question(view, &self.0);
        let (environment, candidates) = (self.0.environment(), view.candidates());
        let number = |name: &String| -> Result<ServerNumber, String> {
            let found = candidates.iter().find(|server| environment.server(**server).name == *name);
            found.copied().ok_or_else(|| format!("no candidate is called `{}`", in_short(name)))
        };
        let read = |line: &str| answer::selection(line)?.iter().map(number).collect();
        self.0.ask(&question, read).unwrap_or_default()
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(ForeignScheduler(Rc::clone(&self.0)))
    }

    fn program(&self) -> Option<&Rc<ForeignProgram>> {
        Some(&self.0)
    }
}

fn question(view: &mut View<'_>, program: &ForeignProgram) -> String {
    let environment = program.environment();
    let mut candidates = Vec::with_capacity(view.candidates().len());
    for server in view.candidates().to_vec() {
        let (times, info, sent) = (view.estimate(server), view.server(server), view.sent(server));
        let candidate = Message::new("server", &environment.server(server).name)
            .number("send", times.send)
            .number("service", times.service)
            .number("receive", times.receive)
            .number("performance", info.performance)
            .number("load", info.load)
            .number("availability", info.availability)
            .count("sent", sent.into());
        candidates.push(candidate);
    }
    let call = view.call;
    Message::new("select", "server")
        .time("time", view.now)
        .count("task", call.task)
        .text("client", &environment.clients[call.client.index()])
        .number("send", call.send)
        .number("receive", call.receive)
        .number("instructions", call.instructions)
        .count("procs", call.processors.into())
        .count("fallbacks", call.fallbacks.into())
        .optional_time("deadline", call.deadline)
        .messages("candidates", candidates.into_iter())
        .line()
}
