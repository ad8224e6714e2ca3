//! A dispatcher and its servers: tasks that are all alike are sent out in turn, asked for or not.
//!
//! The dispatcher sends the i-th task to server i modulo their number, and does not wait for it to
//! be computed. With `ahead` above 1 it puts that many before it waits for the oldest to have
//! arrived. Each server computes what it gets, in the order of getting; at the end each is notified
//! that there is no more.

use std::collections::VecDeque;

use async_trait::async_trait;

use super::demand::{Demand, data, work};
use super::serving::{Server, channel, dismiss};
use super::{Assignment, Deployment, Role, TaskCount};
use crate::platform::{HostId, Platform};
use crate::registry::{Entry, Kind, entry, named_keys};
use crate::{Agent, AgentError, Behaviour, Channel, PutHandle};

named_keys! {
    TASKS = "tasks" Kind::count_from(0), or_count 100 => "how many tasks there are";
}

pub(super) const DISPATCHER: Entry<dyn Role> = entry! {
    "dispatcher" => "sends tasks that are all alike to the agents of the role `server`, in turn",
    keys {
        ..TASKS;
        ..data("data", "1MB", "what is sent with a task");
        ..work("work", "100Mf", "what a task is to compute");
        "ahead" Kind::Count { least: 1, most: 1_000_000 }, or_count 1 =>
            "how many tasks it puts before it waits for the oldest of them to have arrived";
    },
    reads |params| {
        let (tasks, ahead) = (params.read(TASKS.name)?, params.read("ahead")?);
        Dispatcher { tasks, demand: Demand::read(params, "")?, ahead }
    }
};

pub(super) const SERVER: Entry<dyn Role> = entry! {
    "server" => "computes what an agent of the role `dispatcher` sends",
    builds Server { name: "server", client: DISPATCHER.name }
};

#[derive(Clone, Copy, Debug)]
struct Dispatcher {
    tasks: u64,
    demand: Demand,
    ahead: usize,
}

#[derive(Debug)]
struct Dispatching {
    rule: Dispatcher,
    /// Hosts and channels of the servers.
    servers: Vec<(HostId, Channel)>,
}

impl Role for Dispatcher {
    fn name(&self) -> &'static str {
        DISPATCHER.name
    }

    fn tasks(&self, _: &Deployment, agents: u64) -> Option<TaskCount> {
        let computed = self.tasks.saturating_mul(agents);
        let ahead =
            if self.ahead == 1 { 0 } else { computed.min((self.ahead as u64).saturating_mul(agents)) };
        Some(TaskCount { key: TASKS.name, computed, ahead })
    }

    fn behaviour(&self, assignment: &Assignment, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let servers = assignment.reachable(SERVER.name, platform)?.iter();
        let servers = servers.map(|&index| (assignment.deployment.host(index), channel(index))).collect();
        Ok(Box::new(Dispatching { rule: *self, servers }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Dispatching {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let Dispatcher { tasks, demand, ahead } = self.rule;
        let mut under_way: VecDeque<PutHandle> = VecDeque::new();
        let in_turn = self.servers.iter().cycle().take(usize::try_from(tasks).unwrap_or(usize::MAX));
        for &(host, channel) in in_turn {
            let task = demand.task("task");
            if ahead == 1 {
                me.put(task, host, channel).await?;
                continue;
            }
            if under_way.len() == ahead
                && let Some(oldest) = under_way.pop_front()
            {
                oldest.done().await?;
            }
            under_way.push_back(me.start_put(task, host, channel)?);
        }
        for oldest in under_way {
            oldest.done().await?;
        }
        for &(host, channel) in &self.servers {
            dismiss(&me, host, channel).await?;
        }
        Ok(())
    }
}
