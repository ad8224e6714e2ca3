//! The header of a dump: which column holds what, and how a line is divided.
//!
//! `--parsable2` puts `|` between fields, `--parsable` behind each as well. Without either, sacct
//! prints columns of a fixed width for the eye, ruled by a line of dashes, whose lengths are the
//! widths.

use std::ops::Range;

use crate::registry::Problem;
use crate::registry::code;
use crate::text::Place;

use super::fields;

/// Declares the columns, each with its names in small letters; of two names of one column the first
/// that a dump has is taken.
macro_rules! columns {
    ($($column:ident = $($name:literal)|+,)*) => {
        /// Kinds of columns that are read; others are passed over.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Column {
            $($column),*
        }

        /// Columns by name.
        const NAMES: &[(&str, Column)] = &[$($(($name, Column::$column)),+),*];
    };
}

columns! {
    JobId = "jobid",
    JobIdRaw = "jobidraw",
    Submit = "submit",
    Eligible = "eligible",
    Start = "start",
    End = "end",
    Elapsed = "elapsed",
    ElapsedRaw = "elapsedraw",
    Suspended = "suspended",
    Timelimit = "timelimit",
    TimelimitRaw = "timelimitraw",
    State = "state",
    AllocCpus = "alloccpus" | "ncpus",
    ReqCpus = "reqcpus",
    AllocNodes = "allocnodes" | "nnodes",
    ReqNodes = "reqnodes",
    AllocTres = "alloctres",
    ReqTres = "reqtres",
    ReqMem = "reqmem",
    AllocGres = "allocgres",
    ReqGres = "reqgres",
    Constraints = "constraints",
    User = "user",
    Uid = "uid",
    Group = "group",
    Gid = "gid",
    Account = "account",
    JobName = "jobname",
    Qos = "qos",
    Partition = "partition",
    ConsumedEnergyRaw = "consumedenergyraw",
    Reservation = "reservation" | "reservationid",
}

/// Columns without which there are no jobs, each with those that may stand for it.
const NEEDED: &[(&str, &[Column])] = &[
    ("JobID", &[Column::JobId, Column::JobIdRaw]),
    ("Submit", &[Column::Submit]),
    ("ElapsedRaw", &[Column::ElapsedRaw, Column::Elapsed, Column::End]),
];

/// Columns of processors, one of which is needed.
const SIZES: [Column; 4] = [Column::AllocCpus, Column::ReqCpus, Column::AllocTres, Column::ReqTres];

/// Columns that every record has something in.
const NEVER_BLANK: [Column; 8] = [
    Column::JobId,
    Column::Submit,
    Column::Start,
    Column::End,
    Column::Elapsed,
    Column::ElapsedRaw,
    Column::State,
    Column::AllocCpus,
];

/// Columns of names and other texts that a user writes.
const TEXTS: [&str; 7] =
    ["JobName", "Comment", "AdminComment", "SystemComment", "SubmitLine", "WorkDir", "Extra"];

/// Positions of the columns of a dump.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// The kind of each column, if it is read.
    pub(super) kinds: Vec<Option<Column>>,
    /// The place of each column that is read.
    places: Vec<(Column, usize)>,
    /// The names, as written, of those that are passed over.
    pub(super) unused: Vec<String>,
    /// True if lines end with a bar.
    pub(super) is_closed: bool,
    /// True if the first column holds names or other texts, in which lines may end.
    pub(super) begins_in_text: bool,
    /// True if the last column does.
    pub(super) ends_in_text: bool,
    /// The bytes of each column, if their widths are fixed.
    pub(super) widths: Option<Vec<Range<usize>>>,
    /// The byte that a whole line of fixed widths reaches, if that is known.
    least: Option<usize>,
}

impl Columns {
    /// Reads the header, line `number` of the dump, with `|` between names.
    pub(super) fn read(text: &str, number: u64) -> Result<Self, Problem> {
        let line = text.strip_suffix('|');
        let mut columns = Columns::of(line.unwrap_or(text).split('|'), text, number)?;
        columns.is_closed = line.is_some();
        Ok(columns)
    }

    /// Reads the header, line `number` of the dump, whose columns are as wide as the dashes of the
    /// next line.
    pub(super) fn ruled(text: &str, number: u64, dashes: &str) -> Result<Self, Problem> {
        let mut widths = Vec::new();
        let mut start = 0;
        for part in dashes.split(' ') {
            if !part.is_empty() {
                widths.push(start..start + part.len());
            }
            start += part.len() + 1;
        }
        let columns = Columns::of(widths.iter().map(|width| within(text, width)), text, number)?;
        let last = widths.last().cloned().unwrap_or_default();
        // blanks behind the last column are kept, or its fields end where its name does
        let name = text.get(last.clone()).unwrap_or_default();
        let is_full = dashes.ends_with(' ') || (name.starts_with(' ') && !name.ends_with(' '));
        let least = is_full.then_some(last.end);
        let (begins_in_text, ends_in_text) = (false, false);
        Ok(Columns { begins_in_text, ends_in_text, widths: Some(widths), least, ..columns })
    }

    fn of<'t>(names: impl Iterator<Item = &'t str>, text: &str, number: u64) -> Result<Self, Problem> {
        let mut columns = Columns {
            kinds: Vec::new(),
            places: Vec::new(),
            unused: Vec::new(),
            is_closed: false,
            begins_in_text: false,
            ends_in_text: false,
            widths: None,
            least: None,
        };
        let names: Vec<&str> = names.collect();
        for &name in &names {
            // a width may follow a name in a format, and is printed by some
            let bare = name.split('%').next().unwrap_or_default();
            let known = NAMES.iter().find(|(known, _)| bare.eq_ignore_ascii_case(known));
            let kind = known.map(|&(_, column)| column);
            if kind.is_none() {
                columns.unused.push(name.to_owned());
            }
            // of two names of one amount the first serves
            let kind = kind.filter(|&column| columns.place(column).is_none());
            columns.places.extend(kind.map(|column| (column, columns.kinds.len())));
            columns.kinds.push(kind);
        }
        let wrong = |message: String| {
            let place = Place::new(number, text.as_bytes(), 0, text.len());
            Problem::new(code::NOT_SACCT, message).at(place)
        };
        let lacks = |any: &[Column]| any.iter().all(|&column| columns.place(column).is_none());
        let missing = NEEDED.iter().filter(|(_, any)| lacks(any)).map(|&(name, _)| name);
        let missing: Vec<&str> = missing.chain(lacks(&SIZES).then_some("AllocCPUS")).collect();
        if columns.kinds.iter().all(Option::is_none)
            && let Some(problem) = nameless(names.iter().copied(), text, number)
        {
            return Err(problem);
        }
        let is_text = |name: Option<&&str>| {
            name.is_some_and(|name| TEXTS.iter().any(|text| name.eq_ignore_ascii_case(text)))
        };
        columns.begins_in_text = is_text(names.first());
        columns.ends_in_text = is_text(names.last());
        match missing.as_slice() {
            [] => Ok(columns),
            ["AllocCPUS"] => {
                let problem = wrong("the dump has no column of processors".to_owned());
                Err(problem.help("name AllocCPUS or AllocTRES in --format of sacct"))
            }
            [one] => {
                let problem = wrong(format!("the dump has no column `{one}`"));
                Err(problem.help(format!("name it in --format of sacct; known: {KNOWN}")))
            }
            several => {
                let problem = wrong(format!("the dump has no columns {}", several.join(", ")));
                Err(problem.help(format!("name them in --format of sacct; known: {KNOWN}")))
            }
        }
    }

    /// Returns true if so many bars part all fields of a record that ends with `text`.
    pub(super) fn has_all(&self, bars: usize, text: &str) -> bool {
        bars + usize::from(!self.is_closed || !text.ends_with('|')) >= self.kinds.len()
    }

    /// The number of whole fields of a line of fixed widths that is cut short, if it is.
    pub(super) fn cut_at(&self, text: &str) -> Option<usize> {
        let widths = self.widths.as_ref()?;
        let text = if self.least.is_some() { text } else { text.trim_end() };
        let whole = widths.iter().take_while(|width| width.end <= text.len()).count();
        let is_cut = match self.least {
            Some(least) => text.len() < least,
            // blanks at the end of a line may be lost, and fields that are never blank are not
            None => self.kinds.iter().zip(widths).any(|(kind, width)| {
                width.start >= text.len() && kind.is_some_and(|kind| NEVER_BLANK.contains(&kind))
            }),
        };
        is_cut.then_some(whole)
    }

    /// The place of a column.
    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.places.iter().find(|(known, _)| *known == column).map(|&(_, place)| place)
    }
}

/// Mistake of a record in place of the names of columns, if these words are one.
pub(super) fn nameless<'t>(
    words: impl IntoIterator<Item = &'t str>,
    text: &str,
    number: u64,
) -> Option<Problem> {
    let is_field = |word: &str| fields::name(word).is_some() || fields::time(word, 0).is_some();
    if !words.into_iter().any(|word| !word.is_empty() && is_field(word)) {
        return None;
    }
    let missing: Vec<&str> = NEEDED.iter().map(|&(name, _)| name).chain(["AllocCPUS"]).collect();
    let message =
        format!("the dump begins with a record, and no line names its columns: {}", missing.join(", "));
    let help = "leave --noheader (-n) out of sacct, or write the names that --format had as the first line";
    let place = Place::new(number, text.as_bytes(), 0, text.len());
    Some(Problem::new(code::NOT_SACCT, message).at(place).help(help))
}

/// Returns true if a line rules columns of a fixed width.
pub(super) fn is_rule(line: &str) -> bool {
    line.contains('-') && line.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// The part of a line in a column of fixed width, without the blanks that fill it.
pub(super) fn within<'t>(line: &'t str, width: &Range<usize>) -> &'t str {
    let end = width.end.min(line.len());
    line.get(width.start.min(end)..end).unwrap_or_default().trim()
}

/// Columns that a message names.
const KNOWN: &str = "JobID, JobIDRaw, User, Group, Partition, QOS, Submit, Eligible, Start, End, ElapsedRaw, Suspended, \
     TimelimitRaw, State, AllocCPUS, ReqCPUS, AllocTRES, ReqTRES, Constraints";
