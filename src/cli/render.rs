//! Complaints as people and programs read them.
//!
//! For people: the line at fault with what is wrong marked in it, as compilers show it. For programs
//! (`--message-format json`): one object a line with `code`, `message`, `file`, `line`, `column`, `span`, `label`,
//! `help` and `notes`.

use std::io::{self, IsTerminal, Write};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer as Snippets, Snippet};
use serde_json::{Value as Json, json};

use crate::cli::args::{Color, MessageFormat, Output};
use crate::registry::{Complaint, Sources, Span};
use crate::scenario::Rejected;

/// Writes diagnostics to stderr.
#[derive(Debug)]
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

    /// Whether what is written is coloured.
    pub(super) fn styled(&self) -> bool {
        self.styled
    }

    /// Tells every complaint.
    pub(super) fn rejected(&self, rejected: &Rejected) {
        for complaint in &rejected.complaints {
            let text = if self.json {
                as_json(complaint, &rejected.sources).to_string()
            } else {
                human(complaint, &rejected.sources, self.styled)
            };
            say(&text);
        }
    }

    /// Tells how many complaints there were, if there were several.
    pub(super) fn count(&self, complaints: usize) {
        if complaints > 1 && !self.json {
            say(&format!("{complaints} errors"));
        }
    }

    /// Tells of an error without a place.
    pub(super) fn error(&self, message: &str) {
        self.plain(Level::ERROR, "error", message);
    }

    /// Tells what is good to know, unless asked to be quiet.
    pub(super) fn note(&self, message: &str) {
        if !self.quiet {
            self.plain(Level::NOTE, "note", message);
        }
    }

    fn plain(&self, level: Level<'static>, name: &str, message: &str) {
        if self.json {
            return say(&json!({ "level": name, "message": message }).to_string());
        }
        let title = level.primary_title(message);
        say(&snippets(self.styled).render(&[Group::with_title(title)]));
    }
}

fn say(text: &str) {
    // nobody is left to be told of a stderr that is gone
    let _ = writeln!(io::stderr().lock(), "{text}");
}

fn snippets(styled: bool) -> Snippets {
    let renderer = if styled { Snippets::styled() } else { Snippets::plain() };
    renderer.decor_style(DecorStyle::Unicode)
}

/// A complaint as text, without a line end.
pub(super) fn human(complaint: &Complaint, sources: &Sources, styled: bool) -> String {
    let title = Level::ERROR.primary_title(complaint.message.as_str()).id(complaint.code.id);
    let mut group = Group::with_title(title);
    let mut named = None;
    if let Some(excerpt) = &complaint.excerpt {
        let label = if complaint.label.is_empty() { "here" } else { &complaint.label };
        group = group.element(
            Snippet::source(excerpt.text.as_str())
                .path(excerpt.file.as_str())
                .line_start(usize::try_from(excerpt.line).unwrap_or(usize::MAX))
                .annotation(AnnotationKind::Primary.span(excerpt.range.clone()).label(label)),
        );
    } else if let Some(span) = complaint.span {
        let mut snippet = Snippet::source(sources.text(span.source))
            .path(sources.name(span.source))
            .annotation(AnnotationKind::Primary.span(shown(sources, span)).label(&*complaint.label));
        for note in &complaint.notes {
            match note.span {
                Some(other) if other.source == span.source => {
                    let context = AnnotationKind::Context.span(shown(sources, other));
                    snippet = snippet.annotation(context.label(note.message.as_str()));
                }
                Some(other) => named = Some((other, note)),
                None => {}
            }
        }
        group = group.element(snippet);
    }
    if let Some((span, note)) = named {
        let context = AnnotationKind::Context.span(shown(sources, span)).label(note.message.as_str());
        let snippet = Snippet::source(sources.text(span.source)).path(sources.name(span.source));
        group = group.element(snippet.annotation(context));
    }
    for note in complaint.notes.iter().filter(|note| note.span.is_none()) {
        group = group.element(Level::NOTE.message(note.message.as_str()));
    }
    if let Some(help) = &complaint.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    snippets(styled).render(&[group])
}

/// The bytes to mark: the first line of what spans several, and within the text.
fn shown(sources: &Sources, span: Span) -> std::ops::Range<usize> {
    let text = sources.text(span.source);
    let range = span.range();
    let (start, end) = (range.start.min(text.len()), range.end.min(text.len()));
    let line = text.get(start..end).and_then(|part| part.find('\n')).map_or(end, |length| start + length);
    start..line
}

fn as_json(complaint: &Complaint, sources: &Sources) -> Json {
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
            "column": excerpt.text[..excerpt.range.start].chars().count() + 1,
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
