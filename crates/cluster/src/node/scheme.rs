//! A dynamic coscheduling scheme: a wait action, an arrival action and a periodic action.
//!
//! The published schemes are rows of the design space that these three span, and a new one is
//! another row, or one new action in a file of its own.
//!
//! Source: S. Nagar, A. Banerjee, A. Sivasubramaniam, C. R. Das, "Alternatives to Coscheduling a
//! Network of Workstations", Journal of Parallel and Distributed Computing, 1999;
//! "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2.

use std::rc::Rc;

use crate::registry::{Complaint, Entry, Key, Kind, Params, Preset, Table, entry, keys, presets};

use crate::node::os::arrival::ArrivalAction;
use crate::node::os::periodic::PeriodicAction;
use crate::node::os::wait::WaitAction;

/// The actions of nodes, each for itself, that let tasks that communicate run together.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The action of a task while a message it needs is not there.
    pub wait: Rc<dyn WaitAction>,
    /// The action of a message for a task that is ready but does not run.
    pub arrival: Rc<dyn ArrivalAction>,
    /// The action of a daemon, period by period, on tasks that spin without a message.
    pub periodic: Rc<dyn PeriodicAction>,
}

/// The keys of a scheme.
pub const SCHEME: [Key; 3] = keys! {
    "wait" Kind::Component("wait-action"), or "spin" =>
        "what a task does while a message it needs is not there",
        source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2";
    "arrival" Kind::Component("arrival-action"), or "none" =>
        "what a message does for a task that is ready but does not run",
        source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2";
    "periodic" Kind::Component("periodic-action"), or "none" =>
        "what a daemon does periodically about tasks that spin without a message",
        source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2";
};

impl Scheme {
    /// No coscheduling at all: tasks spin until their quantum ends, and messages are stored.
    pub fn local() -> Self {
        Scheme {
            wait: crate::node::os::wait::spin(),
            arrival: crate::node::os::arrival::store(),
            periodic: crate::node::os::periodic::never(),
        }
    }

    /// Reads the keys of [`SCHEME`].
    ///
    /// # Errors
    /// What one of the actions objects to.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(Scheme {
            wait: params.component::<dyn crate::node::os::wait::WaitAction>("wait", "wait-action")?.into(),
            arrival: params.component::<dyn ArrivalAction>("arrival", "arrival-action")?.into(),
            periodic: params.component::<dyn PeriodicAction>("periodic", "periodic-action")?.into(),
        })
    }
}

/// The schemes by name.
pub fn table() -> Table<Scheme> {
    const ENTRIES: &[Entry<Scheme>] = &[entry! {
        "actions" => "any wait action, arrival action and periodic action together",
        source "Nagar et al., Journal of Parallel and Distributed Computing, 1999; \"ClusterSchedSim\", section 4.2.2",
        keys &SCHEME,
        reads |params| Scheme::read(params)?
    }];
    Table::new("scheme", "what nodes do so that tasks that communicate run together", ENTRIES)
        .presets(&SCHEMES)
}

/// The published schemes.
pub const SCHEMES: [Preset; 11] = presets! { "actions":
    "cc" ("wait" = "spin-block", "periodic" = "most-messages") =>
        "coordinated coscheduling: spin block, and the task with most messages raised";
    "dcs" ("arrival" = "demand") => "dynamic coscheduling: a message raises its task";
    "dcs-sb" ("wait" = "spin-block", "arrival" = "demand") => "dynamic coscheduling with spin block";
    "dcs-sy" ("wait" = "spin-yield", "arrival" = "demand") => "dynamic coscheduling with spin yield";
    "ics" ("wait" = "adaptive-spin-block") => "implicit coscheduling: spin block, longer while messages arrive";
    "local" () => "no coscheduling: tasks spin until their quantum ends";
    "pb" ("periodic" = "boost") =>
        "periodic boost: a daemon raises a task that can work while another one spins without a message";
    "pb-sb" ("wait" = "spin-block", "periodic" = "boost") => "periodic boost with spin block";
    "pb-sy" ("wait" = "spin-yield", "periodic" = "boost") => "periodic boost with spin yield";
    "sb" ("wait" = "spin-block") => "spin block: a task that has spun long enough sleeps until the message comes";
    "sy" ("wait" = "spin-yield") => "spin yield: a task that has spun long enough lets others run";
};
