//! A generated graph before its costs are drawn, and how they are.

use std::fmt::Debug;

use crate::draft::{Draft, EdgeOrigin, Irregularity, MOST_EDGES, MOST_TASKS, Vertex, VertexKind};
use crate::graph::Task;
use crate::kernel::rng::{Sampler, Stream};
use crate::memory::bytes_of_task;
use crate::read::LoadedWorkflow;
use crate::recorded::scaled;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, Span, code, fits};
use crate::source::{CopyRequest, WorkflowSource};
use crate::text::Spot;

/// The keys of every family.
pub(super) const COSTS: &[Key] = &[
    Key::new("cost", Kind::Distribution(Quantity::Flops))
        .or_written("{ kind = \"uniform\", low = \"20Gf\", high = \"100Gf\" }")
        .about("work of a task, times the weight that the family gives it"),
    Key::new("data", Kind::Distribution(Quantity::Bytes))
        .or_written("{ kind = \"uniform\", low = \"5MB\", high = \"50MB\" }")
        .about("what an edge carries, times the weight that the family gives it"),
    Key::new("ccr", Kind::Number(Bounds::NotNegative)).absent("data as drawn").about(
        "sum of mean transfer times over sum of mean computation times that all data are scaled to, by one factor",
    ),
    Key::new("beta", Kind::Number(Bounds::Within(0.0, 2.0)))
        .or_number(0.0)
        .about(
            "heterogeneity: on each host a task takes its mean time times a uniform draw from 1 - beta/2 to 1 + beta/2; \
             at 0 its time follows from the speed of the host",
        )
        .source("H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002, section 5.1"),
];

/// Tasks and edges with their weights.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    /// Name, category, weight.
    tasks: Vec<(String, &'static str, f64)>,
    /// Parent, child, weight.
    edges: Vec<(u32, u32, f64)>,
}

impl Sketch {
    /// Adds a task; its number.
    pub(super) fn task(&mut self, name: impl Into<String>, category: &'static str, weight: f64) -> u32 {
        self.tasks.push((name.into(), category, weight));
        self.tasks.len() as u32 - 1
    }

    /// Adds `count` tasks of weight 1, called by their numbers from 1.
    pub(super) fn plain_tasks(&mut self, count: u32) {
        for number in 1..=count {
            self.task(format!("t{number}"), "", 1.0);
        }
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, from: u32, to: u32, weight: f64) {
        self.edges.push((from, to, weight));
    }
}

/// A family of graphs: what its tasks and edges are.
pub(super) trait Outline: Debug {
    /// The tasks and edges; what is random is drawn from `stream`.
    fn sketch(&self, stream: &mut Stream) -> Sketch;

    /// Returns true if tasks and edges are drawn.
    fn draws(&self) -> bool {
        false
    }

    /// Possible numbers of tasks and edges, to refuse what is too large before it is made.
    fn size(&self) -> [f64; 2];
}

/// A family and its laws.
#[derive(Debug)]
pub(super) struct Generated {
    name: &'static str,
    outline: Box<dyn Outline>,
    cost: Sampler,
    data: Sampler,
    ccr: Option<f64>,
    beta: f64,
    /// Places of `ccr` and `beta` in the scenario.
    places: [Span; 2],
}

/// Memory of a time that a task has on a host \[bytes\], measured.
const TIME_BYTES: usize = 66;

impl Generated {
    /// Reads the laws; `largest` is the key that a graph which is too large is reported at.
    pub(super) fn build(
        params: &Params<'_>,
        name: &'static str,
        largest: &str,
        outline: impl Outline + 'static,
    ) -> Result<Box<dyn WorkflowSource>, Complaint> {
        let [tasks, edges] = outline.size();
        for (count, most, what) in [(tasks, MOST_TASKS, "tasks"), (edges, MOST_EDGES, "edges")] {
            if count > most as f64 {
                let message = format!("the graph would have more than {most} {what}");
                return Err(Complaint::new(code::RANGE, message, params.span(largest)));
            }
        }
        let tasks = tasks as u64;
        params.fits(largest, "tasks of a graph", tasks, bytes_of_task(tasks, edges as u64))?;
        Ok(Box::new(Generated {
            name,
            outline: Box::new(outline),
            cost: *params.component("cost", "distribution")?,
            data: *params.component("data", "distribution")?,
            ccr: if params.has("ccr") { Some(params.read("ccr")?) } else { None },
            beta: params.read("beta")?,
            places: ["ccr", "beta"].map(|key| params.span(key)),
        }))
    }

    fn draft(&self, request: &CopyRequest<'_>) -> Draft {
        let Sketch { tasks, edges } = self.outline.sketch(&mut request.draws_for("structure"));
        let (mut costs, mut data) = (request.draws_for("cost"), request.draws_for("data"));
        let mut draft = Draft::new(self.name);
        let works: Vec<f64> = tasks.iter().map(|(.., weight)| self.cost.draw(&mut costs) * weight).collect();
        let vertices: Vec<Vertex> = tasks
            .into_iter()
            .zip(&works)
            .map(|((name, category, _), work)| {
                let category = Some(category).filter(|category| !category.is_empty()).map(Into::into);
                let task = Task { category, ..Task::new(name, *work) };
                draft.define(task, VertexKind::Computation, Spot::NOWHERE)
            })
            .collect();
        if self.beta > 0.0 {
            let mut unrelated = request.draws_for("beta");
            for (vertex, work) in vertices.iter().zip(&works) {
                for host in request.hosts {
                    let share = 1.0 + self.beta * (unrelated.uniform01() - 0.5);
                    draft.time(*vertex, host, work / request.means.speed * share, Spot::NOWHERE);
                }
            }
        }
        for (from, to, weight) in edges {
            // beyond 2^64 the cast saturates
            let bytes = (self.data.draw(&mut data) * weight).round() as u64;
            let [from, to] = [from, to].map(|task| vertices[task as usize]);
            draft.edge(from, to, Some(bytes), EdgeOrigin::Parents, Spot::NOWHERE);
        }
        draft
    }
}

impl WorkflowSource for Generated {
    fn load(&self, request: &CopyRequest<'_>) -> Result<LoadedWorkflow, Vec<Complaint>> {
        let [at_ccr, at_beta] = self.places;
        if self.beta > 0.0 {
            let [tasks, _] = self.outline.size();
            let times = (tasks as u64).saturating_mul(request.hosts.len() as u64);
            fits(at_beta, "times of tasks on hosts", times, TIME_BYTES)?;
        }
        let (workflow, mut irregularities) = self.draft(request).finish().map_err(|mistakes| {
            let complaint = |message| Complaint::nowhere(code::WORKFLOW, message);
            Vec::from(mistakes.map(|mistake| complaint(mistake.message)))
        })?;
        // a family may have tasks without edges: that is no mistake of its author
        irregularities.retain(|found| found.what != Irregularity::Isolated);
        let workflow = match self.ccr {
            Some(ccr) => scaled(workflow, request, ccr, at_ccr)?,
            None => workflow,
        };
        Ok(LoadedWorkflow { workflow, irregularities, without_cost: Vec::new() })
    }

    fn draws(&self) -> bool {
        self.outline.draws() || self.cost.varies() || self.data.varies() || self.beta > 0.0
    }
}
