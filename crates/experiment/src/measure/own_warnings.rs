//! Warnings that a system declares: of its runs, and of shares of its subjects.
//!
//! A run gives its warnings with its figures; a study says in how many runs of a point each was
//! given, by the texts that are declared here.
//!
//! A mean is over the observed subjects that were served and left. Where others are missing from
//! it, which ones is no chance: the largest are rejected, the ones that wait longest leave or are
//! unfinished. So a [`Share`] of them is warned of from a bound on, in a run and in the mean over
//! the runs of a point. States are shares of the observed subjects, drops and repairs of the
//! records of the input, whether the window holds them or not.

use super::input_counts::InputCounts;
use super::signs::Warning;

/// A kind of warning, as lists and studies name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WarningKind {
    /// Name, for programs.
    pub code: &'static str,
    /// Text that is true of several runs or points at once.
    pub about: &'static str,
    /// Condition under which it is given.
    pub definition: &'static str,
}

impl WarningKind {
    /// The warning of a run, with a text of its own.
    pub fn of_run(&self, text: String) -> Warning {
        Warning { code: self.code, text }
    }
}

/// Subjects that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// Observed subjects in a state, by the name of the metric.
    State(&'static str),
    /// Records of the input that were dropped.
    Dropped,
    /// Records of the input that were repaired.
    Repaired,
}

/// A share of subjects and the warning about it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Share {
    /// The warning; its text follows a share of subjects.
    pub kind: WarningKind,
    /// Name of the subjects in a column.
    pub label: &'static str,
    /// Subjects that are counted.
    pub counted: Counted,
    /// The share from which on it is warned of.
    pub least: f64,
}

impl Share {
    /// Number of such subjects; `state` gives the metric of a name, 0 where there is none.
    pub fn count(&self, state: impl Fn(&str) -> f64, input: Option<InputCounts>) -> f64 {
        match self.counted {
            Counted::State(metric) => state(metric),
            Counted::Dropped => input.map_or(0.0, |input| input.dropped as f64),
            Counted::Repaired => input.map_or(0.0, |input| input.repaired as f64),
        }
    }
}

/// The shares of subjects that change what the figures of a system mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shares {
    /// The metric of the subjects that are in every mean as they are.
    pub complete: &'static str,
    /// Every share, the gravest first; states exclude each other.
    pub others: &'static [Share],
}

impl Shares {
    /// Shares of a system that declares none.
    pub const NONE: Shares = Shares { complete: "", others: &[] };

    /// One of the shares, from 0 to 1; 0 of no subjects.
    pub fn share(&self, of: &Share, state: impl Fn(&str) -> f64, input: Option<InputCounts>) -> f64 {
        let all = match of.counted {
            Counted::State(_) => self.observed(&state),
            Counted::Dropped | Counted::Repaired => input.map_or(0.0, |input| input.records as f64),
        };
        if all > 0.0 { of.count(state, input) / all } else { 0.0 }
    }

    /// The warnings about shares that are large enough.
    pub fn warnings(&self, state: impl Fn(&str) -> f64, input: Option<InputCounts>) -> Vec<Warning> {
        let found = self.others.iter().map(|share| (share, self.share(share, &state, input)));
        let found = found.filter(|(share, value)| *value >= share.least);
        let in_words = |(share, value): (&Share, f64)| {
            share.kind.of_run(format!("{:.1} % {}", value * 100.0, share.kind.about))
        };
        found.map(in_words).collect()
    }

    /// The observed subjects: those of all states.
    fn observed(&self, state: impl Fn(&str) -> f64) -> f64 {
        let others = self.others.iter().map(|share| match share.counted {
            Counted::State(metric) => state(metric),
            Counted::Dropped | Counted::Repaired => 0.0,
        });
        state(self.complete) + others.sum::<f64>()
    }
}

/// The warnings of a system that other systems do not have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OwnWarnings {
    /// Warnings that a run may give, the gravest first.
    pub of_runs: &'static [WarningKind],
    /// Shares of its subjects.
    pub shares: Shares,
}

impl OwnWarnings {
    /// Warnings of a system that declares none.
    pub const NONE: OwnWarnings = OwnWarnings { of_runs: &[], shares: Shares::NONE };
}

impl Default for OwnWarnings {
    fn default() -> Self {
        OwnWarnings::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn share(code: &'static str, counted: Counted, least: f64) -> Share {
        let kind = WarningKind { code, about: "of all are others", definition: "so many are others" };
        Share { kind, label: "others", counted, least }
    }

    const SHARES: Shares = Shares {
        complete: "served",
        others: &[
            share("lost", Counted::State("lost"), 0.01),
            share("dropped", Counted::Dropped, 0.01),
            share("delayed", Counted::State("delayed"), 0.05),
            share("repaired", Counted::Repaired, 0.05),
        ],
    };

    fn codes(states: &[(&str, f64)], input: Option<InputCounts>) -> Vec<&'static str> {
        let state = |name: &str| states.iter().find(|(known, _)| *known == name).map_or(0.0, |found| found.1);
        SHARES.warnings(state, input).into_iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn a_share_is_warned_of_from_its_bound_on() {
        assert_eq!(codes(&[("served", 990.0), ("lost", 10.0)], None), ["lost"]);
        assert_eq!(codes(&[("served", 991.0), ("lost", 9.0)], None), [""; 0]);
        assert_eq!(codes(&[("served", 940.0), ("lost", 11.0), ("delayed", 49.0)], None), ["lost"]);
        assert_eq!(codes(&[("delayed", 5.0), ("lost", 95.0)], None), ["lost", "delayed"]);
        assert_eq!(codes(&[], None), [""; 0]);
        let warned = SHARES.warnings(|name| if name == "lost" { 1.0 } else { 0.0 }, None);
        assert_eq!(warned[0].text, "100.0 % of all are others");
    }

    #[test]
    fn drops_and_repairs_are_shares_of_the_input() {
        let input = |dropped, repaired| Some(InputCounts { records: 1000, dropped, repaired });
        assert_eq!(codes(&[("served", 5.0)], input(10, 50)), ["dropped", "repaired"]);
        assert_eq!(codes(&[("served", 5.0)], input(9, 49)), [""; 0]);
    }
}
