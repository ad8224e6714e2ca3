//! Why jobs start when they do, or are rejected.

/// Why a job was started when it was, or why it was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It stood first in the queue, and there was room.
    Head,
    /// It fitted, and the discipline passes over jobs that do not.
    Fits,
    /// It overtook, being over by its estimate before the head of the queue can start.
    BeforeShadow,
    /// It overtook, on processors that the head of the queue leaves free.
    Extra,
    /// It overtook jobs that need more processors than are in service.
    HeadUnable,
    /// It overtook, delaying none of several reservations.
    BesideReservations,
    /// Its own reservation was reached, or could be moved to that instant, while jobs before it wait.
    Reservation,
    /// A limit that had held it back was lifted at that instant.
    LimitLifted,
    /// There is room because a reservation of processors was over at that instant.
    ReservationOver,
    /// A reservation of processors, inside which it runs, had room.
    Inside,
    /// It was next, and a row of the matrix had room.
    Row,
    /// It was next, and a row had room once rows had been compacted.
    Compacted,
    /// It overtook, in another row than the one promised to the head of the queue.
    OtherRow,
    /// The share of processors or slices that it reserves could be kept.
    Admitted,
    /// Rejected: it needs more processors than there are.
    TooLarge,
    /// Rejected: no nodes have what it asks for.
    NoSuchNodes,
    /// Rejected: a limit of its queue can never let it run.
    QueueLimit,
    /// Rejected: no reservation of processors that is to come can take it, inside which it is to run.
    NoReservation,
    /// Rejected: the policy refused it.
    Refused,
    /// Rejected: a job that had to succeed before it did not.
    Dependency,
    /// Cancelled by its user before it started.
    Withdrawn,
}

impl Reason {
    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Head => "head",
            Reason::Fits => "fits",
            Reason::BeforeShadow => "before-shadow",
            Reason::Extra => "extra-processors",
            Reason::HeadUnable => "head-unable",
            Reason::BesideReservations => "beside-reservations",
            Reason::Reservation => "own-reservation",
            Reason::LimitLifted => "limit-lifted",
            Reason::ReservationOver => "reservation-over",
            Reason::Inside => "inside-reservation",
            Reason::NoReservation => "no-reservation",
            Reason::Row => "row-with-room",
            Reason::Compacted => "after-compaction",
            Reason::OtherRow => "other-row",
            Reason::Admitted => "admitted",
            Reason::TooLarge => "too-large",
            Reason::NoSuchNodes => "no-such-nodes",
            Reason::QueueLimit => "queue-limit",
            Reason::Refused => "refused",
            Reason::Dependency => "dependency-failed",
            Reason::Withdrawn => "withdrawn",
        }
    }
}
