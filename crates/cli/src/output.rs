//! Standard output: what is printed passes the escapes of a terminal.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};

use serde_json::Value as Json;

use crate::failure::Failure;
use crate::registry::reason;
use crate::text::{escaped, escaped_json};

/// Prints what `clap` has to say: help and version, which go to stdout and are no mistake, or what
/// is wrong with the arguments.
pub(super) fn print_usage(error: &clap::Error) -> u8 {
    let plain = error.to_string();
    let printed = match escaped(&plain) {
        Cow::Borrowed(_) => error.print(),
        // arguments with escape sequences are quoted without colours
        Cow::Owned(shown) => write!(io::stderr(), "{shown}"),
    };
    let printed = printed.and_then(|()| io::stdout().flush());
    match printed {
        _ if error.use_stderr() => 2,
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            // nothing can be reported if stderr is gone too
            let _ = writeln!(io::stderr(), "error: cannot write the result: {}", reason(&error));
            1
        }
        _ => 0,
    }
}

/// The width of the terminal that standard output goes to, in columns; `None` if it goes elsewhere.
pub(super) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Prints a result, what a terminal would act on escaped. A reader that has gone away has what it
/// wanted.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    write(&escaped(text))
}

/// Prints a document: the same values, whatever they hold.
pub(super) fn print_json(document: &Json) -> Result<(), Failure> {
    write(&escaped_json(&format!("{document:#}\n")))
}

fn write(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::io("cannot write the result", &error))
        }
        _ => Ok(()),
    }
}
