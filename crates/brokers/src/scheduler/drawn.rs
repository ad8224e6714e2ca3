//! Servers that are drawn: any, or the best of a few.
//!
//! Source of `power-of-d`: M. Mitzenmacher, "The power of two choices in randomized load
//! balancing", IEEE TPDS 12(10), 2001.

use crate::info::ServerNumber;
use crate::registry::{Entry, Kind, entry};
use crate::scheduler::BrokerScheduler;
use crate::view::{ServerSelection, View, foremost};

pub(super) const RANDOM: Entry<dyn BrokerScheduler> =
    entry!("random" => "any server, each equally likely", builds BestOf(1));

pub(super) const POWER_OF_D: Entry<dyn BrokerScheduler> = entry!(
    "power-of-d" => "of `d` servers that are drawn, the one on which the task is predicted to be back first",
    source "M. Mitzenmacher, IEEE TPDS 12(10), 2001",
    keys { "d" Kind::Count { least: 1, most: 1 << 20 }, or_count 2 => "how many different servers are drawn"; },
    reads |params| BestOf(params.read("d")?)
);

#[derive(Clone, Copy, Debug)]
struct BestOf(u64);

impl BrokerScheduler for BestOf {
    fn select(&mut self, view: &mut View<'_>) -> ServerSelection {
        let mut left = view.candidates().to_vec();
        let draw = |view: &mut View<'_>, left: &mut Vec<ServerNumber>| {
            left.swap_remove(view.stream().below(left.len() as u64) as usize)
        };
        let mut few = Vec::new();
        for _ in 0..self.0.min(left.len() as u64) {
            let server = draw(view, &mut left);
            let cost = if self.0 == 1 { 0.0 } else { view.estimate(server).total() };
            if self.0 > 1 {
                view.score(server, cost);
            }
            few.push(((cost, server), server));
        }
        let wanted = view.wanted();
        let mut answer =
            foremost(few, wanted, |one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        while answer.len() < wanted && !left.is_empty() {
            answer.push(draw(view, &mut left));
        }
        answer
    }

    fn begin(&self) -> Box<dyn BrokerScheduler> {
        Box::new(*self)
    }

    fn draws(&self) -> bool {
        true
    }
}
