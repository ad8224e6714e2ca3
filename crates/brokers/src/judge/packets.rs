//! Packets: transfers have one outstanding, and queues serve one at a time (HPDC 1999, section 3.3,
//! steps (7), (8) and (10)).

use crate::check::{Judgement, Violation};
use crate::collections::OrderedMap;
use crate::kernel::SimTime;

use super::facts::JudgedStation;
use super::run::{PacketRow, Run, TaskEnd, TaskRow, of_task};
use super::speed::is_done;
use super::unjudged::{COPIES, NO_PACKETS};

fn of_packet(row: &PacketRow, at: SimTime, what: &str) -> Violation {
    Violation::of_no_job(at, format!("packet {} of transfer {} {what}", row.packet, row.transfer))
}

/// The packets sent of a transfer.
#[derive(Debug)]
struct Sent<'a> {
    entered: SimTime,
    last: &'a PacketRow,
    bytes: f64,
}

/// All transfers by number, and what is wrong with the order of their packets.
fn read<'a>(run: &Run<'_>, rows: &'a [PacketRow]) -> (OrderedMap<u64, Sent<'a>>, Vec<Violation>) {
    let mut transfers: OrderedMap<u64, Sent<'a>> = OrderedMap::new();
    let mut found = Vec::new();
    for row in rows {
        let first_hop = if row.hop == 0 { row.bytes } else { 0.0 };
        let Some(sent) = transfers.get_mut(&row.transfer) else {
            if (row.packet, row.hop) != (0, 0) {
                found.push(of_packet(row, row.left, "leaves before one that is sent earlier"));
            }
            transfers.insert(row.transfer, Sent { entered: row.entered, last: row, bytes: first_hop });
            continue;
        };
        let last = sent.last;
        let latency = last.queue.map(|queue| run.facts.station(JudgedStation::Queue(queue)).latency);
        let is_next = if row.packet == last.packet {
            let arrives = latency.and_then(|latency| last.left.checked_add(latency));
            Some(row.hop) == last.hop.checked_add(1)
                && Some(row.entered) == arrives
                && row.bytes.to_bits() == last.bytes.to_bits()
        } else {
            (Some(row.packet), row.hop) == (last.packet.checked_add(1), 0) && row.entered == last.left
        };
        if !is_next || row.task != last.task {
            found.push(of_packet(row, row.entered, "does not enter as the one before it leaves"));
        }
        (sent.last, sent.bytes) = (row, sent.bytes + first_hop);
    }
    (transfers, found)
}

/// Packets of a transfer follow each other, and transfers of a task are its arguments and results,
/// between the instants that it has.
pub(super) fn transfers(run: &Run<'_>) -> Judgement {
    let rows = run.packets.as_ref().ok_or(NO_PACKETS)?;
    let (transfers, mut found) = read(run, rows);
    if run.files.has_copies && found.is_empty() {
        return Err(COPIES);
    }
    let mut by_task: OrderedMap<u64, Vec<&Sent<'_>>> = OrderedMap::new();
    for sent in transfers.values() {
        if let Some(task) = sent.last.task {
            by_task.entry(task).or_default().push(sent);
        }
    }
    for task in run.tasks.iter().filter(|task| task.state == TaskEnd::Completed) {
        let of_it = by_task.get(&task.number).map_or(&[][..], |sent| sent);
        let carried = |bytes: f64, begun: Option<SimTime>, is_done: &dyn Fn(&Sent<'_>) -> bool| {
            let is_it = |sent: &&Sent<'_>| {
                Some(sent.entered) == begun && (sent.bytes - bytes).abs() <= 1e-6 * bytes && is_done(sent)
            };
            bytes == 0.0 || of_it.iter().copied().any(|sent| is_it(&sent))
        };
        let TaskRow { bytes: [send, receive], steps, .. } = task;
        let is_sent = carried(*send, steps[1], &|sent| Some(sent.last.left) == steps[2]);
        let arrives = |sent: &Sent<'_>| {
            let queue = sent.last.queue.map(JudgedStation::Queue);
            queue.and_then(|queue| sent.last.left.checked_add(run.facts.station(queue).latency))
        };
        let is_back = carried(*receive, steps[5], &|sent| arrives(sent) == steps[6]);
        if !(is_sent && is_back) {
            let what = "has other instants than the packets of its arguments or results";
            found.push(of_task(task.number, task.steps[0], what));
        }
    }
    Ok(found)
}

/// One packet at a time, unless the queue serves all at once; in order of arrival where that is
/// promised.
pub(super) fn queues(run: &Run<'_>) -> Judgement {
    let rows = run.packets.as_ref().ok_or(NO_PACKETS)?;
    let mut found = Vec::new();
    let mut last: OrderedMap<usize, &PacketRow> = OrderedMap::new();
    for row in rows {
        let Some(queue) = row.queue else {
            found.push(of_packet(row, row.entered, "goes through a queue that is not there"));
            continue;
        };
        if !(row.entered <= row.started && row.started <= row.left) {
            found.push(of_packet(
                row,
                row.entered,
                "leaves before it is served, or is served before it comes",
            ));
        }
        let facts = run.facts.station(JudgedStation::Queue(queue));
        let before = last.insert(queue, row);
        let Some(before) = before.filter(|_| !facts.is_shared) else { continue };
        if row.started < before.left {
            found.push(of_packet(row, row.started, "is served while another one is"));
        }
        if facts.in_order && row.entered < before.entered {
            found.push(of_packet(row, row.started, "is served after one that came later"));
        }
    }
    Ok(found)
}

/// For as long as bytes take at the bandwidth of the queue, or along its series.
pub(super) fn served(run: &Run<'_>) -> Judgement {
    let rows = run.packets.as_ref().ok_or(NO_PACKETS)?;
    let takes_other = |row: &&PacketRow| {
        row.queue.map(JudgedStation::Queue).is_some_and(|queue| {
            !run.facts.station(queue).is_shared
                && !is_done(run.facts, queue, (row.started, row.left), row.bytes)
        })
    };
    let violation = |row: &PacketRow| {
        let span = row.left.since(row.started);
        of_packet(row, row.started, &format!("is served for {span}, which {} bytes do not take", row.bytes))
    };
    Ok(rows.iter().filter(takes_other).map(violation).collect())
}
