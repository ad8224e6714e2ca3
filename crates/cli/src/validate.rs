//! `validate`: every mistake of every file; nothing is simulated.
//!
//! Mistakes that a run would object to before it begins are reported here: see
//! [`points`](clustersim_experiment::study::preflight). Programs that a run would start are named,
//! and not started.

use crate::args::Validate;
use crate::failure::Failure;
use crate::programs::{named, refused};
use crate::request::not_for;
use crate::scenario::recognition::{SCENARIO, recognize};
use crate::scenario::{Rejected, load, study};
use crate::study::{cores, looked_at};
use crate::{Console, print};

pub(super) fn validate(console: Console<'_>, args: &Validate) -> Result<(), Failure> {
    let (mut invalid, mut valid) = (Vec::<Rejected>::new(), String::new());
    for file in &args.files {
        let name = file.display().to_string();
        if let Some(other) = recognize(console.registry, file).filter(|what| **what != SCENARIO) {
            let Failure::Invalid(rejected) = not_for("validate", file, other) else { continue };
            invalid.extend(rejected);
            continue;
        }
        match study(console.registry, load(file, None, &[])) {
            Ok(study) => {
                let mut wrong = looked_at(console, &study, cores(), &name)?.wrong;
                wrong.extend(refused(console, &study));
                if wrong.is_empty() {
                    let starts = named(console.registry, &study);
                    let starts = if starts.is_empty() {
                        String::new()
                    } else {
                        format!("; it starts {}", starts.join(", "))
                    };
                    valid += &format!("{name}: valid{starts}\n");
                }
                invalid.extend(wrong);
            }
            Err(rejected) => invalid.push(*rejected),
        }
    }
    print(&valid)?;
    if invalid.is_empty() { Ok(()) } else { Err(Failure::Invalid(invalid)) }
}
