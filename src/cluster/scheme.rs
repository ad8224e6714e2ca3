//! A dynamic coscheduling scheme: a wait action, an arrival action and a periodic action.

use std::rc::Rc;

use crate::registry::{Absent, Complaint, Key, Kind, Params};

use super::arrival::ArrivalAction;
use super::periodic::PeriodicAction;
use super::wait::WaitAction;

/// What nodes do, each for itself, so that tasks that communicate run together.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// What a task does while a message it needs is not there.
    pub wait: Rc<dyn WaitAction>,
    /// What a message does for a task that is ready but does not run.
    pub arrival: Rc<dyn ArrivalAction>,
    /// What a daemon does, now and then, about tasks that spin in vain.
    pub periodic: Rc<dyn PeriodicAction>,
}

/// The keys of a scheme.
pub const SCHEME: [Key; 3] = [
    Key {
        name: "wait",
        kind: Kind::Component("wait-action"),
        default: Absent::Text("spin"),
        about: "what a task does while a message it needs is not there",
        source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2",
    },
    Key {
        name: "arrival",
        kind: Kind::Component("arrival-action"),
        default: Absent::Text("none"),
        about: "what a message does for a task that is ready but does not run",
        source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2",
    },
    Key {
        name: "periodic",
        kind: Kind::Component("periodic-action"),
        default: Absent::Text("none"),
        about: "what a daemon does, now and then, about tasks that spin in vain",
        source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2",
    },
];

impl Scheme {
    /// Reads the keys of [`SCHEME`].
    ///
    /// # Errors
    /// What one of the actions objects to.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(Scheme {
            wait: params.component::<dyn super::wait::WaitAction>("wait", "wait-action")?.into(),
            arrival: params.component::<dyn ArrivalAction>("arrival", "arrival-action")?.into(),
            periodic: params.component::<dyn PeriodicAction>("periodic", "periodic-action")?.into(),
        })
    }
}
