//! `init`: a commented first scenario with a small workload, and the schema for editors.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::args::Init;
use crate::failure::Failure;
use crate::registry::{Complaint, Registry, code, reason};
use crate::{print, schema};

const SCENARIO: &str = include_str!("init.toml");

pub(super) fn init(registry: &Registry, args: &Init) -> Result<(), Failure> {
    let directory = &args.directory;
    fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))?;
    let schema = format!("{:#}\n", schema::scenario(registry));
    let files = [("scenario.toml", SCENARIO), ("clustersim.schema.json", &schema)];
    for (name, _) in files {
        let path = directory.join(name);
        if path.exists() {
            let message = format!("{} is there already", path.display());
            let help = "choose another directory, or take the file away";
            return Err(Failure::refused(code::OCCUPIED, message, help));
        }
    }
    for (name, text) in files {
        let path = directory.join(name);
        let written = fs::File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| unwritable(&path, &error))?;
    }
    let scenario = directory.join("scenario.toml");
    print(&format!("{}\n\nRun it:  clustersim run {}\n", scenario.display(), scenario.display()))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot write {}: {}", path.display(), reason(error));
    Failure::Place(Complaint::nowhere(code::OUTPUT, message))
}
