//! Platform files of SimGrid: those of SimGrid, Batsim and WRENCH themselves, and small ones of our own with every element.

use std::path::{Path, PathBuf};

use clustersim::platform::simgrid::{Loaded, read_file};
use clustersim::registry::{Complaint, Sources};

/// The files that are refused, and a word of why.
const REFUSED: &[(&str, &str)] = &[];

fn load(path: &Path) -> Result<Loaded, Vec<String>> {
    let mut sources = Sources::new("");
    let told = |sources: &Sources, complaint: &Complaint| {
        let place = complaint.span.map(|span| sources.place(span));
        let at = place.map_or(String::new(), |(line, column)| format!("{line}:{column}: "));
        let help = complaint.help.as_deref().map_or(String::new(), |help| format!(" | {help}"));
        format!("{at}{} [{}]{help}", complaint.message, complaint.label)
    };
    read_file(path, &mut sources)
        .map_err(|complaints| complaints.iter().map(|complaint| told(&sources, complaint)).collect())
}

#[test]
fn platform_files_of_others_load_or_are_refused_for_a_reason() {
    let Some(data) = std::env::var_os("CLUSTERSIM_LOGS").map(PathBuf::from) else {
        println!("SKIPPED: CLUSTERSIM_LOGS names no folder of data");
        return;
    };
    let mut loaded = 0;
    for folder in ["batsim", "simgrid", "wrench"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(data.join("platforms").join(folder))
            .expect("a folder")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| path.is_file())
            .collect();
        files.sort();
        for file in files {
            match load(&file) {
                Ok(_) => loaded += 1,
                Err(why) => println!("{}\n    {}", file.display(), why.join("\n    ")),
            }
        }
    }
    println!("{loaded}");
}
