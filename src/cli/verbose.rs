//! Reports of the simulator while it runs (`-v`, `-vv`, `-vvv`, `CLUSTERSIM_LOG`): off unless asked
//! for.
//!
//! `-v` prints what was read and run, and that agents begin, end and fail, `-vv` every job's start
//! and end, every line of a log that was dropped or mended and every operation of an agent, `-vvv`
//! every arrival. `CLUSTERSIM_LOG` says it by module instead, in the notation of `RUST_LOG`: for
//! example `clustersim::policy=debug,clustersim::workload=info`. Lines go to stderr, as JSON under
//! `--message-format json`; they carry virtual time (`at`, in seconds) and never the clock on the
//! wall, so they are the same in every run.

use std::env;
use std::fmt::{self, Debug};
use std::io::{self, Write};

use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{FormatFields, Writer};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;

use crate::cli::failure::Failure;
use crate::cli::general::{MessageFormat, Output};
use crate::cli::render::Renderer;
use crate::registry::code;
use crate::text::{escaped, escaped_json, in_one_line};

const VARIABLE: &str = "CLUSTERSIM_LOG";

/// Requested reports, in the notation of filters; `None` if none are.
fn asked(output: &Output) -> Option<String> {
    let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    match (variable, output.verbose) {
        (Some(value), _) => Some(value.to_string_lossy().into_owned()),
        (None, 0) => None,
        (None, 1) => Some("clustersim=info".to_owned()),
        (None, 2) => Some("clustersim=debug".to_owned()),
        (None, _) => Some("clustersim=trace".to_owned()),
    }
}

/// Returns true if anything is reported, so that a progress line would be in the way.
pub(super) fn wanted(output: &Output) -> bool {
    asked(output).is_some()
}

/// Begins to report, if requested.
pub(super) fn install(output: &Output, renderer: &Renderer) -> Result<(), Failure> {
    let Some(asked) = asked(output) else { return Ok(()) };
    let filter = asked.parse::<Targets>().map_err(|error| {
        Failure::refused(
            code::LOG_FILTER,
            format!("{VARIABLE}={asked}: {error}"),
            "write for example CLUSTERSIM_LOG=clustersim::policy=debug",
        )
    })?;
    let (json, styled) = (output.message_format == MessageFormat::Json, renderer.styled());
    let lines = layer().with_writer(move || Forgiving { json, styled }).with_ansi(styled).without_time();
    match output.message_format {
        MessageFormat::Human => {
            tracing_subscriber::registry().with(lines.fmt_fields(Fields).with_filter(filter)).init();
        }
        MessageFormat::Json => {
            let lines = lines.json().flatten_event(true).with_filter(filter);
            tracing_subscriber::registry().with(lines).init();
        }
    }
    Ok(())
}

/// An event and its fields, each in the line and with the escapes that everything else on the
/// terminal has.
struct Fields;

impl<'w> FormatFields<'w> for Fields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut shown = Shown { writer, is_first: true, written: Ok(()) };
        fields.record(&mut shown);
        shown.written
    }
}

/// The fields of a line, as far as they are written.
struct Shown<'w> {
    writer: Writer<'w>,
    is_first: bool,
    written: fmt::Result,
}

impl Shown<'_> {
    fn field(&mut self, field: &Field, value: &str) -> fmt::Result {
        let gap = if std::mem::take(&mut self.is_first) { "" } else { " " };
        let value = in_one_line(value);
        match (field.name(), self.writer.has_ansi_escapes()) {
            ("message", _) => write!(self.writer, "{gap}{value}"),
            (name, false) => write!(self.writer, "{gap}{name}={value}"),
            // the name in italics, and what joins it to the value dim
            (name, true) => write!(self.writer, "{gap}\x1b[3m{name}\x1b[0m\x1b[2m=\x1b[0m{value}"),
        }
    }
}

impl Visit for Shown<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let quoted = format!("\"{}\"", value.replace('"', "\\\""));
        let shown = if field.name() == "message" { value } else { &quoted };
        self.written = self.written.and_then(|()| self.field(field, shown));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.written = self.written.and_then(|()| self.field(field, &format!("{value:?}")));
    }
}

/// Stderr; that it is gone is not reported. Each write is a line.
struct Forgiving {
    json: bool,
    styled: bool,
}

impl Write for Forgiving {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let mut err = io::stderr().lock();
        let _ = match (self.json, self.styled) {
            (true, _) => err.write_all(escaped_json(&text).as_bytes()),
            (false, false) => err.write_all(escaped(&text).as_bytes()),
            // the subscriber escapes what is not its own colour
            (false, true) => text.split('\x1b').enumerate().try_for_each(|(place, part)| {
                err.write_all(if place == 0 { b"" } else { b"\x1b" })?;
                err.write_all(escaped(part).as_bytes())
            }),
        };
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
