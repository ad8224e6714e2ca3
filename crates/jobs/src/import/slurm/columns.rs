//! The header of a dump: which column holds what.

use crate::registry::Problem;
use crate::registry::code;
use crate::text::Place;

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

/// Positions of the columns of a dump.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// The place of each known column.
    places: Vec<(Column, usize)>,
    /// Number of columns.
    pub(super) count: usize,
    /// The names, as written, of those that are passed over.
    pub(super) unused: Vec<String>,
    /// True if the last column is text of users, which may hold `|` itself.
    pub(super) free_end: bool,
}

impl Columns {
    /// Reads the header, line `number` of the dump.
    pub(super) fn read(text: &str, number: u64) -> Result<Self, Problem> {
        let line = text.strip_suffix('|').unwrap_or(text);
        let wrong = |column: usize, width: usize, message: String| {
            let place = Place::new(number, text.as_bytes(), column, width);
            Problem::new(code::NOT_SACCT, message).at(place)
        };
        if !line.contains('|') {
            let problem =
                wrong(0, text.len(), "this is no line of column names with `|` between them".to_owned());
            return Err(problem.help("print the dump by `sacct --parsable2`, header included"));
        }
        let mut columns = Columns { places: Vec::new(), count: 0, unused: Vec::new(), free_end: false };
        for name in line.split('|') {
            let known = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
            match known {
                Some(&(_, column)) if columns.place(column).is_none() => {
                    columns.places.push((column, columns.count));
                }
                // two names of one amount; the first serves
                Some(_) => {}
                None => columns.unused.push(name.to_owned()),
            }
            columns.free_end = known.is_none_or(|&(_, column)| column == Column::JobName);
            columns.count += 1;
        }
        for (name, any) in NEEDED {
            if any.iter().all(|&column| columns.place(column).is_none()) {
                let problem = wrong(0, text.len(), format!("the dump has no column `{name}`"));
                return Err(problem.help(format!("name it in --format of sacct; known: {KNOWN}")));
            }
        }
        let sizes = [Column::AllocCpus, Column::ReqCpus, Column::AllocTres, Column::ReqTres];
        if sizes.iter().all(|&column| columns.place(column).is_none()) {
            let problem = wrong(0, text.len(), "the dump has no column of processors".to_owned());
            return Err(problem.help("name AllocCPUS or AllocTRES in --format of sacct"));
        }
        Ok(columns)
    }

    /// The place of a column.
    pub(super) fn place(&self, column: Column) -> Option<usize> {
        self.places.iter().find(|(known, _)| *known == column).map(|&(_, place)| place)
    }
}

/// Columns that a message names.
const KNOWN: &str = "JobID, JobIDRaw, User, Group, Partition, QOS, Submit, Eligible, Start, End, ElapsedRaw, TimelimitRaw, State, AllocCPUS, \
     ReqCPUS, AllocTRES, ReqTRES, Constraints";
