//! The figures of classes among those of a run: `class.NAME.METRIC`.
//!
//! A run of several classes has the main figures of each next to those of all jobs, so that results
//! can be separated by class. A name may hold dots: what follows it is one of a fixed list.

use super::metric::Metric;

/// Members of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct Class {
    /// Name.
    pub name: String,
    /// Figures, under names of which a run's metrics have the same.
    pub metrics: Vec<Metric>,
}

/// The figures of a class that stand among those of a run.
pub const METRICS: [&str; 9] = [
    "jobs.completed",
    "wait-time.mean",
    "response-time.mean",
    "execution-time.mean",
    "slowdown.mean",
    "pace.mean",
    "pace.cv",
    "deadlines.missed",
    "deadlines.jitter",
];

/// The figures of `classes`, class by class; none of a single class, which is the whole run.
pub fn metrics(classes: &[Class]) -> Vec<Metric> {
    if classes.len() < 2 {
        return Vec::new();
    }
    let of = |class: &Class| {
        let kept = class.metrics.iter().filter(|metric| METRICS.contains(&metric.name.as_str()));
        let named = |metric: &Metric| Metric {
            name: format!("class.{}.{}", class.name, metric.name),
            ..metric.clone()
        };
        kept.map(named).collect::<Vec<_>>()
    };
    classes.iter().flat_map(of).collect()
}

/// The metric that `name` is of a class; `None` if it is not one of a class.
pub fn metric(name: &str) -> Option<&'static str> {
    let rest = name.strip_prefix("class.")?;
    let is_of = |metric: &&&str| {
        rest.strip_suffix(**metric).is_some_and(|class| class.len() > 1 && class.ends_with('.'))
    };
    METRICS.iter().find(is_of).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::metric::Value;

    fn class(name: &str, missed: f64) -> Class {
        let metric = |name: &str| Metric { name: name.to_owned(), value: Value::Real(missed), unit: "" };
        Class { name: name.to_owned(), metrics: vec![metric("deadlines.missed"), metric("profile.spin")] }
    }

    #[test]
    fn a_class_has_its_figures_under_its_name() {
        let metrics = metrics(&[class("video", 0.5), class("v.2", 0.25)]);
        let found: Vec<_> = metrics.iter().map(|metric| (metric.name.as_str(), metric.number())).collect();
        assert_eq!(
            found,
            [("class.video.deadlines.missed", Some(0.5)), ("class.v.2.deadlines.missed", Some(0.25))]
        );
    }

    #[test]
    fn a_single_class_is_the_whole_run() {
        assert!(metrics(&[class("video", 0.5)]).is_empty());
    }

    #[test]
    fn a_name_leads_to_its_metric() {
        assert_eq!(metric("class.v.2.deadlines.missed"), Some("deadlines.missed"));
        assert_eq!((metric("class.deadlines.missed"), metric("deadlines.missed")), (None, None));
    }
}
