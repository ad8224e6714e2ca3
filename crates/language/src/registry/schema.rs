//! The JSON Schema of a scenario, for editors (draft 2020-12).
//!
//! It is made from the same keys as the checker walks, so that an editor offers and refuses what a
//! run would. It is a little wider than the checker: values that contradict each other pass it, and
//! a quantity is any text that begins with a number.

use serde_json::{Map, Value, json};

use crate::registry::parse::default_value;
use crate::registry::{Absent, Bounds, Catalogue, Key, Kind, Quantity, Registry, Row, Sources, Span, tree};

/// The schema of a document with `keys`, called `title`.
pub fn json_schema(registry: &Registry, keys: &[Key], title: &str, id: &str) -> Value {
    let mut schema = Schema { registry, definitions: Map::new() };
    let object = schema.table(keys, None, None);
    let mut root =
        json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": id, "title": title });
    root.as_object_mut().expect("it was made as one").extend(object);
    root["$defs"] = Value::Object(schema.definitions);
    root
}

struct Schema<'a> {
    registry: &'a Registry,
    definitions: Map<String, Value>,
}

impl Schema<'_> {
    /// An object with `keys`, and with `kind` if it is a component's.
    fn table(&mut self, keys: &[Key], kind: Option<&str>, of: Option<Quantity>) -> Map<String, Value> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        if let Some(kind) = kind {
            properties.insert("kind".into(), json!({ "const": kind }));
            required.push("kind");
        }
        for key in keys {
            let mut value = self.kind(&key.kind, of);
            value["description"] = json!(describe(key));
            if let Some(default) = default(&key.default) {
                value["default"] = default;
            }
            properties.insert(key.name.into(), value);
            if key.default == Absent::Error {
                required.push(key.name);
            }
        }
        let mut object = Map::new();
        object.insert("type".into(), json!("object"));
        object.insert("properties".into(), Value::Object(properties));
        object.insert("additionalProperties".into(), json!(false));
        if !required.is_empty() {
            object.insert("required".into(), json!(required));
        }
        object
    }

    fn kind(&mut self, kind: &Kind, of: Option<Quantity>) -> Value {
        match kind {
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Count { least, most } if *most == i64::MAX as u64 => {
                json!({ "type": "integer", "minimum": least })
            }
            Kind::Count { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Kind::Number(bounds) => number(*bounds),
            Kind::Share(bounds) => {
                json!({ "anyOf": [number(*bounds), text(r"^\s*[0-9.]+(e-?[0-9]+)?\s*%?\s*$")] })
            }
            Kind::DurationOrCount(words) => {
                let mut any = vec![quantity(), json!({ "type": "integer", "minimum": 0 })];
                if !words.is_empty() {
                    let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                    any.push(json!({ "enum": names }));
                }
                json!({ "anyOf": any })
            }
            Kind::Duration(_) | Kind::Bytes | Kind::Flops | Kind::Bandwidth | Kind::Speed | Kind::Power => {
                quantity()
            }
            Kind::Quantity(bounds) => self.kind(&of.unwrap_or(Quantity::Number).kind(*bounds), None),
            Kind::Text | Kind::Path | Kind::Moment(_) => json!({ "type": "string" }),
            Kind::Choice(choices) => {
                let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
                json!({ "enum": names })
            }
            Kind::Component(table) => self.component(table, None, &[]),
            Kind::ComponentOfAny(tables) => {
                let any: Vec<Value> = tables.iter().map(|table| self.component(table, None, &[])).collect();
                json!({ "anyOf": any })
            }
            Kind::Distribution(quantity) => self.component("distribution", Some(*quantity), &[]),
            Kind::DistributionWith(quantity, keys) => self.component("distribution", Some(*quantity), keys),
            Kind::DistributionOr(quantity, keys) => {
                let law = self.component("distribution", Some(*quantity), &[]);
                json!({ "anyOf": [law, Value::Object(self.table(keys, None, of))] })
            }
            Kind::Table(keys) => Value::Object(self.table(keys, None, of)),
            Kind::FirstOrTable(keys) => {
                let alone = keys.first().map(|first| self.kind(&first.kind, of));
                let whole = Value::Object(self.table(keys, None, of));
                json!({ "anyOf": alone.into_iter().chain([whole]).collect::<Vec<_>>() })
            }
            Kind::CountOr(most, kind) => {
                json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": most }, self.kind(kind, of)] })
            }
            Kind::List(kind) => json!({ "type": "array", "items": self.kind(kind, of) }),
            Kind::OneOrList(kind) => {
                let one = self.kind(kind, of);
                json!({ "anyOf": [one, { "type": "array", "items": one }] })
            }
            Kind::Any => json!({}),
            Kind::Map(kind) => json!({ "type": "object", "additionalProperties": self.kind(kind, of) }),
        }
    }

    /// A reference to the definition of a table's components, with these keys further theirs, which
    /// is made when first needed.
    fn component(&mut self, table: &str, of: Option<Quantity>, further: &[Key]) -> Value {
        let mut name = table.to_owned();
        if let Some(quantity) = of {
            name += &format!("-of-{}", quantity.words().1);
        }
        for key in further {
            name += &format!("-{}", key.name);
        }
        if !self.definitions.contains_key(&name) {
            self.definitions.insert(name.clone(), Value::Null); // so that a component may hold its like
            let registry = self.registry;
            let catalogue = registry.find(table).expect("a key names a table that is registered");
            let definition = self.definition(catalogue, of, further);
            self.definitions.insert(name.clone(), definition);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    fn definition(&mut self, catalogue: &dyn Catalogue, of: Option<Quantity>, further: &[Key]) -> Value {
        let rows = catalogue.rows();
        if rows.is_empty() {
            // only programs of other crates have any
            return json!({ "description": catalogue.about(), "not": {} });
        }
        let mut forms: Vec<Value> = vec![json!({
            "oneOf": rows.iter().map(|row| json!({ "const": row.name, "description": row.about })).collect::<Vec<_>>()
        })];
        for (kind, name) in [catalogue.bare(), catalogue.listed()].into_iter().flatten() {
            let keys = rows.iter().find(|row| row.name == kind).map_or(&[][..], |row| row.keys);
            if let Some(key) = keys.iter().find(|key| key.name == name) {
                forms.push(self.kind(&key.kind, of));
            }
        }
        for row in &rows {
            let keys: Vec<Key> =
                row.keys.iter().filter(|key| !set_by(row, key)).chain(further).copied().collect();
            let mut object = self.table(&keys, Some(row.name), of);
            object.insert("description".into(), json!(row.about));
            forms.push(Value::Object(object));
        }
        json!({ "description": catalogue.about(), "anyOf": forms })
    }
}

/// Returns true if a preset sets the key itself.
fn set_by(row: &Row, key: &Key) -> bool {
    row.preset.is_some_and(|preset| preset.set.iter().any(|(name, _)| *name == key.name))
}

fn describe(key: &Key) -> String {
    let mut text = format!("{} [{}]", key.about, key.kind.unit());
    if let Absent::Means(meaning) | Absent::OnlyIf { means: meaning, .. } = key.default {
        text = format!("{text}; if absent: {meaning}");
    }
    if !key.source.is_empty() {
        text = format!("{text}; source: {}", key.source);
    }
    text
}

fn default(absent: &Absent) -> Option<Value> {
    match absent {
        Absent::Error | Absent::Means(_) | Absent::OnlyIf { .. } | Absent::Table => None,
        Absent::Text(text) => Some(json!(text)),
        Absent::Count(count) => Some(json!(count)),
        Absent::Number(number) => Some(json!(number)),
        Absent::Flag(flag) => Some(json!(flag)),
        Absent::List(texts) => Some(json!(texts)),
        Absent::Written(text) => {
            let nowhere = Span::new(Sources::new("").add("", "", ""), 0..0);
            Some(as_json(&default_value(text, nowhere)))
        }
    }
}

fn as_json(value: &tree::Value) -> Value {
    match value {
        tree::Value::String(text) => json!(text),
        tree::Value::Integer(number) => json!(number),
        tree::Value::Float(number) => json!(number),
        tree::Value::Boolean(flag) => json!(flag),
        tree::Value::Array(nodes) => nodes.iter().map(|node| as_json(&node.value)).collect(),
        tree::Value::Table(table) => {
            let slots = table.slots().iter();
            Value::Object(slots.map(|slot| (slot.name.clone(), as_json(&slot.node.value))).collect())
        }
    }
}

fn number(bounds: Bounds) -> Value {
    match bounds {
        Bounds::Any => json!({ "type": "number" }),
        Bounds::NotNegative => json!({ "type": "number", "minimum": 0 }),
        Bounds::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Bounds::Within(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
    }
}

fn quantity() -> Value {
    text(r"^\s*[0-9.]")
}

fn text(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}
