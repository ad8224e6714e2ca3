//! Families of metrics: each declared once, with unit, aim, formula, observations and source.
//!
//! The module that computes a metric declares its family, and a system lists those of its runs. The
//! aim of a verdict, `explain`, the manual and the schema of `[expect]` come from these lists.

use crate::registry::definition::Definition;

use super::metric::{Metric, Value};

/// Direction in which values of a metric are better.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Aim {
    /// Less is better, as of a wait.
    Lower,
    /// More is better, as of the share of the machine in use.
    Higher,
    /// Neither: a property of the workload, or what no policy can claim.
    None,
}

/// A part of a family and its meaning: `mean` of `wait-time.mean`.
pub type Part = (&'static str, &'static str);

/// The parts of a family of which every observation has a value.
pub const SPREAD: &[Part] = &[
    ("mean", "the arithmetic mean"),
    ("median", "the median, the nearest rank"),
    ("p95", "the 95th percentile, the nearest rank"),
    ("max", "the maximum"),
];

/// Prefix of the metrics of a class.
pub const ANY_CLASS: &str = "class.NAME.";

/// Metrics of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    /// Name, such as `wait-time`.
    pub name: &'static str,
    /// The parts that follow the name after a dot; without any, the name is the metric's.
    pub parts: &'static [Part],
    /// The unit; empty for ratios and counts.
    pub unit: &'static str,
    /// Direction in which values are better.
    pub aim: Aim,
    /// True if its values are shares of something, which are read in percent.
    pub share: bool,
    /// True if its values are changes, which may be negative and are compared by their differences.
    pub signed: bool,
    /// The formula, or what is counted.
    pub formula: &'static str,
    /// Jobs and window that it is of.
    pub of: &'static str,
    /// In which runs it is observed; empty if in all of the system.
    pub shown: &'static str,
    /// Publication; empty if the metric is the simulator's own.
    pub source: &'static str,
}

impl Family {
    /// A metric by itself.
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        aim: Aim,
        formula: &'static str,
        of: &'static str,
    ) -> Self {
        Family {
            name,
            parts: &[],
            unit,
            aim,
            share: false,
            signed: false,
            formula,
            of,
            shown: "",
            source: "",
        }
    }

    /// A number of things, that the formula names.
    pub const fn count(name: &'static str, aim: Aim, formula: &'static str, of: &'static str) -> Self {
        Family::new(name, "", aim, formula, of)
    }

    /// A share of something, that the formula names.
    pub const fn share(name: &'static str, aim: Aim, formula: &'static str, of: &'static str) -> Self {
        Family { share: true, ..Family::new(name, "", aim, formula, of) }
    }

    /// The same, of values that may be negative.
    #[must_use]
    pub const fn signed(self) -> Self {
        Family { signed: true, ..self }
    }

    /// The same with parts.
    #[must_use]
    pub const fn parts(self, parts: &'static [Part]) -> Self {
        Family { parts, ..self }
    }

    /// The same, observed in some runs only.
    #[must_use]
    pub const fn shown(self, shown: &'static str) -> Self {
        Family { shown, ..self }
    }

    /// The same with its publication.
    #[must_use]
    pub const fn source(self, source: &'static str) -> Self {
        Family { source, ..self }
    }

    /// The metric of this family with this value, where it has no parts.
    pub fn metric(&self, value: Value) -> Metric {
        Metric { name: self.name.to_owned(), value, unit: self.unit }
    }

    /// Returns true if a metric belongs to it.
    pub fn has(&self, metric: &str) -> bool {
        match metric.strip_prefix(self.name) {
            Some("") => self.parts.is_empty(),
            Some(rest) => {
                rest.strip_prefix('.').is_some_and(|part| self.parts.iter().any(|&(own, _)| own == part))
            }
            None => false,
        }
    }

    /// The names of its metrics, in the order in which they are shown.
    pub fn names(&self) -> Vec<String> {
        match self.parts {
            [] => vec![self.name.to_owned()],
            parts => parts.iter().map(|(part, _)| format!("{}.{part}", self.name)).collect(),
        }
    }

    /// The definition of each of its metrics.
    pub fn definitions(&self) -> Vec<Definition> {
        if self.parts.is_empty() {
            return vec![self.with_facts(Definition::new("metric", self.name, self.formula))];
        }
        let of_part = |&(part, about): &Part| {
            let about = format!("{about}: {}", self.formula);
            self.with_facts(Definition::new("metric", format!("{}.{part}", self.name), about))
        };
        self.parts.iter().map(of_part).collect()
    }

    /// The definition of all of it.
    pub fn definition(&self) -> Definition {
        let named = |(part, about): &Part| format!("`.{part}` {about}");
        let parts: Vec<String> = self.parts.iter().map(named).collect();
        self.with_facts(Definition::new("metric", self.name, self.formula).fact("parts", parts.join("; ")))
    }

    fn with_facts(&self, definition: Definition) -> Definition {
        let better = match self.aim {
            Aim::Lower => "lower",
            Aim::Higher => "higher",
            Aim::None => "",
        };
        definition
            .fact("unit", if self.unit.is_empty() { "none: a count or a ratio" } else { self.unit })
            .fact("bounds", if self.share { "may be stated in percent, as is every share" } else { "" })
            .fact("better", better)
            .fact("of", self.of)
            .fact("where", self.shown)
            .fact("source", self.source)
    }
}

/// The metrics of these families in their order, with these values.
pub fn metrics_of<'a>(
    families: impl IntoIterator<Item = &'a Family>,
    values: impl IntoIterator<Item = Value>,
) -> Vec<Metric> {
    let named = |family: &'a Family| family.names().into_iter().map(|name| (name, family.unit));
    let names = families.into_iter().flat_map(named);
    names.zip(values).map(|((name, unit), value)| Metric { name, value, unit }).collect()
}

/// Families, a row each: name, unit (or `share`), which values are better, of what; `=>`, the
/// formula, and what else is known.
///
/// ```
/// use clustersim_experiment::measure::family::{Family, SPREAD, families};
///
/// const FAMILIES: [Family; 2] = families! {
///     "customers" [] Higher, "all" => "customers that a window served";
///     "wait" ["s"] Lower, "the served" => "start - arrival", parts SPREAD, source "C. Palm, 1937";
/// };
/// assert!(FAMILIES[1].has("wait.mean") && FAMILIES[1].unit == "s");
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __families {
    ($($name:literal [$($unit:tt)?] $aim:ident, $of:expr => $formula:expr $(, $word:ident $value:expr)*;)*) => {
        [$($crate::measure::family::families!(@ $name [$($unit)?] $aim, $formula, $of)$(.$word($value))*),*]
    };
    (@ $name:literal [share] $aim:ident, $formula:expr, $of:expr) => {
        $crate::measure::family::Family::share($name, $crate::measure::family::Aim::$aim, $formula, $of)
    };
    (@ $name:literal [] $aim:ident, $formula:expr, $of:expr) => {
        $crate::measure::family::families!(@ $name [""] $aim, $formula, $of)
    };
    (@ $name:literal [$unit:literal] $aim:ident, $formula:expr, $of:expr) => {
        $crate::measure::family::Family::new($name, $unit, $crate::measure::family::Aim::$aim, $formula, $of)
    };
}

#[doc(inline)]
pub use __families as families;
