//! The arguments of `fidelity`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::overriding::Overriding;
use clustersim_experiment::fidelity::ErrorCause;

/// Arguments of `fidelity`.
#[derive(Debug, ClapArgs)]
pub(super) struct Fidelity {
    /// A scenario (.toml) that replays a log, or a log (.swf, .swf.gz)
    #[arg(value_name = "SCENARIO")]
    pub(super) file: PathBuf,
    /// Leave out jobs whose waits begin so early in the log, or so late [default: 7d]
    #[arg(long, value_name = "SPAN")]
    pub(super) edge: Option<String>,
    /// Make a second run in which the jobs of a cause start as recorded; may be given again
    #[arg(long, value_name = "CAUSE", value_delimiter = ',', value_parser = causes())]
    pub(super) without: Vec<ErrorCause>,
    #[command(flatten)]
    pub(super) keys: Overriding,
    /// Print one JSON object: schema (clustersim/fidelity/1), word, machine, rules, figures of all
    /// jobs and of each group with values and intervals, and who carries the error
    #[arg(long)]
    pub(super) json: bool,
    /// Write a page of the figures to this file
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Replace that file if it is there
    #[arg(long)]
    pub(super) force: bool,
    /// Open the page
    #[arg(long)]
    pub(super) open: bool,
}

/// The causes by name.
fn causes() -> impl TypedValueParser<Value = ErrorCause> {
    let value =
        |cause: ErrorCause| PossibleValue::new(cause.name()).help(format!("jobs that {}", cause.about()));
    PossibleValuesParser::new(ErrorCause::ALL.map(value)).map(|name| {
        let of_name = |cause: &ErrorCause| cause.name() == name;
        ErrorCause::ALL.into_iter().find(of_name).expect("a possible value")
    })
}
