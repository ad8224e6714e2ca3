//! Statistics that every run has, whatever its system: metrics and their families, classes of what
//! ran, cohorts, and from these signs of trouble and half-widths of means.
//!
//! A system shows a [`cohort::Cohort`] of its own and declares its [`family::Family`]s; nothing
//! here knows any system.

pub mod class;
pub mod cohort;
pub mod family;
pub mod half_widths;
pub mod input_counts;
pub mod metric;
pub mod own_warnings;
pub mod rejections;
pub mod signs;
