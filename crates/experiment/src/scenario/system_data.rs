//! Declarations of a system, and the facts of its files and programs in them.

use crate::measure::family::Family;
use crate::measure::own_warnings::OwnWarnings;
use crate::output::{Figure, Table};
use crate::registry::definition::Words;
use crate::registry::{Key, Registry, Span};
use crate::scenario::file_kind::FileKind;
use crate::text::mark::FileMark;

/// The declarations of a system: those of [`SystemData::new`] must be there.
#[derive(Clone, Copy, Debug)]
pub struct SystemData {
    /// Name, in one word.
    pub name: &'static str,
    /// Description, in words that follow "a scenario of".
    pub about: &'static str,
    /// The keys at the root of its scenarios, without those that all have
    /// ([`schema::FIRST`](super::schema::FIRST), [`schema::LAST`](super::schema::LAST)). Several
    /// systems may have a table; what the language knows of it is the union of its keys.
    pub keys: &'static [Key],
    /// Registers its tables of components, but for those that several systems have.
    pub components: fn(&mut Registry),
    /// The keys that say that a scenario simulates it: one of them suffices.
    pub claims: &'static [&'static str],
    /// The families of all metrics that its runs may have, in the order of the manual.
    pub families: &'static [&'static [Family]],
    /// The keys without which a scenario of it is not complete.
    pub required: &'static [&'static str],
    /// The metrics that a study shows and judges unless others are asked for. If there are none,
    /// the first metrics that have an aim.
    pub headline: &'static [&'static str],
    /// The switches of `[record]` whose files `check` judges a run by: `record.all` puts them on.
    pub judged_by: &'static [&'static str],
    /// Advice where an interval is missing: how a scenario is made random.
    pub how_to_draw: &'static str,
    /// The warnings of its runs that other systems do not have. A study says in how many of its
    /// runs each was given.
    pub warnings: OwnWarnings,
    /// The declaration of every table that its runs may hand over.
    pub tables: fn() -> Vec<Table>,
    /// The words that stand in its results apart from names of metrics and columns, by kind.
    pub words: fn() -> Vec<Words>,
    /// The figures that its reports draw of its tables; curves of their times if there are none.
    pub figures: fn() -> Vec<Figure>,
    /// The table of a run that is its schedule, if it has one: what `compare RUN RUN` compares.
    pub schedule: Option<ScheduleColumns>,
    /// The kind of file that the system runs by itself, without a scenario.
    pub bare_file: Option<BareFile>,
    /// The kinds of files that `show` draws and `convert` turns into other formats.
    pub file_kinds: &'static [&'static dyn FileKind],
    /// The marks of files that it reads, apart from those of its kinds of files.
    pub file_marks: &'static [&'static FileMark],
}

impl SystemData {
    /// The declarations that every system has.
    pub const fn new(
        name: &'static str,
        about: &'static str,
        keys: &'static [Key],
        claims: &'static [&'static str],
        families: &'static [&'static [Family]],
    ) -> Self {
        SystemData {
            name,
            about,
            keys,
            components: |_| (),
            claims,
            families,
            required: &[],
            headline: &[],
            judged_by: &[],
            how_to_draw: "for intervals, draw times from distributions: `clustersim list distributions`",
            warnings: OwnWarnings::NONE,
            tables: Vec::new,
            words: Vec::new,
            figures: Vec::new,
            schedule: None,
            bare_file: None,
            file_kinds: &[],
            file_marks: &[],
        }
    }
}

/// A scenario that is one file: its mark, the text of its table, and the key that names the file.
#[derive(Clone, Copy, Debug)]
pub struct BareFile {
    /// The mark of such a file.
    pub mark: &'static FileMark,
    /// The tables, without the key.
    pub text: &'static str,
    /// The key, dotted.
    pub key: &'static str,
}

/// A table with a start, an end and lanes, by its columns.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleColumns {
    /// File of the rows.
    pub file: &'static str,
    /// Meaning of a row.
    pub what: &'static str,
    /// The columns that identify a row, its name first.
    pub key: &'static [&'static str],
    /// Column of the start, exact seconds; empty where it does not start.
    pub start: &'static str,
    /// Column of the end.
    pub end: &'static str,
    /// The lanes that it is on, as intervals.
    pub lanes: &'static str,
    /// Column of the reason for the start, which need not be there.
    pub reason: &'static str,
    /// Titles of the figures of lanes that show it; if there are none, its own lanes are drawn.
    pub pictured: &'static [&'static str],
}

impl ScheduleColumns {
    /// The columns of `jobs.csv` as Batsim writes them, whose rows are these, identified by these
    /// columns.
    pub const fn of_jobs(what: &'static str, key: &'static [&'static str]) -> Self {
        ScheduleColumns {
            file: "jobs.csv",
            what,
            key,
            start: "starting_time",
            end: "finish_time",
            lanes: "allocated_resources",
            reason: "reason",
            pictured: &[],
        }
    }

    /// The same, shown by the figures of lanes with these titles.
    #[must_use]
    pub const fn pictured(self, pictured: &'static [&'static str]) -> Self {
        ScheduleColumns { pictured, ..self }
    }
}

/// A program that a run starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StartedProgram {
    /// The key that names it, from the root on.
    pub key: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Place where the program is named.
    pub span: Span,
}
