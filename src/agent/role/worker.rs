//! A worker: asks its master for a task, computes it, and asks again.
//!
//! Source: "Scheduling Distributed Applications: the SimGrid Simulation Framework", 2003, section V.

use async_trait::async_trait;

use super::master::{self, Answer, Request};
use super::{Role, Seat};
use crate::agent::{Agent, AgentError, Behaviour, Channel, Task};
use crate::platform::{HostId, Platform};
use crate::registry::{Entry, Key, Kind};
use crate::units::{Bytes, Flops};

pub(super) const ENTRY: Entry<dyn Role> = Entry {
    name: "worker",
    about: "asks the agent of the role `master` for a task, computes it, and asks again until there is none",
    source: "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V",
    keys: &[
        Key::new("request-data", Kind::Bytes).or("100kB").about("what it sends with a request"),
        Key::new("request-work", Kind::Flops).or("100kf").about("what a request gives its master to compute"),
    ],
    build: |params| {
        let data: Bytes = params.read("request-data")?;
        let work: Flops = params.read("request-work")?;
        Ok(Box::new(Worker { data: data.get() as f64, work: work.get() }))
    },
};

/// The channel on which a worker gets tasks, by its place in the cast: several may be on one host.
pub(super) fn channel(place: usize) -> Channel {
    Channel(master::REQUESTS.0 + 1 + place as u32)
}

#[derive(Debug)]
struct Worker {
    data: f64,
    work: f64,
}

#[derive(Debug)]
struct Working {
    master: HostId,
    place: usize,
    data: f64,
    work: f64,
}

impl Role for Worker {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn behaviour(&self, seat: &Seat, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let master = seat.only("master")?;
        seat.reaches(platform, [master])?;
        Ok(Box::new(Working { master, place: seat.place, data: self.data, work: self.work }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Working {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let channel = channel(self.place);
        let mut took = 0.0;
        loop {
            let request = Request { place: self.place, took };
            let request = Task::new("request", self.work, self.data).carrying(request);
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
