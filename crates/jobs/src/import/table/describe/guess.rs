//! A guess at the meaning of the columns of a table, as a text for a scenario.

use crate::import::slurm::{State, state};
use crate::registry::{Complaint, Problem, code, toml_text};

use super::forms::form_of;
use super::tally::{ColumnSurvey, ColumnType, NO_LIMITS};
use super::words::{
    ENERGY_WORDS, KEYS, KeySense, KeyWords, MEMORY_WORDS, TIME_WORDS, per_of, plain, unit_of,
};
use crate::import::table::mapping::{Mapping, Role};
use crate::import::table::preset;
use crate::import::table::source::mapping_of;

/// Columns of a public source that a table has at least to be known by them.
const LEAST_KNOWN: usize = 4;
/// Seconds since 1970 that are dates of logs: 1989 to 2128.
const DATES: std::ops::Range<f64> = 6e8..5e9;

/// Keys whose columns are known by their names alone, if the values are of another type.
const BY_NAME: [&str; 4] = ["submit", "start", "end", "procs"];

/// A line of the guess.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuessedKey {
    /// Key of `[workload.columns]`.
    pub key: &'static str,
    /// Value, in TOML.
    pub value: String,
    /// Reason to look at it twice, if there is one.
    pub doubt: Option<String>,
}

/// A guess at the meaning of the columns.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guess {
    /// The public source whose columns the table has.
    pub like: Option<&'static str>,
    /// The keys that say what the columns mean, or what differs from the source.
    pub columns: Vec<GuessedKey>,
}

impl Guess {
    pub(super) fn put(&mut self, key: &'static str, value: impl Into<String>, doubt: Option<String>) {
        let new = GuessedKey { key, value: value.into(), doubt };
        match self.columns.iter_mut().find(|own| own.key == key) {
            Some(own) => *own = new,
            None => self.columns.push(new),
        }
    }

    /// Returns true if a column states submissions, and another how long jobs ran.
    pub(super) fn is_of_jobs(&self) -> bool {
        self.like.is_some() || (self.has("submit") && (self.has("end") || self.has("run-time")))
    }

    /// Returns true if this key is guessed.
    pub fn has(&self, key: &str) -> bool {
        self.columns.iter().any(|own| own.key == key)
    }

    /// The keys, in a table of this name below `like`.
    pub fn keys(&self, table: &str) -> String {
        let like = self.like.map(|name| format!("like = {}\n", toml_text(name))).unwrap_or_default();
        if self.columns.is_empty() {
            return like;
        }
        let line = |own: &GuessedKey| {
            let doubt = own.doubt.as_ref().map(|doubt| format!("  # a guess: {doubt}")).unwrap_or_default();
            format!("{} = {}{doubt}\n", own.key, own.value)
        };
        let lines: String = self.columns.iter().map(line).collect();
        let gap = if like.is_empty() { "" } else { "\n" };
        format!("{like}{gap}[{table}]\n{lines}")
    }

    /// The workload of a scenario that reads the table by this guess; `file` is a value of TOML.
    /// With `resources` jobs ask for all that they had.
    pub fn workload(&self, file: &str, resources: bool) -> String {
        let resources = if resources { "resources = \"allocated\"\n" } else { "" };
        let keys = self.keys("workload.columns");
        let gap = if self.like.is_none() && !self.columns.is_empty() { "\n" } else { "" };
        format!("[workload]\nkind = \"table\"\nfile = {file}\n{resources}{gap}{keys}")
    }
}

/// The reason that a guess says too little.
pub(super) fn incomplete(complaints: Vec<Complaint>) -> Problem {
    let Some(first) = complaints.into_iter().next() else {
        return Problem::new(code::TABLE, "its columns are not those of jobs");
    };
    let problem = Problem::new(first.code, format!("{} as far as its columns show", first.message));
    match first.help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

/// A guess at the meaning of these columns; `own` are the names of a table that does not state
/// them.
pub(super) fn guess(columns: &[ColumnSurvey], own: Option<Vec<String>>) -> Guess {
    let known: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    if own.is_none()
        && let Some(name) = known_as(&known)
    {
        return of_source(name, columns);
    }
    let mut guess = Guess::default();
    if let Some(names) = own {
        let names: Vec<String> = names.iter().map(|name| toml_text(name)).collect();
        guess.put("header", "false", None);
        guess.put(
            "names",
            format!("[{}]", names.join(", ")),
            Some("the first line is a row already".to_owned()),
        );
    }
    let mut left: Vec<&ColumnSurvey> = columns.iter().collect();
    let mut times = None;
    for words in KEYS {
        let Some(column) = words.find(&left) else { continue };
        if words.key == "run-time" && guess.has("end") {
            continue;
        }
        if put(&mut guess, &words, column) {
            left.retain(|other| other.name != column.name);
            if words.sense == KeySense::Time {
                times = times.or_else(|| form_of_times(column));
            }
        }
    }
    let is_sized = ["procs", "nodes", "gpus", "tres"].into_iter().any(|key| guess.has(key));
    if !guess.is_of_jobs() || !is_sized {
        put_by_name(&mut guess, left);
    }
    if let Some((value, doubt)) = times {
        guess.put("times", value, doubt);
    }
    guess
}

/// Adds the keys of columns that are called as those of jobs and whose values cannot be read: a run
/// says where these are.
fn put_by_name(guess: &mut Guess, mut left: Vec<&ColumnSurvey>) {
    let mut named = guess.clone();
    for words in KEYS.iter().filter(|words| BY_NAME.contains(&words.key) && !guess.has(words.key)) {
        let Some(column) = words.find_by_name(&left) else { continue };
        left.retain(|other| other.name != column.name);
        named.put(words.key, toml_text(&column.name), None);
    }
    if named.is_of_jobs() {
        *guess = named;
    }
}

/// The public source whose columns a table of these names has.
fn known_as(known: &[&str]) -> Option<&'static str> {
    let matched = |name: &str| {
        let mapping = mapping_of(&format!("like = {}", toml_text(name))).ok()?;
        if mapping.names.is_some() {
            return None;
        }
        let has = |slot: usize| {
            let path = &mapping.paths[slot];
            known.iter().any(|own| *own == path.column || *own == path.first())
        };
        let of_columns = || mapping.columns.iter().filter(|column| !column.slots.is_empty());
        let is_whole = of_columns().all(|column| column.optional || column.slots.clone().any(has));
        let count = of_columns().filter(|column| column.slots.clone().any(has)).count();
        (is_whole && count >= LEAST_KNOWN).then_some(count)
    };
    let mut best = None;
    for (name, _) in preset::NAMES {
        let count = matched(name).unwrap_or(0);
        if count > best.map_or(0, |(most, _)| most) {
            best = Some((count, *name));
        }
    }
    best.map(|(_, name)| name)
}

/// The guess for a table of a public source: units of its times are looked at, as they differ
/// between files of some.
fn of_source(name: &'static str, columns: &[ColumnSurvey]) -> Guess {
    let mut guess = Guess { like: Some(name), columns: Vec::new() };
    let Ok(mapping) = mapping_of(&guess.keys("columns")) else { return guess };
    let column_of = |role: Role| {
        let slot = mapping.column(role)?.slots.start;
        columns.iter().find(|column| column.name == mapping.paths[slot].column)
    };
    let numbers = column_of(Role::Submit).filter(|column| column.has_numbers() && !mapping.is_dateless);
    let (Some(submit), Some(stated)) = (numbers, mapping.times.unit) else { return guess };
    let Some((unit, nanos)) = submit.range.and_then(|(_, greatest)| unit_of_date(greatest)) else {
        return guess;
    };
    if nanos == stated {
        return guess;
    }
    guess.put(
        "times",
        format!("{{ unit = \"{unit}\" }}"),
        Some("others of this source are dates of another time".to_owned()),
    );
    let spans = mapping.column(Role::RunTime).filter(|column| same_unit(&mapping, column.factor));
    if let (Some(_), Some(column)) = (spans, column_of(Role::RunTime)) {
        let value = format!("{{ column = {}, unit = \"{unit}\" }}", toml_text(&column.name));
        guess.put("run-time", value, Some("as the times".to_owned()));
    }
    guess
}

fn same_unit(mapping: &Mapping, factor: f64) -> bool {
    mapping.times.unit.is_some_and(|unit| (unit as f64 - factor).abs() < 0.5)
}

/// The unit in which a number is a date, and its nanoseconds.
fn unit_of_date(number: f64) -> Option<(&'static str, i64)> {
    let units = [("s", 1e0, 1_000_000_000), ("ms", 1e3, 1_000_000), ("us", 1e6, 1_000), ("ns", 1e9, 1)];
    units
        .into_iter()
        .find(|(_, a_second, _)| DATES.contains(&(number / a_second)))
        .map(|(unit, _, nanos)| (unit, nanos))
}

/// The key `times` for times as in a column, and the doubt about it.
fn form_of_times(column: &ColumnSurvey) -> Option<(String, Option<String>)> {
    if column.likely() == ColumnType::Text {
        let (form, is_one_of) = form_of(column.forms)?;
        let doubt = is_one_of.then(|| "day and month may be swapped".to_owned());
        return Some((format!("{{ format = {} }}", toml_text(form)), doubt));
    }
    let (_, greatest) = column.range.filter(|_| column.has_numbers())?;
    if let Some((unit, _)) = unit_of_date(greatest) {
        return Some((
            format!("{{ unit = \"{unit}\" }}"),
            Some("in this unit the numbers are dates".to_owned()),
        ));
    }
    let unit = unit_of(TIME_WORDS, &column.name);
    let doubt = if unit.is_some() {
        "the numbers are no dates"
    } else {
        "the numbers are no dates; their unit is not stated"
    };
    Some((format!("{{ unit = \"{}\", origin = \"trace\" }}", unit.unwrap_or("s")), Some(doubt.to_owned())))
}

/// Adds the key of a column; false if it cannot be read by any guess.
fn put(guess: &mut Guess, words: &KeyWords, column: &ColumnSurvey) -> bool {
    let name = toml_text(&column.name);
    let mut more = String::new();
    let mut none: Vec<String> = Vec::new();
    let mut doubts: Vec<String> = Vec::new();
    match words.sense {
        KeySense::Time => {
            let is_dated = column.range.is_some_and(|(_, greatest)| unit_of_date(greatest).is_some());
            if column.zeros > 0 && is_dated {
                none.push("0".to_owned());
                doubts.push("0 is no date here".to_owned());
            }
        }
        KeySense::Span => {
            if column.likely() != ColumnType::Span {
                let stated = unit_of(TIME_WORDS, &column.name);
                more += &format!(", unit = \"{}\"", stated.unwrap_or("s"));
                doubts.extend(stated.is_none().then(|| "its unit is not stated".to_owned()));
            }
        }
        KeySense::Amount => {
            if plain(&column.name).contains("milli") {
                more += ", scale = 0.001";
            }
            let unit = match words.key {
                "memory" => Some(memory_unit(column)),
                "energy" => Some((unit_of(ENERGY_WORDS, &column.name), "J")),
                _ => None,
            };
            if let Some((stated, likely)) = unit {
                if stated.is_none() && words.key == "energy" {
                    return false;
                }
                more += &format!(", unit = \"{}\"", stated.unwrap_or(likely));
                doubts.extend(stated.is_none().then(|| "its unit is not stated".to_owned()));
            }
            if let Some(per) = per_of(&column.name) {
                // of something whose number is not known nothing can be said
                let key = [("node", "nodes"), ("gpu", "gpus"), ("processor", "procs")];
                let key = key.iter().find(|(of, _)| *of == per).map(|&(_, key)| key);
                if key.is_none_or(|key| key == words.key || !guess.has(key)) {
                    return false;
                }
                more += &format!(", per = \"{per}\"");
            } else if words.key == "memory" {
                more += ", per = \"job\"";
                doubts.push("it may be of each node".to_owned());
            }
            let is_count = matches!(words.key, "procs" | "nodes" | "gpus");
            if is_count && (column.likely() == ColumnType::Real || more.contains("scale")) {
                more += ", round = \"up\"";
                doubts.push("its amounts are not whole".to_owned());
            }
        }
        KeySense::Name => {}
    }
    if column.minus_ones > 0 && words.sense != KeySense::Name {
        none.push("-1".to_owned());
        doubts.push("-1 stands for unknown".to_owned());
    }
    if words.sense == KeySense::Span {
        for (number, _) in NO_LIMITS.iter().zip(column.no_limits).filter(|(_, count)| *count > 0) {
            none.push(number.to_string());
            doubts.push(format!("{number} stands for no limit, as in databases of Slurm"));
        }
    }
    match &*none {
        [] => {}
        [one] => more += &format!(", none = {one}"),
        several => more += &format!(", none = [{}]", several.join(", ")),
    }
    let value = if more.is_empty() { name } else { format!("{{ column = {name}{more} }}") };
    guess.put(words.key, value, (!doubts.is_empty()).then(|| doubts.join("; ")));
    if words.key == "state"
        && let Some((states, doubt)) = states(column)
    {
        guess.put("states", states, doubt);
    }
    true
}

/// The unit of memory that a name states, and the one that its numbers make likely.
fn memory_unit(column: &ColumnSurvey) -> (Option<&'static str>, &'static str) {
    let greatest = column.range.map_or(0.0, |(_, greatest)| greatest);
    let likely = match greatest {
        greatest if greatest >= 1e9 => "B",
        greatest if greatest >= 2048.0 => "MB",
        _ => "GB",
    };
    (unit_of(MEMORY_WORDS, &column.name), likely)
}

/// Beginnings of words for states, each with the meaning.
const STATE_WORDS: [(&str, &str); 5] = [
    ("completed", "complet success succe pass done finish ok ended"),
    ("failed", "fail error node_fail nodefail out_of_mem oom crash boot"),
    ("cancelled", "cancel kill abort stop terminat revoked delete"),
    ("timeout", "timeout timelimit deadline"),
    ("dropped", "pend queue wait run susp held configuring"),
];

/// The key `states`, if the words of Slurm do not hold, and the doubt about it.
fn states(column: &ColumnSurvey) -> Option<(String, Option<String>)> {
    if column.likely().is_number() {
        let is_exit = plain(&column.name).contains("exit");
        let doubt = Some("0 is taken as completed, as in exit codes".to_owned());
        return is_exit.then(|| ("{ completed = 0, failed = \"others\" }".to_owned(), doubt));
    }
    let is_slurm = |word: &str| !matches!(state(word), State::Unknown);
    if column.has_more || column.values.iter().all(|word| is_slurm(word)) {
        return None;
    }
    let meaning = |word: &str| {
        let word = word.to_ascii_lowercase();
        let found =
            STATE_WORDS.iter().find(|(_, starts)| starts.split(' ').any(|start| word.starts_with(start)));
        found.map(|&(meaning, _)| meaning)
    };
    let list = |(of, _): &(&'static str, &str)| {
        let words: Vec<String> = column
            .values
            .iter()
            .filter(|word| meaning(word) == Some(*of))
            .map(|word| toml_text(word))
            .collect();
        (!words.is_empty()).then(|| format!("{of} = [{}]", words.join(", ")))
    };
    let lists: Vec<String> = STATE_WORDS.iter().filter_map(list).collect();
    let value = format!("{{ {} }}", lists.join(", "));
    (!lists.is_empty()).then(|| (value, Some("by the beginnings of the words".to_owned())))
}
