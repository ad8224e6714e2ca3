//! The room that nodes have for a job at each instant of a schedule, before jobs start at it.

use crate::kernel::SimTime;

use super::super::changes::Change;
use super::super::supply::{Event, events};
use super::super::{Row, Supply};
use super::machine::Machine;
use super::node_supply::NodeSupply;

/// Nodes over the time of a schedule.
pub(in crate::judge::schedule) struct RoomThen<'a> {
    rows: &'a [Row],
    machine: Machine<'a>,
    spans: Supply<'a>,
    events: Vec<(SimTime, Event)>,
    /// Number of those that are past.
    past: usize,
}

impl<'a> RoomThen<'a> {
    /// Before the first instant; rows are all runs of all jobs.
    pub(in crate::judge::schedule) fn new(rows: &'a [Row], supply: NodeSupply<'a>) -> Self {
        let spans = supply.processors();
        let (machine, events) = (Machine::new(supply.resources), events(rows, &spans));
        RoomThen { rows, machine, spans, events, past: 0 }
    }

    /// Instants at which there may be more room than before.
    pub(in crate::judge::schedule) fn gains(&self) -> impl Iterator<Item = SimTime> {
        let gains = |event: &Event| matches!(event, Event::Machine(..) | Event::Job(Change::End, _));
        self.events.iter().filter(move |one| gains(&one.1)).map(|one| one.0)
    }

    /// Returns true if a job fits at an instant that is not before the last one, before others
    /// start at it.
    pub(in crate::judge::schedule) fn has(&mut self, now: SimTime, row: &Row) -> bool {
        while let Some(&(at, event)) = self.events.get(self.past) {
            if at > now || at == now && event >= Event::Job(Change::Start, 0) {
                break;
            }
            self.past += 1;
            match event {
                Event::Machine(change, index) => self.machine.changes(&self.spans, change, index),
                Event::Job(change, index) => {
                    let row = &self.rows[index];
                    match change {
                        Change::Start if row.start < row.end => self.machine.starts(index, row),
                        Change::End if row.start < row.end => self.machine.ends(index),
                        _ => {}
                    }
                }
            }
        }
        self.machine.fits(row)
    }
}
