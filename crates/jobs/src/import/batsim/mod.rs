//! Batsim's workloads: `[workload] kind = "batsim"`.
//!
//! Source: the documentation of Batsim 3.1 to 5 (P.-F. Dutot et al., JSSPP 2016), "Input workload":
//! an object with `nb_res`, `jobs` (`id`, `subtime`, `res`, `profile`, `walltime`) and `profiles`
//! by name. Other keys are passed over.
//!
//! Detail `job` expresses profiles of kind delay, parallel tasks that compute and do not
//! communicate (if `speed` states how fast hosts compute), and sequences of these; jobs of other
//! profiles are dropped and counted. A job ends at its walltime, as Batsim kills it there: its run
//! time is cut, and counted, and it ends as killed, with or without `cluster.kill-at-estimate`. The
//! walltime is the estimate; a walltime of -1 is none.

mod profile;
mod read;
#[cfg(test)]
mod tests;

use std::fs::File;

use crate::registry::Problem;
use crate::registry::{Complaint, Entry, Key, Kind, Params, keys};
use crate::text::Mistakes;
use crate::text::mark::{Evidence, FileMark};
use crate::units::Speed;
use crate::workload::log_source::{Format, Recorded, SHARED};
use crate::workload::source::Source;
use crate::workload::swf::{Log, Options};

pub use read::read;

/// The mark of such workloads.
pub const MARK: FileMark = FileMark::new(
    "a workload of Batsim (JSON)",
    "`clustersim convert {file} log.swf` makes a log of it; a scenario reads it: [workload] with kind = \"batsim\" and \
     file = \"{file}\"",
    |head| {
        head.has_key("nb_res") || head.has_key("subtime") || (head.has_key("jobs") && head.has_key("profiles"))
    },
)
.evidence(Evidence::Likely);

const OWN: &[Key] = &keys! {
    "speed" Kind::Speed, absent "jobs that compute are dropped" =>
        "how fast every host computes, which gives jobs that only compute a run time",
        source "speed of hosts in SimGrid's platform files";
};

/// Batsim's workloads as a source of jobs.
pub const BATSIM: Entry<dyn Source> = Entry::published(
    "batsim",
    "a workload of Batsim, .json or .json.gz: delays, and computing without communication",
    "P.-F. Dutot et al., JSSPP 2016; the documentation of Batsim 5",
    &Key::joined::<{ SHARED.len() + OWN.len() }>(&[SHARED, OWN]),
    |params| Ok(Box::new(Recorded::read(params, Box::new(Batsim::new(params)?))?)),
);

#[derive(Debug)]
struct Batsim {
    /// [flop/s]
    speed: Option<f64>,
}

impl Batsim {
    fn new(params: &Params<'_>) -> Result<Self, Complaint> {
        let speed: Option<Speed> = params.read("speed")?;
        let speed = speed.map(Speed::flops_per_sec);
        if speed.is_some_and(|speed| speed <= 0.0) {
            return Err(params.complaint("speed", "nothing is ever computed at this speed"));
        }
        Ok(Batsim { speed })
    }
}

impl Format for Batsim {
    fn read(&self, file: File, options: &Options) -> Result<Log, Mistakes<Problem>> {
        Ok(read::read(file, self.speed, options)?)
    }

    fn ending(&self) -> &'static str {
        ".json"
    }

    fn kills(&self) -> bool {
        true
    }

    fn lacks_machine(&self) -> &'static str {
        "has no `nb_res`"
    }
}
