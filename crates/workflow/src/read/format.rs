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
    /// Abstract workflows of Pegasus 5, in YAML.
    Pegasus,
    /// The Standard Task Graph Set.
    Stg,
    /// JSON of WfCommons.
    WfFormat,
}

impl GraphFormat {
    /// All of them, by name.
    pub const ALL: [GraphFormat; 6] =
        [Self::DagText, Self::Dax, Self::Dot, Self::Pegasus, Self::Stg, Self::WfFormat];

    /// Name, which is that of its entry among the applications.
    pub fn name(self) -> &'static str {
        match self {
            GraphFormat::DagText => "dag-text",
            GraphFormat::Dax => "dax",
            GraphFormat::Dot => "dot",
            GraphFormat::Pegasus => "pegasus",
            GraphFormat::Stg => "stg",
            GraphFormat::WfFormat => "wfformat",
        }
    }

    /// Endings of the names of such files, `.gz` aside; the first is the one to write.
    pub const fn endings(self) -> &'static [&'static str] {
        match self {
            GraphFormat::DagText => &[".dag"],
            GraphFormat::Dax => &[".dax", ".xml"],
            GraphFormat::Dot => &[".dot", ".gv"],
            GraphFormat::Pegasus => &[".yml", ".yaml"],
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
        let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'))?;
        let word = first.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        match (first.as_bytes().first()?, word) {
            (b'<', _) => Some(GraphFormat::Dax),
            (b'{', _) if is_pegasus(head) => Some(GraphFormat::Pegasus),
            (b'{', _) => Some(GraphFormat::WfFormat),
            (b'/', _) | (_, "digraph" | "graph" | "strict") => Some(GraphFormat::Dot),
            (_, "DagDescription") => Some(GraphFormat::DagText),
            (b'0'..=b'9', _) => Some(GraphFormat::Stg),
            _ if is_pegasus(head) => Some(GraphFormat::Pegasus),
            _ => None,
        }
    }
}

/// Returns true if a text begins as abstract workflows of Pegasus 5 do: with the key `pegasus` of
/// its outermost map, in YAML, or in JSON, which is YAML, too.
pub(super) fn is_pegasus(head: &str) -> bool {
    let is_key = |rest: &str, name: &str| {
        rest.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(':'))
    };
    let in_json = || head.match_indices("\"pegasus\"").any(|(at, name)| is_key(&head[at..], name));
    let in_yaml = |line: &str| ["pegasus", "\"pegasus\"", "'pegasus'"].iter().any(|name| is_key(line, name));
    if head.trim_start().starts_with('{') { in_json() } else { head.lines().any(in_yaml) }
}
