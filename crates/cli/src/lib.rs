//! The command line: arguments, diagnostics, progress, and what is printed where.
//!
//! Results go to stdout, everything else to stderr. Exit status: 0 done; 1 the simulation failed; 2
//! bad usage or invalid input; 3 an `[expect]` bound is broken; 4 runs of a study failed or are
//! missing; 75 try again; 101 a mistake of the simulator; 130 or 143 interrupted. A broken pipe is
//! success. Only this module renders a [`Complaint`](crate::registry::Complaint), and only it looks
//! at the clock on the wall.
//!
//! A user's own crate registers its policies and gets all of it:
//!
//! ```ignore
//! use clustersim::cli;
//! use clustersim::system::standard;
//!
//! fn main() -> std::process::ExitCode {
//!     let mut registry = standard();
//!     // registry.add::<dyn Policy>("policy", my_policy::ENTRY);
//!     cli::main_with(&registry)
//! }
//! ```

mod args;
mod check;
mod command;
mod compared_runs;
mod convert;
mod convert_args;
mod cost;
mod definitions;
mod describe;
mod described;
mod dry_run;
pub mod embedded;
mod exit_status;
mod explain;
mod failure;
mod fidelity;
mod fidelity_args;
mod finished;
mod general;
mod init;
mod interrupt;
mod invocation;
mod job_tables;
mod kinds;
mod list;
mod manual;
mod measured;
mod memory_guard;
mod open;
mod output;
mod overriding;
mod programs;
mod progress;
mod render;
mod replication;
mod report;
mod request;
mod run;
mod samplers;
mod schema;
mod show;
mod site_policy;
mod study;
mod study_page;
mod sweep;
mod sweep_args;
mod sweep_texts;
mod validate;
mod verbose;
mod written;

pub use definitions::definitions;
pub use memory_guard::MemoryGuard;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::args::{Command, Debug};
use crate::failure::Failure;
use crate::general::Output;
use crate::output::{print, print_json, print_usage};
use crate::registry::Registry;
use crate::render::Renderer;
use crate::text::confine;

/// The whole program, with the components of `registry`.
pub fn main_with(registry: &Registry) -> ExitCode {
    ExitCode::from(status(registry, std::env::args_os()))
}

/// The same with other arguments than those of the process, the name of the program first; gives
/// the exit status.
pub fn status(registry: &Registry, words: impl IntoIterator<Item = OsString>) -> u8 {
    let args = match command::parse(registry, words) {
        Ok(args) => args,
        Err(error) => {
            return print_usage(&error);
        }
    };
    if args.output.confined {
        confine();
    }
    let renderer = Renderer::new(&args.output);
    let installed = verbose::install(&args.output, &renderer);
    let console = Console { registry, output: &args.output, renderer: &renderer };
    match installed.and_then(|()| dispatch(console, &args.command)) {
        Ok(()) => 0,
        Err(failure) => failure.report(&renderer),
    }
}

/// Tools of the commands that run something.
#[derive(Clone, Copy)]
struct Console<'a> {
    registry: &'a Registry,
    output: &'a Output,
    renderer: &'a Renderer,
}

fn dispatch(console: Console<'_>, command: &Command) -> Result<(), Failure> {
    let Console { registry, renderer, .. } = console;
    match command {
        Command::Run(run) => run::run(console, run, None),
        Command::Compare(compare) if !compare.others.is_empty() => compared_runs::compare(console, compare),
        Command::Compare(compare) => run::run(console, &compare.run, Some(compare)),
        Command::Report(report) => report::report(registry, report, renderer),
        Command::Check(check) => check::check(registry, check, renderer),
        Command::Fidelity(args) => fidelity::fidelity(console, args),
        Command::Sweep(sweep) => sweep::sweep(console, sweep),
        Command::Validate(validate) => validate::validate(console, validate),
        Command::Convert(convert) => convert::convert(registry, convert, renderer),
        Command::Describe(what) => describe::describe(registry, what),
        Command::Show(what) => show::show(registry, what, renderer),
        Command::Init(init) => init::init(registry, init),
        Command::List(list) => list::list(registry, list),
        Command::Schema => print_json(&schema::scenario(registry)),
        Command::Explain(asked) => explain::explain(registry, &asked.topic),
        Command::Manual(args) => manual::manual(registry, args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut command::command(registry), "clustersim", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        Command::Debug(Debug::Samplers) => samplers::samplers(),
    }
}

pub(crate) use clustersim_experiment::{measure, scenario};
pub(crate) use clustersim_jobs::{import, workload};
pub(crate) use clustersim_kernel as kernel;
pub(crate) use clustersim_language::{collections, registry, text, units};
pub(crate) use clustersim_platform as platform;
