//! Given flows: transfers that are listed with their starts, in place of programs that make them.
//!
//! ```text
//!   listed ──1──▶ in progress ──2──▶ completed
//!      └────────────┴─────3──────▶ failed           4: unfinished, when the run ends before
//! ```
//! 1. At its start, over the network of the run, with all that agents send. Flows of one instant
//!    start in the order of the list.
//! 2. All of it has arrived. Within a host that is at once, unless a route says otherwise.
//! 3. A link of its route or one of its two hosts fails, or does not work when it starts. A failed
//!    flow is not started again.
//!
//! One process starts all flows and waits for their ends; there is none for each. A host that fails
//! does so among the *time-outs* of an instant: flows that complete at that instant have completed.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{Signal, SimDuration, SimTime, hold, now, spawn};
use crate::measure::family::{Family, families};
use crate::measure::metric::{Metric, Value};
use crate::platform::network::{Started, TransferClass, TransferObserver, Transfers};
use crate::platform::{End, HostId, TransferId};

use super::record::Outcome;
use super::runtime::Runtime;

/// A flow that is given.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenFlow {
    /// Name in results.
    pub name: String,
    /// The host that sends.
    pub from: HostId,
    /// The host that receives.
    pub to: HostId,
    /// Amount of data, in the unit of bandwidths.
    pub size: f64,
    /// Instant at which it starts.
    pub start: SimTime,
    /// The most that it takes per second, if it has a rate cap.
    pub rate_cap: Option<f64>,
}

/// Outcome of a flow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FlowState {
    /// Arrived.
    Completed,
    /// A link or a host failed, as these words say.
    Failed(String),
    /// The run ended before.
    Unfinished,
}

/// A flow with its end.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowOutcome {
    /// The flow.
    pub flow: GivenFlow,
    /// Instant at which it completed or failed.
    pub end: Option<SimTime>,
    /// Outcome.
    pub state: FlowState,
}

impl FlowState {
    /// Name in files.
    pub fn name(&self) -> &'static str {
        match self {
            FlowState::Completed => "completed",
            FlowState::Failed(_) => "failed",
            FlowState::Unfinished => "unfinished",
        }
    }
}

impl FlowOutcome {
    /// From start to end, if it completed.
    pub(super) fn time(&self) -> Option<SimDuration> {
        let end = self.end.filter(|_| self.state == FlowState::Completed)?;
        Some(end.since(self.flow.start))
    }

    /// Size over time, if it completed in more than none.
    pub(super) fn rate(&self) -> Option<f64> {
        let secs = self.time()?.as_secs_f64();
        (secs > 0.0).then(|| self.flow.size / secs)
    }
}

/// The metrics of given flows.
pub(crate) const FLOW_FAMILIES: [Family; 4] = families! {
    "flows.completed" [] Higher, GIVEN => "flows that arrived", shown SHOWN;
    "flows.failed" [] Lower, GIVEN => "flows whose link or host failed", shown SHOWN;
    "flows.unfinished" [] Lower, GIVEN =>
        "flows that had neither arrived nor failed when the run was stopped", shown SHOWN;
    "flow-time" ["s"] Lower, "given flows that completed" =>
        "completion - start", parts &[("mean", "the arithmetic mean"), ("max", "the maximum")], shown SHOWN;
};

const GIVEN: &str = "all given flows";
const SHOWN: &str = "flows are given (`flows`)";

/// Metrics of flows: how many have which state, and the time from start to completion of those that
/// completed.
pub(crate) fn flow_metrics(flows: &[FlowOutcome]) -> Vec<Metric> {
    let [completed, failed, unfinished, flow_time] = FLOW_FAMILIES;
    let count = |family: Family, name: &str| {
        let count = flows.iter().filter(|flow| flow.state.name() == name).count();
        family.metric(Value::Count(count as u64))
    };
    let times: Vec<u64> = flows.iter().filter_map(FlowOutcome::time).map(SimDuration::as_nanos).collect();
    let total: u128 = times.iter().map(|&nanos| u128::from(nanos)).sum();
    let mean = (!times.is_empty()).then(|| total as f64 / times.len() as f64 / 1e9);
    let longest = times.iter().max().map(|&nanos| nanos as f64 / 1e9);
    let time = |name: &str, secs: Option<f64>| Metric {
        name: name.to_owned(),
        value: secs.map_or(Value::Nothing, Value::Real),
        unit: flow_time.unit,
    };
    vec![
        count(completed, "completed"),
        count(failed, "failed"),
        count(unfinished, "unfinished"),
        time("flow-time.mean", mean),
        time("flow-time.max", longest),
    ]
}

/// The flows of a run.
pub(super) struct GivenFlows {
    runtime: Rc<Runtime>,
    flows: Vec<GivenFlow>,
    /// End of each: the instant, and the failure or completion.
    ends: RefCell<Vec<Option<(SimTime, FlowState)>>>,
    /// The flows in progress from or to each host that may fail.
    exposed: RefCell<OrderedMap<HostId, OrderedMap<usize, TransferId>>>,
    open: Cell<usize>,
    over: Signal,
}

impl GivenFlows {
    pub(super) fn new(runtime: &Rc<Runtime>, flows: Vec<GivenFlow>) -> Rc<Self> {
        Rc::new(GivenFlows {
            runtime: Rc::clone(runtime),
            ends: RefCell::new(vec![None; flows.len()]),
            exposed: RefCell::default(),
            open: Cell::new(flows.len()),
            over: Signal::new("the end of the given flows"),
            flows,
        })
    }

    /// Starts the process of the flows, if there are any; inside the simulation.
    pub(super) fn begin(self: &Rc<Self>) {
        if self.flows.is_empty() {
            return;
        }
        let mut order: Vec<usize> = (0..self.flows.len()).collect();
        order.sort_by_key(|&number| self.flows[number].start);
        let all = Rc::clone(self);
        spawn("given flows", async move {
            for number in order {
                let start = all.flows[number].start;
                if start > now() {
                    hold(start.since(now())).await;
                }
                all.start(number);
            }
            while all.open.get() > 0 {
                all.over.wait_for(|| all.open_flows()).await;
            }
        });
    }

    /// Describes the flows that the process waits for.
    fn open_flows(&self) -> String {
        let ends = self.ends.borrow();
        let first = ends.iter().position(Option::is_none).map_or("", |first| self.flows[first].name.as_str());
        format!("the end of {} given flows, `{first}` first", self.open.get())
    }

    fn start(self: &Rc<Self>, number: usize) {
        let Runtime { network, processors, platform, log, .. } = &*self.runtime;
        let GivenFlow { from, to, size, rate_cap, .. } = self.flows[number];
        log.departed(size);
        let ends = OrderedSet::from([from, to]);
        if let Some(&host) = ends.iter().find(|&&host| !processors.works(host)) {
            return self.end(number, self.host_failed(host));
        }
        let observer: Rc<dyn TransferObserver> = Rc::new(FlowObserver { flows: Rc::downgrade(self), number });
        let what = Transfers { from, to, size, bound: rate_cap };
        match network.start(what, Some(observer), TransferClass::Foreground) {
            Ok(Started::Over) => self.end(number, FlowState::Completed),
            Ok(Started::InProgress(transfer)) => {
                let may_fail = |host: &HostId| platform.host(*host).working.next_change(now()).is_some();
                for host in ends.into_iter().filter(may_fail) {
                    self.exposed.borrow_mut().entry(host).or_default().insert(number, transfer);
                    self.runtime.look_again(host);
                }
            }
            Err(failed) => self.end(number, FlowState::Failed(failed.to_string())),
        }
    }

    fn host_failed(&self, host: HostId) -> FlowState {
        FlowState::Failed(format!("host `{}` failed", self.runtime.host_name(host)))
    }

    /// A flow is over at the present instant.
    fn end(&self, number: usize, state: FlowState) {
        let GivenFlow { from, to, size, .. } = self.flows[number];
        for host in [from, to] {
            if let Some(flows) = self.exposed.borrow_mut().get_mut(&host) {
                flows.remove(&number);
            }
        }
        let outcome = if state == FlowState::Completed { Outcome::Done } else { Outcome::Failed };
        self.runtime.log.transferred(size, outcome);
        self.ends.borrow_mut()[number] = Some((now(), state));
        self.open.set(self.open.get() - 1);
        if self.open.get() == 0 {
            self.over.give();
        }
    }

    /// Lets the flows from and to a host fail with it.
    pub(super) fn fail_with(&self, host: HostId) {
        let exposed = self.exposed.borrow_mut().remove(&host).unwrap_or_default();
        for (number, transfer) in exposed {
            self.runtime.network.cancel(transfer);
            self.end(number, self.host_failed(host));
        }
    }

    /// Returns true if a flow in progress depends on a host.
    pub(super) fn depends(&self, host: HostId) -> bool {
        self.exposed.borrow().get(&host).is_some_and(|flows| !flows.is_empty())
    }

    /// Returns true if a flow has neither completed nor failed.
    pub(super) fn has_open(&self) -> bool {
        self.open.get() > 0
    }

    /// Outcome of each, in the order of the list.
    pub(super) fn outcomes(&self) -> Vec<FlowOutcome> {
        let ends = self.ends.take();
        let outcome = |(flow, end): (&GivenFlow, Option<(SimTime, FlowState)>)| {
            let (end, state) = match end {
                Some((end, state)) => (Some(end), state),
                None => (None, FlowState::Unfinished),
            };
            FlowOutcome { flow: flow.clone(), end, state }
        };
        self.flows.iter().zip(ends).map(outcome).collect()
    }
}

/// Takes the end of one flow. It is kept by the network while the flow is in progress, and does not
/// keep the flows.
struct FlowObserver {
    flows: Weak<GivenFlows>,
    number: usize,
}

impl TransferObserver for FlowObserver {
    fn ended(&self, end: End) {
        let Some(flows) = self.flows.upgrade() else { return };
        let state = match end {
            End::Completed => FlowState::Completed,
            End::Failed(link) => FlowState::Failed(flows.runtime.network.failed(link).to_string()),
        };
        flows.end(self.number, state);
    }
}
