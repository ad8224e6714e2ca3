//! DOT: directed graphs of Graphviz, as SimGrid writes them, and as Snakemake, Nextflow, dask and
//! Airflow draw theirs.
//!
//! `size` of a node, or another attribute that the scenario names, is its work \[flop\]; `size` of
//! an edge is its bytes, and an edge whose size is missing or not above 0 is a control edge. Nodes
//! called `root` and `end`, in any case, are root and end. `category` is that of the task, and
//! `cores` the number of cores that it holds, where the scenario has it count; other attributes are
//! kept as properties. These four may also be defaults, of the nodes and edges that are met first
//! in the same braces; other defaults and attributes of the whole graph mean nothing here. A second
//! statement about a node adds to the first.
//!
//! A subgraph is the nodes in it: an edge from or to it is one of each. Ports say where an edge is
//! drawn. Not read, and refused at their places: undirected graphs and edges.
//!
//! Source: the documentation of Graphviz, "DOT Language"; the loader of SimGrid 4.1 (H. Casanova et
//! al., JPDC 74(10), 2014).

use crate::draft::{Draft, EdgeOrigin, Irregularity, MOST_FILE_EDGES, Vertex, VertexKind};
use crate::graph::Task;
use crate::read::ReadOptions;
use crate::read::dot_words::{Lexer, Parsed, Token, wrong};
use crate::text::{Mistake, Spot};

/// Greatest depth of subgraphs within each other.
const DEEPEST: usize = 64;

/// An attribute: its name, and its value with its place.
type Attribute = (String, String, Spot);

/// A node of the text and where it is named.
type Named = (Vertex, Spot);

/// Cost and cores that the text states of a node, or of those that are met first in some braces.
#[derive(Clone, Copy, Default)]
struct Stated {
    cost: Option<f64>,
    cores: Option<u32>,
}

/// The scope of a pair of braces: attributes of nodes and edges that are met first in it, and the
/// nodes that are named in it.
#[derive(Default)]
struct Scope {
    stated: Stated,
    category: Option<Box<str>>,
    bytes: Option<u64>,
    nodes: Vec<Named>,
}

struct Reader<'a, 'd> {
    lexer: Lexer<'a>,
    token: Token,
    spot: Spot,
    draft: &'d mut Draft,
    options: &'d ReadOptions,
    /// The braces that are open, the outermost first.
    scopes: Vec<Scope>,
    /// By vertex.
    stated: Vec<Stated>,
    /// Edges between groups so far.
    grouped: usize,
}

/// Reads a graph. A statement that breaks the grammar, or is not read, is a mistake, and the next
/// one is read; a text that ends within a word is read no further.
pub(super) fn read(text: &str, draft: &mut Draft, options: &ReadOptions) -> Result<(), Mistake> {
    let lexer = Lexer { text, at: 0 };
    let (scopes, stated) = (vec![Scope::default()], Vec::new());
    let mut reader =
        Reader { lexer, token: Token::End, spot: Spot::NOWHERE, draft, options, scopes, stated, grouped: 0 };
    reader.graph()?;
    let stated = reader.stated;
    for (name, spot) in draft.undefined() {
        let kind = kind(&name);
        if kind == VertexKind::Computation {
            draft.count(Irregularity::EdgesOnly, &name);
        }
        draft.define(Task::new(name, 0.0), kind, spot);
    }
    for (key, Stated { cost, cores }) in (0..).zip(stated) {
        let mut task = draft.task_mut(Vertex(key));
        if let Some(task) = &mut task {
            task.cores = cores.unwrap_or(1);
        }
        match (cost, task) {
            (Some(cost), Some(task)) => task.work = cost,
            (None, Some(task)) if kind(&task.name) == VertexKind::Computation => {
                draft.without_cost(Vertex(key));
            }
            _ => {}
        }
    }
    Ok(())
}

fn kind(name: &str) -> VertexKind {
    if name.eq_ignore_ascii_case("root") {
        VertexKind::Root
    } else if name.eq_ignore_ascii_case("end") {
        VertexKind::End
    } else {
        VertexKind::Computation
    }
}

impl Reader<'_, '_> {
    fn step(&mut self) -> Parsed<()> {
        (self.token, self.spot) = self.lexer.next()?;
        Ok(())
    }

    /// Returns true if the token is this unquoted word, in any case.
    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token, Token::Word(found, false) if found.eq_ignore_ascii_case(word))
    }

    fn expect<T>(&self, what: &str) -> Parsed<T> {
        match &self.token {
            Token::End => wrong(format!("the file ends too early: {what} should follow"), self.spot),
            _ => wrong(format!("{what} should stand here"), self.spot),
        }
    }

    fn word(&mut self, what: &str) -> Parsed<(String, Spot)> {
        let Token::Word(word, _) = &mut self.token else { return self.expect(what) };
        let found = (std::mem::take(word), self.spot);
        self.step()?;
        Ok(found)
    }

    fn mark(&mut self, mark: char) -> Parsed<bool> {
        let found = self.token == Token::Mark(mark);
        if found {
            self.step()?;
        }
        Ok(found)
    }

    fn graph(&mut self) -> Parsed<()> {
        self.step()?;
        if self.is_word("strict") {
            self.step()?;
        }
        if self.is_word("graph") {
            return wrong("an undirected graph is not read: write `digraph`", self.spot);
        }
        if !self.is_word("digraph") {
            return self.expect("`digraph`");
        }
        self.step()?;
        if let Token::Word(..) = self.token {
            self.word("the name of the graph")?;
        }
        if !self.mark('{')? {
            return self.expect("`{`");
        }
        self.statements()?;
        if self.token == Token::End || self.draft.is_full() {
            Ok(())
        } else {
            self.expect("the end of the file")
        }
    }

    /// The statements up to a closing brace.
    fn statements(&mut self) -> Parsed<()> {
        while !self.mark('}')? {
            if self.token == Token::End {
                return self.expect("`}`");
            }
            if let Err(mistake) = self.statement() {
                match self.pass_over() {
                    Ok(()) if self.token != Token::End => self.draft.push(mistake),
                    Err(broken) if broken != mistake => {
                        self.draft.push(mistake);
                        return Err(broken);
                    }
                    _ => return Err(mistake),
                }
            }
            if self.draft.is_full() {
                return Ok(());
            }
            while self.mark(';')? || self.mark(',')? {}
        }
        Ok(())
    }

    /// Goes to where the next statement may begin: behind a `;` or the end of the line, brackets
    /// closed.
    fn pass_over(&mut self) -> Parsed<()> {
        let mut depth = 0_usize;
        loop {
            match self.token {
                Token::End => return Ok(()),
                Token::Mark('}') if depth == 0 => return Ok(()),
                Token::Mark('{' | '[') => depth += 1,
                Token::Mark('}' | ']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            let is_end = self.token == Token::Mark(';');
            let end = (self.spot.at + u64::from(self.spot.width)) as usize;
            self.step()?;
            let is_new_line = self.lexer.text[end..self.spot.at as usize].contains('\n');
            if depth == 0 && (is_end || is_new_line) {
                return Ok(());
            }
        }
    }

    fn statement(&mut self) -> Parsed<()> {
        let default = ["graph", "node", "edge"].into_iter().find(|word| self.is_word(word));
        if let Some(of) = default {
            self.step()?;
            return self.defaults(of);
        }
        if self.token == Token::Mark('{') || self.is_word("subgraph") {
            let group = self.subgraph()?;
            return if self.token == Token::Arrow { self.edges(group) } else { Ok(()) };
        }
        let (name, spot) = self.word("the name of a node")?;
        if self.mark('=')? {
            return self.word("a value").map(drop);
        }
        self.port()?;
        if self.token == Token::Mark('-') {
            return wrong("an undirected edge is not read: write `->`", self.spot);
        }
        let node = self.named(&name, spot);
        if self.token == Token::Arrow { self.edges(vec![node]) } else { self.node(name, node) }
    }

    /// Attributes of the nodes or edges that are met first from here to the end of the braces.
    fn defaults(&mut self, of: &str) -> Parsed<()> {
        for (key, value, at) in self.attributes()? {
            if of == "node" && *key == *self.options.cost_attribute {
                let cost = self.cost(&value, at);
                self.scope().stated.cost = Some(cost);
            } else if of == "node" && self.is_cores(&key) {
                let cores = self.draft.cores(value.trim(), at);
                self.scope().stated.cores = Some(cores);
            } else if of == "node" && key == "category" {
                self.scope().category = Some(value.into());
            } else if of == "edge" && *key == *self.options.bytes_attribute {
                let bytes = self.bytes(&value, at);
                self.scope().bytes = bytes;
            }
        }
        Ok(())
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the outermost braces are never taken out")
    }

    /// A node by its name, in all braces that are open.
    fn named(&mut self, name: &str, spot: Spot) -> Named {
        let vertex = self.draft.vertex(name, spot);
        let is_grouped = self.scopes.len() > 1;
        let scope = self.scope();
        let stated = scope.stated;
        if is_grouped {
            scope.nodes.push((vertex, spot));
        }
        if self.stated.len() <= vertex.0 as usize {
            self.stated.push(stated);
        }
        (vertex, spot)
    }

    /// `[attributes]` of a node; a second statement about it adds to the first.
    fn node(&mut self, name: String, (vertex, spot): Named) -> Parsed<()> {
        let mut category = None;
        let mut properties: Vec<(Box<str>, Box<str>)> = Vec::new();
        for (key, value, at) in self.attributes()? {
            if *key == *self.options.cost_attribute {
                self.stated[vertex.0 as usize].cost = Some(self.cost(&value, at));
            } else if self.is_cores(&key) {
                self.stated[vertex.0 as usize].cores = Some(self.draft.cores(value.trim(), at));
            } else if key == "category" {
                category = Some(value.into());
            } else {
                properties.push((key.into(), value.into()));
            }
        }
        if !self.draft.is_defined(vertex) {
            let category = category.or_else(|| self.scope().category.clone());
            let properties = (!properties.is_empty()).then(|| Box::new(properties.into_boxed_slice()));
            let kind = kind(&name);
            self.draft.define(Task { category, properties, ..Task::new(name, 0.0) }, kind, spot);
        } else if let Some(task) = self.draft.task_mut(vertex) {
            task.category = category.or(task.category.take());
            if !properties.is_empty() {
                let known = task.properties.take().map_or_else(Vec::new, |known| known.into_vec());
                let is_old = |(key, _): &(Box<str>, Box<str>)| properties.iter().all(|(new, _)| new != key);
                let mut all: Vec<_> = known.into_iter().filter(is_old).collect();
                all.append(&mut properties);
                task.properties = Some(Box::new(all.into_boxed_slice()));
            }
        }
        Ok(())
    }

    /// `:port` and `:port:compass`, which say where an edge is drawn.
    fn port(&mut self) -> Parsed<()> {
        while self.mark(':')? {
            self.word("the name of a port")?;
        }
        Ok(())
    }

    /// `subgraph name { … }`, of which both words may be missing: the nodes in it, each once.
    fn subgraph(&mut self) -> Parsed<Vec<Named>> {
        if self.is_word("subgraph") {
            self.step()?;
            if let Token::Word(..) = self.token {
                self.word("the name of the subgraph")?;
            }
        }
        let at = self.spot;
        if !self.mark('{')? {
            return self.expect("`{`");
        }
        if self.scopes.len() > DEEPEST {
            return wrong(format!("more than {DEEPEST} subgraphs within each other"), at);
        }
        let Scope { stated, bytes, ref category, .. } = *self.scope();
        let scope = Scope { stated, bytes, category: category.clone(), nodes: Vec::new() };
        self.scopes.push(scope);
        let read = self.statements();
        let mut nodes = self.scopes.pop().map_or_else(Vec::new, |scope| scope.nodes);
        read?;
        nodes.sort_by_key(|(vertex, _)| *vertex);
        nodes.dedup_by_key(|(vertex, _)| *vertex);
        if self.scopes.len() > 1 {
            self.scope().nodes.extend(&nodes);
        }
        Ok(nodes)
    }

    /// An end of an edge: a node, or all nodes of a subgraph.
    fn end(&mut self) -> Parsed<Vec<Named>> {
        if self.token == Token::Mark('{') || self.is_word("subgraph") {
            return self.subgraph();
        }
        let (name, spot) = self.word("the name of a node")?;
        self.port()?;
        Ok(vec![self.named(&name, spot)])
    }

    /// `a -> b -> {c d} [attributes]`
    fn edges(&mut self, first: Vec<Named>) -> Parsed<()> {
        let mut chain = vec![first];
        while self.token == Token::Arrow {
            self.step()?;
            chain.push(self.end()?);
        }
        let mut bytes = self.scope().bytes;
        let mut properties: Vec<(Box<str>, Box<str>)> = Vec::new();
        for (key, value, at) in self.attributes()? {
            if *key == *self.options.bytes_attribute {
                bytes = self.bytes(&value, at);
            } else {
                properties.push((key.into(), value.into()));
            }
        }
        for pair in chain.windows(2) {
            let count = pair[0].len().saturating_mul(pair[1].len());
            if count > 1 {
                self.grouped = self.grouped.saturating_add(count);
            }
            if self.grouped > MOST_FILE_EDGES {
                let message = format!("a graph has at most {MOST_FILE_EDGES} edges between subgraphs");
                self.draft.full(message, pair[1].first().map_or(Spot::NOWHERE, |(_, spot)| *spot));
                return Ok(());
            }
            for ((from, _), (to, spot)) in
                pair[0].iter().flat_map(|from| pair[1].iter().map(move |to| (from, to)))
            {
                self.draft.edge(*from, *to, bytes, EdgeOrigin::Parents, *spot);
                if !properties.is_empty() {
                    self.draft.mark_edge(properties.clone().into());
                }
            }
        }
        Ok(())
    }

    /// Returns true if this attribute of a node is its number of cores.
    fn is_cores(&self, key: &str) -> bool {
        self.options.cores && key == "cores"
    }

    fn cost(&mut self, value: &str, at: Spot) -> f64 {
        let what = format!("the {}", self.options.cost_attribute);
        self.draft.amount(&what, value.trim(), at)
    }

    /// The bytes of an edge; `None` of one that only orders.
    fn bytes(&mut self, value: &str, at: Spot) -> Option<u64> {
        match value.trim().parse::<f64>() {
            Ok(size) if size <= 0.0 => None,
            _ => Some(self.draft.size("the size", value.trim(), at)),
        }
    }

    /// `[key = value, …]`, as often as it is there.
    fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        let mut found = Vec::new();
        while self.mark('[')? {
            while !self.mark(']')? {
                let (key, at) = self.word("the name of an attribute")?;
                let (value, at) = if self.mark('=')? { self.word("a value")? } else { (String::new(), at) };
                found.push((key, value, at));
                while self.mark(',')? || self.mark(';')? {}
            }
        }
        Ok(found)
    }
}
