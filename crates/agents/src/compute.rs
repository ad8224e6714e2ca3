//! Computing tasks.

use crate::kernel::{SimTime, now};
use crate::platform::{HostId, Parallel, ParallelFailed, Ticket, execute_parallel};

use super::record::{Entry, Operation, Outcome};
use super::{Agent, AgentError, Task};

impl Agent {
    /// Computes a task on the host that the agent is on, with a share of its cores by the task's
    /// priority. It stands still while the agent is suspended.
    ///
    /// # Errors
    /// [`AgentError::HostFailure`] if the host fails; [`AgentError::Fatal`] if the task's amount or
    /// priority is none.
    pub async fn execute(&self, task: &Task) -> Result<(), AgentError> {
        self.execute_on(task, None, Operation::Execute).await
    }

    /// As [`Agent::execute`], for what is the program's own and none of its application's tasks: it
    /// is not counted as one.
    ///
    /// # Errors
    /// As [`Agent::execute`].
    pub async fn execute_aside(&self, task: &Task) -> Result<(), AgentError> {
        self.execute_on(task, None, Operation::Aside).await
    }

    /// As [`Agent::execute`], at no more than `rate` a second.
    ///
    /// # Errors
    /// As [`Agent::execute`].
    pub async fn execute_bounded(&self, task: &Task, rate: f64) -> Result<(), AgentError> {
        self.execute_on(task, Some(rate), Operation::Execute).await
    }

    async fn execute_on(
        &self,
        task: &Task,
        bound: Option<f64>,
        operation: Operation,
    ) -> Result<(), AgentError> {
        let (host, since) = (self.host(), now());
        let mut computing =
            Computing { agent: self, task, host, since, ticket: None, operation, over: false };
        let result = computing.run(bound).await;
        computing.ends(&result);
        result
    }

    /// Computes on many hosts and sends between them at once, until the last part of it is done
    /// ([`Parallel`]).
    ///
    /// # Errors
    /// As the first part that fails; the others are taken back.
    ///
    /// # Panics
    /// If a host is of another platform.
    pub async fn execute_parallel(&self, task: &Parallel) -> Result<(), AgentError> {
        let (processors, network) = (&self.runtime.processors, &self.runtime.network);
        execute_parallel(processors, network, task).await.map_err(|failed| match failed {
            ParallelFailed::Execution(failed) => failed.into(),
            ParallelFailed::Transfer(failed) => AgentError::TransferFailure(failed.to_string()),
        })
    }

    /// Work per second of one core of the agent's host, in its present power state.
    pub fn speed(&self) -> f64 {
        let state = self.runtime.processors.power_state(self.host());
        self.platform().host(self.host()).speeds.get(state).copied().unwrap_or(0.0)
    }

    /// Puts the agent's host into another power state, a place in its speeds.
    ///
    /// # Errors
    /// [`AgentError::Fatal`] if there is none of this number.
    pub fn set_power_state(&self, power_state: usize) -> Result<(), AgentError> {
        if self.runtime.processors.set_power_state(self.host(), power_state) {
            return Ok(());
        }
        let host = self.runtime.host_name(self.host());
        Err(AgentError::Fatal(format!("host `{host}` has no power state {power_state}")))
    }

    /// Tasks that the agent's host computes at the present instant.
    pub fn load(&self) -> u32 {
        self.runtime.processors.load(self.host())
    }
}

/// A task that an agent computes.
struct Computing<'a> {
    agent: &'a Agent,
    task: &'a Task,
    host: HostId,
    since: SimTime,
    /// By which it is paused while the agent is suspended.
    ticket: Option<Ticket>,
    /// [`Operation::Execute`] for a task of the application.
    operation: Operation,
    over: bool,
}

impl Computing<'_> {
    async fn run(&mut self, bound: Option<f64>) -> Result<(), AgentError> {
        let Task { amount, priority, .. } = *self.task;
        let execution = self.agent.runtime.processors.begin(self.host, amount, priority, bound)?;
        let ticket = execution.ticket();
        self.agent.body.computing.borrow_mut().push(ticket.clone());
        self.ticket = Some(ticket);
        execution.done().await?;
        Ok(())
    }

    fn ends(&mut self, result: &Result<(), AgentError>) {
        self.over = true;
        if result.is_ok() && self.operation == Operation::Execute {
            self.agent.runtime.log.completed(self.task, self.agent.id(), self.host);
        }
        self.log(if result.is_ok() { Outcome::Done } else { Outcome::Failed });
    }

    #[inline]
    fn log(&self, outcome: Outcome) {
        let log = &self.agent.runtime.log;
        if log.wants_operations() {
            let (agent, host, start) = (self.agent.id(), self.host, self.since);
            let (operation, amount) = (self.operation, self.task.amount);
            let entry = Entry { operation, agent, host, amount, start, end: start, outcome };
            log.operation(&self.task.name, entry);
        }
    }
}

impl Drop for Computing<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket.take() {
            self.agent.body.computing.borrow_mut().retain(|other| *other != ticket);
        }
        if !self.over {
            self.log(Outcome::Aborted);
        }
    }
}
