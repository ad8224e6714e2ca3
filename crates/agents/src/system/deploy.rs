//! Agents of a scenario: where they are, what they do, and from when to when.
//!
//! Each `[[agent]]` puts agents of one role on one host or on several, named one by one or by
//! patterns: `*` stands for any letters. The deployment is all of them, table by table, host by
//! host in the order of the platform (for names in that of the list).

use std::rc::Rc;

use crate::collections::OrderedSet;
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::platform::described::host_patterns::hosts_of;
use crate::platform::{HostId, Platform};
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Sources, Span, code, key, keys};
use crate::role::{Assignment, Deployment, Member, Role};
use crate::scenario::{keep, keep_all};
use crate::system::deployment::{Actors, DEPLOYMENT};
use crate::system::flows::FLOWS;
use crate::system::memory;
use crate::{DeployedAgent, Recording};

/// Most agents that one table puts on a host.
const MOST: u64 = 10_000_000;

/// The agents of a scenario.
pub(super) const AGENT: Key = key! {
    "agent" Kind::List(&Kind::Table(KEYS)),
        absent "must be written in a scenario of agents without [deployment] and `flows`" =>
        "programs that compute and exchange tasks on the hosts of the platform: a table for those of one \
         role",
        source "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section III"
};

/// Role of the agents.
pub(super) const ROLE: Key = Key::new("role", Kind::Component("role")).about("what they do");

const KEYS: &[Key] = &keys! {
    ..ROLE;
    "host" Kind::Text, absent "as `hosts` says" => "where they are, by name; write this or `hosts`";
    "hosts" Kind::List(&Kind::Text), absent "as `host` says" =>
        "where they are, by names in which `*` stands for any letters: [\"*\"] is every host, each once";
    "except" Kind::List(&Kind::Text), absent "no host" =>
        "hosts on which they are not, whatever `hosts` says, by such names";
    "each" Kind::Count { least: 1, most: MOST }, or_count 1 => "how many there are on every host";
    "name" Kind::Text, absent "that of the role" => "what they are called in results";
    "start" Kind::Duration(Bounds::NotNegative), or "0s" => "when they begin";
    "kill" Kind::Duration(Bounds::NotNegative), absent "never" =>
        "when they are killed, if they have not ended by then";
    "on-failure" Kind::Choice(&[("die", "they are over"), ("restart", "they begin again when their host works")]),
        or "die" =>
        "what becomes of them when their host fails";
};

/// Settings of agents in a scenario, apart from their tables.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Recording of a run.
    pub recording: Recording,
    /// Memory of what is kept of a task \[bytes\].
    pub task_bytes: u64,
    /// True if `tasks.csv` and `hosts.csv` are written.
    pub record_tasks: bool,
    /// True if `operations.csv` is written.
    pub record_operations: bool,
    /// True if the scenario gives flows.
    pub flows: bool,
}

impl Settings {
    /// Reads it from a checked scenario.
    pub(super) fn read(params: &Params<'_>, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let record = params.section("record");
        let tasks: Option<bool> = keep(record.read("tasks"), complaints);
        let operations: Option<bool> = keep(record.read("operations"), complaints);
        let pictures = [keep(record.read("report"), complaints)?, keep(record.read("trace"), complaints)?];
        let pictures = pictures.contains(&true);
        let recording = match (operations? || pictures, tasks?) {
            (true, _) => Recording::Operations,
            (false, true) => Recording::Tasks,
            (false, false) => Recording::Counts,
        };
        let task_bytes = memory::bytes_of_task(recording, pictures);
        let flows = params.has(FLOWS.name);
        Some(Settings { recording, task_bytes, record_tasks: tasks?, record_operations: operations?, flows })
    }
}

/// The agents of a checked scenario, ready to be deployed.
pub(super) struct Deployed {
    /// One for each agent, in order.
    pub(super) deployments: Vec<DeployedAgent>,
    /// The agents that are the only ones of their roles; none if an agent is killed.
    pub(super) single: Vec<(Rc<dyn Role>, Assignment)>,
}

/// Agents of one table, or one of a deployment file.
pub(super) struct Group {
    pub(super) role: Rc<dyn Role>,
    pub(super) hosts: Vec<HostId>,
    pub(super) each: usize,
    pub(super) name: Option<String>,
    pub(super) start: SimTime,
    pub(super) kill: Option<SimTime>,
    pub(super) restarts: bool,
    /// Place of the statement.
    pub(super) at: Span,
}

impl Group {
    /// Number of agents, on all hosts.
    pub(super) fn agents(&self) -> u64 {
        (self.hosts.len() as u64).saturating_mul(self.each as u64)
    }
}

/// Reads the deployment file, if there is one, and all tables of agents.
pub(super) fn deploy(
    params: &Params<'_>,
    sources: &Sources,
    platform: &Platform,
    streams: Streams,
    settings: Settings,
) -> Result<Deployed, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let tables = params.items(AGENT.name);
    if tables.is_empty() && !params.has(DEPLOYMENT.name) && !params.has(FLOWS.name) {
        let complaint = Complaint::new(code::MISSING_KEY, "there are no agents", params.span(AGENT.name));
        let help = "write [[agent]] with `role` and `hosts`, [deployment] with `file`, or `flows`";
        return Err(vec![complaint.help(help)]);
    }
    let read = tables.iter().map(|node| group(params, node, platform, &mut complaints));
    let tabled: Vec<Option<Group>> = read.collect();
    let actors = Actors::read(params, sources, platform).unwrap_or_else(|wrong| {
        complaints.extend(wrong);
        Actors::default()
    });
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let groups: Vec<&Group> = actors.groups.iter().chain(tabled.iter().flatten()).collect();
    for (node, group) in tables.iter().zip(&tabled) {
        let count = group.as_ref().map_or(0, Group::agents);
        params.with(node).fits("each", "agents", count, AGENT_BYTES)?;
    }
    let all = groups.iter().fold(0_u64, |sum, group| sum.saturating_add(group.agents()));
    params.fits("agent", "agents", all, AGENT_BYTES)?;
    let places = || {
        groups.iter().flat_map(|&group| {
            group.hosts.iter().flat_map(move |host| std::iter::repeat_n((group, *host), group.each))
        })
    };
    let deployment: Rc<Deployment> =
        Rc::new(places().map(|(group, host)| Member { role: group.role.name(), host }).collect());
    let tasks = |group: &Group| group.role.tasks(&deployment, group.agents());
    let in_tables = tabled.iter().zip(tables).filter_map(|(group, node)| {
        let count = tasks(group.as_ref()?)?;
        Some((count, params.with(node).section(ROLE.name).span(count.key)))
    });
    let in_file = actors.groups.iter().filter_map(|group| Some((tasks(group)?, group.at)));
    memory::check(in_file.chain(in_tables), settings.task_bytes)
        .map_err(|complaint| actors.located(complaint))?;
    let lives_on = groups.iter().all(|group| group.kill.is_none());
    let mut deployed =
        Deployed { deployments: Vec::with_capacity(deployment.members().len()), single: Vec::new() };
    let mut reported = OrderedSet::new();
    for (place, (group, host)) in places().enumerate() {
        let assignment = Assignment { deployment: Rc::clone(&deployment), index: place, streams };
        if lives_on && assignment.peers().len() == 1 {
            deployed.single.push((Rc::clone(&group.role), assignment.clone()));
        }
        match deployed_agent(group, host, assignment, platform) {
            Ok(deployment) => deployed.deployments.push(deployment),
            // of a table with many agents it is one mistake
            Err(why) => {
                if reported.insert(group.at) {
                    complaints.push(actors.located(Complaint::new(code::CONTRADICTION, why, group.at)));
                }
            }
        }
    }
    if complaints.is_empty() { Ok(deployed) } else { Err(complaints) }
}

fn deployed_agent(
    group: &Group,
    host: HostId,
    assignment: Assignment,
    platform: &Platform,
) -> Result<DeployedAgent, String> {
    let role = group.role.name();
    let behaviour =
        group.role.behaviour(&assignment, platform).map_err(|why| format!("role `{role}` {why}"))?;
    let name = group.name.clone().unwrap_or_else(|| role.to_owned());
    let deployment = if group.restarts {
        let again = Rc::clone(&group.role);
        DeployedAgent::restarting(host, name, move |me| {
            // what was well once is well again: the deployment does not change
            let behaviour = again.behaviour(&assignment, me.platform());
            async move {
                match behaviour {
                    Ok(behaviour) => behaviour.run(me).await,
                    Err(why) => Err(crate::AgentError::Fatal(why)),
                }
            }
        })
    } else {
        DeployedAgent::behaving(host, name, behaviour)
    };
    let deployment = deployment.starting_at(group.start);
    Ok(match group.kill {
        Some(kill) => deployment.killed_at(kill),
        None => deployment,
    })
}

fn group(
    params: &Params<'_>,
    node: &Node,
    platform: &Platform,
    complaints: &mut Vec<Complaint>,
) -> Option<Group> {
    let table = &params.with(node);
    let hosts = hosts(table, platform, complaints);
    let at = |span: SimDuration| SimTime::ZERO.saturating_add(span);
    let group = keep_all!(complaints => Group {
        role: table.component::<dyn Role>("role", "role").map(Rc::from),
        hosts: Ok(Vec::new()),
        each: table.read("each"),
        name: table.read("name"),
        start: table.read("start").map(at),
        kill: table.read("kill").map(|kill: Option<SimDuration>| kill.map(at)),
        restarts: table.pick("on-failure", &[("die", false), ("restart", true)]),
        at: Ok(node.span),
    });
    Some(Group { hosts: hosts?, ..group? })
}

/// Bytes that an agent takes, about: its place in the deployment, what it does, and its process.
const AGENT_BYTES: usize = 2048;

/// The hosts that a table names, each once, in order.
fn hosts(table: &Params<'_>, platform: &Platform, complaints: &mut Vec<Complaint>) -> Option<Vec<HostId>> {
    let named = match (table.has("host"), table.has("hosts")) {
        (true, false) => table.tree().get("host").map_or(&[][..], std::slice::from_ref),
        (false, true) => table.items("hosts"),
        (one, _) => {
            let message = if one {
                "`host` and `hosts` both state where they are"
            } else {
                "it is not stated where they are"
            };
            let complaint = table.complaint("host", message);
            complaints.push(complaint.label("write one of `host` and `hosts`"));
            return None;
        }
    };
    let before = complaints.len();
    let mut seen = vec![false; platform.hosts().len()];
    hosts_of(table.items("except"), platform, &mut seen, complaints);
    let found = hosts_of(named, platform, &mut seen, complaints);
    if complaints.len() > before {
        return None;
    }
    if found.is_empty() {
        complaints.push(table.complaint("hosts", "no host is left for them"));
        return None;
    }
    Some(found)
}
