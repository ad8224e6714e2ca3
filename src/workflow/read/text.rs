//! The text of DAGSim, and words of lines with their places.
//!
//! ```text
//! DagDescription 1
//! node <name> <seconds> [root | end | computation]
//! edge <from> <to> [<bytes>]
//! time <name> <host> <seconds>
//! ```
//!
//! Lines may stand in any order behind the first; blank lines, and lines that begin with `#`, are free. Seconds are those of a host of
//! relative speed 1. An edge without bytes is a control edge. Where a root (an end) is declared, every task lies on a path from it (to it).
//!
//! Source: DAGSim (A. Jarry, H. Casanova, F. Berman, 2000) names such a file without its grammar, which is the simulator's own.

use crate::workflow::draft::{Draft, EdgeOrigin, Mistake, Spot, VertexKind};
use crate::workflow::graph::Task;
use crate::workflow::read::ReadOptions;

/// A line of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Bytes before it.
    at: usize,
}

/// The words of a line, each with its place.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
    at: usize,
}

/// The lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        Line { text: line.trim_end_matches(['\n', '\r']), at: at - line.len() }
    })
}

impl<'a> Line<'a> {
    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The place of all of it.
    pub(super) fn spot(&self) -> Spot {
        Spot::new(self.at as u64, self.text.len())
    }

    /// The place behind it.
    pub(super) fn end(&self) -> Spot {
        Spot::new((self.at + self.text.len()) as u64, 0)
    }

    pub(super) fn words(&self) -> Words<'a> {
        Words { rest: self.text, at: self.at }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (&'a str, Spot);

    fn next(&mut self) -> Option<(&'a str, Spot)> {
        let rest = self.rest.trim_ascii_start();
        self.at += self.rest.len() - rest.len();
        let length = rest.find(|letter: char| letter.is_ascii_whitespace()).unwrap_or(rest.len());
        if length == 0 {
            return None;
        }
        let found = (&rest[..length], Spot::new(self.at as u64, length));
        self.rest = &rest[length..];
        self.at += length;
        Some(found)
    }
}

/// What the lines of a file may say.
type Forms = [(&'static str, usize, usize, &'static str)];

/// What is done with a line: its first word and the others.
type Each<'a, 'e> = dyn FnMut(&'a str, Spot, &[(&'a str, Spot)]) + 'e;

/// The lines behind the heading, each with its first word and the others; a line that has no form is a mistake. A form is a first
/// word, the least and most words behind it, and how it is written.
pub(super) fn statements<'a>(
    text: &'a str,
    heading: [&str; 2],
    forms: &Forms,
    wrong: &mut dyn FnMut(Mistake),
    each: &mut Each<'a, '_>,
) -> Result<(), Vec<Mistake>> {
    let mut lines = lines(text).filter(|line| !line.is_blank() && !line.text.starts_with('#'));
    let first = lines.next();
    let found: Vec<&str> = first.iter().flat_map(Line::words).map(|(word, _)| word).collect();
    if found != heading {
        let message = format!("the first line should be `{} {}`", heading[0], heading[1]);
        let spot = first.map_or(Spot::new(text.len() as u64, 0), |line| line.spot());
        return Err(vec![Mistake { message, help: None, spot }]);
    }
    let mut words = Vec::new();
    for line in lines {
        words.clear();
        words.extend(line.words());
        let Some((first, spot)) = words.first().copied() else { continue };
        let mistake = |message: String, help: String, spot| Mistake { message, help: Some(help), spot };
        let Some((_, least, most, form)) = forms.iter().find(|(word, ..)| *word == first) else {
            let known: Vec<&str> = forms.iter().map(|(word, ..)| *word).collect();
            let known = format!("known: {}", known.join(", "));
            wrong(mistake(format!("unknown line `{first}`"), known, spot));
            continue;
        };
        let count = words.len() - 1;
        if count < *least {
            wrong(mistake(format!("`{first}` lacks words"), format!("write `{form}`"), line.end()));
        } else if count > *most {
            wrong(mistake(
                format!("`{first}` has too many words"),
                format!("write `{form}`"),
                words[most + 1].1,
            ));
        } else {
            each(first, spot, &words[1..]);
        }
    }
    Ok(())
}

const FORMS: &Forms = &[
    ("node", 2, 3, "node <name> <seconds> [root | end | computation]"),
    ("edge", 2, 3, "edge <from> <to> [<bytes>]"),
    ("time", 3, 3, "time <name> <host> <seconds>"),
];

pub(super) fn read(text: &str, draft: &mut Draft, options: &ReadOptions) -> Result<(), Vec<Mistake>> {
    let mut wrong = Vec::new();
    let mut each = |first: &str, spot: Spot, words: &[(&str, Spot)]| match (first, words) {
        ("node", [(name, at), (cost, cost_at), rest @ ..]) => {
            let seconds = draft.amount("the cost", cost, *cost_at);
            let kind = match rest.first().map_or("computation", |(kind, _)| kind) {
                "computation" => VertexKind::Computation,
                "root" => VertexKind::DeclaredRoot,
                "end" => VertexKind::DeclaredEnd,
                other => {
                    let help = Some("it is `root`, `end` or `computation`".to_owned());
                    draft.push(Mistake { message: format!("unknown kind `{other}`"), help, spot: rest[0].1 });
                    VertexKind::Computation
                }
            };
            draft.define(Task::new(*name, seconds * options.reference_speed), kind, *at);
        }
        ("edge", [(from, from_at), (to, to_at), bytes @ ..]) => {
            let (from, to) = (draft.vertex(from, *from_at), draft.vertex(to, *to_at));
            let bytes = bytes.first().map(|(bytes, at)| draft.size("the size", bytes, *at));
            draft.edge(from, to, bytes, EdgeOrigin::Parents, spot);
        }
        ("time", [(name, at), (host, _), (seconds, seconds_at)]) => {
            let vertex = draft.vertex(name, *at);
            let seconds = draft.amount("the time", seconds, *seconds_at);
            draft.time(vertex, host, seconds, *at);
        }
        _ => {}
    };
    statements(text, ["DagDescription", "1"], FORMS, &mut |mistake| wrong.push(mistake), &mut each)?;
    wrong.into_iter().for_each(|mistake| draft.push(mistake));
    Ok(())
}
