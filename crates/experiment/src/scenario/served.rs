//! A system for the tests of the rooms above: jobs that are served, in the words of a study alone.

use std::any::Any;
use std::sync::Arc;

use crate::measure::family::{Aim, Family, SPREAD};
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Registry, keys};
use crate::scenario::schema::{RECORD, RUN};
use crate::scenario::{Ready, Rejected, Scenario, System, SystemData};

const KEYS: &[Key] = &keys! {
    "policy" Kind::Choice(&[("fcfs", "in order"), ("easy", "in order, others ahead")]), or "fcfs" => "who is next";
    ..RUN;
    ..RECORD;
    "workload" Kind::Table(&[Key::new("load", Kind::Number(Bounds::Positive)).or("1").about("the load")]),
        absent "none" => "the jobs";
};

const FAMILIES: &[Family] = &[
    Family::new("wait-time", "s", Aim::Lower, "from submission to start", "jobs").parts(SPREAD),
    Family::new("bounded-slowdown", "", Aim::Lower, "response over run time", "jobs").parts(SPREAD),
    Family::share("useful-utilization", Aim::Higher, "the share in use for jobs that ended", "processors"),
    Family::new("throughput", "jobs/h", Aim::Higher, "jobs over time", "jobs"),
    Family::new("makespan", "s", Aim::Lower, "the last end", "jobs"),
];

static DATA: SystemData = SystemData {
    headline: &["wait-time.mean", "bounded-slowdown.mean", "useful-utilization", "makespan"],
    ..SystemData::new("served", "jobs that are served", KEYS, &["workload"], &[FAMILIES])
};

/// Jobs that are served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Served;

impl System for Served {
    fn data(&self) -> &'static SystemData {
        &DATA
    }

    fn read(&self, _: &Params<'_>, _: &Node, _: &mut Vec<Complaint>) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(Arc::new(()))
    }

    fn assemble(&self, _: &Registry, _: &Scenario) -> Result<Ready, Box<Rejected>> {
        unreachable!("these tests run nothing")
    }
}
