//! The flags of every command: how messages are printed, and whether programs may be started.

use clap::{ArgAction, Args, ValueEnum};

/// Flags of every command: the printing of messages, and the permission to start programs.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(super) struct Output {
    /// How diagnostics are written to stderr
    #[arg(long, global = true, value_enum, default_value_t = MessageFormat::Human, value_name = "FORMAT")]
    pub(super) message_format: MessageFormat,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(super) color: Color,
    /// Say nothing on stderr but what is wrong
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Print more on stderr: what was read, which lines were repaired, and what ran; -vv adds
    /// starts and ends, -vvv arrivals
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(super) verbose: u8,
    /// Draw no progress line
    #[arg(long, global = true)]
    pub(super) no_progress: bool,
    /// Refuse scenarios that start programs; so does the environment variable
    /// CLUSTERSIM_FORBID_PROGRAMS
    #[arg(long, global = true, help_heading = "Programs")]
    pub(super) forbid_programs: bool,
    /// Refuse scenarios that start programs or name files outside their folder, after links are
    /// resolved
    #[arg(long, global = true, help_heading = "Programs")]
    pub(super) confined: bool,
}

/// Format of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MessageFormat {
    /// For people, with the text at fault
    Human,
    /// One JSON object a line: level, code, message, at (file, line, column, span), label, help,
    /// notes
    Json,
}

/// Use of colours in diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
