//! Reservations of processors: the process that reports when each becomes known, begins and is
//! over.
//!
//! It is a daemon, as nodes that fail are: a run is over when its jobs are. It wakes by the clock,
//! so that all that occurs at the instant has occurred, ends of jobs above all; at one instant
//! reservations end first, then others become known, then others begin.

use crate::batch::machine::{Reservation, Reservations};
use crate::kernel::{SimTime, now, spawn_daemon, timer};

use super::front_end::FrontEnd;

/// Events of a reservation, in the order of an instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ReservationEvent {
    Ends,
    Known,
    Begins,
}

/// Makes the process, inside the simulation.
pub(super) fn begin(front: &FrontEnd, reservations: Reservations) {
    front.may_reserve(&reservations);
    spawn_daemon("reservations", announce(front.clone(), reservations.all));
}

async fn announce(front: FrontEnd, reservations: Vec<Reservation>) {
    let turns = |(place, one): (usize, &Reservation)| {
        [
            (one.to, ReservationEvent::Ends, place),
            (one.known, ReservationEvent::Known, place),
            (one.from, ReservationEvent::Begins, place),
        ]
    };
    let mut turns: Vec<(SimTime, ReservationEvent, usize)> =
        reservations.iter().enumerate().flat_map(turns).collect();
    turns.sort_unstable();
    for instant in turns.chunk_by(|one, other| one.0 == other.0) {
        timer(instant[0].0.since(now())).await;
        if front.is_deserted() {
            // no job is started any more, so nothing need be reported
            return;
        }
        for &(_, turn, place) in instant {
            let one = &reservations[place];
            match turn {
                ReservationEvent::Ends => front.end_reservation(one),
                ReservationEvent::Known => front.announce_reservation(one),
                ReservationEvent::Begins => front.begin_reservation(one),
            }
        }
        front.reservations_reported();
    }
}
