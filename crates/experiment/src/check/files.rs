//! The files of a run against the hashes in its manifest: a file that was changed after the run is
//! reported by its name.
//!
//! Whatever was changed, the run is judged by the files as they are.

use std::path::Path;

use serde_json::Value as Json;

use crate::kernel::SimTime;
use crate::output::hash;
use crate::registry::reason;

use super::{Judgement, Violation};

const NO_HASHES: &str = "the manifest has no hashes of its files";

/// Compares every file that a manifest lists with its hash, and the scenario with that of the run's
/// identity.
pub fn as_written(place: &Path, manifest: &Json) -> Judgement {
    let mut violations = unchanged(place, manifest)?;
    let resolved = &manifest["outputs"]["scenario.resolved.toml"];
    if manifest["identity"]["scenario"] != *resolved {
        let what = "the scenario is not that of the identity of the run".to_owned();
        violations.push(Violation::of_no_job(SimTime::ZERO, what));
    }
    Ok(violations)
}

/// Compares every file that a manifest lists with its hash.
pub fn unchanged(place: &Path, manifest: &Json) -> Judgement {
    let outputs = manifest["outputs"].as_object().ok_or(NO_HASHES)?;
    let mut violations = Vec::new();
    let mut broken = |what: String| violations.push(Violation::of_no_job(SimTime::ZERO, what));
    for (name, recorded) in outputs {
        match hash::of_file(&place.join(name)) {
            Err(error) => broken(format!("{name} cannot be read: {}", reason(&error))),
            Ok(found) if recorded != found.as_str() => {
                broken(format!("{name} was changed after the run"));
            }
            Ok(_) => {}
        }
    }
    Ok(violations)
}

/// Compares counts of a manifest, by their JSON pointers, with what they are by the rows.
pub fn counts_in_manifest(manifest: &Json, right: Vec<(&str, u64)>) -> Vec<Violation> {
    let wrong = right.into_iter().filter(|(name, right)| manifest.pointer(name) != Some(&Json::from(*right)));
    let words = |(name, right): (&str, u64)| {
        let stated = manifest.pointer(name).unwrap_or(&Json::Null);
        let what = format!("manifest.json has {stated} at {name}, and it is {right}");
        Violation::of_no_job(SimTime::ZERO, what)
    };
    wrong.map(words).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_changed_a_missing_and_an_exchanged_file_are_named() {
        let place = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(place.path().join(name), text).expect("writable");
        write("scenario.resolved.toml", "a = 1\n");
        write("jobs.csv", "1\n");
        let [scenario, jobs] = ["a = 1\n", "1\n"].map(|text| hash::of_bytes(text.as_bytes()));
        let manifest = json!({
            "identity": { "scenario": scenario },
            "outputs": { "scenario.resolved.toml": scenario, "jobs.csv": jobs },
        });
        let judged = |manifest: &Json| as_written(place.path(), manifest).expect("hashes");
        assert_eq!(judged(&manifest), []);
        write("jobs.csv", "2\n");
        assert_eq!(judged(&manifest)[0].what, "jobs.csv was changed after the run");
        fs::remove_file(place.path().join("jobs.csv")).expect("it is there");
        assert_eq!(judged(&manifest).len(), 1);
        let mut other = manifest.clone();
        other["identity"]["scenario"] = json!("f00");
        assert_eq!(judged(&other).len(), 2);
        assert_eq!(as_written(place.path(), &json!({})), Err(NO_HASHES));
    }
}
