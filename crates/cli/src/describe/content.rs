//! Contents of a file, read by the reader of its kind.

use std::path::Path;

use crate::described::{Described, Reading as FileReading};
use crate::failure::Failure;
use crate::import::batsim;
use crate::import::slurm::{self, Reading, Site};
use crate::import::table::{self, ACCOUNTING, Input, TableSurvey};
use crate::registry::{Problem, Registry, code, reason};
use crate::scenario::recognition::{JSON, PARQUET, TABLE};
use crate::scenario::{FileKind, file_kinds};
use crate::text;
use crate::text::json::Reader;
use crate::text::mark::FileMark;
use crate::workload::swf::{self, Log, Options};
use crate::written::open;
use clustersim_experiment::output::number::grouped;

/// Contents of a file.
pub(super) enum Content {
    /// Looked at by nothing here.
    Unread,
    /// Figures, and the contents of a kind that is drawn.
    Facts(Vec<(String, Option<String>)>, Option<Described>),
    /// Jobs of a log, a dump or a workload.
    Log(Box<Log>),
    /// A table.
    Table(Box<TableSurvey>),
}

/// Contents of a file of this mark; a file without one is looked at as a table.
pub(super) fn content(
    registry: &Registry,
    file: &Path,
    mark: Option<&'static FileMark>,
) -> Result<Content, Failure> {
    let looked_through = || survey(file).map(|survey| Content::Table(Box::new(survey)));
    let Some(mark) = mark else { return looked_through() };
    if [TABLE, PARQUET, ACCOUNTING].contains(mark) {
        return looked_through();
    }
    if *mark == JSON {
        // JSON may be anything; if it is whole and has no rows that is all there is to say
        return match looked_through() {
            Ok(Content::Table(survey))
                if !survey.is_like_jobs() && !survey.damage.is_empty() && is_json(file) =>
            {
                Ok(Content::Unread)
            }
            read => read,
        };
    }
    let reported = |problem: Problem| Failure::usage(problem.complaint(&file.display().to_string(), None));
    if let Some(log) = jobs(file, mark)? {
        return log.map(|log| Content::Log(Box::new(log))).map_err(reported);
    }
    if *mark == slurm::CONF {
        return slurm::read_conf_at(open(file)?, file)
            .map(|site| Content::Facts(of_site(&site), None))
            .map_err(reported);
    }
    let has = |kind: &&'static dyn FileKind| kind.formats().iter().any(|format| format.marks.contains(&mark));
    match file_kinds(registry).into_iter().find(|kind| has(kind)) {
        None => Ok(Content::Unread),
        Some(kind) => {
            let reading = FileReading {
                command: "describe",
                kind,
                file,
                format: None,
                keys: &[],
                seed: None,
                whole: false,
            };
            let described = reading.read(registry)?;
            let extent = [("extent".to_owned(), Some(described.content.about()))];
            let facts = described.content.facts().into_iter();
            let facts = facts.map(|(label, value)| (label.to_owned(), value));
            Ok(Content::Facts(extent.into_iter().chain(facts).collect(), Some(described)))
        }
    }
}

/// The jobs of a file of this mark, if it holds some, as a run without further keys has them.
fn jobs(file: &Path, mark: &FileMark) -> Result<Option<Result<Log, Problem>>, Failure> {
    let options = Options { keep_unrequested: true, ..Options::default() };
    Ok(Some(if *mark == swf::MARK {
        swf::read_from(open(file)?, &options).map_err(Problem::from)
    } else if *mark == slurm::DUMP {
        slurm::read(open(file)?, &Reading::default(), None, &options)
    } else if *mark == batsim::MARK {
        batsim::read(open(file)?, None, &options)
    } else {
        return Ok(None);
    }))
}

/// Returns true if a file is JSON to its end: a value, or several.
fn is_json(file: &Path) -> bool {
    let Ok(input) = text::open(file) else { return false };
    let Ok(mut reader) = Reader::new(input) else { return false };
    while reader.finish().is_err() {
        if reader.skip().is_err() {
            return false;
        }
    }
    true
}

/// Looks through the table in a file.
pub(crate) fn survey(file: &Path) -> Result<TableSurvey, Failure> {
    let written = file.display().to_string();
    let surveyed = match text::open_anywhere(file) {
        Ok(opened) => table::survey(Input::File(&opened), &written),
        Err(error) => Err(Problem::new(code::FILE, reason(&error)).into()),
    };
    surveyed.map_err(|mistakes| Failure::of_file(mistakes, &written))
}

/// Returns true if a file is an archive.
pub(crate) fn is_archive(file: &Path) -> bool {
    text::open_anywhere(file).is_ok_and(|opened| table::is_archive(Input::File(&opened)))
}

/// Facts of the nodes of a site.
fn of_site(site: &Site) -> Vec<(String, Option<String>)> {
    let fact = |label: &str, value: String| (label.to_owned(), Some(value));
    let partitions: Vec<String> = site.partitions.iter().map(|partition| partition.name.clone()).collect();
    vec![
        ("name".to_owned(), site.name.clone()),
        fact("nodes", grouped(site.nodes())),
        fact("processors", grouped(site.processors())),
        fact("kinds of nodes", grouped(site.groups.len() as u64)),
        fact("partitions", partitions.join(", ")),
    ]
}
