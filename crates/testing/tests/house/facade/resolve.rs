//! Names found where they are declared: through imports, aliases of crates and re-exports.

use std::collections::BTreeMap;

use clustersim_testing::sources::SourceFile;

use super::modules::{Implementation, Module, ModulePath, modules};

/// Imports that lead back to themselves lead to another crate (`use async_trait::async_trait`).
const MOST_STEPS: u32 = 16;

/// A name's meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Item(ModulePath, String),
    Module(ModulePath),
}

/// The modules of all crates.
pub(super) struct Sources {
    pub(super) modules: BTreeMap<ModulePath, Module>,
    /// Implementations by the name of their type, each with its module.
    pub(super) implementations: BTreeMap<String, Vec<(ModulePath, Implementation)>>,
}

impl Sources {
    pub(super) fn of(files: &[SourceFile]) -> Self {
        let mut modules = modules(files);
        let mut implementations: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (path, module) in &mut modules {
            for one in module.implementations.drain(..) {
                let Some(name) = one.subject().and_then(|mut path| path.pop()) else { continue };
                implementations.entry(name).or_default().push((path.clone(), one));
            }
        }
        Sources { modules, implementations }
    }

    /// The meaning of a path in a module; `None` if it leads to another crate.
    pub(super) fn resolve_path(&self, module: &ModulePath, path: &[String]) -> Option<Found> {
        self.path(module, path, 0)
    }

    fn path(&self, module: &ModulePath, path: &[String], steps: u32) -> Option<Found> {
        if steps > MOST_STEPS {
            return None;
        }
        let (first, mut rest) = path.split_first()?;
        let mut found = match &**first {
            "crate" | "$crate" => Found::Module(module[..1].to_vec()),
            "self" => Found::Module(module.clone()),
            "super" => Found::Module(above(module)),
            "clustersim" => Found::Module(vec![first.clone()]),
            name => match name.strip_prefix("clustersim_") {
                Some(package) => Found::Module(vec![package.to_owned()]),
                None => self.name(module, name, rest.is_empty(), steps + 1)?,
            },
        };
        while let (Found::Module(within), Some((next, others))) = (&found, rest.split_first()) {
            found = match &**next {
                "super" => Found::Module(above(within)),
                name => self.name(within, name, others.is_empty(), steps + 1)?,
            };
            rest = others;
        }
        Some(found)
    }

    /// The meaning of a name in a module: its own item, an import, or a module below it, which
    /// comes first unless the name is the last of its path.
    fn name(&self, module: &ModulePath, name: &str, is_last: bool, steps: u32) -> Option<Found> {
        let contents = self.modules.get(module)?;
        let below: ModulePath = module.iter().cloned().chain([name.to_owned()]).collect();
        let below = self.modules.contains_key(&below).then_some(Found::Module(below));
        if !is_last && below.is_some() {
            return below;
        }
        if contents.items.contains_key(name) {
            return Some(Found::Item(module.clone(), name.to_owned()));
        }
        if let Some(import) = contents.imports.get(name) {
            return self.path(module, &import.path, steps + 1);
        }
        let by_glob = |glob: &Vec<String>| match self.path(module, glob, steps + 1)? {
            Found::Module(other) if other != *module => self.name(&other, name, is_last, steps + 1),
            _ => None,
        };
        below.or_else(|| contents.globs.iter().find_map(by_glob))
    }
}

fn above(module: &ModulePath) -> ModulePath {
    module[..module.len().saturating_sub(1).max(1)].to_vec()
}
