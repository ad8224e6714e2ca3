//! `schema`: what editors check scenarios by, made from the keys and from the metrics that
//! `[expect]` can bound.

use serde_json::json;

use crate::registry::definition::Definition;
use crate::registry::{Registry, json_schema};
use crate::scenario::{metrics, root_keys};

/// The JSON Schema of scenarios.
pub(super) fn scenario(registry: &Registry) -> serde_json::Value {
    // an absolute URI: validators resolve references against it
    const ID: &str = "urn:clustersim:scenario:1";
    let mut whole = json_schema(registry, root_keys(registry), "A clustersim scenario", ID);
    let bound = |definition: &Definition| {
        let description = definition.text();
        (definition.name.to_string(), json!({ "type": "string", "description": description }))
    };
    // an editor offers the metrics that can be bounded, and refuses others
    let metrics = metrics::bounded(registry);
    whole["properties"]["expect"]["properties"] = metrics.iter().map(bound).collect();
    whole["properties"]["expect"]["additionalProperties"] = json!(false);
    whole
}
