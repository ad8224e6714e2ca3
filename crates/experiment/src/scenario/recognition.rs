//! Recognition of files by their marks: those of the simulator's own files, and those that systems
//! declare for the formats they read.

use std::path::Path;

use crate::registry::Registry;
use crate::text::csv::{self, Field, Row};
use crate::text::mark::{Evidence, FileMark, Head, head_of, is_toml_line};

use super::systems::systems;

/// The mark of scenarios.
pub const SCENARIO: FileMark = FileMark::new(
    "a scenario (TOML)",
    "`clustersim run {file}` runs it, `clustersim validate {file}` checks it",
    |head| head.statements().any(is_toml_line),
)
.evidence(Evidence::Syntax);

/// The mark of manifests.
pub const MANIFEST: FileMark = FileMark::new(
    "the manifest of a run or study",
    "`clustersim run {file}` repeats the run, `clustersim report DIR` shows it",
    |head| has_schema(head, "manifest/") || has_schema(head, "study-manifest/"),
);

/// The mark of tables.
pub const TABLE: FileMark = FileMark::new(
    "a table of comma-separated values",
    "`clustersim describe {file}` says what its columns may mean; a scenario reads jobs: [workload] with \
     kind = \"table\"; `clustersim convert {file} platform.toml` reads measured hosts, links and series",
    is_table,
)
.evidence(Evidence::Syntax);

/// The mark of XML of an unknown kind.
pub const XML: FileMark =
    FileMark::new("XML, but no platform and no deployment of SimGrid", "no command reads it", |head| {
        head.is_markup()
    })
    .evidence(Evidence::Syntax);

/// The mark of JSON of an unknown kind.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is one of a single lifetime")]
pub const JSON: FileMark =
    FileMark::new("JSON of a kind that is not known", DESCRIBED, |head| head.is_json())
        .evidence(Evidence::Syntax);

const RESULTS: FileMark = FileMark::new(
    "a JSON file of results",
    "`clustersim report DIR` shows the run or study in the directory DIR",
    |head| has_schema(head, ""),
);

const PAGE: FileMark = FileMark::new("a page of HTML", "open it in a browser", |head| {
    let text = head.text();
    let lower = text.get(..text.len().min(256)).unwrap_or_default().to_ascii_lowercase();
    head.is_markup() && (lower.contains("<!doctype html") || lower.contains("<html"))
});

/// The mark of Parquet files.
pub const PARQUET: FileMark =
    FileMark::new("a Parquet file", DESCRIBED, |head| head.bytes().starts_with(b"PAR1"));

/// Readers of what may be a table of jobs.
const DESCRIBED: &str = "`clustersim describe {file}` says what its columns may mean, if it is a table; a scenario \
                         reads jobs: [workload] with kind = \"table\"";

/// Marks that every program has; of the same evidence the first counts.
const OWN: [&FileMark; 8] = [&PARQUET, &PAGE, &MANIFEST, &RESULTS, &TABLE, &SCENARIO, &XML, &JSON];

/// The mark of the file at `path`, if it can be read and has one.
pub fn recognize(registry: &Registry, path: &Path) -> Option<&'static FileMark> {
    recognized(registry, &Head::new(&head_of(path)?))
}

/// The mark of a file that begins like this: of those that fit the one with the most evidence, and
/// of these the first, in the order of the systems.
pub fn recognized(registry: &Registry, head: &Head<'_>) -> Option<&'static FileMark> {
    let of_system = systems(registry).iter().flat_map(|system| {
        let of_kinds = system.data().file_kinds.iter().flat_map(|kind| kind.formats());
        system.data().file_marks.iter().chain(of_kinds.flat_map(|format| format.marks))
    });
    let fitting = OWN.iter().chain(of_system).copied().filter(|mark| (mark.fits)(head));
    fitting.min_by_key(|mark| mark.evidence)
}

fn has_schema(head: &Head<'_>, start: &str) -> bool {
    head.is_json() && head.text().contains(&format!("\"clustersim/{start}"))
}

/// Returns true if the first line names columns.
fn is_table(head: &Head<'_>) -> bool {
    let is_name = |cell: Field<'_>| {
        let cell = cell.raw();
        !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte))
    };
    let Some(first) = head.statements().next().filter(|line| line.contains(',')) else { return false };
    let mut names = Row::default();
    csv::Reader::new(first).read(&mut names).is_ok() && names.cells().all(is_name)
}
