//! A worker: asks its master for a task, computes it, and asks again.
//!
//! Source: "Scheduling Distributed Applications: the SimGrid Simulation Framework", 2003, section
//! V.

use async_trait::async_trait;

use super::demand::{Demand, data, work};
use super::master::{self, Answer, Request};
use super::{Assignment, Role};
use crate::platform::{HostId, Platform};
use crate::registry::{Entry, entry};
use crate::{Agent, AgentError, Behaviour, Channel};

pub(super) const ENTRY: Entry<dyn Role> = entry! {
    "worker" =>
        "asks the agent of the role `master` for a task, computes it, and asks again until there is none",
    source "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V",
    keys {
        ..data("request-data", "100kB", "what it sends with a request");
        ..work("request-work", "100kf", "what a request gives its master to compute");
    },
    reads |params| Worker { request: Demand::read(params, "request-")? }
};

/// The channel on which a worker gets tasks, by its index in the deployment: several may be on one
/// host.
pub(super) fn channel(index: usize) -> Channel {
    Channel(master::REQUESTS.0 + 1 + index as u32)
}

#[derive(Debug)]
struct Worker {
    request: Demand,
}

#[derive(Debug)]
struct Working {
    master: HostId,
    index: usize,
    request: Demand,
}

impl Role for Worker {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn behaviour(&self, assignment: &Assignment, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let master = assignment.only("master")?;
        assignment.reaches(platform, [master])?;
        Ok(Box::new(Working { master, index: assignment.index, request: self.request }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Working {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let channel = channel(self.index);
        let mut took = 0.0;
        loop {
            let request = Request { index: self.index, took };
            let request = self.request.task("request").carrying(request);
            me.put(request, self.master, master::REQUESTS).await?;
            let mut task = me.get(channel).await?;
            let begun = me.now();
            match task.take::<Answer>() {
                Some(Answer::Over) => return Ok(()),
                Some(Answer::Probe) => me.execute_aside(&task).await?,
                Some(Answer::Compute) | None => me.execute(&task).await?,
            }
            took = me.now().since(begun).as_secs_f64();
        }
    }
}
