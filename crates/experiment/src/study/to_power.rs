//! Replications from a pilot: as many as the question needs to find the change that it asks for.
//!
//! The replications that the file states are the pilot of every point. When the pilot of all
//! points is there, each pair of points of the primary family asks for the replications with which
//! a change of `detect` would be found in four studies of five
//! ([`needed`](super::power::needed)), and a point gets the most that any of its pairs asks for.
//! The tests are then made over all replications, the pilot included (C. Stein, *Annals of
//! Mathematical Statistics* 16(3), 1945, chooses the second sample so; there the variance of the
//! pilot alone judges, here that of all).
//!
//! A pair asks by its spread alone, whether its verdict is settled or not. Going on only where
//! nothing is settled yet would be a second look at the same test, with twice the false alarms
//! (docs/design/statistics.md has both rates). Pairs with a saturated point, or without any
//! difference, ask for nothing.
//!
//! All of this is a function of the rows of the pilot, so a continued study plans the same.

use crate::collections::OrderedMap;
use crate::scenario::{Repeat, Study};
use crate::study::question::Question;
use crate::study::row::{Row, Rows, RunKey};
use crate::study::stopping::Stopping;
use crate::study::summarise::summarise;
use crate::study::summary::{Role, StudySummary};

/// The plan that follows from a pilot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PilotPlan {
    /// Replications of each point.
    pub counts: Vec<u32>,
    /// The most that a pair asks for.
    pub most_needed: Option<u64>,
}

/// The rule of each point, as far as the rows say it: where it follows from a pilot and the pilot
/// is there, a number of replications.
pub(super) fn rules(study: &Study, rows: &Rows) -> Vec<Repeat> {
    match planned(study, rows) {
        Some(planned) => planned.counts.into_iter().map(Repeat::Times).collect(),
        None => vec![study.repeat.clone(); study.points.len()],
    }
}

/// The plan of a study whose replications follow from a pilot; `None` before the pilot is there.
pub fn planned(study: &Study, rows: &Rows) -> Option<PilotPlan> {
    let Repeat::ToPower { pilot, at_most } = study.repeat else { return None };
    let mut of_pilot: OrderedMap<RunKey, &Row> = OrderedMap::new();
    for point in 0..study.points.len() as u32 {
        let mut stopping = Stopping::new(&Repeat::Times(pilot));
        while stopping.enough().is_none() {
            let key = (point, Some(stopping.next()));
            let row = rows.get(&key)?;
            stopping.take(row);
            of_pilot.insert(key, row);
        }
    }
    // a question that cannot be asked was refused before the first run
    let question = Question::stated(study).unwrap_or_default();
    Some(plan(&summarise(study, &question, &of_pilot), pilot, at_most))
}

/// The plan from the summary of a pilot.
fn plan(summary: &StudySummary, pilot: u32, at_most: u32) -> PilotPlan {
    let mut counts = vec![pilot; summary.points.len()];
    let mut most_needed = None;
    let primary = summary.comparisons.iter().find(|comparison| comparison.role == Role::Primary);
    let asked = primary.and_then(|family| family.pairs_list.first().map(|one| (family, &one.metric)));
    let metric = asked.and_then(|(_, name)| summary.metrics.iter().find(|metric| metric.name == *name));
    if let (Some((family, _)), Some(metric)) = (asked, metric) {
        for (from, to, needed) in summary.needs(family.axis, family.baseline, metric, family.detect) {
            most_needed = most_needed.max(needed);
            let count = needed.map_or(pilot, |needed| needed.min(u64::from(at_most)) as u32);
            for point in [from, to] {
                let most = &mut counts[point as usize];
                *most = count.max(*most);
            }
        }
    }
    PilotPlan { counts, most_needed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::OrderedSet;
    use crate::kernel::rng::math;
    use crate::scenario::served::Served;
    use crate::study::build::{StudyFacts, build};
    use crate::study::power::needed;
    use crate::study::summary::Axis;

    /// A study of three policies whose waits of a replication are the first one's, less or more.
    fn summary(waits: [[f64; 5]; 3]) -> StudySummary {
        let labels = ["a", "b", "c"].map(ToOwned::to_owned).to_vec();
        let facts = StudyFacts {
            axes: vec![Axis { keys: vec!["policy.backfill".to_owned()], labels }],
            points: (0..3).map(|at| (vec![at], at.to_string())).collect(),
            metrics: vec![("wait-time.mean".to_owned(), "s".to_owned())],
            system: Some(&Served),
            headline: &["wait-time.mean"],
            asked: OrderedSet::new(),
            ..StudyFacts::default()
        };
        let rows = (0..).zip(waits).flat_map(|(point, waits)| {
            (0..).zip(waits).map(move |(replication, wait)| {
                let metrics = [("wait-time.mean".to_owned(), Some(wait))].into_iter().collect();
                let key = (point, Some(replication));
                (key, Row { point, replication: key.1, metrics, ..Row::default() })
            })
        });
        build(&facts, &rows.collect::<Rows>())
    }

    #[test]
    fn a_point_gets_the_most_that_its_pairs_ask_for_settled_or_not() {
        // logarithms of the ratios to the first: 0.1, 0.2, 0.3, 0.4, 0.5, of deviation √0.025 =
        // 0.158114; and for the last 5 less than ten times these, of deviation 1.58114
        let log =
            |factor: f64, less: f64| [1.0, 2.0, 3.0, 4.0, 5.0].map(|step| math::exp(factor * step - less));
        let spread = |deviation: f64| needed(deviation, math::ln_1p(0.1), 2).expect("below a million");
        let pilot = summary([[1.0; 5], log(0.1, 0.0), log(1.0, 5.0)]);
        let (few, many) = (spread(0.025_f64.sqrt()), spread(2.5_f64.sqrt()));
        // two tests at 1.25 % a side: (t + t(0.8)) s/√n ≤ ln 1.1
        assert_eq!((few, many), (29, 2619));
        let planned = plan(&pilot, 5, 10_000);
        assert_eq!((planned.counts, planned.most_needed), (vec![2619, 29, 2619], Some(2619)));
        let capped = plan(&pilot, 5, 1_000);
        assert_eq!((capped.counts, capped.most_needed), (vec![1_000, 29, 1_000], Some(2619)));
    }

    #[test]
    fn pairs_that_never_differ_ask_for_nothing() {
        let waits = [1.0, 2.0, 3.0, 4.0, 5.0];
        let planned = plan(&summary([waits, waits, waits]), 5, 1_000);
        assert_eq!((planned.counts, planned.most_needed), (vec![5; 3], None));
    }
}
