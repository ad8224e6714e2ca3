//! A divisible load: a master cuts one load into shares, and sends one to each worker, one after
//! the other.
//!
//! The shares are those of [`divisible_load`](super::divisible_load) for the platform as it is at
//! the start: all workers that get one end at the same time. The workers are served in the order of
//! the scenario, or those first whose links are fastest; a load that is cut into equal shares is
//! there to be compared with. With `rounds` above 1 the load is cut into that many equal parts,
//! each of which is cut so and sent in turn: workers begin sooner.
//!
//! Source: V. Bharadwaj, D. Ghose, V. Mani, T. G. Robertazzi, "Scheduling Divisible Loads in
//! Parallel and Distributed Systems", IEEE CS Press, 1996.

use async_trait::async_trait;

use super::demand::{Demand, data, work};
use super::divisible_load::{WholeLoad, cut};
use super::serving::{Server, channel, dismiss};
use super::{Assignment, Deployment, Role, TaskCount, nominal};
use crate::platform::{HostId, Platform};
use crate::registry::{Entry, Key, Kind, choices, entry, keys, named_keys};
use crate::{Agent, AgentError, Behaviour, Channel, Task};

const SOURCE: &str = "Bharadwaj, Ghose, Mani and Robertazzi, IEEE CS Press, 1996";

pub(super) const MASTER: Entry<dyn Role> = entry! {
    "divisible-master" => "cuts one load into shares and sends them to the agents of the role `divisible-worker`, one after the other",
    source SOURCE,
    keys KEYS,
    reads |params| {
        let (order, shares) = (params.read::<Order>("order")?, params.read::<Shares>("shares")?);
        let (demand, rounds) = (Demand::read(params, "")?, params.read(ROUNDS.name)?);
        Load { demand, order, shares, rounds }
    }
};

pub(super) const WORKER: Entry<dyn Role> = entry! {
    "divisible-worker" => "computes the shares that the agent of the role `divisible-master` sends",
    source SOURCE, builds Server { name: "divisible-worker", client: MASTER.name }
};

named_keys! {
    ROUNDS = "rounds" Kind::Count { least: 1, most: 1_000_000 }, or_count 1 =>
        "into how many equal parts the load is cut first, each sent after the one before";
}

const KEYS: &[Key] = &keys! {
    ..data("data", "1GB", "what is sent of all of the load");
    ..work("work", "100Gf", "what there is to compute of all of the load");
    "order" Order::CHOICES, or "bandwidth" =>
        "in which order workers are sent their shares",
        source "Beaumont, Casanova, Legrand, Robert and Yang, IEEE TPDS 16(3), 2005";
    "shares" Shares::CHOICES, or "optimal" => "how the load is cut", source SOURCE;
    ..ROUNDS;
};

choices! {
    /// In which order workers are sent their shares.
    enum Order {
        Bandwidth = "bandwidth", "first the worker that all of the load would reach soonest, latency apart";
        Scenario = "scenario", "as the scenario has them";
    }
}

choices! {
    /// Division of the load.
    enum Shares {
        Optimal = "optimal", "so that all workers with a share end at the same time";
        Equal = "equal", "the same for every worker";
    }
}

#[derive(Clone, Copy, Debug)]
struct Load {
    demand: Demand,
    order: Order,
    shares: Shares,
    rounds: u32,
}

/// A master that sends, to which workers, and how much of each part.
#[derive(Debug)]
struct Sending {
    load: Load,
    shares: Vec<(HostId, Channel, f64)>,
}

impl Role for Load {
    fn name(&self) -> &'static str {
        MASTER.name
    }

    fn tasks(&self, deployment: &Deployment, agents: u64) -> Option<TaskCount> {
        let workers = deployment.of_role(WORKER.name).len() as u64;
        let shares = u64::from(self.rounds).saturating_mul(workers).saturating_mul(agents);
        Some(TaskCount { key: ROUNDS.name, computed: shares, ahead: shares })
    }

    fn behaviour(&self, assignment: &Assignment, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let part = f64::from(self.rounds);
        let whole = |&index: &usize| {
            let host = assignment.deployment.host(index);
            let path = nominal(platform, assignment.host(), host);
            let compute = self.demand.work / part / platform.host(host).speed();
            let send = self.demand.data / part / path.bandwidth;
            (index, WholeLoad { latency: path.latency, send, compute })
        };
        let workers = assignment.reachable(WORKER.name, platform)?.iter();
        let mut workers: Vec<(usize, WholeLoad)> = workers.map(whole).collect();
        if self.order == Order::Bandwidth {
            workers.sort_by(|(_, one), (_, other)| one.send.total_cmp(&other.send));
        }
        let equal = || vec![1.0 / workers.len() as f64; workers.len()];
        let shares = match self.shares {
            Shares::Equal => equal(),
            Shares::Optimal => {
                let costs: Vec<WholeLoad> = workers.iter().map(|(_, whole)| *whole).collect();
                cut(&costs).map_or_else(equal, |cut| cut.shares)
            }
        };
        let shares = workers.iter().zip(shares);
        let shares =
            shares.map(|((index, _), share)| (assignment.deployment.host(*index), channel(*index), share));
        Ok(Box::new(Sending { load: *self, shares: shares.collect() }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Sending {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let Load { demand: Demand { data, work }, rounds, .. } = self.load;
        let part = f64::from(rounds);
        for _ in 0..rounds {
            for &(host, channel, share) in self.shares.iter().filter(|(.., share)| *share > 0.0) {
                let task = Task::new("share", work / part * share, data / part * share);
                me.put_eager(task, host, channel).await?;
            }
        }
        for (host, channel, _) in self.shares {
            dismiss(&me, host, channel).await?;
        }
        Ok(())
    }
}
