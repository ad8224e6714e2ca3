//! Identity of a run's results, and the content of its manifest.
//!
//! Two runs of one scenario with one seed and one version have equal manifests but for the last
//! block, `invocation`: command line, paths, host and wall time stand there and nowhere else.

use serde_json::{Value as Json, json};

use crate::kernel::rng::SAMPLER_VERSION;
use crate::output::hash;

/// The version of the manifest's shape.
pub const SCHEMA: &str = "clustersim/manifest/1";

/// Identity of the results of a run: equal identities give equal bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Hash of the resolved scenario, the seed included.
    pub resolved: String,
    /// The input files as the scenario names them, and their hashes.
    pub inputs: Vec<(String, String)>,
    /// Features that a build must have to give these results .
    pub features: Vec<&'static str>,
}

impl Identity {
    /// The identity as it stands in a manifest.
    pub fn to_json(&self) -> Json {
        let inputs: Vec<Json> =
            self.inputs.iter().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })).collect();
        json!({
            "version": crate::output::VERSION,
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

/// The bytes of a JSON document on disk: indented, with a line end.
pub fn document(json: &Json) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(json).expect("a JSON value is always JSON");
    bytes.push(b'\n');
    bytes
}
