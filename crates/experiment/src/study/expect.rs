//! The expectations of a study: the worse end of the interval must satisfy the bound, at every
//! point.

use crate::scenario::Study;
use crate::study::summary::StudySummary;

/// Every broken expectation in words, point by point.
pub fn broken(study: &Study, summary: &StudySummary) -> Vec<String> {
    let mut lines = Vec::new();
    for (point, figures) in study.points.iter().zip(&summary.points) {
        for expected in &point.scenario.expectations {
            let summary = figures.metrics.get(&expected.metric).map(|figures| figures.summary);
            let (mean, half_width) =
                (summary.map(|summary| summary.mean), summary.and_then(|of| of.half_width));
            let Some(broken) = expected.broken_by_interval(mean, half_width) else { continue };
            let end = if half_width.is_some() { " at the worse end of the 95 % interval" } else { "" };
            let place =
                if figures.label.is_empty() { String::new() } else { format!(" ({})", figures.label) };
            lines.push(format!("point {}{place}: {broken}{end}", figures.point));
        }
    }
    lines
}
