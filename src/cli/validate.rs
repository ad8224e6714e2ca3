//! `validate`: every mistake of every file; nothing is simulated and no log is read.

use crate::cli::args::Validate;
use crate::cli::failure::Failure;
use crate::cli::print;
use crate::cli::render::Renderer;
use crate::registry::{Complaint, Registry, code};
use crate::scenario::{Rejected, check, load, workload};

pub(super) fn validate(registry: &Registry, args: &Validate, _renderer: &Renderer) -> Result<(), Failure> {
    let (mut invalid, mut valid) = (Vec::<Rejected>::new(), String::new());
    for file in &args.files {
        let checked = check(registry, load(file, None, &[])).and_then(|scenario| {
            // the models agree, and the files they read are there
            let source = workload(registry, &scenario)?;
            match source.input() {
                Some((written, path)) if !path.is_file() => {
                    let span = scenario.params(registry).section("workload").span("file");
                    let message = format!("cannot read `{written}`: there is no such file");
                    Err(scenario.reject(Complaint::new(code::FILE, message, span).label("named here")))
                }
                _ => Ok(()),
            }
        });
        match checked {
            Ok(()) => valid += &format!("{}: valid\n", file.display()),
            Err(rejected) => invalid.push(*rejected),
        }
    }
    print(&valid)?;
    if invalid.is_empty() { Ok(()) } else { Err(Failure::Invalid(invalid)) }
}
