//! `validate`: every mistake of every file; nothing is simulated.
//!
//! What a run would object to before it begins is reported here: see [`points`](crate::study::preflight).

use crate::cli::args::Validate;
use crate::cli::failure::Failure;
use crate::cli::print;
use crate::cli::render::Renderer;
use crate::cli::request::not_for;
use crate::cli::study::{cores, looked_at};
use crate::import::{Recognized, recognize_file};
use crate::registry::Registry;
use crate::scenario::{Rejected, load, study};

pub(super) fn validate(registry: &Registry, args: &Validate, renderer: &Renderer) -> Result<(), Failure> {
    let (mut invalid, mut valid) = (Vec::<Rejected>::new(), String::new());
    for file in &args.files {
        let name = file.display().to_string();
        if let Some(other) = recognize_file(file).filter(|what| *what != Recognized::Scenario) {
            let Failure::Invalid(rejected) = not_for("validate", file, other) else { continue };
            invalid.extend(rejected);
            continue;
        }
        match study(registry, load(file, None, &[])) {
            Ok(study) => {
                let looked = looked_at(registry, &study, cores(), &name, renderer)?;
                if looked.wrong.is_empty() {
                    valid += &format!("{name}: valid\n");
                }
                invalid.extend(looked.wrong);
            }
            Err(rejected) => invalid.push(*rejected),
        }
    }
    print(&valid)?;
    if invalid.is_empty() { Ok(()) } else { Err(Failure::Invalid(invalid)) }
}
