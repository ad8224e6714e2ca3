//! Background traffic out of its tables: transfers that no process waits for.
//!
//! Each `[[platform.traffic]]` puts transfers on the route from each host of `from` to each of `to`
//! but itself; both are names, or patterns in which `*` stands for any letters. Each pair draws
//! from streams of its own, which are named by the number of the table, counted from 0, and that of
//! the pair in it.

use crate::described::host_patterns::found;
use crate::kernel::rng::distribution::Sampler;
use crate::kernel::{SimDuration, SimTime};
use crate::network::traffic::Traffic;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, code, keys};
use crate::{HostId, Platform};

/// Most pairs of hosts of all tables: each is a process.
const MOST_PAIRS: usize = 1_000_000;

pub(super) const TRAFFIC: &[Key] = &keys! {
    "from" Kind::List(&Kind::Text) => "the hosts that send, by names in which `*` stands for any letters";
    "to" Kind::List(&Kind::Text) =>
        "the hosts that get, by such names; each of `from` sends to each of these but itself";
    "size" Kind::Distribution(Quantity::Bytes) => "the size of each transfer, drawn for each";
    "interval" Kind::Distribution(Quantity::Duration) =>
        "time from the start of one transfer of a pair to that of the next, and from `start` to the first, \
         drawn for each";
    "start" Kind::Duration(Bounds::NotNegative), or "0s" => "from when on";
    "count" Kind::count_from(1), absent "as long as the run lasts" => "how many transfers each pair has";
};

/// The background traffic of a checked `[platform]`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn traffic(params: &Params<'_>, platform: &Platform) -> Result<Vec<Traffic>, Vec<Complaint>> {
    let (mut all, mut complaints) = (Vec::new(), Vec::new());
    for (number, node) in params.items("traffic").iter().enumerate() {
        let table = params.with(node);
        let [from, to] = ["from", "to"].map(|key| found(&table, key, platform, &mut complaints));
        match read(&table, number, [&from, &to], MOST_PAIRS - all.len()) {
            Ok(traffic) => all.extend(traffic),
            Err(complaint) => complaints.push(complaint),
        }
    }
    if complaints.is_empty() { Ok(all) } else { Err(complaints) }
}

fn read(
    table: &Params<'_>,
    number: usize,
    [from, to]: [&[HostId]; 2],
    most: usize,
) -> Result<Vec<Traffic>, Complaint> {
    if from.len().saturating_mul(to.len()) > most {
        let message = format!("more than {MOST_PAIRS} pairs of hosts have background traffic");
        return Err(Complaint::new(code::RANGE, message, table.span("from")));
    }
    let interarrival = *table.component::<Sampler>("interval", "distribution")?;
    let size = *table.component::<Sampler>("size", "distribution")?;
    let start = SimTime::ZERO.saturating_add(table.read::<SimDuration>("start")?);
    let count = table.read("count")?;
    let pairs = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
    let pairs = pairs.filter(|(from, to)| from != to).enumerate();
    Ok(pairs
        .map(|(pair, (from, to))| {
            let name = format!("{number}/{pair}");
            Traffic { interarrival: interarrival.clone(), size: size.clone(), name, from, to, start, count }
        })
        .collect())
}
