//! Tables that `sacctmgr --parsable2` prints: columns by their names, and cells at their places.
//!
//! Source: sacctmgr(1) of Slurm 22.05 and 24.05. Columns are known in any order, upper and lower
//! case and with or without blanks (`Def QOS`, `DefaultQOS`).

use std::io::Read;

use crate::registry::Problem;
use crate::registry::code;
use crate::text::{LONGEST_TEXT, Place, read_whole};

/// A table with `|` between its cells.
pub(super) struct Cells {
    /// Names of the columns, without blanks and in small letters.
    pub(super) columns: Vec<String>,
    rows: Vec<(u64, String)>,
}

/// The name of a column without blanks and in small letters.
fn plain(name: &str) -> String {
    name.split_whitespace().collect::<String>().to_ascii_lowercase()
}

impl Cells {
    /// Reads the table that `sacctmgr show` prints of qualities of service (`qos`) or `assoc`.
    pub(super) fn read(reader: impl Read, what: &str) -> Result<Self, Problem> {
        let text =
            read_whole(reader, LONGEST_TEXT).map_err(|error| Problem::new(code::FILE, error.to_string()))?;
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let help = format!("print it by `sacctmgr --parsable2 show {what}`, header included");
        let Some((head, number)) = lines.next() else {
            return Err(Problem::new(code::NOT_SACCT, "the table is empty").help(help));
        };
        let columns: Vec<String> = head.split('|').map(plain).collect();
        let needed = if what == "qos" { "name" } else { "share" };
        if !columns.iter().any(|column| column == needed) {
            let place = Place::new(number, head.as_bytes(), 0, head.len());
            let message = format!("the table has no column `{needed}`");
            return Err(Problem::new(code::NOT_SACCT, message).at(place).help(help));
        }
        let mut rows = Vec::new();
        for (line, number) in lines {
            let cells = line.split('|').count();
            if cells != columns.len() {
                let place = Place::new(number, line.as_bytes(), 0, line.len());
                let message = format!("a row has {} cells, this one has {cells}", columns.len());
                let problem = Problem::new(code::NOT_SACCT, message).at(place);
                return Err(
                    problem.help("a name with `|` in it has to be left out: choose columns by format=")
                );
            }
            rows.push((number, line.to_owned()));
        }
        Ok(Cells { columns, rows })
    }

    /// Rows in the order of the table.
    pub(super) fn each(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(number, line)| Row { columns: &self.columns, number: *number, line })
    }
}

/// A row of a table.
pub(super) struct Row<'a> {
    columns: &'a [String],
    /// Line, from 1.
    pub(super) number: u64,
    line: &'a str,
}

impl<'a> Row<'a> {
    /// Cells by columns, with the bytes before each.
    pub(super) fn cells(&self) -> impl Iterator<Item = (&'a str, &'a str, usize)> {
        let mut at = 0;
        self.columns.iter().zip(self.line.split('|')).map(move |(column, cell)| {
            let begin = at;
            at += cell.len() + 1;
            (column.as_str(), cell, begin)
        })
    }

    /// The cell of the first of these columns that is there, and the bytes before it.
    pub(super) fn cell(&self, names: &[&str]) -> (&'a str, usize) {
        let found = names.iter().find_map(|name| self.cells().find(|(column, ..)| column == name));
        found.map_or(("", 0), |(_, cell, at)| (cell, at))
    }

    /// Text of the first of these columns that is there.
    pub(super) fn text(&self, names: &[&str]) -> &'a str {
        self.cell(names).0
    }

    /// A mistake in a cell, with the bytes before it, and the help on it.
    pub(super) fn wrong(&self, (cell, at): (&str, usize), message: String, help: &str) -> Problem {
        let place = Place::new(self.number, self.line.as_bytes(), at, cell.len());
        Problem::new(code::NOT_SACCT, message).at(place).help(help)
    }

    /// A number; `None` if there is no limit.
    pub(super) fn number(&self, (cell, at): (&str, usize)) -> Result<Option<u64>, Problem> {
        if is_none(cell) {
            return Ok(None);
        }
        let digits = cell.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| cell.parse().ok()).flatten();
        let help = "expected a whole number; an empty cell sets no limit";
        number.map(Some).ok_or_else(|| self.wrong((cell, at), format!("`{cell}` is no number"), help))
    }
}

/// Returns true if a cell sets no limit.
pub(super) fn is_none(cell: &str) -> bool {
    let words = ["", "-1", "unlimited", "infinite", "n/a", "4294967295", "18446744073709551615"];
    words.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// The name of a column as `sacctmgr` prints it.
pub(super) fn shown(column: &str) -> String {
    const SHOWN: &[&str] = &[
        "GraceTime",
        "Preempt",
        "PreemptExemptTime",
        "PreemptMode",
        "Flags",
        "UsageThres",
        "UsageFactor",
        "LimitFactor",
        "GrpTRES",
        "GrpTRESMins",
        "GrpTRESRunMins",
        "GrpJobs",
        "GrpJobsAccrue",
        "GrpSubmit",
        "GrpWall",
        "MaxTRES",
        "MaxTRESPerNode",
        "MaxTRESMins",
        "MaxWall",
        "MaxTRESPU",
        "MaxJobsPU",
        "MaxJobsAccruePU",
        "MaxSubmitPU",
        "MaxTRESPA",
        "MaxTRESRunMinsPA",
        "MaxTRESRunMinsPU",
        "MaxJobsPA",
        "MaxJobsAccruePA",
        "MaxSubmitPA",
        "MinTRES",
        "MinPrioThresh",
        "Priority",
        "MaxJobs",
        "MaxJobsAccrue",
        "MaxSubmit",
        "QOS",
    ];
    let known = SHOWN.iter().find(|name| name.eq_ignore_ascii_case(column));
    known.map_or_else(|| column.to_owned(), |name| (*name).to_owned())
}
