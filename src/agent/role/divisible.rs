//! A divisible load: a master cuts one load into shares, and sends one to each worker, one after the other.
//!
//! The shares are those of [`divisible_load`](super::divisible_load) for what the platform has at the start: all who get one end at the
//! same time. The workers are served in the order of the scenario, or those first whose links are fastest; a load that is cut into
//! equal shares is there to be compared with. With `rounds` above 1 the load is cut into so many equal parts, each of which is cut
//! so and sent in turn: workers begin sooner.
//!
//! Source: V. Bharadwaj, D. Ghose, V. Mani, T. G. Robertazzi, "Scheduling Divisible Loads in Parallel and Distributed Systems", IEEE
//! CS Press, 1996.

use async_trait::async_trait;

use super::divisible_load::{WholeLoad, cut};
use super::serving::{Serving, channel, dismiss};
use super::{Role, Seat, nominal};
use crate::agent::{Agent, AgentError, Behaviour, Channel, Task};
use crate::platform::{HostId, Platform};
use crate::registry::{Entry, Key, Kind};
use crate::units::{Bytes, Flops};

const SOURCE: &str = "Bharadwaj, Ghose, Mani and Robertazzi, IEEE CS Press, 1996";

pub(super) const MASTER: Entry<dyn Role> = Entry {
    name: "divisible-master",
    about: "cuts one load into shares and sends them to the agents of the role `divisible-worker`, one after the other",
    source: SOURCE,
    keys: KEYS,
    build: |params| {
        let (data, work): (Bytes, Flops) = (params.read("data")?, params.read("work")?);
        let order =
            params.pick("order", &[("bandwidth", Order::Bandwidth), ("scenario", Order::Scenario)])?;
        let shares = params.pick("shares", &[("optimal", Shares::Optimal), ("equal", Shares::Equal)])?;
        let (data, work) = (data.get() as f64, work.get());
        Ok(Box::new(Load { data, work, order, shares, rounds: params.read("rounds")? }))
    },
};

pub(super) const WORKER: Entry<dyn Role> = Entry {
    name: "divisible-worker",
    about: "computes the shares that the agent of the role `divisible-master` sends",
    source: SOURCE,
    keys: &[],
    build: |_| Ok(Box::new(Hand)),
};

const KEYS: &[Key] = &[
    Key::new("data", Kind::Bytes).or("1GB").about("what is sent of all of the load"),
    Key::new("work", Kind::Flops).or("100Gf").about("what there is to compute of all of the load"),
    Key::new(
        "order",
        Kind::Choice(&[
            ("bandwidth", "first whoever all of the load would reach soonest, latency apart"),
            ("scenario", "as the scenario has them"),
        ]),
    )
    .or("bandwidth")
    .about("in which order workers are sent their shares")
    .source("Beaumont, Casanova, Legrand, Robert and Yang, IEEE TPDS 16(3), 2005"),
    Key::new(
        "shares",
        Kind::Choice(&[
            ("optimal", "so that all who get one end at the same time"),
            ("equal", "the same for everybody"),
        ]),
    )
    .or("optimal")
    .about("how the load is cut")
    .source(SOURCE),
    Key::new("rounds", Kind::Count { least: 1, most: 1_000_000 }).or_count(1).about(
        "into how many equal parts the load is cut first, each sent after the one \
                before",
    ),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Bandwidth,
    Scenario,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shares {
    Optimal,
    Equal,
}

#[derive(Clone, Copy, Debug)]
struct Load {
    data: f64,
    work: f64,
    order: Order,
    shares: Shares,
    rounds: u32,
}

#[derive(Clone, Copy, Debug)]
struct Hand;

/// A master that sends, to whom and how much of each part.
#[derive(Debug)]
struct Sending {
    load: Load,
    shares: Vec<(HostId, Channel, f64)>,
}

impl Role for Load {
    fn name(&self) -> &'static str {
        MASTER.name
    }

    fn behaviour(&self, seat: &Seat, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let workers = seat.cast.of_role(WORKER.name).iter();
        seat.reaches(platform, workers.map(|&place| seat.cast.host(place)))?;
        let part = f64::from(self.rounds);
        let whole = |&place: &usize| {
            let host = seat.cast.host(place);
            let path = nominal(platform, seat.host(), host);
            let compute = self.work / part / platform.host(host).speed();
            let send = self.data / part / path.bandwidth;
            (place, WholeLoad { latency: path.latency, send, compute })
        };
        let mut workers: Vec<(usize, WholeLoad)> = seat.cast.of_role(WORKER.name).iter().map(whole).collect();
        if workers.is_empty() {
            return Err(format!("needs agents of the role `{}`, and there are none", WORKER.name));
        }
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
        let shares = shares.map(|((place, _), share)| (seat.cast.host(*place), channel(*place), share));
        Ok(Box::new(Sending { load: *self, shares: shares.collect() }))
    }
}

impl Role for Hand {
    fn name(&self) -> &'static str {
        WORKER.name
    }

    fn behaviour(&self, seat: &Seat, _: &Platform) -> Result<Box<dyn Behaviour>, String> {
        seat.only(MASTER.name)?;
        Ok(Box::new(Serving::at(seat.place)))
    }
}

#[async_trait(?Send)]
impl Behaviour for Sending {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let Load { data, work, rounds, .. } = self.load;
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
