//! `describe`: what a file is, what stands in it, and what a run would make of it.
//!
//! A file is known by its mark. Logs and dumps are read as a run reads them; files of a kind that
//! `show` draws state their figures; a table is looked through, and its columns are guessed.

mod args;
mod content;
mod expected;
mod json;
mod text;

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::failure::Failure;
use crate::import::table::TableSurvey;
use crate::registry::{Complaint, Registry, code, reason};
use crate::scenario::recognition::{JSON, recognize};
use crate::{print, print_json};
use clustersim_experiment::report::drawing::svg;

pub(super) use args::Describe;
use content::Content;
pub(super) use content::{is_archive, survey};

/// A file and all that is said of it.
struct Description<'a> {
    file: &'a Path,
    bytes: u64,
    /// Kind of the file, in words that follow "it is".
    about: String,
    /// Commands and keys that read it.
    reader: String,
    content: Content,
}

/// Describes a file.
pub(super) fn describe(registry: &Registry, args: &Describe) -> Result<(), Failure> {
    let description = described(registry, &args.file)?;
    if args.json { print_json(&json::document(&description)) } else { print(&text::text(&description)) }
}

/// The description of a file as text, as a document, and as a picture if `show` draws it.
pub(super) fn all_forms(registry: &Registry, file: &Path) -> Result<(String, Json, Option<String>), Failure> {
    let description = described(registry, file)?;
    let picture = match &description.content {
        Content::Facts(_, drawn) => drawn.as_ref().map(|drawn| svg(&drawn.title, &drawn.content.drawing())),
        _ => None,
    };
    Ok((text::text(&description), json::document(&description), picture))
}

fn described<'a>(registry: &Registry, file: &'a Path) -> Result<Description<'a>, Failure> {
    if file.is_dir() {
        let complaint =
            Complaint::nowhere(code::FILE, format!("cannot describe {}: it is a directory", file.display()));
        return Err(Failure::usage(complaint.help("name a file in it")));
    }
    let unreadable = |why: &std::io::Error| {
        Failure::usage(Complaint::nowhere(
            code::FILE,
            format!("cannot read {}: {}", file.display(), reason(why)),
        ))
    };
    let bytes = fs::metadata(file).map_err(|error| unreadable(&error))?.len();
    let mark = recognize(registry, file);
    let named = file.display().to_string();
    let (about, reader) = match mark {
        Some(mark) => (mark.about.to_owned(), mark.reader_of(&named)),
        None => (String::new(), String::new()),
    };
    let content = match content::content(registry, file, mark)? {
        Content::Table(survey) if !survey.damage.is_empty() => {
            return Err(Failure::of_file(survey.into_damage(), &named));
        }
        content => content,
    };
    let (about, reader) = match &content {
        Content::Table(survey) => of_table(survey, &named, &about),
        Content::Unread if mark == Some(&JSON) => (about, "no command reads it".to_owned()),
        _ => (about, reader),
    };
    Ok(Description { file, bytes, about, reader, content })
}

/// The kind of a table, and its readers.
fn of_table(survey: &TableSurvey, file: &str, about: &str) -> (String, String) {
    let of_jobs =
        "`[workload] kind = \"table\"`, with the keys below; `clustersim convert` writes such a scenario";
    match (survey.foreign, survey.guess.like) {
        (Some((about, help)), _) => (about.to_owned(), help.replace("{file}", file)),
        (None, Some(name)) => {
            (format!("a table of jobs, by its columns one of the source `{name}`"), of_jobs.to_owned())
        }
        (None, None) if survey.is_of_jobs() => {
            ("a table of jobs, as far as the names of its columns show".to_owned(), of_jobs.to_owned())
        }
        (None, None) => {
            let about = if about.is_empty() { "a table" } else { about };
            let reader = format!(
                "a scenario, once [workload.columns] says which of its columns states what; of measured hosts, links and \
                 series `clustersim convert {file} platform.toml`"
            );
            (format!("{about}; the names of its columns are not those of jobs"), reader)
        }
    }
}
