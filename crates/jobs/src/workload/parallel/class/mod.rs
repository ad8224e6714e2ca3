//! Classes of jobs: the recipes that a stream of parallel jobs is drawn from.
//!
//! A class says how many tasks and iterations its jobs have, and what their tasks do; both numbers
//! may be drawn for each job. Its entry has a name that says what it stands for
//! (communication-intensive, a server, video) and defaults for everything, every one of which may
//! be written otherwise. Which of several classes a job is of is drawn by their weights. A class
//! may be made of others, as `mix` is.
//!
//! The classes are those that ClusterSchedSim names (SIMULATION 80(4-5), 2004, sections 2.2, 5 and
//! 7); it does not give their figures, which are our own.

mod iterations;
mod mix;
mod pipeline;
mod recipe;

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::registry::Table;

use super::application::Application;

pub(super) use iterations::{COMM, COMM_FINE, CPU, IO};
pub use recipe::Recipe;

/// A class as a scenario writes it: one recipe, or several if it is made of other classes.
#[derive(Clone, Debug)]
pub struct Class {
    /// The recipes, of which each job follows one, drawn by their weights.
    pub recipes: Vec<Recipe>,
}

/// The classes by name.
pub fn table() -> Table<Class> {
    let entries = [iterations::ENTRIES, mix::ENTRIES, pipeline::ENTRIES].concat();
    Table::new("class", "sorts of parallel jobs", &entries)
}

/// One recipe as a class.
fn single(recipe: Recipe) -> Class {
    Class { recipes: vec![recipe] }
}

/// All recipes of `classes`, in order.
pub(super) fn recipes(classes: impl IntoIterator<Item = Box<Class>>) -> Vec<Recipe> {
    classes.into_iter().flat_map(|class| class.recipes).collect()
}

/// A shared application for each recipe and numbers of tasks and iterations that came up.
pub(super) type Shared = OrderedMap<(u16, u32, u32), Arc<Application>>;
