//! Components by name: entries, tables of them, and the registry of all tables.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::collections::{OrderedMap, StableSort as _};
use crate::registry::{Complaint, Key, Params, suggestion};

/// One component: its name, its keys, and how it is built from them.
pub struct Entry<T: ?Sized> {
    /// The name that `kind` takes.
    pub name: &'static str,
    /// The purpose, in one line without a full stop.
    pub about: &'static str,
    /// Authors, venue and year of the published rule; empty when it is the simulator's own.
    pub source: &'static str,
    /// Keys, `kind` excepted, in the order in which they are listed.
    pub keys: &'static [Key],
    /// Builds it from checked values.
    ///
    /// # Errors
    /// Values that are each valid but cannot hold together.
    pub build: fn(&Params<'_>) -> Result<Box<T>, Complaint>,
}

/// A published name for an entry with some of its keys set: a row of data.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// The name that `kind` takes.
    pub name: &'static str,
    /// The meaning, in one line without a full stop.
    pub about: &'static str,
    /// The entry behind it.
    pub kind: &'static str,
    /// The keys it sets, and to what (a name, a choice or a quantity).
    pub set: &'static [(&'static str, &'static str)],
}

/// Presets of one entry, a row each: the name, the keys that it sets, and what it is.
#[doc(hidden)]
#[macro_export]
macro_rules! __presets {
    ($kind:literal: $($name:literal ($($key:literal = $value:literal),*) => $about:literal;)*) => {
        [$($crate::registry::Preset { name: $name, about: $about, kind: $kind, set: &[$(($key, $value)),*] }),*]
    };
}

#[doc(hidden)]
pub use __presets as presets;

/// An entry and others that are built as it is: each has a name, keys and an `about` of its own.
#[doc(hidden)]
#[macro_export]
macro_rules! __variants {
    ($Of:ident; $($name:literal $keys:expr => $about:literal;)*) => {
        [$Of, $($crate::registry::Entry { name: $name, about: $about, keys: $keys, ..$Of }),*]
    };
}

/// An [`Entry`]: its name, `=>`, what it does, and where it comes from; then `builds` and the
/// component, if it has no keys, or `keys` and `reads`: its keys, as a list or a row each as for
/// `keys!`, and the component as it is made of their values.
#[doc(hidden)]
#[macro_export]
macro_rules! __entry {
    ($name:literal => $about:expr $(, source $source:expr)?, builds $built:expr) => {
        $crate::registry::entry!($name => $about $(, source $source)?, keys &[], reads |_params| $built)
    };
    ($name:literal => $about:expr $(, source $source:expr)?, keys { $($keys:tt)* }, reads |$params:ident| $built:expr) => {
        $crate::registry::entry!(
            $name => $about $(, source $source)?, keys &$crate::registry::keys! { $($keys)* }, reads |$params| $built
        )
    };
    ($name:literal => $about:expr $(, source $source:expr)?, keys $keys:expr, reads |$params:ident| $built:expr) => {
        $crate::registry::Entry::published(
            $name, $about, $crate::registry::entry!(@source $($source)?), $keys, |$params| Ok(Box::new($built))
        )
    };
    (@source) => { "" };
    (@source $source:expr) => { $source };
}

#[doc(hidden)]
pub use __entry as entry;
#[doc(hidden)]
pub use __variants as variants;

/// The row of an entry or a preset in a table, for code that need not build it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// The purpose.
    pub about: &'static str,
    /// The source.
    pub source: &'static str,
    /// The keys that may be written.
    pub keys: &'static [Key],
    /// The preset that stands behind the name, if it is one.
    pub preset: Option<Preset>,
}

/// All components of one kind.
pub struct Table<T: ?Sized> {
    name: &'static str,
    about: &'static str,
    entries: Vec<Entry<T>>,
    presets: Vec<Preset>,
    bare: Option<(&'static str, &'static str)>,
    listed: Option<(&'static str, &'static str)>,
    /// Keys that every entry has besides its own.
    shared: &'static [Key],
}

/// A table without the type of what it builds.
pub trait Catalogue: Any + Send + Sync {
    /// The name of the table, in the singular.
    fn name(&self) -> &'static str;
    /// The purpose of its components.
    fn about(&self) -> &'static str;
    /// Entries and presets, sorted by name.
    fn rows(&self) -> Vec<Row>;
    /// The entry and the key of it that a bare value (not a name) stands for, if bare values are
    /// allowed.
    fn bare(&self) -> Option<(&'static str, &'static str)>;
    /// The entry and the key of it that a list stands for, if lists are allowed.
    fn listed(&self) -> Option<(&'static str, &'static str)>;
    /// Builds the component `kind` only to learn whether its values agree.
    ///
    /// # Errors
    /// What the entry objects to.
    fn trial(&self, kind: &str, params: &Params<'_>) -> Result<(), Complaint>;
}

/// Every table of a program, by name.
#[derive(Clone, Default)]
pub struct Registry {
    tables: OrderedMap<&'static str, Arc<dyn Catalogue>>,
    /// Extensions that higher layers register besides components, one of each type.
    extensions: Vec<Arc<dyn Any + Send + Sync>>,
    /// True if components are checked without building them.
    is_untried: bool,
}

impl<T: ?Sized> Entry<T> {
    /// An entry of the simulator's own.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        keys: &'static [Key],
        build: fn(&Params<'_>) -> Result<Box<T>, Complaint>,
    ) -> Self {
        Entry { name, about, source: "", keys, build }
    }

    /// An entry of a published rule.
    pub const fn published(
        name: &'static str,
        about: &'static str,
        source: &'static str,
        keys: &'static [Key],
        build: fn(&Params<'_>) -> Result<Box<T>, Complaint>,
    ) -> Self {
        Entry { name, about, source, keys, build }
    }

    fn row(&self) -> Row {
        Row { name: self.name, about: self.about, source: self.source, keys: self.keys, preset: None }
    }

    /// Adds keys behind its own.
    fn share(&mut self, keys: &'static [Key]) {
        if !keys.is_empty() {
            // once a registry
            self.keys = [self.keys, keys].concat().leak();
        }
    }
}

impl<T: ?Sized> Clone for Entry<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Entry<T> {}

impl<T: ?Sized> Clone for Table<T> {
    fn clone(&self) -> Self {
        let (entries, presets) = (self.entries.clone(), self.presets.clone());
        Table { entries, presets, ..*self }
    }
}

impl<T: ?Sized> fmt::Debug for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).field("keys", &self.keys).finish_non_exhaustive()
    }
}

impl<T: ?Sized + 'static> Table<T> {
    /// A table of `entries`; `name` is in the singular, as in `unknown backfill`.
    pub fn new(name: &'static str, about: &'static str, entries: &[Entry<T>]) -> Self {
        let entries = entries.to_vec();
        Table { name, about, entries, presets: Vec::new(), bare: None, listed: None, shared: &[] }
    }

    /// Adds names for settings of the entries.
    #[must_use]
    pub fn presets(mut self, presets: &[Preset]) -> Self {
        self.presets.extend_from_slice(presets);
        self
    }

    /// Gives every entry these keys besides its own: what the owner of the table reads of whatever
    /// component is named.
    #[must_use]
    pub fn shared(mut self, keys: &'static [Key]) -> Self {
        self.shared = keys;
        self.entries.iter_mut().for_each(|entry| entry.share(keys));
        self
    }

    /// Lets a bare value stand for the component `kind` with `key` set to it.
    #[must_use]
    pub fn bare(mut self, kind: &'static str, key: &'static str) -> Self {
        self.bare = Some((kind, key));
        self
    }

    /// Lets a list stand for the component `kind` with `key` set to it.
    #[must_use]
    pub fn listed(mut self, kind: &'static str, key: &'static str) -> Self {
        self.listed = Some((kind, key));
        self
    }

    /// Adds an entry that has none of the keys which the others share.
    #[must_use]
    pub fn with(mut self, entry: Entry<T>) -> Self {
        self.entries.push(entry);
        self
    }

    /// The entry called `name`; presets are not entries.
    pub fn find(&self, name: &str) -> Option<&Entry<T>> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// A line of help for a name that is not known.
    pub fn suggest(&self, written: &str) -> String {
        suggestion(written, self.rows().iter().map(|row| row.name))
    }

    /// The entries, in the order of registration.
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }
}

impl<T: ?Sized + 'static> Catalogue for Table<T> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn rows(&self) -> Vec<Row> {
        rows(self.entries.iter().map(Entry::row).collect(), &self.presets)
    }

    fn bare(&self) -> Option<(&'static str, &'static str)> {
        self.bare
    }

    fn listed(&self) -> Option<(&'static str, &'static str)> {
        self.listed
    }

    fn trial(&self, kind: &str, params: &Params<'_>) -> Result<(), Complaint> {
        let entry = self.find(kind).expect("only a checked kind is tried");
        (entry.build)(params).map(drop)
    }
}

/// The rows of entries and of the presets of these, by name.
fn rows(mut rows: Vec<Row>, presets: &[Preset]) -> Vec<Row> {
    for preset in presets {
        let entry = rows.iter().find(|row| row.name == preset.kind && row.preset.is_none());
        let (source, keys) = entry.map_or(("", &[][..]), |entry| (entry.source, entry.keys));
        rows.push(Row { name: preset.name, about: preset.about, source, keys, preset: Some(*preset) });
    }
    rows.stable_sort_by_key(|row| row.name);
    rows
}

impl Registry {
    /// No tables.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Adds a table.
    ///
    /// # Panics
    /// If a table of that name is there, or two of its components have one name: a mistake of the
    /// program.
    pub fn table<T: ?Sized + 'static>(&mut self, table: Table<T>) -> &mut Self {
        self.insert(Arc::new(table));
        self
    }

    fn insert(&mut self, table: Arc<dyn Catalogue>) {
        let (name, rows) = (table.name(), table.rows());
        let twice = rows.windows(2).find(|pair| pair[0].name == pair[1].name);
        assert!(twice.is_none(), "two components of one table have the same name: {twice:?}");
        assert!(self.tables.insert(name, table).is_none(), "the table `{name}` is registered twice");
    }

    /// Adds an entry to a table, as a user's own crate does.
    ///
    /// # Panics
    /// If there is no such table of such components, or the name is taken: a mistake of the
    /// program.
    pub fn add<T: ?Sized + 'static>(&mut self, table: &str, entry: Entry<T>) -> &mut Self {
        let catalogue = self.tables.get_mut(table).expect("the table is registered");
        let catalogue: &mut dyn Any =
            Arc::get_mut(catalogue).expect("a registry is added to before it is used");
        let table = catalogue.downcast_mut::<Table<T>>().expect("the entry is of the table's type");
        assert!(table.rows().iter().all(|row| row.name != entry.name), "the name `{}` is taken", entry.name);
        let mut entry = entry;
        entry.share(table.shared);
        table.entries.push(entry);
        self
    }

    /// The extension of type `T`, if there is one.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.extensions.iter().find_map(|extension| (**extension).downcast_ref())
    }

    /// The extension of type `T`, to be added to; a new one if there is none.
    ///
    /// # Panics
    /// If the registry is in use: a mistake of the program.
    pub fn extension_mut<T: Any + Send + Sync + Default>(&mut self) -> &mut T {
        let place = self.extensions.iter().position(|extension| (**extension).is::<T>());
        let place = place.unwrap_or_else(|| {
            self.extensions.push(Arc::new(T::default()));
            self.extensions.len() - 1
        });
        let extension = Arc::get_mut(&mut self.extensions[place]);
        let extension = extension.expect("a registry is added to before it is used");
        extension.downcast_mut().expect("it was found by its type")
    }

    /// The same tables, by which values are checked one by one: no component is built, so that
    /// values which contradict each other are not complained of.
    #[must_use]
    pub fn without_trials(&self) -> Registry {
        Registry { is_untried: true, tables: self.tables.clone(), extensions: self.extensions.clone() }
    }

    /// Returns true if checking builds each component, to learn whether its values agree.
    pub(super) fn tries(&self) -> bool {
        !self.is_untried
    }

    /// The table called `name`.
    pub fn find(&self, name: &str) -> Option<&dyn Catalogue> {
        self.tables.get(name).map(AsRef::as_ref)
    }

    /// The table called `name`, if it is of `T`s.
    pub fn typed<T: ?Sized + 'static>(&self, name: &str) -> Option<&Table<T>> {
        let catalogue: &dyn Any = self.find(name)?;
        catalogue.downcast_ref()
    }

    /// All tables, by name.
    pub fn tables(&self) -> impl Iterator<Item = &dyn Catalogue> {
        self.tables.values().map(AsRef::as_ref)
    }
}
