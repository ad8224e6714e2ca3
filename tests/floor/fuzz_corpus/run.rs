//! What holds for any scenario that is run.

use std::path::Path;

use clustersim::system::standard;
use clustersim_experiment::measure::metric::{Metric, Value};
use clustersim_experiment::scenario::{Ready, Session, check as check_scenario, from_text};
use clustersim_kernel::SimError;
use clustersim_language::registry::Registry;

/// Resumptions after which a run ends, whatever is left of it.
const RESUMPTIONS: u64 = 100_000;

thread_local! {
    static REGISTRY: Registry = standard();
}

/// A scenario is refused with a reason, or it runs: to its end, to its bound, or to an error with a
/// reason. Figures are numbers.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // an include of a device would wait for input that never comes
    if ["/dev", "/proc", "/sys"].iter().any(|path| text.contains(path)) {
        return;
    }
    if !is_long(text) {
        REGISTRY.with(|registry| run(registry, text));
    }
}

/// Whether the scenario has a count from a hundred thousand to a billion: so many jobs or hosts are
/// allowed and take their time. Larger counts are refused.
fn is_long(text: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && !"\"._".contains(letter));
    words
        .filter_map(|word| word.replace('_', "").parse::<u64>().ok())
        .any(|count| (100_000..=1_000_000_000).contains(&count))
}

fn run(registry: &Registry, text: &str) {
    let written = from_text("fuzzed.toml", text.to_owned(), Path::new("no-such-directory"), &[]);
    let Ok(scenario) = check_scenario(registry, written) else { return };
    let Ready { run, .. } = match scenario.system.assemble(registry, &scenario) {
        Ok(ready) => ready,
        Err(rejected) => {
            assert!(!rejected.to_string().is_empty(), "refused without a reason");
            return;
        }
    };
    match run.run(&Session { at_most: Some(RESUMPTIONS), ..Session::default() }) {
        Ok(results) => numbers(&results.figures().metrics),
        Err(error) => reason(&error),
    }
}

fn numbers(metrics: &[Metric]) {
    for metric in metrics {
        if let Value::Real(value) = metric.value {
            assert!(value.is_finite(), "{} is {value}", metric.name);
        }
    }
}

fn reason(error: &SimError) {
    assert!(!error.to_string().is_empty(), "failed without a reason");
}
