//! Task graphs executed as by the SG toolkit of agents.

#[path = "../../crates/dag/tests/it/mesh.rs"]
mod mesh;

use std::rc::Rc;

use clustersim_agents::sg::{Order, Resource, StopCondition, Toolkit};
use clustersim_dag::Contention;
use clustersim_dag::execution::{Execution, LinkOrder, Outcomes, execute};
use clustersim_dag::scheduler::{Batch, Heft, NamedScheduler, Scheduler};
use clustersim_kernel::rng::Streams;
use clustersim_kernel::{SimTime, Simulation};
use clustersim_platform::{Errors, Trace};
use clustersim_workflow::{Draft, EdgeOrigin, Spot, Task, VertexKind, Workflow};

use mesh::{mesh, problem};

/// Builds a scheduler.
type Rule = fn() -> Rc<dyn Scheduler>;

/// A graph of so many tasks, each of up to three parents among the five before it.
fn drawn(seed: u64, tasks: u64) -> Workflow {
    let streams = Streams::new(seed, 0);
    let (mut costs, mut structure) = (streams.stream("costs"), streams.stream("structure"));
    let mut draft = Draft::new("drawn");
    for task in 0..tasks {
        let work = (1 + costs.below(100)) as f64;
        let vertex =
            draft.define(Task::new(format!("t{task}"), work), VertexKind::Computation, Spot::NOWHERE);
        let mut parents: Vec<u64> = (0..structure.below(4)).map(|_| structure.below(5) + 1).collect();
        parents.sort_unstable();
        parents.dedup();
        for back in parents.into_iter().filter(|back| *back <= task) {
            let parent = draft.vertex(&format!("t{}", task - back), Spot::NOWHERE);
            draft.edge(parent, vertex, Some(1 + costs.below(40)), EdgeOrigin::Parents, Spot::NOWHERE);
        }
    }
    draft.finish().unwrap().0
}

/// The ends of all tasks where the toolkit executes what was executed: the same orders of hosts and
/// links.
fn by_toolkit(outcomes: &Outcomes) -> Vec<Option<SimTime>> {
    let (graph, grid) = (outcomes.graph(), &outcomes.problem.grid);
    let mut toolkit = Toolkit::new(&Errors::None, &Streams::new(1, 0));
    let hosts: Vec<_> = grid
        .platform()
        .hosts()
        .iter()
        .map(|host| {
            let of_host = Resource::host(host.name.clone(), host.speed(), Order::Fifo);
            toolkit.resource(Resource { availability: host.availability.clone(), ..of_host })
        })
        .collect();
    let links: Vec<_> = grid
        .platform()
        .links()
        .iter()
        .map(|link| {
            toolkit.resource(Resource::link("link", link.bandwidth.value_at(SimTime::ZERO), 0.0, Order::Fifo))
        })
        .collect();
    let tasks: Vec<_> = graph
        .tasks()
        .map(|task| toolkit.computation(graph.task(task).name.to_string(), graph.task(task).work))
        .collect();
    let mut carried = vec![false; graph.edges().len()];
    for transfer in &outcomes.transfers {
        let edge = graph.edge(transfer.edge);
        let sent = toolkit.transfer("data", transfer.bytes as f64);
        toolkit.depends(sent, tasks[edge.from.index()]).unwrap();
        toolkit.depends(tasks[edge.to.index()], sent).unwrap();
        let mut route = Vec::new();
        grid.platform().route(transfer.from, transfer.to, &mut route).unwrap();
        let route: Vec<_> = route.iter().map(|link| links[link.index()]).collect();
        toolkit.schedule(sent, &route).unwrap();
        carried[transfer.edge.index()] = true;
    }
    for (edge, carried) in graph.edges().iter().zip(carried) {
        if !carried {
            toolkit.depends(tasks[edge.to.index()], tasks[edge.from.index()]).unwrap();
        }
    }
    let mut order: Vec<_> = graph.tasks().collect();
    order.sort_by_key(|task| (outcomes.tasks[task.index()].start, *task));
    for task in order {
        let core = outcomes.tasks[task.index()].core.unwrap();
        toolkit.schedule(tasks[task.index()], &[hosts[grid.host_of(core).index()]]).unwrap();
    }
    toolkit.simulate(StopCondition::Nothing).unwrap();
    tasks.iter().map(|task| toolkit.record(*task).and_then(|record| record.ended)).collect()
}

#[test]
fn the_toolkit_gives_the_same_instants_for_every_plan_in_planned_order() {
    let changing = |number: usize| {
        let points: Vec<(SimTime, f64)> = (0..40)
            .map(|step: u64| {
                let share = [1.0, 0.5, 0.25, 0.8][(step as usize + number) % 4];
                (SimTime::from_nanos((step * 37 + number as u64) * 1_000_000_000), share)
            })
            .collect();
        Trace::new(&points, None).unwrap()
    };
    let rules: [(&str, Rule); 4] = [
        ("heft", || Rc::new(Heft)),
        ("etf", || Rc::new(Batch::Etf)),
        ("min-min", || Rc::new(Batch::MinMin)),
        ("max-min", || Rc::new(Batch::MaxMin)),
    ];
    for seed in 0..40 {
        for (name, scheduler) in rules {
            let platform = mesh(&[1.0, 2.0, 0.5, 1.5], 2.0, 0.0, changing);
            let problem = problem(drawn(seed, 4 + seed), platform, Contention::Queued);
            let rule = NamedScheduler { name: name.to_owned(), scheduler: scheduler() };
            let execution = Execution { links: LinkOrder::Planned, ..Execution::default() };
            let outcomes = execute(Rc::new(problem), &rule, execution, Simulation::new(1), None).unwrap();
            let ends: Vec<Option<SimTime>> = outcomes.tasks.iter().map(|task| task.end).collect();
            assert_eq!(by_toolkit(&outcomes), ends, "{name} with seed {seed}");
        }
    }
}
