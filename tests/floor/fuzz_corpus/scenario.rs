//! What holds for any bytes read as a scenario.

use std::path::Path;

use clustersim::system::standard;
use clustersim_experiment::scenario::{Override, Scenario, check as check_scenario, from_text};
use clustersim_language::registry::{Complaint, Registry, Sources};

/// A line that begins so is an override, so that the fuzzer reaches `--set` too.
const OVERRIDE: &str = "#--set ";

thread_local! {
    static REGISTRY: Registry = standard();
}

/// Checking is total; complaints point into their texts; a valid scenario resolves to one that
/// resolves to itself.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // an include of a device would wait for input that never comes
    if ["/dev", "/proc", "/sys"].iter().any(|path| text.contains(path)) {
        return;
    }
    let overrides: Vec<Override> =
        text.lines().filter_map(|line| line.strip_prefix(OVERRIDE)).take(4).map(Override::set).collect();
    match REGISTRY.with(|registry| read(registry, text, &overrides)) {
        Ok(scenario) => {
            let resolved = scenario.resolved();
            match REGISTRY.with(|registry| read(registry, &resolved, &[])) {
                Ok(again) => assert_eq!(again.resolved(), resolved, "resolving twice changes something"),
                Err(said) => panic!("the resolved scenario is refused:\n{resolved}\n{said}"),
            }
        }
        Err(said) => assert!(!said.is_empty(), "refused without a word"),
    }
}

/// The scenario, or what is wrong with it.
fn read(registry: &Registry, text: &str, overrides: &[Override]) -> Result<Scenario, String> {
    let written = from_text("fuzzed.toml", text.to_owned(), Path::new("no-such-directory"), overrides);
    check_scenario(registry, written).map_err(|rejected| {
        for complaint in &rejected.complaints {
            points_into_its_text(complaint, &rejected.sources);
        }
        rejected.to_string()
    })
}

fn points_into_its_text(complaint: &Complaint, sources: &Sources) {
    assert!(!complaint.message.is_empty());
    let spans = complaint.notes.iter().filter_map(|note| note.span).chain(complaint.span);
    for span in spans {
        let text = sources.text(span.source);
        assert!(text.get(span.range()).is_some(), "{} lies outside its text", complaint.message);
    }
}
