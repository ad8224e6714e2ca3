//! A world: a platform, its network, the agents that will live there, and the flows that are given.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::platform::network::traffic::Traffic;
use crate::platform::network::{Flow, Transport};
use crate::platform::{HostId, Platform};

use super::{Agent, AgentError, DeployedAgent, GivenFlow, Recording};

/// Description of a simulation, for [`simulate`](super::simulate).
pub struct World {
    pub(super) platform: Arc<Platform>,
    pub(super) transport: Box<dyn Transport>,
    pub(super) deployments: Vec<DeployedAgent>,
    pub(super) traffic: Vec<Traffic>,
    pub(super) flows: Vec<GivenFlow>,
    pub(super) recording: Recording,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("transport", &self.transport)
            .field("deployments", &self.deployments)
            .field("traffic", &self.traffic)
            .finish_non_exhaustive()
    }
}

impl World {
    /// A platform without agents; transfers are flows without corrections, and tasks that were
    /// computed are listed.
    pub fn new(platform: impl Into<Arc<Platform>>) -> Self {
        World {
            platform: platform.into(),
            transport: Box::new(Flow::default()),
            deployments: Vec::new(),
            traffic: Vec::new(),
            flows: Vec::new(),
            recording: Recording::default(),
        }
    }

    /// Lets transfers go as `transport` says.
    #[must_use]
    pub fn over(self, transport: Box<dyn Transport>) -> Self {
        World { transport, ..self }
    }

    /// Chooses what is kept of a run.
    #[must_use]
    pub fn recording(self, recording: Recording) -> Self {
        World { recording, ..self }
    }

    /// Keeps every operation of agents too.
    pub fn record_operations(&mut self) {
        self.recording = Recording::Operations;
    }

    /// Returns true if its links carry nothing but given flows.
    pub fn has_only_flows(&self) -> bool {
        self.deployments.is_empty() && self.traffic.is_empty()
    }

    /// Adds background traffic.
    pub fn traffic(&mut self, traffic: Traffic) {
        self.traffic.push(traffic);
    }

    /// Adds a flow. Flows of one instant start in the order in which they are added.
    pub fn flow(&mut self, flow: GivenFlow) {
        self.flows.push(flow);
    }

    /// Adds an agent from the start of the run on. Agents begin in the order in which they are
    /// added.
    pub fn agent<F, R>(&mut self, host: HostId, name: impl Into<Cow<'static, str>>, program: F)
    where
        F: FnOnce(Agent) -> R + 'static,
        R: Future<Output = Result<(), AgentError>> + 'static,
    {
        self.deploy(DeployedAgent::new(host, name, program));
    }

    /// Adds an agent.
    pub fn deploy(&mut self, deployment: DeployedAgent) {
        self.deployments.push(deployment);
    }

    /// Model of transfers.
    pub fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// The platform.
    pub fn platform(&self) -> &Arc<Platform> {
        &self.platform
    }
}
