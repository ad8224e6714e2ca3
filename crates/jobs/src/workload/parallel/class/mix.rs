//! Classes made of other classes: each job is of one of them.

use crate::registry::{Complaint, Entry, Key, Kind, Params, keys, variants};

use super::super::keys::SOURCE;
use super::recipe::{NAME, WEIGHT, name, scaled};
use super::{Class, recipes};

const fn keys(parts: &'static [&'static str]) -> [Key; 3] {
    keys! {
        ..NAME;
        ..WEIGHT;
        "parts" Kind::List(&Kind::Component("class")), or_list parts =>
            "the classes it is made of; `weight` says how often a job is of each";
    }
}

const MIX: Entry<Class> = Entry::published(
    "mix",
    "one job is of this class, another of that: half communication-intensive, half I/O-intensive",
    SOURCE,
    &keys(&["comm", "io"]),
    |params| read(params).map(Box::new),
);

pub(super) const ENTRIES: &[Entry<Class>] = &variants! { MIX;
    "mixed-quality" &keys(&["comm", "periodic"]) =>
        "two qualities of service: half best-effort, half real-time jobs";
};

fn read(params: &Params<'_>) -> Result<Class, Complaint> {
    let parts = recipes(params.components::<Class>("parts", "class")?);
    if parts.is_empty() {
        let complaint = params.complaint("parts", "a mix of no classes has no jobs");
        return Err(complaint.label("expected one class at least"));
    }
    Ok(Class { recipes: scaled(parts, &name(params)?, params.read("weight")?) })
}
