//! All metrics of all systems, by the families that declare them.

use crate::measure::class;
use crate::measure::family::{ANY_CLASS, Family};
use crate::registry::Registry;
use crate::registry::definition::Definition;
use crate::scenario::additions;
use crate::scenario::system::System;
use crate::scenario::systems::systems;

/// The families of a system, one after another.
pub fn families(system: &dyn System) -> impl Iterator<Item = &'static Family> + use<> {
    system.families().iter().copied().flatten()
}

/// The definition of every metric that `[expect]` can bound, system by system, then those that
/// components of another crate add.
pub fn bounded(registry: &Registry) -> Vec<Definition> {
    let of = |system: &&'static dyn System| {
        let title = system.about();
        let definitions = families(*system).flat_map(Family::definitions);
        definitions.map(move |definition| definition.fact("system", title)).collect::<Vec<_>>()
    };
    let mut all: Vec<Definition> = systems(registry).iter().flat_map(of).collect();
    all.extend(additions::metrics(registry));
    all
}

/// The definition of every metric: those that can be bounded, then those of classes.
pub fn definitions(registry: &Registry) -> Vec<Definition> {
    let mut all = bounded(registry);
    for metric in class::METRICS {
        let family = systems(registry).iter().find_map(|system| system.family(metric));
        let own = family.into_iter().flat_map(Family::definitions);
        all.extend(own.filter(|definition| definition.name == metric).map(|definition| Definition {
            name: format!("{ANY_CLASS}{metric}").into(),
            about: format!("`{metric}` of the jobs of the class NAME alone: {}", definition.about).into(),
            ..definition
        }));
    }
    all
}
