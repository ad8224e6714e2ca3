//! Complaints as people and programs read them.
//!
//! For people: the line at fault with what is wrong marked in it, as compilers show it. For
//! programs (`--message-format json`): one object a line with `code`, `message`, `file`, `line`,
//! `column`, `span`, `label`, `help` and `notes`.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer as Snippets, Snippet};
use serde_json::{Value as Json, json};

use crate::general::{Color, MessageFormat, Output};
use crate::registry::{Complaint, SourceId, Sources, Span};
use crate::scenario::Rejected;
use crate::text::{MOST_MISTAKES, escaped, escaped_json, in_one_line, pictured};
use clustersim_experiment::output::number::grouped;

/// Characters of a message that are written.
const LONGEST: usize = 2_000;
/// Bytes before and behind a place in which the lines of its notes are drawn with it.
const NEAR: usize = 8_000;
/// Bytes that are drawn on either side of a place in a longer line.
const SURROUNDINGS: usize = 60;

/// Writes diagnostics to stderr.
#[derive(Clone, Debug)]
pub(super) struct Renderer {
    json: bool,
    styled: bool,
    quiet: bool,
}

impl Renderer {
    pub(super) fn new(output: &Output) -> Self {
        let terminal =
            || io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let wanted = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let styled = match output.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => !wanted("NO_COLOR") && (terminal() || wanted("CLICOLOR_FORCE")),
        };
        Renderer { json: output.message_format == MessageFormat::Json, styled, quiet: output.quiet }
    }

    /// Returns true if what is written is coloured.
    pub(super) fn styled(&self) -> bool {
        self.styled
    }

    /// Writes the first complaints of all, [`MOST_MISTAKES`] of them, and how many there were if
    /// there were several.
    pub(super) fn rejected(&self, all: &[Rejected]) {
        let complaints =
            all.iter().flat_map(|one| one.complaints.iter().map(move |complaint| (&one.sources, complaint)));
        for (sources, complaint) in complaints.take(MOST_MISTAKES) {
            let text = if self.json {
                escaped_json(&as_json(complaint, sources).to_string()).into_owned()
            } else {
                human(complaint, sources, self.styled)
            };
            say(&text);
        }
        let shown: usize = all.iter().map(|rejected| rejected.complaints.len()).sum();
        let count: u64 = all.iter().map(Rejected::count).sum();
        let more = count - shown.min(MOST_MISTAKES) as u64;
        if more > 0 {
            self.plain(Level::NOTE, "note", &format!("and {} more", grouped(more)));
        }
        if count > 1 && !self.json {
            say(&format!("{} errors", grouped(count)));
        }
    }

    /// Prints an error without a place.
    pub(super) fn error(&self, message: &str) {
        self.plain(Level::ERROR, "error", message);
    }

    /// Writes that the program was interrupted and what is kept, below what is drawn of the
    /// progress.
    #[cfg(unix)]
    pub(super) fn interrupted(&self, kept: &str) {
        if !self.json && io::stderr().is_terminal() {
            say("");
        }
        self.error(&format!("interrupted: {kept}"));
    }

    /// Prints what is good to know, unless asked to be quiet.
    pub(super) fn note(&self, message: &str) {
        if !self.quiet {
            self.plain(Level::NOTE, "note", message);
        }
    }

    fn plain(&self, level: Level<'static>, name: &str, message: &str) {
        if self.json {
            return say(&escaped_json(&json!({ "level": name, "message": message }).to_string()));
        }
        let message = escaped(message);
        let title = level.primary_title(&*message);
        say(&snippets(self.styled).render(&[Group::with_title(title)]));
    }
}

fn say(text: &str) {
    // that stderr is gone is not reported
    let _ = writeln!(io::stderr().lock(), "{text}");
}

fn snippets(styled: bool) -> Snippets {
    let renderer = if styled { Snippets::styled() } else { Snippets::plain() };
    renderer.decor_style(DecorStyle::Unicode)
}

/// A complaint as text, without a line end.
pub(super) fn human(complaint: &Complaint, sources: &Sources, styled: bool) -> String {
    let message = brief(&complaint.message);
    let mut group = Group::with_title(Level::ERROR.primary_title(&*message).id(complaint.code.id));
    let mut notes: Vec<Cow<'_, str>> = Vec::new();
    if let Some(excerpt) = &complaint.excerpt {
        let label = if complaint.label.is_empty() { "here" } else { &complaint.label };
        let text = pictured(&excerpt.text);
        let moved = |at: usize| excerpt.text.get(..at).map_or(text.len(), |before| pictured(before).len());
        let range = moved(excerpt.range.start)..moved(excerpt.range.end);
        group = group.element(
            Snippet::source(text.into_owned())
                .path(brief(&excerpt.file))
                .line_start(usize::try_from(excerpt.line).unwrap_or(usize::MAX))
                .annotation(AnnotationKind::Primary.span(range).label(brief(label))),
        );
        notes.extend(excerpt.column.map(at_column));
    } else if let Some(span) = complaint.span {
        let mut window = Window::around(sources, span);
        let mut marks = vec![AnnotationKind::Primary.span(window.range(span)).label(brief(&complaint.label))];
        let mut others = Vec::new();
        for note in &complaint.notes {
            match note.span {
                Some(other) if window.reaches(other) => {
                    let context = AnnotationKind::Context.span(window.range(other));
                    marks.push(context.label(brief(&note.message)));
                }
                Some(other) => others.push((other, note)),
                None => {}
            }
        }
        notes.extend(window.column.take().map(at_column));
        group = group.element(window.snippet().annotations(marks));
        for (other, note) in others {
            let window = Window::around(sources, other);
            let mark = AnnotationKind::Context.span(window.range(other)).label(brief(&note.message));
            group = group.element(window.snippet().annotation(mark));
        }
    }
    notes.extend(complaint.notes.iter().filter(|note| note.span.is_none()).map(|note| brief(&note.message)));
    for note in notes {
        group = group.element(Level::NOTE.message(note));
    }
    if let Some(help) = &complaint.help {
        group = group.element(Level::HELP.message(brief(help)));
    }
    snippets(styled).render(&[group])
}

/// A note about a place in a line that is not shown from its beginning.
fn at_column(column: usize) -> Cow<'static, str> {
    format!("at column {column} of the line").into()
}

/// A message in one line for a terminal, of no more than [`LONGEST`] characters.
fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(format!("{}…", in_one_line(&text[..end]))),
        None => in_one_line(text),
    }
}

/// The lines of a source that are drawn for a complaint: drawing looks at every byte that it is
/// given.
struct Window<'a> {
    sources: &'a Sources,
    source: SourceId,
    /// The bytes of the source.
    range: Range<usize>,
    line: usize,
    /// The column of the first place, where it stands so far inside a line that only its
    /// surroundings are drawn.
    column: Option<usize>,
}

impl<'a> Window<'a> {
    /// The lines near a place; of a very long line, the part near it.
    fn around(sources: &'a Sources, span: Span) -> Self {
        let text = sources.text(span.source);
        let at = first_line(text, span);
        let (line, begin) = sources.line_at(span.source, at.start);
        let line_end = at.start + text[at.start..].find('\n').unwrap_or(text.len() - at.start);
        let source = span.source;
        if at.start - begin > NEAR || line_end - at.start > NEAR {
            let from = begin.max(text.floor_char_boundary(at.start.saturating_sub(SURROUNDINGS)));
            let to = line_end.min(text.ceil_char_boundary(at.start + 2 * SURROUNDINGS));
            let column = (from > begin).then(|| text[begin..at.start].chars().count() + 1);
            return Window { sources, source, range: from..to, line, column };
        }
        // whole lines only
        let start = text.floor_char_boundary(at.start.saturating_sub(NEAR));
        let from = if start == 0 {
            0
        } else {
            text.get(start..begin).and_then(|before| before.find('\n')).map_or(begin, |skip| start + skip + 1)
        };
        let end = text.ceil_char_boundary(at.start + NEAR);
        let to = text[line_end..end].rfind('\n').map_or(line_end, |length| line_end + length);
        let to = if end == text.len() { end } else { to };
        Window { sources, source, range: from..to, line: sources.line_at(source, from).0, column: None }
    }

    /// Returns true if a place lies in it.
    fn reaches(&self, span: Span) -> bool {
        span.source == self.source && self.range.contains(&(span.start as usize))
    }

    /// The bytes to mark in what is drawn.
    fn range(&self, span: Span) -> Range<usize> {
        let text = self.sources.text(self.source);
        let at = first_line(text, span);
        let moved =
            |at: usize| pictured(&text[self.range.start..at.clamp(self.range.start, self.range.end)]).len();
        moved(at.start)..moved(at.end)
    }

    fn snippet<T: Clone>(&self) -> Snippet<'a, T> {
        let text = &self.sources.text(self.source)[self.range.clone()];
        Snippet::source(pictured(text)).path(brief(self.sources.name(self.source))).line_start(self.line)
    }
}

/// The bytes to mark: the first line of what spans several, and within the text.
fn first_line(text: &str, span: Span) -> Range<usize> {
    let range = span.range();
    let (start, end) = (range.start.min(text.len()), range.end.min(text.len()));
    let line = text.get(start..end).and_then(|part| part.find('\n')).map_or(end, |length| start + length);
    start..line
}

/// A complaint for programs.
pub(super) fn as_json(complaint: &Complaint, sources: &Sources) -> Json {
    let place = |span: Option<Span>| match span {
        Some(span) => {
            let (line, column) = sources.place(span);
            json!({ "file": sources.name(span.source), "line": line, "column": column, "span": [span.start, span.end] })
        }
        None => Json::Null,
    };
    let at = match &complaint.excerpt {
        Some(excerpt) => json!({
            "file": excerpt.file,
            "line": excerpt.line,
            "column": excerpt
                .column
                .unwrap_or_else(|| excerpt.text[..excerpt.range.start].chars().count() + 1),
        }),
        None => place(complaint.span),
    };
    let notes: Vec<Json> = complaint
        .notes
        .iter()
        .map(|note| json!({ "message": note.message, "at": place(note.span) }))
        .collect();
    json!({
        "level": "error",
        "code": complaint.code.id,
        "message": complaint.message,
        "at": at,
        "label": &*complaint.label,
        "help": complaint.help,
        "notes": notes,
    })
}
