//! The rules of an account of fidelity: edges, bounds of shares, and the bounds of its words.

use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Sources, code, key, keys};
use crate::registry::{Node, Registry, Span, Tree, Value, check};

use super::compared::WaitFigure;

/// The table of the rules, for systems whose scenarios replay recorded schedules.
pub const FIDELITY: Key = key! {
    "fidelity" Kind::Table(KEYS), absent "every key of the table takes its own default" =>
        "how `clustersim fidelity` compares simulated with recorded waits; no run reads it"
};

const KEYS: &[Key] = &keys! {
    "edge" Kind::Duration(Bounds::NotNegative), or "7d" =>
        "jobs whose waits begin so soon after the start of the log, or so shortly before the last wait begins, \
         are left out";
    "within" Kind::Duration(Bounds::Positive), or "10min" =>
        "the difference of its two waits up to which a job counts in `within-time`";
    "factor" Kind::Number(Bounds::Within(1.0, 1e6)), or_number 2.0 =>
        "how many times its shorter wait the longer one may be for a job to count in `within-factor`";
    "machine" Kind::Choice(&[
        ("recorded-peak", "as many processors as recorded jobs had at one instant, at most: fewer could not \
                           have had the recorded schedule, and nothing shows that more were in service"),
        ("scenario", "as the scenario or the log says"),
    ]), or "recorded-peak" =>
        "the size of the simulated machine; a machine of described nodes stays as it is";
    "good" Kind::Table(GOOD), or_table => "bounds within which a figure is `good`";
    "usable" Kind::Table(USABLE), or_table => "bounds within which a figure is `usable`; others are `poor`";
};

const GOOD: &[Key] = &keys! {
    "ratio-of-means" Kind::Number(Bounds::Within(1.0, 1e6)), or_number 1.25 =>
        "the larger mean wait, at most so many times the smaller one";
    "within-time" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.8 => "this share of jobs at least";
    "within-factor" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.6 => "this share of jobs at least";
    "kendall-tau" Kind::Number(Bounds::Within(-1.0, 1.0)), or_number 0.95 => "this τ at least";
};

const USABLE: &[Key] = &keys! {
    "ratio-of-means" Kind::Number(Bounds::Within(1.0, 1e6)), or_number 2.0 =>
        "the larger mean wait, at most so many times the smaller one";
    "within-time" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.5 => "this share of jobs at least";
    "within-factor" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.3 => "this share of jobs at least";
    "kendall-tau" Kind::Number(Bounds::Within(-1.0, 1.0)), or_number 0.8 => "this τ at least";
};

words! {
    /// Word for how close a simulated schedule is to the recorded one.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum FidelityWord {
        Good = "good", "within every bound of `fidelity.good`";
        Usable = "usable", "within every bound of `fidelity.usable`, and not of `fidelity.good`";
        Poor = "poor", "beyond a bound of `fidelity.usable`";
    }
}

/// Size of the simulated machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayMachine {
    /// Most processors that recorded jobs had at one instant.
    RecordedPeak,
    /// As the scenario or the log says.
    Scenario,
}

/// Bounds of one word.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WordBounds {
    /// Larger mean wait over the smaller one, at most.
    pub ratio_of_means: f64,
    /// Share of jobs within the time, at least.
    pub within_time: f64,
    /// Share of jobs within the factor, at least.
    pub within_factor: f64,
    /// Kendall's τ, at least.
    pub kendall_tau: f64,
}

/// The rules of an account.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FidelityRules {
    /// Part left out at either end of the log.
    pub edge: SimDuration,
    /// Difference of waits within the time.
    pub within: SimDuration,
    /// Ratio of waits within the factor.
    pub factor: f64,
    /// Size of the machine.
    pub machine: ReplayMachine,
    /// Bounds of `good`.
    pub good: WordBounds,
    /// Bounds of `usable`.
    pub usable: WordBounds,
}

impl WordBounds {
    fn read(table: &Params<'_>) -> Result<Self, Complaint> {
        Ok(WordBounds {
            ratio_of_means: table.read("ratio-of-means")?,
            within_time: table.read("within-time")?,
            within_factor: table.read("within-factor")?,
            kendall_tau: table.read("kendall-tau")?,
        })
    }

    /// The bound of a figure, if it has one.
    pub fn of(&self, figure: WaitFigure) -> Option<f64> {
        match figure {
            WaitFigure::RatioOfMeans => Some(self.ratio_of_means),
            WaitFigure::WithinTime => Some(self.within_time),
            WaitFigure::WithinFactor => Some(self.within_factor),
            WaitFigure::KendallTau => Some(self.kendall_tau),
            _ => None,
        }
    }

    /// Returns true if the value of a figure is within its bound; `None` if it has none.
    fn hold(&self, figure: WaitFigure, value: f64) -> Option<bool> {
        let bound = self.of(figure)?;
        Some(if figure == WaitFigure::RatioOfMeans {
            value <= bound && value * bound >= 1.0
        } else {
            value >= bound
        })
    }
}

impl FidelityRules {
    /// The rules of a checked scenario.
    ///
    /// # Errors
    /// Bounds of `usable` that are narrower than those of `good`.
    pub fn read(root: &Params<'_>) -> Result<Self, Complaint> {
        if root.has(FIDELITY.name) {
            return Self::of(&root.section(FIDELITY.name));
        }
        let (registry, sources) = (root.registry(), root.sources());
        let node = by_default(registry, sources, root.span(FIDELITY.name));
        Self::of(&Params::new(registry, sources, &node))
    }

    fn of(table: &Params<'_>) -> Result<Self, Complaint> {
        let machines =
            [("recorded-peak", ReplayMachine::RecordedPeak), ("scenario", ReplayMachine::Scenario)];
        let rules = FidelityRules {
            edge: table.read("edge")?,
            within: table.read("within")?,
            factor: table.read("factor")?,
            machine: table.pick("machine", &machines)?,
            good: WordBounds::read(&table.section("good"))?,
            usable: WordBounds::read(&table.section("usable"))?,
        };
        for figure in WaitFigure::ALL {
            let (Some(good), Some(usable)) = (rules.good.of(figure), rules.usable.of(figure)) else {
                continue;
            };
            let narrower = if figure == WaitFigure::RatioOfMeans { usable < good } else { usable > good };
            if narrower {
                let section = table.section("usable");
                let (name, span) = (figure.name(), section.span(figure.name()));
                let message =
                    format!("what is `good` by `{name}` = {good} would not be `usable` by {usable}");
                let complaint = Complaint::new(code::CONTRADICTION, message, span);
                let at = Some(table.section("good").span(name));
                return Err(complaint
                    .label("a bound that is no narrower was expected")
                    .note("`good` is here", at));
            }
        }
        Ok(rules)
    }

    /// First and last instant at which waits begin that are compared, of a log whose last
    /// submission is this; no instant lies between them if the edges meet.
    pub fn window(&self, last: SimTime) -> (SimTime, SimTime) {
        let first = SimTime::ZERO.saturating_add(self.edge);
        (first, SimTime::from_nanos(last.as_nanos().saturating_sub(self.edge.as_nanos())))
    }

    /// Returns true if a wait that begins at this instant is compared.
    pub fn compares(&self, begin: SimTime, last: SimTime) -> bool {
        let (first, to) = self.window(last);
        self.edge <= last.since(SimTime::ZERO) && first <= begin && begin <= to
    }

    /// The word for a figure; `None` if it has no bounds or no value.
    pub fn word(&self, figure: WaitFigure, value: Option<f64>) -> Option<FidelityWord> {
        let value = value?;
        Some(match (self.good.hold(figure, value)?, self.usable.hold(figure, value)?) {
            (true, _) => FidelityWord::Good,
            (false, true) => FidelityWord::Usable,
            (false, false) => FidelityWord::Poor,
        })
    }
}

/// A table in which every key has its default.
fn by_default(registry: &Registry, sources: &Sources, at: Span) -> Node {
    let empty = Node::new(Value::Table(Tree::default()), at);
    let mut complaints = Vec::new();
    check(registry, sources, &empty, KEYS, &mut complaints).expect("every key has a default")
}
