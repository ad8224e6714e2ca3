//! All metrics of all systems, by the families that declare them.

use crate::agent;
use crate::instrument::class;
use crate::instrument::family::{self, ANY_CLASS, Aim, Family};
use crate::registry::definition::Definition;
use crate::scenario::agents;

/// The families of a system, under the words that introduce them.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The system.
    pub title: &'static str,
    /// Its families, in order.
    pub families: &'static [&'static [Family]],
}

/// Every family of every system.
pub const GROUPS: [Group; 2] = [
    Group { title: "jobs on a cluster", families: family::FAMILIES },
    Group {
        title: "agents on a platform",
        families: &[&agent::FAMILIES, &agent::FLOW_FAMILIES, &agents::FAMILIES],
    },
];

impl Group {
    /// Its families, one after another.
    pub fn all(&self) -> impl Iterator<Item = &'static Family> + use<> {
        self.families.iter().copied().flatten()
    }
}

/// The family of a metric, be it of all jobs or of a class; the first system that has it.
pub fn family(metric: &str) -> Option<&'static Family> {
    family::family(metric).or_else(|| GROUPS.iter().flat_map(Group::all).find(|family| family.has(metric)))
}

/// Which values of a metric are better; of a metric that is not known, neither.
pub fn aim(metric: &str) -> Aim {
    family(metric).map_or(Aim::None, |family| family.aim)
}

/// The definition of every metric that `[expect]` can bound, system by system.
pub fn bounded() -> Vec<Definition> {
    let of = |group: &Group| {
        let title = group.title;
        group.all().flat_map(Family::definitions).map(move |definition| definition.fact("system", title))
    };
    GROUPS.iter().flat_map(of).collect()
}

/// The definition of every metric: those that can be bounded, then those of classes.
pub fn definitions() -> Vec<Definition> {
    let mut all = bounded();
    for metric in class::METRICS {
        let own = family::family(metric).into_iter().flat_map(Family::definitions);
        all.extend(own.filter(|definition| definition.name == metric).map(|definition| Definition {
            name: format!("{ANY_CLASS}{metric}").into(),
            about: format!("`{metric}` of the jobs of the class NAME alone: {}", definition.about).into(),
            ..definition
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::expect::{Measured, bounded_metrics};

    #[test]
    fn every_metric_that_can_be_bounded_is_declared_with_its_unit() {
        for measured in [Measured::Jobs, Measured::Tasks, Measured::Agents, Measured::Flows] {
            let group = &GROUPS[usize::from(matches!(measured, Measured::Agents | Measured::Flows))];
            for metric in bounded_metrics(measured) {
                let family = group.all().find(|family| family.has(&metric.name));
                let family = family.unwrap_or_else(|| panic!("`{}` has no definition", metric.name));
                assert_eq!(family.unit, metric.unit, "{}", metric.name);
            }
        }
    }

    #[test]
    fn every_metric_that_is_declared_can_be_bounded() {
        for (group, known) in GROUPS.iter().zip([&[Measured::Jobs, Measured::Tasks][..], &[Measured::Flows]])
        {
            let known: Vec<_> = known.iter().flat_map(|&measured| bounded_metrics(measured)).collect();
            for name in group.all().flat_map(Family::names) {
                assert!(known.iter().any(|metric| metric.name == name), "no run has `{name}`");
            }
        }
    }

    #[test]
    fn the_aim_of_a_metric_is_that_of_its_family() {
        assert_eq!((aim("pace.mean"), aim("class.video.pace.cv")), (Aim::Higher, Aim::Lower));
        assert_eq!((aim("agents.failed"), aim("steady-state.share")), (Aim::Lower, Aim::Higher));
        assert_eq!((aim("no-such-metric"), aim("jobs.held")), (Aim::None, Aim::None));
    }
}
