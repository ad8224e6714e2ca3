//! `validate`: every mistake of every file; nothing is simulated.
//!
//! What a run would object to before it begins is reported here: see [`points`](crate::study::preflight).

use crate::cli::args::Validate;
use crate::cli::failure::Failure;
use crate::cli::request::not_for;
use crate::cli::study::{cores, looked_at};
use crate::cli::{Session, print};
use crate::import::{Recognized, recognize_file};
use crate::scenario::{Rejected, load, study};

pub(super) fn validate(session: Session<'_>, args: &Validate) -> Result<(), Failure> {
    let (mut invalid, mut valid) = (Vec::<Rejected>::new(), String::new());
    for file in &args.files {
        let name = file.display().to_string();
        if let Some(other) = recognize_file(file).filter(|what| *what != Recognized::Scenario) {
            let Failure::Invalid(rejected) = not_for("validate", file, other) else { continue };
            invalid.extend(rejected);
            continue;
        }
        match study(session.registry, load(file, None, &[])) {
            Ok(study) => {
                let looked = looked_at(session, &study, cores(), &name)?;
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
