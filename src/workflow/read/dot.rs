//! DOT: directed graphs of Graphviz, as SimGrid writes them.
//!
//! `size` of a node is its work \[flop\]; `size` of an edge is its bytes, and an edge whose size is missing or not above 0 is a control
//! edge. Nodes called `root` and `end`, in any case, are root and end. A node without a `size` has no work. `category` is that of the
//! task; other attributes are kept as properties. Attributes of the whole graph, and defaults without a `size`, mean nothing here.
//!
//! Not read, and refused at their places: ports, subgraphs, undirected graphs and edges.
//!
//! Source: the documentation of Graphviz, "DOT Language"; the loader of SimGrid 4.1 (H. Casanova et al., JPDC 74(10), 2014).

use crate::text::{Mistake, Spot};
use crate::workflow::draft::{Draft, EdgeOrigin, Irregularity, VertexKind};
use crate::workflow::graph::Task;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name or value, and whether it is quoted.
    Word(String, bool),
    /// `->`
    Arrow,
    /// One of `{}[];,=:` or a character that has no meaning.
    Mark(char),
    End,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

type Parsed<T> = Result<T, Mistake>;

fn wrong<T>(message: impl Into<String>, spot: Spot) -> Parsed<T> {
    Err(Mistake { message: message.into(), help: None, spot })
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) -> Parsed<()> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let (rest, begins_line) = (self.rest(), self.text[..self.at].ends_with('\n') || self.at == 0);
            let length = if rest.starts_with("//") || (rest.starts_with('#') && begins_line) {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => return wrong("the comment has no end", Spot::new(self.at as u64, 2)),
                }
            } else {
                return Ok(());
            };
            self.at += length;
        }
    }

    fn next(&mut self) -> Parsed<(Token, Spot)> {
        self.skip_blanks()?;
        let (start, rest) = (self.at, &self.text[self.at..]);
        let Some(first) = rest.chars().next() else { return Ok((Token::End, Spot::new(start as u64, 0))) };
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let token = if rest.starts_with("->") {
            self.at += 2;
            Token::Arrow
        } else if first == '"' {
            return self.quoted();
        } else if is_letter(first)
            || first == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            // an exponent may have a sign
            let mut before = ' ';
            let is_number = first.is_ascii_digit() || first == '-' || first == '.';
            let end = rest.char_indices().find(|(place, letter)| {
                let belongs = is_letter(*letter)
                    || *place == 0
                    || (is_number
                        && matches!(letter, '+' | '-')
                        && matches!(before, 'e' | 'E')
                        && !rest[*place..].starts_with("->"));
                before = *letter;
                !belongs
            });
            let length = end.map_or(rest.len(), |(place, _)| place);
            self.at += length;
            Token::Word(rest[..length].to_owned(), false)
        } else {
            self.at += first.len_utf8();
            Token::Mark(first)
        };
        Ok((token, Spot::new(start as u64, self.at - start)))
    }

    fn quoted(&mut self) -> Parsed<(Token, Spot)> {
        let start = self.at;
        let mut word = String::new();
        let mut letters = self.text[start + 1..].char_indices();
        while let Some((place, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at = start + 1 + place + 1;
                    return Ok((Token::Word(word, true), Spot::new(start as u64, self.at - start)));
                }
                '\\' => match letters.next() {
                    Some((_, '"')) => word.push('"'),
                    Some((_, '\n')) => {}
                    Some((_, other)) => word.extend(['\\', other]),
                    None => break,
                },
                _ => word.push(letter),
            }
        }
        wrong("the text has no closing quote", Spot::new(start as u64, 1))
    }
}

/// An attribute: its name, and its value with its place.
type Attribute = (String, String, Spot);

struct Reader<'a, 'd> {
    lexer: Lexer<'a>,
    token: Token,
    spot: Spot,
    draft: &'d mut Draft,
}

/// Reads a graph. A statement that breaks the grammar, or is not read, is a mistake, and the next one is read; a text that ends within a
/// word is read no further.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), Mistake> {
    let lexer = Lexer { text, at: 0 };
    let mut reader = Reader { lexer, token: Token::End, spot: Spot::NOWHERE, draft };
    reader.graph()?;
    for (name, spot) in draft.undefined() {
        let kind = kind(&name);
        if kind == VertexKind::Computation {
            draft.count(Irregularity::WithoutWork, &name);
        }
        draft.define(Task::new(name, 0.0), kind, spot);
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

    /// Whether the token is this unquoted word, in any case.
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
        if self.token == Token::End { Ok(()) } else { self.expect("the end of the file") }
    }

    /// Goes to where the next statement may begin: behind a `;` or the end of the line, brackets closed.
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
        if self.token == Token::Mark('{') || self.is_word("subgraph") {
            return wrong("a subgraph is not read", self.spot);
        }
        let is_default = ["graph", "node", "edge"].iter().any(|word| self.is_word(word));
        let (name, spot) = self.word("the name of a node")?;
        if is_default {
            let size = self.attributes()?.into_iter().find(|(key, ..)| key == "size" && name != "graph");
            if let Some((_, _, at)) = size {
                self.draft.mistake("a default size is not read: give each its own", at);
            }
            return Ok(());
        }
        if self.mark('=')? {
            return self.word("a value").map(drop);
        }
        self.no_port()?;
        if self.token == Token::Arrow {
            return self.edges(name, spot);
        }
        if self.token == Token::Mark('-') {
            return wrong("an undirected edge is not read: write `->`", self.spot);
        }
        let mut work = None;
        let mut category = None;
        let mut properties = Vec::new();
        for (key, value, at) in self.attributes()? {
            match &*key {
                "size" => work = Some(self.draft.amount("the size", value.trim(), at)),
                "category" => category = Some(value.into()),
                _ => properties.push((key.into(), value.into())),
            }
        }
        let kind = kind(&name);
        if work.is_none() && kind == VertexKind::Computation {
            self.draft.count(Irregularity::WithoutWork, &name);
        }
        let properties = (!properties.is_empty()).then(|| Box::new(properties.into_boxed_slice()));
        let task = Task { category, properties, ..Task::new(name, work.unwrap_or(0.0)) };
        self.draft.define(task, kind, spot);
        Ok(())
    }

    fn no_port(&self) -> Parsed<()> {
        if self.token == Token::Mark(':') { wrong("a port is not read", self.spot) } else { Ok(()) }
    }

    /// `a -> b -> c [attributes]`
    fn edges(&mut self, name: String, spot: Spot) -> Parsed<()> {
        let mut chain = vec![(name, spot)];
        while self.token == Token::Arrow {
            self.step()?;
            if self.token == Token::Mark('{') || self.is_word("subgraph") {
                return wrong("a subgraph is not read", self.spot);
            }
            chain.push(self.word("the name of a node")?);
            self.no_port()?;
        }
        let mut bytes = None;
        let mut properties: Vec<(Box<str>, Box<str>)> = Vec::new();
        for (key, value, at) in self.attributes()? {
            match value.trim().parse::<f64>() {
                _ if key != "size" => properties.push((key.into(), value.into())),
                Ok(size) if size <= 0.0 => bytes = None,
                _ => bytes = Some(self.draft.size("the size", value.trim(), at)),
            }
        }
        for pair in chain.windows(2) {
            let [from, to] = [&pair[0], &pair[1]].map(|(name, spot)| self.draft.vertex(name, *spot));
            self.draft.edge(from, to, bytes, EdgeOrigin::Parents, pair[1].1);
            if !properties.is_empty() {
                self.draft.mark_edge(properties.clone().into());
            }
        }
        Ok(())
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
