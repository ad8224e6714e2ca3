//! The formats of task graphs, by name and by text.

/// A format of task graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GraphFormat {
    /// The text of DAGSim: `DagDescription 1`.
    DagText,
    /// Abstract DAGs of Pegasus, in XML.
    Dax,
    /// Directed graphs of Graphviz.
    Dot,
    /// The Standard Task Graph Set.
    Stg,
    /// JSON of WfCommons.
    WfFormat,
}

impl GraphFormat {
    /// All of them, by name.
    pub const ALL: [GraphFormat; 5] = [Self::DagText, Self::Dax, Self::Dot, Self::Stg, Self::WfFormat];

    /// Its name, which is that of its entry among the applications.
    pub fn name(self) -> &'static str {
        match self {
            GraphFormat::DagText => "dag-text",
            GraphFormat::Dax => "dax",
            GraphFormat::Dot => "dot",
            GraphFormat::Stg => "stg",
            GraphFormat::WfFormat => "wfformat",
        }
    }

    /// How names of such files end, `.gz` aside; the first is the one to write.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            GraphFormat::DagText => &[".dag"],
            GraphFormat::Dax => &[".dax", ".xml"],
            GraphFormat::Dot => &[".dot", ".gv"],
            GraphFormat::Stg => &[".stg"],
            GraphFormat::WfFormat => &[".json"],
        }
    }

    /// The format that a file's name stands for.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.strip_suffix(".gz").unwrap_or(name);
        Self::ALL.into_iter().find(|format| format.endings().iter().any(|ending| name.ends_with(ending)))
    }

    /// The format of a text that begins like this.
    pub fn of_text(head: &str) -> Option<Self> {
        let mut lines = head.lines().map(str::trim_start);
        let head = lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
        let word = head.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        match (head.as_bytes().first()?, word) {
            (b'<', _) => Some(GraphFormat::Dax),
            (b'{', _) => Some(GraphFormat::WfFormat),
            (b'/', _) | (_, "digraph" | "graph" | "strict") => Some(GraphFormat::Dot),
            (_, "DagDescription") => Some(GraphFormat::DagText),
            (b'0'..=b'9', _) => Some(GraphFormat::Stg),
            _ => None,
        }
    }
}
