//! The public interface: a list of all that the package publishes, held by a snapshot, and no
//! published signature that names a type of the crates which is not published. Methods that macros
//! make are not listed.

mod modules;
mod resolve;
mod signatures;

use std::collections::{BTreeMap, BTreeSet};

use clustersim_testing::sources::{SourceFile, sources};

use modules::ModulePath;
use resolve::{Found, Sources};
use signatures::Signature;

/// Something that the package publishes: its path, its features, and the place of its declaration
/// unless that is in another crate.
struct Published {
    path: String,
    features: Vec<String>,
    declared: Option<(ModulePath, String)>,
}

/// Everything that can be reached from a module, without what a child module already has.
fn published(sources: &Sources, module: &ModulePath, path: &str, features: &[String]) -> Vec<Published> {
    let Some(contents) = sources.modules.get(module) else { return Vec::new() };
    let with = |own: &[String]| if own.is_empty() { features.to_vec() } else { own.to_vec() };
    let mut found = Vec::new();
    for (name, item) in
        contents.items.iter().filter(|(name, item)| item.public && item.kind != "macro" && !name.is_empty())
    {
        let declared = Some((module.clone(), name.clone()));
        found.push(Published { path: format!("{path}::{name}"), features: with(&item.features), declared });
    }
    for (name, import) in contents.imports.iter().filter(|(_, import)| import.public) {
        let path = format!("{path}::{name}");
        let features = with(&import.features);
        match sources.resolve_path(module, &import.path) {
            Some(Found::Module(other)) => found.extend(self::published(sources, &other, &path, &features)),
            Some(Found::Item(module, name)) => {
                found.push(Published { path, features, declared: Some((module, name)) });
            }
            None => found.push(Published { path, features, declared: None }),
        }
    }
    for (name, own) in &contents.children {
        let below: ModulePath = module.iter().cloned().chain([name.clone()]).collect();
        found.extend(self::published(sources, &below, &format!("{path}::{name}"), &with(own)));
    }
    found
}

fn all(sources: &Sources) -> Vec<Published> {
    let mut found = published(sources, &vec!["clustersim".to_owned()], "clustersim", &[]);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// A line of the list: path, features, kind, methods.
fn line(sources: &Sources, one: &Published) -> String {
    let path = one.path.strip_prefix("clustersim::").unwrap_or(&one.path);
    let features = one.features.join("|");
    let features = if features.is_empty() { String::new() } else { format!(" [{features}]") };
    let Some((module, name)) = &one.declared else { return format!("{path}{features}: of another crate") };
    let kind = &sources.modules[module].items[name].kind;
    let methods = Signature::of(sources, module, name).methods.join(" ");
    let methods = if methods.is_empty() { methods } else { format!(": {methods}") };
    format!("{path}{features} {kind}{methods}")
}

#[test]
fn the_public_interface_is_this_list() {
    let sources = Sources::of(&sources());
    let lines: Vec<String> = all(&sources).iter().map(|one| line(&sources, one)).collect();
    assert!(lines.len() > 500, "{} items were found", lines.len());
    insta::assert_snapshot!("interface", lines.join("\n"));
}

/// Public types of the crates that a published signature names and the package does not publish,
/// each with one that names it.
fn unpublished(sources: &Sources) -> BTreeMap<String, String> {
    let all = all(sources);
    let known: BTreeSet<&(ModulePath, String)> = all.iter().filter_map(|one| one.declared.as_ref()).collect();
    let mut missing = BTreeMap::new();
    for one in &all {
        let Some((module, name)) = &one.declared else { continue };
        for path in Signature::of(sources, module, name).paths {
            let Some(Found::Item(other, of)) = sources.resolve_path(module, &path) else { continue };
            let item = &sources.modules[&other].items[&of];
            let is_type = matches!(&*item.kind, "struct" | "enum" | "union" | "trait" | "type");
            if is_type && item.public && !known.contains(&(other.clone(), of.clone())) {
                missing.entry(format!("{}::{of}", other.join("::"))).or_insert(one.path.clone());
            }
        }
    }
    missing
}

#[test]
fn every_type_in_a_published_signature_is_published() {
    let missing = unpublished(&Sources::of(&sources()));
    assert!(missing.is_empty(), "not published (named by): {missing:#?}");
}

#[test]
fn a_list_publishes_nothing_twice() {
    let sources = Sources::of(&sources());
    let mut places: BTreeMap<(ModulePath, String), Vec<String>> = BTreeMap::new();
    // the kernel is published as it is
    let lists = all(&sources).into_iter().filter(|one| !one.path.starts_with("clustersim::kernel::"));
    for one in lists {
        if let Some(declared) = one.declared {
            places.entry(declared).or_default().push(one.path);
        }
    }
    places.retain(|_, paths| paths.len() > 1);
    assert!(places.is_empty(), "published at several paths: {places:#?}");
}

/// The scan itself, on a crate that shows each part of a signature.
#[test]
fn a_type_is_found_wherever_a_signature_names_it() {
    let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
    let parts = [
        ("pub struct Seen { pub field: Vec<Hidden> }", true),
        ("pub struct Seen { field: Hidden }", false),
        ("pub struct Seen(pub Hidden);", true),
        ("pub struct Seen(Hidden);", false),
        ("pub struct Seen; impl Seen { pub fn ask(&self) -> Option<&Hidden> { None } }", true),
        ("pub struct Seen; impl Seen { fn ask(&self) -> Option<&Hidden> { None } }", false),
        ("pub struct Seen; impl Iterator for Seen { type Item = Hidden; }", true),
        ("pub struct Seen; impl From<Hidden> for Seen { fn from(one: Hidden) -> Self { Seen } }", false),
        ("pub enum Seen { One { of: Hidden } }", true),
        ("pub enum Seen { Hidden }", false),
        ("pub trait Seen { fn ask(&self, of: &dyn Hidden); }", true),
        ("pub trait Seen: Hidden {}", true),
        ("pub trait Seen { fn ask(&self) { Hidden::new(); } }", false),
        ("words! { /// Words.\n pub enum Seen { One = \"one\", \"about\"; } }", false),
        ("pub type Seen = Box<Hidden>;", true),
        ("#[doc(hidden)] pub fn aside() -> Hidden {} pub struct Seen;", false),
    ];
    for (text, names_it) in parts {
        let files = [
            file("src/lib.rs", "#[cfg(feature = \"dag\")] pub mod dag;"),
            file("src/dag.rs", "pub use clustersim_dag::seen::Seen;"),
            file("crates/dag/src/lib.rs", "pub mod seen; mod parts;"),
            file("crates/dag/src/parts.rs", "pub struct Hidden;"),
            file("crates/dag/src/seen.rs", &format!("use crate::parts::Hidden; {text}")),
        ];
        let sources = Sources::of(&files);
        assert_eq!(all(&sources).len(), 1, "{text}");
        assert_eq!(all(&sources)[0].features, ["dag"], "{text}");
        let missing = unpublished(&sources);
        assert_eq!(missing.contains_key("dag::parts::Hidden"), names_it, "{text}: {missing:?}");
    }
}
