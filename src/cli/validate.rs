//! `validate`: every mistake of every file; nothing is simulated.
//!
//! What a run would object to before it begins is told here: the jobs are read or drawn, too.

use crate::cli::args::Validate;
use crate::cli::failure::Failure;
use crate::cli::print;
use crate::registry::Registry;
use crate::scenario::{Rejected, build, check, load, workload};

pub(super) fn validate(registry: &Registry, args: &Validate) -> Result<(), Failure> {
    let (mut invalid, mut valid) = (Vec::<Rejected>::new(), String::new());
    for file in &args.files {
        let checked = check(registry, load(file, None, &[])).and_then(|scenario| {
            let source = workload(registry, &scenario)?;
            build(registry, &scenario, source.as_ref()).map(drop)
        });
        match checked {
            Ok(()) => valid += &format!("{}: valid\n", file.display()),
            Err(rejected) => invalid.push(*rejected),
        }
    }
    print(&valid)?;
    if invalid.is_empty() { Ok(()) } else { Err(Failure::Invalid(invalid)) }
}
