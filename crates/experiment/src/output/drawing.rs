//! Drawings as data: nodes, what joins them, and how they are arranged.
//!
//! Who makes a drawing states what is in it, and nothing of places and colours: those come from the
//! sink, which is one for all, so that the same drawing looks the same in a file and in the report.
//! A node may hold a drawing of its own.

/// Nodes and what joins them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Drawing {
    /// Description in a few words.
    pub about: String,
    /// Arrangement of the nodes.
    pub arrangement: Arrangement,
    /// Nodes.
    pub nodes: Vec<DrawnNode>,
    /// Edges: no two have the same ends, and none has one end twice.
    pub edges: Vec<DrawnEdge>,
    /// Text below about all edges, where there is no room for it at each.
    pub of_edges: Option<String>,
    /// Further texts below.
    pub captions: Vec<String>,
}

/// Arrangement of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrangement {
    /// By what joins them: as a tree, in layers or on a ring.
    #[default]
    Free,
    /// By their levels; edges lead from lower ones to higher ones.
    Levels,
}

/// A node of a drawing.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnNode {
    /// Shape.
    pub shape: NodeShape,
    /// Lines of text in it, its name first.
    pub text: Vec<String>,
    /// Level, from 0, where nodes are arranged by levels.
    pub level: u32,
    /// The part of the full width that it takes, where its width states an amount.
    pub share: Option<f64>,
    /// True if it stands out.
    pub is_marked: bool,
}

/// Shape of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum NodeShape {
    /// A box, or several as a stack of cards.
    Box {
        /// True if it stands for several.
        is_stack: bool,
    },
    /// A rounded box at which lines end.
    Rounded {
        /// True if its frame is double.
        is_double: bool,
    },
    /// A dot, in which nothing is written.
    Dot,
    /// A frame around another drawing, what is written in it at its top.
    Frame(Box<Drawing>),
}

/// Edge between two nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct DrawnEdge {
    /// The places of its ends among the nodes.
    pub ends: (usize, usize),
    /// Style of its line.
    pub line: EdgeLine,
    /// Text at it.
    pub text: EdgeText,
    /// True if it stands out.
    pub is_marked: bool,
}

/// Style of the line of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeLine {
    /// One line.
    Single,
    /// Two lines side by side.
    Double,
    /// A row of dots.
    Dotted,
}

/// Text at an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EdgeText {
    /// Nothing.
    Nothing,
    /// One text above the line and one below it.
    Sides(String, String),
    /// Texts one below the other.
    Rows(Vec<String>),
}

impl DrawnNode {
    /// A box with this text.
    pub fn new(text: Vec<String>) -> Self {
        DrawnNode { shape: NodeShape::Box { is_stack: false }, text, level: 0, share: None, is_marked: false }
    }

    /// The same of another shape.
    #[must_use]
    pub fn shaped(self, shape: NodeShape) -> Self {
        DrawnNode { shape, ..self }
    }
}
