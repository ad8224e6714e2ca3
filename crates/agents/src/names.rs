//! The names that the interfaces of SimGrid have for what agents do here.
//!
//! MSG is that of H. Casanova, A. Legrand, L. Marchal, "Scheduling distributed applications: the
//! SimGrid simulation framework", CCGrid 2003; S4U is its successor. The manual prints this table.

/// A name of ours, and what it is called elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// In MSG; empty if it has no such thing.
    pub msg: &'static str,
    /// In S4U; empty if it has no such thing.
    pub s4u: &'static str,
    /// Here.
    pub ours: &'static str,
}

const fn known(msg: &'static str, s4u: &'static str, ours: &'static str) -> Known {
    Known { msg, s4u, ours }
}

/// Names in the order of a program's life.
pub const NAMES: &[Known] = &[
    known("MSG_global_init, MSG_main", "Engine, Engine::run", "World::new, simulate"),
    known("MSG_create_environment", "Engine::load_platform", "World::new(platform)"),
    known("MSG_launch_application", "Engine::load_deployment", "World::deploy"),
    known("MSG_host_create", "NetZone::create_host", "platform::Builder::host"),
    known("MSG_link_create", "NetZone::create_link", "platform::Builder::link"),
    known("MSG_routing_table_set", "NetZone::add_route", "platform::Builder::route"),
    known("MSG_set_sharing_policy(TCP)", "network/model", "World::over(Flow)"),
    known("MSG_set_sharing_policy(STORE_AND_FORWARD)", "", "World::over(Packet)"),
    known("MSG_set_verbosity", "XBT_LOG", "tracing::Subscriber"),
    known("MSG_set_channel_number", "", "Channel: any number, no limit to set"),
    known("MSG_process_create", "Actor::create", "World::agent, Agent::spawn"),
    known("MSG_process_self", "this_actor", "Agent, given to the program"),
    known("MSG_host_self", "this_actor::get_host", "Agent::host"),
    known("MSG_get_clock", "Engine::get_clock", "Agent::now"),
    known("MSG_process_sleep", "this_actor::sleep_for", "Agent::sleep"),
    known("MSG_process_suspend", "Actor::suspend", "Peer::suspend, Agent::suspend"),
    known("MSG_process_resume", "Actor::resume", "Peer::resume"),
    known("MSG_process_kill", "Actor::kill", "Peer::kill"),
    known("MSG_process_change_host", "Actor::set_host", "Agent::migrate"),
    known("", "Actor::join", "Peer::join"),
    known("", "Actor::set_auto_restart", "DeployedAgent::restarting"),
    known("MSG_host_set_data, MSG_host_get_data", "Host::set_data", "Agent::keep_on_host, kept_on_host"),
    known("MSG_task_create", "Exec, a payload", "Task::new"),
    known("MSG_task_destroy", "", "a task is gone when it is dropped"),
    known("MSG_task_execute", "this_actor::execute", "Agent::execute"),
    known("MSG_parallel_task_execute", "this_actor::parallel_execute", "Agent::execute_parallel"),
    known("MSG_task_put, MSG_task_send", "Mailbox::put", "Agent::put, put_into"),
    known("MSG_task_put_with_timeout", "Mailbox::put(timeout)", "Agent::put_within"),
    known("MSG_task_put_bounded", "Comm::set_rate", "Agent::put_bounded"),
    known("MSG_task_isend", "Mailbox::put_async", "Agent::start_put, start_put_into"),
    known("MSG_task_get, MSG_task_receive", "Mailbox::get", "Agent::get, get_from"),
    known("MSG_task_get_with_timeout", "Mailbox::get(timeout)", "Agent::get_within"),
    known("MSG_task_irecv", "Mailbox::get_async", "Agent::start_get, start_get_from"),
    known("MSG_comm_test, MSG_comm_wait", "Comm::test, Comm::wait", "PutHandle::is_over, PutHandle::done"),
    known("MSG_mailbox_set_async", "Mailbox::set_receiver", "Agent::receive_on, put_eager"),
    known("MSG_task_Iprobe", "Mailbox::empty", "Agent::probe"),
    known("MSG_task_probe_from", "Mailbox::front", "Agent::probe_from"),
    known("MSG_task_get_sender, MSG_task_get_source", "Comm::get_sender", "Task::sender"),
    known("MSG_OK", "", "Ok"),
    known("MSG_TRANSFER_FAILURE", "NetworkFailureException", "AgentError::TransferFailure"),
    known("MSG_HOST_FAILURE", "HostFailureException", "AgentError::HostFailure"),
    known("MSG_TIMEOUT", "TimeoutException", "AgentError::TimedOut"),
    known("MSG_FATAL", "", "AgentError::Fatal"),
];
