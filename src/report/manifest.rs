//! `manifest.json`: what made a run, what it read, and hashes of what came out.
//!
//! Two runs of one scenario with one seed and one version have equal manifests but for the last block,
//! `invocation`: command line, paths, host and wall time stand there and nowhere else.

use serde_json::{Map, Value as Json, json};

use crate::instrument::sink::AVAILABLE;
use crate::kernel::rng::SAMPLER_VERSION;
use crate::report::hash;
use crate::scenario::{Figures, Scenario};

/// The version of the manifest's shape.
pub const SCHEMA: &str = "clustersim/manifest/1";

/// What decides the results of a run: equal identities give equal bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Hash of the resolved scenario, the seed included.
    pub resolved: String,
    /// The input files as the scenario names them, and their hashes.
    pub inputs: Vec<(String, String)>,
    /// Features that a build must have to give these results ([`needs`]).
    pub features: Vec<&'static str>,
}

/// The features that this program was built with.
pub const FEATURES: &[&str] = if AVAILABLE { &["parquet"] } else { &[] };

/// The features that a build must have to give all the results of this scenario. Others make no difference to any of
/// its bytes, so they are no part of its identity: they are told in the block `invocation`.
pub fn needs(scenario: &Scenario) -> Vec<&'static str> {
    if scenario.record_parquet { vec!["parquet"] } else { Vec::new() }
}

impl Identity {
    /// The identity as it stands in a manifest.
    pub fn to_json(&self) -> Json {
        let inputs: Vec<Json> =
            self.inputs.iter().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "features": self.features,
            "samplers": SAMPLER_VERSION,
            "scenario": self.resolved,
            "inputs": inputs,
        })
    }

    /// Eight hexadecimal digits that name it.
    pub fn short(&self) -> String {
        hash::of_bytes(self.to_json().to_string().as_bytes())[..8].to_owned()
    }
}

/// The manifest without its `invocation`, with what is the system's own.
pub fn manifest(
    scenario: &Scenario,
    identity: &Identity,
    own: Map<String, Json>,
    figures: &Figures<'_>,
    outputs: &[(&str, String)],
) -> Json {
    let outputs: Map<String, Json> =
        outputs.iter().map(|(name, sha256)| ((*name).to_owned(), json!(sha256))).collect();
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

/// The same manifest with how it came about.
pub fn with_invocation(manifest: &Json, invocation: Json) -> Json {
    let mut whole = manifest.clone();
    whole["invocation"] = invocation;
    whole
}

/// The same manifest without how it came about: what two equal runs share.
pub fn without_invocation(manifest: &Json) -> Json {
    let mut part = manifest.clone();
    if let Some(members) = part.as_object_mut() {
        members.shift_remove("invocation");
    }
    part
}
