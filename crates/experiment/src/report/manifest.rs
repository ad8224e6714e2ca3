//! `manifest.json`: what made a run, what it read, and hashes of what came out.
//!
//! Two runs of one scenario with one seed and one version have equal manifests but for the last
//! block, `invocation`: command line, paths, host and wall time stand there and nowhere else.

use serde_json::{Map, Value as Json, json};

use crate::output::PARQUET_AVAILABLE;
use crate::output::manifest::{Identity, SCHEMA};
use crate::scenario::{Figures, Scenario};

/// The features that this program was built with.
pub const FEATURES: &[&str] = if PARQUET_AVAILABLE { &["parquet"] } else { &[] };

/// The manifest without its `invocation`, with what is the system's own.
pub fn manifest(
    scenario: &Scenario,
    identity: &Identity,
    own: Map<String, Json>,
    figures: &Figures,
    outputs: &[(String, String)],
) -> Json {
    let outputs: Map<String, Json> =
        outputs.iter().map(|(name, sha256)| (name.clone(), json!(sha256))).collect();
    let mut manifest = json!({
        "schema": SCHEMA,
        "title": scenario.title,
        "seed": scenario.seed,
        "identity": identity.to_json(),
    });
    if let Some(members) = manifest.as_object_mut() {
        members.extend(own);
        members.insert("digest".to_owned(), json!(figures.digest.to_string()));
        members.insert("outputs".to_owned(), Json::Object(outputs));
    }
    manifest
}
