//! Reports of the simulator while it runs (`-v`, `-vv`, `-vvv`, `CLUSTERSIM_LOG`): off unless asked
//! for.
//!
//! `-v` prints what was read and run, and that agents begin, end and fail, `-vv` every job's start
//! and end, every line of a log that was dropped or mended and every operation of an agent, `-vvv`
//! every arrival. `CLUSTERSIM_LOG` says it by module instead, in the notation of `RUST_LOG`: for
//! example `clustersim::policy=debug,clustersim::workload=info`. Lines go to stderr, as JSON under
//! `--message-format json`; they carry virtual time (`at`, in seconds) and never the clock on the
//! wall, so they are the same in every run.

use std::borrow::Cow;
use std::env;
use std::fmt::{self, Debug};
use std::io::{self, Write};

use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::filter::{LevelFilter, Targets, filter_fn};
use tracing_subscriber::fmt::format::{FormatFields, Writer};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::prelude::*;

use crate::failure::Failure;
use crate::general::{MessageFormat, Output};
use crate::registry::code;
use crate::render::Renderer;
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
    let most = filter.iter().map(|(_, level)| level).chain(filter.default_level()).max();
    let enabled = move |event: &tracing::Metadata<'_>| {
        filter.would_enable(&module_named(event.target()), event.level())
    };
    let filter = filter_fn(enabled).with_max_level_hint(most.unwrap_or(LevelFilter::OFF));
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

/// A module of an inner crate under the name that the package `clustersim` gives it.
fn module_named(target: &str) -> Cow<'_, str> {
    let Some(inner) = target.strip_prefix("clustersim_") else { return Cow::Borrowed(target) };
    let (package, module) = inner.split_once("::").unwrap_or((inner, ""));
    if let Some(module) = module.strip_prefix("system::") {
        return Cow::Owned(format!("clustersim::system::{package}::{module}"));
    }
    let room = match package {
        "cluster" | "experiment" | "jobs" | "language" => "",
        _ => &inner[..inner.len() - module.len()],
    };
    Cow::Owned(format!("clustersim::{room}{module}"))
}

/// A line with its module under that name: it stands behind the level, and behind its key in JSON.
fn with_module_named(line: &str, json: bool) -> Cow<'_, str> {
    let key = if json { "\"target\":\"" } else { "" };
    let Some(at) = line.find(&format!("{key}clustersim_")) else { return Cow::Borrowed(line) };
    let at = at + key.len();
    let is_in_module = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
    let length = line[at..].find(|letter| !is_in_module(letter)).unwrap_or(line.len() - at);
    let target = line[at..at + length].trim_end_matches(':');
    let rest = &line[at + target.len()..];
    Cow::Owned(format!("{}{}{rest}", &line[..at], module_named(target)))
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
        let text = with_module_named(&text, self.json);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_have_the_names_of_the_package() {
        for (target, name) in [
            ("clustersim_dag::execution::run", "clustersim::dag::execution::run"),
            ("clustersim_cluster::policy::front_end", "clustersim::policy::front_end"),
            ("clustersim_brokers::client", "clustersim::brokers::client"),
            ("clustersim_sweep::system::assembly", "clustersim::system::sweep::assembly"),
            ("clustersim_kernel", "clustersim::kernel"),
            ("my_policy::queue", "my_policy::queue"),
        ] {
            assert_eq!(module_named(target).trim_end_matches(':'), name);
        }
        assert_eq!(
            with_module_named("DEBUG clustersim_dag::execution: starts task=\"clustersim_dag::a\"\n", false),
            "DEBUG clustersim::dag::execution: starts task=\"clustersim_dag::a\"\n"
        );
        assert_eq!(
            with_module_named("{\"task\":\"clustersim_a\",\"target\":\"clustersim_jobs::workload\"}", true),
            "{\"task\":\"clustersim_a\",\"target\":\"clustersim::workload\"}"
        );
    }
}
