//! Statistics that every run has: metrics and their families, cohorts, signs of trouble and half-
//! widths of means.

/// Classes of what ran, with figures of their own.
pub mod class {
    pub use clustersim_experiment::measure::class::Class;
}

/// Cohorts: what a run is about, one by one, as statistics of any system read it after the run.
pub mod cohort {
    pub use clustersim_experiment::measure::cohort::{Cohort, ListedCohort, Subject};
}

/// Families of metrics: each declared once, with unit, aim, formula, observations and source.
pub mod family {
    pub use clustersim_experiment::measure::family::{Aim, Family, Part, SPREAD, families};
}

/// Half-widths of the means of a single run.
pub mod half_widths {
    pub use clustersim_experiment::measure::half_widths::HalfWidth;
}

/// Counts of the records of an input: read and dropped.
pub mod input_counts {
    pub use clustersim_experiment::measure::input_counts::InputCounts;
}

/// A metric: a named figure with its unit.
pub mod metric {
    pub use clustersim_experiment::measure::metric::{Metric, Value};
}

/// Warnings that a system declares: of its runs, and of shares of its subjects.
pub mod own_warnings {
    pub use clustersim_experiment::measure::own_warnings::{
        Counted, OwnWarnings, Share, Shares, WarningKind,
    };
}

/// Numbers of the jobs, tasks or calls that a run rejected, and the reasons.
pub mod rejections {
    pub use clustersim_experiment::measure::rejections::Rejections;
}

/// Signs that the figures of a run cannot be trusted.
pub mod signs {
    pub use clustersim_experiment::measure::signs::{Settled, Signs, Warning};
}
