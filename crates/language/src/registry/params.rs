//! Reading checked values into the fields of a model.

use std::path::PathBuf;

use crate::kernel::SimDuration;
use crate::registry::{Complaint, Node, Registry, Sources, Span, Tree, Value, code};
use crate::units::{BadQuantity, Bandwidth, Bytes, Flops, Moment, Power, Speed, duration, share};

/// The values of one component, checked and complete, and what is needed to build the ones inside
/// it.
#[derive(Clone, Copy)]
pub struct Params<'a> {
    registry: &'a Registry,
    sources: &'a Sources,
    tree: &'a Tree,
    span: Span,
}

/// A type that a value can be read into.
pub trait Parameter: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The value does not fit into the type.
    fn from_node(node: &Node) -> Result<Self, Complaint>;

    /// The value of an absent key; `None` if the type has no such thing.
    fn absent() -> Option<Self> {
        None
    }
}

impl<'a> Params<'a> {
    /// Reads from `node`, a table that `check` gave back.
    ///
    /// # Panics
    /// If `node` is no table: checked components and sections always are.
    pub fn new(registry: &'a Registry, sources: &'a Sources, node: &'a Node) -> Self {
        let tree = node.as_table().expect("a checked component is a table");
        Params { registry, sources, tree, span: node.span }
    }

    /// The value of the key `name`.
    ///
    /// # Errors
    /// The value does not fit into `T`, for example a count of 2^40 into 32 bits.
    ///
    /// # Panics
    /// If the model did not declare the key, or declared that it may be absent and reads it into a
    /// type that has no absent value.
    pub fn read<T: Parameter>(&self, name: &str) -> Result<T, Complaint> {
        match self.tree.get(name) {
            Some(node) => T::from_node(node),
            None => Ok(T::absent()
                .unwrap_or_else(|| panic!("the key `{name}` is declared, and optional if read so"))),
        }
    }

    /// The one of `choices` that the key `name` names.
    ///
    /// # Errors
    /// The text is none of them; `check` has said so before if the key's declaration lists the same
    /// names.
    pub fn pick<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, Complaint> {
        let text: String = self.read(name)?;
        let choice = choices.iter().find(|(known, _)| *known == text);
        choice
            .map(|&(_, value)| value)
            .ok_or_else(|| self.complaint(name, format!("unknown choice `{text}`")))
    }

    /// The file that the key `name` names, from where the program runs.
    ///
    /// # Errors
    /// The value is no text.
    pub fn path(&self, name: &str) -> Result<PathBuf, Complaint> {
        let text: String = self.read(name)?;
        Ok(self.sources.root().join(text))
    }

    /// The component under the key `name`, built.
    ///
    /// # Errors
    /// What the component objects to.
    ///
    /// # Panics
    /// If the table `table` is not one of `T`s: a mistake of the program.
    pub fn component<T: ?Sized + 'static>(&self, name: &str, table: &str) -> Result<Box<T>, Complaint> {
        let node = self.tree.get(name).unwrap_or_else(|| panic!("the component `{name}` is declared"));
        self.built(node, table)
    }

    /// The component under the key `name`, built, if there is one.
    ///
    /// # Errors
    /// What the component objects to.
    ///
    /// # Panics
    /// As [`Params::component`].
    pub fn component_if_any<T: ?Sized + 'static>(
        &self,
        name: &str,
        table: &str,
    ) -> Result<Option<Box<T>>, Complaint> {
        self.tree.get(name).map(|node| self.built(node, table)).transpose()
    }

    /// The components that the list under the key `name` holds, each built, in order.
    ///
    /// # Errors
    /// What the first component that objects objects to.
    ///
    /// # Panics
    /// If the key is not declared as a list, or the table `table` is not one of `T`s: a mistake of
    /// the program.
    pub fn components<T: ?Sized + 'static>(&self, name: &str, table: &str) -> Result<Vec<Box<T>>, Complaint> {
        assert!(self.has(name), "the list `{name}` is declared");
        self.items(name).iter().map(|node| self.built(node, table)).collect()
    }

    fn built<T: ?Sized + 'static>(&self, node: &'a Node, table: &str) -> Result<Box<T>, Complaint> {
        let table = self.registry.typed::<T>(table).expect("the table is registered with this type");
        let (inner, kind) = self.of_kind(node)?;
        let entry = table.find(&kind).expect("a checked component has a known kind");
        (entry.build)(&inner)
    }

    fn of_kind(&self, node: &'a Node) -> Result<(Params<'a>, String), Complaint> {
        let inner = Params::new(self.registry, self.sources, node);
        let kind = inner.read("kind")?;
        Ok((inner, kind))
    }

    /// The tables that components are built from.
    pub fn registry(&self) -> &'a Registry {
        self.registry
    }

    /// The texts that places point into.
    pub fn sources(&self) -> &'a Sources {
        self.sources
    }

    /// The section under the key `name`, a table without `kind`.
    ///
    /// # Panics
    /// If the key is not declared as a table.
    #[must_use]
    pub fn section(&self, name: &str) -> Params<'a> {
        let node = self.tree.get(name).unwrap_or_else(|| panic!("the section `{name}` is declared"));
        Params::new(self.registry, self.sources, node)
    }

    /// The values of another node, a table that `check` gave back or that was laid together from
    /// such.
    ///
    /// # Panics
    /// As [`Params::new`].
    #[must_use]
    pub fn with<'b>(&self, node: &'b Node) -> Params<'b>
    where
        'a: 'b,
    {
        Params::new(self.registry, self.sources, node)
    }

    /// The elements of the list `name`; none if it has no value.
    pub fn items(&self, name: &str) -> &'a [Node] {
        self.tree.get(name).map_or(&[], Node::items)
    }

    /// Returns true if the key `name` has a value.
    pub fn has(&self, name: &str) -> bool {
        self.tree.get(name).is_some()
    }

    /// The place of the value of `name`, or of the whole table if it has none.
    pub fn span(&self, name: &str) -> Span {
        self.tree.get(name).map_or(self.span, |node| node.span)
    }

    /// A complaint that the value of `name` cannot hold together with others.
    pub fn complaint(&self, name: &str, message: impl Into<String>) -> Complaint {
        Complaint::new(code::CONTRADICTION, message, self.span(name))
    }

    /// The keys and values themselves.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }
}

/// A value is of another type than the one it is read into.
pub fn misfit(node: &Node, expected: &str) -> Complaint {
    Complaint::new(code::TYPE, format!("expected {expected}, found {}", node.type_name()), node.span)
}

impl Parameter for bool {
    fn from_node(node: &Node) -> Result<Self, Complaint> {
        match node.value {
            Value::Boolean(flag) => Ok(flag),
            _ => Err(misfit(node, "true or false")),
        }
    }
}

impl Parameter for String {
    fn from_node(node: &Node) -> Result<Self, Complaint> {
        node.as_text().map(ToOwned::to_owned).ok_or_else(|| misfit(node, "a string"))
    }
}

impl Parameter for f64 {
    /// A bare number, a share with `%`, a computing speed or data rate per second, bytes, or a
    /// duration in seconds.
    fn from_node(node: &Node) -> Result<Self, Complaint> {
        match &node.value {
            Value::Integer(number) => Ok(*number as f64),
            Value::Float(number) => Ok(*number),
            Value::String(text) => {
                // no unit of one is a unit of another
                let sized = || {
                    let speed = Speed::parse(text).map(Speed::flops_per_sec);
                    let rate = || Bandwidth::parse(text).map(Bandwidth::bytes_per_sec);
                    speed.or_else(|_| rate()).or_else(|_| Bytes::parse(text).map(|size| size.get() as f64))
                };
                match (share(text).or_else(|_| sized()), duration(text)) {
                    (Ok(number), _) => Ok(number),
                    (_, Ok(nanos)) => Ok(nanos as f64 / 1e9),
                    (_, Err(bad)) => {
                        Err(Complaint::new(code::QUANTITY, bad.problem, node.span).label(bad.expected))
                    }
                }
            }
            _ => Err(misfit(node, "a number")),
        }
    }
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl Parameter for $type {
            fn from_node(node: &Node) -> Result<Self, Complaint> {
                let Value::Integer(number) = node.value else { return Err(misfit(node, "a whole number")) };
                <$type>::try_from(number).map_err(|_| {
                    Complaint::new(code::RANGE, format!("{number} is out of range"), node.span)
                        .label(format!("from {} to {}", <$type>::MIN, <$type>::MAX))
                })
            }
        }
    )*};
}

whole_numbers!(u8, u16, u32, u64, usize, i64);

macro_rules! quantities {
    ($($type:ty = $expected:literal, $parse:expr;)*) => {$(
        impl Parameter for $type {
            fn from_node(node: &Node) -> Result<Self, Complaint> {
                let text = node.as_text().ok_or_else(|| misfit(node, $expected))?;
                $parse(text).map_err(|bad: BadQuantity| {
                    Complaint::new(code::QUANTITY, bad.problem, node.span).label(bad.expected).help(bad.help)
                })
            }
        }
    )*};
}

quantities!(
    Bytes = "an amount of data", Bytes::parse;
    Flops = "an amount of computation", Flops::parse;
    Bandwidth = "a data rate", Bandwidth::parse;
    Speed = "a computing speed", Speed::parse;
    Power = "a power", Power::parse;
    SimDuration = "a duration", |text| duration(text).map(SimDuration::from_nanos);
    Moment = "a duration, a date or a weekday", Moment::parse;
);

impl From<SimDuration> for Moment {
    fn from(span: SimDuration) -> Self {
        Moment::After(span.as_nanos())
    }
}

impl<T: Parameter> Parameter for Option<T> {
    fn from_node(node: &Node) -> Result<Self, Complaint> {
        T::from_node(node).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Parameter> Parameter for Vec<T> {
    fn from_node(node: &Node) -> Result<Self, Complaint> {
        match &node.value {
            Value::Array(nodes) => nodes.iter().map(T::from_node).collect(),
            _ => Err(misfit(node, "an array")),
        }
    }
}
