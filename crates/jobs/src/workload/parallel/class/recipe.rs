//! Recipes: what the jobs of one class are drawn from.

use crate::kernel::rng::{Moments, Sampler, Stream};
use crate::registry::{Bounds, Complaint, Kind, Params, Quantity, Span, named_keys};
use crate::units::{Bytes, grouped};

use super::super::application::{Application, Quality};
use super::super::keys;
use super::super::program::Program;

/// The recipe that jobs of one class are drawn from.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// The name of the class.
    pub name: String,
    /// Number of times that it is drawn, relative to others; above zero.
    pub weight: f64,
    /// Tasks of a job, rounded to the nearest number from 1 on.
    pub tasks: Sampler,
    /// Iterations or frames of a job, rounded as well; a recorded program has no such number.
    pub length: Sampler,
    /// The program of each task; the number of iterations or frames in it means nothing.
    pub program: Program,
    /// Memory that each task holds.
    pub memory: Bytes,
    /// The service that its jobs ask for.
    pub quality: Quality,
    /// The place at which its name is written.
    pub at_name: Span,
    /// The place at which its number of tasks is written.
    pub at_tasks: Span,
    /// The place at which its number of iterations or frames is written.
    pub at_length: Span,
}

named_keys! {
    pub(super) NAME = "name" Kind::Text, absent "its kind" => "what results call the class";
    pub(super) WEIGHT = "weight" Kind::Number(Bounds::Positive), or_number 1.0 =>
        "how often a job is of this class, relative to the others";
    pub(super) TASKS = "tasks" Kind::Distribution(Quantity::Count), or_count 8 => "tasks of a job";
    pub(super) ITERATIONS = "iterations" Kind::Distribution(Quantity::Count), or_count 100 =>
        "iterations of a job";
}

impl Recipe {
    /// Reads what every class has; `length` is the key of its number of iterations or frames.
    pub(super) fn read(
        params: &Params<'_>,
        length: &str,
        program: Program,
        quality: Quality,
    ) -> Result<Self, Complaint> {
        let sampler = |name| {
            let sampler = *params.component::<Sampler>(name, "distribution")?;
            if sampler.mean().is_some_and(|mean| mean < 0.5) && sampler.variance() == Some(0.0) {
                let complaint = params.complaint(name, format!("a job cannot have 0 {name}"));
                return Err(complaint.label("expected a whole number of 1 or more"));
            }
            if sampler.mean().is_some_and(|mean| mean > f64::from(u32::MAX)) {
                let complaint = params.complaint(name, format!("a job cannot have so many {name}"));
                return Err(complaint.label(format!("expected {} at most", grouped(u32::MAX.into()))));
            }
            Ok(sampler)
        };
        let recipe = Recipe {
            name: name(params)?,
            weight: params.read("weight")?,
            tasks: sampler("tasks")?,
            length: sampler(length)?,
            program,
            memory: keys::memory(params)?,
            quality,
            at_name: params.span(if params.has("name") { "name" } else { "kind" }),
            at_tasks: params.span("tasks"),
            at_length: params.span(length),
        };
        match &recipe.program {
            Program::Iterations(iterations) => match iterations.pattern.tasks() {
                Some(listed) if !is_always(&recipe.tasks, listed) => {
                    let message =
                        format!("the peers of {listed} tasks are listed, but `tasks` is not {listed}");
                    Err(params.complaint("tasks", message).label(format!("expected {listed}")))
                }
                _ => Ok(recipe),
            },
            _ => Ok(recipe),
        }
    }

    /// The next number of tasks.
    pub fn draw_tasks(&self, stream: &mut Stream) -> u32 {
        whole(self.tasks.draw(stream))
    }

    /// The next number of iterations or frames.
    pub fn draw_length(&self, stream: &mut Stream) -> u32 {
        whole(self.length.draw(stream))
    }

    /// The application of a job of this class, number `class` among all, with `tasks` tasks and
    /// `length` iterations or frames.
    pub fn application(&self, class: u16, tasks: u32, length: u32) -> Application {
        let mut program = self.program.clone();
        match &mut program {
            Program::Iterations(iterations) => iterations.iterations = length,
            Program::Pipeline(pipeline) => pipeline.frames = length,
            Program::Recorded(_) => {}
        }
        Application { class, tasks, program, memory: self.memory, quality: self.quality }
    }
}

/// The name as written, or else its kind.
pub(super) fn name(params: &Params<'_>) -> Result<String, Complaint> {
    let name: Option<String> = params.read("name")?;
    match name {
        Some(name) if name.trim().is_empty() => {
            Err(params.complaint("name", "a class needs a name").label("expected a text"))
        }
        Some(name) => Ok(name),
        None => params.read("kind"),
    }
}

/// A draw as a whole number from 1 on. `as` saturates, and not-a-number is 0.
fn whole(drawn: f64) -> u32 {
    (drawn.round() as u32).max(1)
}

/// Returns true if every draw is rounded to `count`, as far as mean and variance show.
fn is_always(sampler: &Sampler, count: u32) -> bool {
    sampler.variance() == Some(0.0) && sampler.mean().is_some_and(|mean| whole(mean) == count)
}

/// Shares of recipes whose weights are relative to each other, below one weight.
pub(super) fn scaled(recipes: Vec<Recipe>, name: &str, weight: f64) -> Vec<Recipe> {
    let total: f64 = recipes.iter().map(|recipe| recipe.weight).sum();
    let scale = |recipe: Recipe| Recipe {
        name: format!("{name}/{}", recipe.name),
        weight: recipe.weight / total * weight,
        ..recipe
    };
    recipes.into_iter().map(scale).collect()
}
