//! Observations that metrics of jobs are of, and their publications, as families name them.

/// The observed jobs, of which all counts of states are.
pub(super) const SUBMITTED: &str =
    "observed jobs: submitted after the warm-up and, if the run was stopped, by its end";
/// The jobs that most metrics are of.
pub(super) const OBSERVED: &str = "observations: observed jobs (submitted after the warm-up) that were completed, or killed at their limits";
/// The observed jobs that were accepted.
pub(super) const KEPT: &str = "observed jobs that were accepted, in whatever state they are at the end";
/// All jobs of the workload.
pub(super) const EVERY_JOB: &str = "all jobs of the run, those of the warm-up included";
/// The window in which the machine is observed.
pub(super) const WINDOW: &str = "the window: from the end of the warm-up (without one, from the first accepted \
                          submission) to the last end of a job, or to the end of a run that was stopped";
/// Publication of most metrics of jobs.
pub(super) const FEITELSON: &str =
    "D. G. Feitelson, L. Rudolph, U. Schwiegelshohn, K. Sevcik, P. Wong, JSSPP 1997";
/// Publication of the metrics of detail `task`.
pub(super) const CLUSTERSCHEDSIM: &str = "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004";

#[cfg(test)]
mod tests {
    use crate::collections::OrderedSet;
    use crate::instrument::{FAMILIES, family};

    #[test]
    fn every_metric_is_declared_once_with_a_formula_and_observations() {
        let mut seen = OrderedSet::new();
        for family in FAMILIES.iter().copied().flatten() {
            assert!(!family.formula.is_empty() && !family.of.is_empty(), "{}", family.name);
            assert!(!family.share || family.unit.is_empty(), "{} is a share and has a unit", family.name);
            for name in family.names() {
                assert!(family.has(&name), "{name}");
                assert!(seen.insert(name.clone()), "{name} is declared twice");
            }
        }
    }

    #[test]
    fn a_metric_of_a_class_has_the_family_of_the_metric_of_all_jobs() {
        assert_eq!(family("class.v.2.pace.mean"), family("pace.mean"));
        assert_eq!(family("wait-time"), None, "a family with parts is no metric");
        assert_eq!(family("class.video.pace"), None);
    }
}
