//! Costs of a node and its parts: the configurable parameters of ClusterSchedSim, and their keys.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 2.1, 3.2, 5.2 and table 1. Where
//! the paper gives no value the default says so; the paper's running text prints the interrupt and
//! status-check costs in nanoseconds, which its own table 1 corrects to microseconds.

use std::rc::Rc;

use crate::kernel::SimDuration;
use crate::kernel::rng::Sampler;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, choices, keys};
use crate::units::{Bandwidth, Bytes};

use crate::node::os::cpu::CpuScheduler;

choices! {
    /// Instant at which a task that an interrupt has raised preempts a task of lower rank.
    pub enum InterruptPreemption {
        Immediate = "immediate", "right after the interrupt service";
        Tick = "tick", "at the next timer tick";
    }
}

/// A kind of node.
#[derive(Clone, Debug)]
pub struct NodeParams {
    /// Processors.
    pub processors: u32,
    /// True if each of them has a run queue of its own; else they share one.
    pub own_queues: bool,
    /// Speed relative to what compute times are stated for [no unit].
    pub speed: f64,
    /// The CPU scheduler.
    pub scheduler: Rc<dyn CpuScheduler>,
    /// Cost of a switch between tasks.
    pub context_switch: SimDuration,
    /// Cost of servicing an interrupt.
    pub interrupt: SimDuration,
    /// Period of the timer.
    pub tick: SimDuration,
    /// True if ticks and daemons of the node fall at a random phase; else at multiples of their
    /// periods.
    pub random_phase: bool,
    /// Instant at which a task that an interrupt has raised preempts.
    pub interrupt_preemption: InterruptPreemption,
    /// Cost of putting a task into the run queue and taking it out, a dispatch.
    pub queue_operation: SimDuration,
    /// Cost of one look of a boost daemon at its run queue.
    pub boost_cost: SimDuration,
    /// Cost of composing a message.
    pub send_overhead: SimDuration,
    /// Cost of decomposing a message.
    pub receive_overhead: SimDuration,
    /// Time to set up the DMA of a message, in either direction.
    pub dma_setup: SimDuration,
    /// Bandwidth of a DMA.
    pub dma_bandwidth: Bandwidth,
    /// Time from the front end's decision to when a task is ready on the node \[s\].
    pub dispatch_latency: Sampler,
    /// Number of times that a daemon of the operating system wakes up, if there is one.
    pub daemon_period: Option<SimDuration>,
    /// Processor time that it then wants.
    pub daemon_burst: SimDuration,
    /// Memory of a node; `None`: as much as its tasks want.
    pub memory: Option<Bytes>,
    /// Rate at which pages of a task are brought into memory.
    pub paging_bandwidth: Bandwidth,
}

const fn cost(name: &'static str, default: &'static str, about: &'static str, source: &'static str) -> Key {
    Key::new(name, Kind::Duration(Bounds::NotNegative)).or(default).about(about).source(source)
}

const PAPER_TABLE_1: &str = "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, table 1";

/// The keys of `[cluster.node]`.
pub const NODE: &[Key] = &keys! {
    "processors" Kind::Count { least: 1, most: 4096 }, or_count 1 =>
        "processors of a node", source "\"ClusterSchedSim\", section 2.1, has one and leaves more open";
    "run-queue" Kind::Choice(&[
        ("shared", "one queue for all processors of the node"),
        ("per-processor", "a queue for each processor; one whose own is empty takes from the longest"),
    ]), or "shared" =>
        "where the ready tasks of a node with several processors wait";
    // far beyond any two machines; outside it times of seconds become centuries, or nothing
    "speed" Kind::Number(Bounds::Within(1e-6, 1e6)), or_number 1.0 =>
        "speed relative to what compute times are stated for";
    "scheduler" Kind::Component("cpu-scheduler"), or "solaris" =>
        "which ready task of a node runs next, and how long; slices of a gang scheduler replace it",
        source "\"ClusterSchedSim\", section 3.2";
    ..cost("context-switch", "200us", "cost of a switch between tasks", PAPER_TABLE_1);
    ..cost("interrupt", "50us", "cost of servicing an interrupt", PAPER_TABLE_1);
    "tick" Kind::Duration(Bounds::Positive), or "1ms" =>
        "period of the timer, at whose ticks a task of higher rank preempts",
        source "\"ClusterSchedSim\", section 3.2: 1 ms in Solaris, 10 ms in Linux";
    "phase" Kind::Choice(&[
        ("aligned", "ticks fall at whole multiples of their period on all nodes"),
        ("random", "each node's ticks have a phase of their own"),
    ]), or "aligned" =>
        "when the ticks of a node fall";
    "interrupt-preemption" InterruptPreemption::CHOICES, or "immediate" =>
        "when a task that an interrupt has raised preempts a task of lower rank";
    ..cost("queue-operation", "0us", "run-queue manipulation at each dispatch", "\"ClusterSchedSim\", section 5.2");
    ..cost("boost-cost", "10us", "one look of a boost daemon at its run queue", "");
    ..cost("send-overhead", "5us", "composing a message", "end-to-end 10 to 20 us, \"ClusterSchedSim\", section 2.1");
    ..cost("receive-overhead", "5us", "decomposing a message", "end-to-end 10 to 20 us, \"ClusterSchedSim\", section 2.1");
    ..cost("dma-setup", "2us", "time to set up the DMA of a message, at either end", "");
    "dma-bandwidth" Kind::Bandwidth, or "132MB/s" =>
        "bandwidth of a DMA between memory and network interface", source "the PCI bus of 2004";
    "dispatch-latency" Kind::Distribution(Quantity::Duration), or "0s" =>
        "time from the front end's decision until a task is ready on the node, drawn for each task";
    "daemon-period" Kind::Duration(Bounds::Positive), absent "no daemon" =>
        "how often a daemon of the operating system wakes up on the node",
        source "Petrini, Kerbyson and Pakin, Supercomputing 2003";
    ..cost("daemon-burst", "1ms", "processor time that the daemon then wants", "");
    "memory" Kind::Bytes, absent "as much as its tasks want" =>
        "memory of a node; at a dispatch, missing parts of a task's working set are brought in first",
        source "\"ClusterSchedSim\", section 2.1, has the multiprogramming level stand for it";
    "paging-bandwidth" Kind::Bandwidth, or "40MB/s" =>
        "how fast pages are brought in, which keeps the processor; counts only with `memory`",
        source "a disk of 2004";
};

impl NodeParams {
    /// Reads the keys of [`NODE`].
    ///
    /// # Errors
    /// What a component of it objects to.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(NodeParams {
            processors: params.read("processors")?,
            own_queues: params.pick("run-queue", &[("shared", false), ("per-processor", true)])?,
            speed: params.read("speed")?,
            scheduler: params.component::<dyn CpuScheduler>("scheduler", "cpu-scheduler")?.into(),
            context_switch: params.read("context-switch")?,
            interrupt: params.read("interrupt")?,
            tick: params.read("tick")?,
            random_phase: params.pick("phase", &[("aligned", false), ("random", true)])?,
            interrupt_preemption: params.read::<InterruptPreemption>("interrupt-preemption")?,
            queue_operation: params.read("queue-operation")?,
            boost_cost: params.read("boost-cost")?,
            send_overhead: params.read("send-overhead")?,
            receive_overhead: params.read("receive-overhead")?,
            dma_setup: params.read("dma-setup")?,
            dma_bandwidth: params.read("dma-bandwidth")?,
            dispatch_latency: *params.component("dispatch-latency", "distribution")?,
            daemon_period: params.read("daemon-period")?,
            daemon_burst: params.read("daemon-burst")?,
            memory: params.read("memory")?,
            paging_bandwidth: params.read("paging-bandwidth")?,
        })
    }

    /// Time that work stated for speed 1 takes here.
    pub(in crate::node) fn scaled(&self, span: SimDuration) -> SimDuration {
        // in floating point only where there is something to divide: whole times stay whole
        let alike = self.speed.total_cmp(&1.0).is_eq();
        if alike { span } else { SimDuration::ceil_secs(span.as_secs_f64() / self.speed) }
    }
}
