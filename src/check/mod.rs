//! The schedule validator: whether a finished schedule keeps what was promised, whoever made it.
//!
//! It shares no code with the policies and no data with the recorder: it reads rows of submission, start, end and
//! processors, as `jobs.csv` has them ([`read`]), and looks at them from the outside. Which promises a policy makes is known
//! to [`look`]. Each other file holds one:
//!
//! - [`held`]: no job starts before those have left that it depends on;
//! - [`cancelled`]: jobs are cancelled when their users want it, and no others;
//! - [`molded`]: moldable jobs have sizes that they can have, and run on them for as long as their law says;
//! - [`complete`]: the jobs are those of the workload, none lost and none made up;
//! - [`job_by_itself`]: no job starts before its submission, each runs for its run time on as many processors as it
//!   needs, all of them of the machine;
//! - [`limit`]: no job runs longer than it may, and one that is killed has run for just so long;
//! - [`in_service`], [`work_adds_up`]: where nodes fail, no job is on one that is out of service, and what a job keeps of an
//!   interrupted run and does in its last one is its run time;
//! - [`apart`], [`as_asked`], [`leaves_room`], [`gives_way`]: where processors are reserved, reservations have what they asked for and to
//!   themselves, nobody is started who is in their way, and only maintenance interrupts jobs;
//! - [`inside`]: who is to run inside a reservation does so, and nowhere else;
//! - [`no_overlap`]: no processor is held by two jobs at once, or by more than it takes;
//! - [`on_nodes`]: nodes give no more memory and GPUs than they have, and only to jobs that may be there;
//! - [`in_order`], [`in_the_order`]: where only the head of a queue may start, nothing overtakes;
//! - [`nothing_fits`]: under a discipline that starts whatever fits, no job that fits waits;
//! - [`head_starts`], [`shadow_time`]: the head of the queue starts as soon as it fits, and under EASY not later than at
//!   its first shadow time;
//! - [`reservation_promise`]: under conservative backfilling, no job starts later than it could be told when it came.
//!
//! Runs of agents have no schedule; [`look_at_agents`] judges what their files hold.

mod agents;
mod cancellation;
mod changes;
mod complete;
mod dependencies;
mod each_job;
mod head_promise;
mod in_order;
mod interruptions;
mod jobs_in_reservations;
mod judge;
mod limit;
mod moldable;
mod no_overlap;
mod nothing_fits;
mod on_nodes;
mod order;
mod promises;
mod read;
mod reservation_promise;
mod reservations;
mod reservations_ahead;
mod row;

use std::fmt;

use crate::kernel::SimTime;

pub use agents::{AgentFiles, look_at_agents};
pub use cancellation::cancelled;
pub use complete::complete;
pub use dependencies::{Held, held};
pub use each_job::job_by_itself;
pub use head_promise::{head_promise, head_starts, shadow_time};
pub use in_order::{in_order, in_the_order};
pub use interruptions::{Attempt, Away, Interruptions, in_service, work_adds_up};
pub use jobs_in_reservations::inside;
pub use judge::{Looked, look};
pub use limit::{Counted, limit};
pub use moldable::{Law, Moldable, Parallelism, molded};
pub use no_overlap::{crowded, no_overlap, shared};
pub use nothing_fits::nothing_fits;
pub use on_nodes::on_nodes;
pub use order::Order;
pub use promises::{Decides, Facts, Holding, Promise};
pub use read::{Schedule, read};
pub use reservation_promise::reservation_promise;
pub use reservations::{Piece, Reservations, Window, apart, as_asked, gives_way};
pub use reservations_ahead::{leaves_room, nothing_fits_beside};
#[cfg(test)]
use row::row;
pub use row::{Asked, Row};

/// A promise that a schedule breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The job it happened to; [`Violation::NOBODY`] if it is no job.
    pub job: u64,
    /// When.
    pub at: SimTime,
    /// What happened.
    pub what: String,
}

impl Violation {
    /// Whom what happens to no job happens to.
    pub const NOBODY: u64 = u64::MAX;
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.job == Self::NOBODY {
            return write!(f, "at {}: {}", self.at, self.what);
        }
        write!(f, "job {} at {}: {}", self.job, self.at, self.what)
    }
}

/// Everything that holds for every schedule of rigid jobs on `procs` processors.
pub fn schedule(rows: &[Row], procs: u32) -> Vec<Violation> {
    let mut violations = job_by_itself(rows, procs);
    violations.extend(no_overlap(rows));
    violations
}
