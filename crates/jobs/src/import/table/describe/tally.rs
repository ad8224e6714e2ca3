//! Contents of a column: kinds of values, their range, and the first that differ.

use super::forms::FORMS;
use crate::import::slurm::duration;
use crate::import::table::cell::{Cell, Number, number, trimmed};
use crate::import::table::moment::{Times, date_and_clock};

/// Different values that are kept of a column.
pub(super) const MOST_VALUES: usize = 40;
/// Different values that are shown of a column.
pub const SHOWN_VALUES: usize = 10;
/// Numbers of Slurm that stand for no limit, and for one that is not set.
pub(super) const NO_LIMITS: [i64; 2] = [4_294_967_295, 4_294_967_294];
/// Bytes of a value that are kept.
const LONGEST_VALUE: usize = 80;

/// Type of the values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnType {
    /// No value states anything.
    Nothing,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Real,
    /// Dates with the time of day, perhaps with numbers among them.
    Time,
    /// Spans as `1-02:03:04`.
    Span,
    /// Lists, or objects of JSON.
    List,
    /// Texts.
    Text,
}

impl ColumnType {
    /// Name for people and programs.
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Nothing => "nothing",
            ColumnType::Whole => "whole number",
            ColumnType::Real => "number",
            ColumnType::Time => "time",
            ColumnType::Span => "span of time",
            ColumnType::List => "list",
            ColumnType::Text => "text",
        }
    }

    /// Returns true of numbers.
    pub fn is_number(self) -> bool {
        matches!(self, ColumnType::Whole | ColumnType::Real)
    }
}

/// A column of a table and what stands in it.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnSurvey {
    /// Name.
    pub name: String,
    /// Rows in which it states something.
    pub stated: u64,
    /// Rows in which it does not.
    pub unknown: u64,
    /// The first values that differ, in the order in which they come up.
    pub values: Vec<String>,
    /// True if there are others.
    pub has_more: bool,
    /// The least and the greatest number.
    pub range: Option<(f64, f64)>,
    /// The first and the last time \[s since 1970\], as if in UTC where no zone is stated.
    pub times: Option<(i64, i64)>,
    /// The least number above 0.
    pub(super) least_above: f64,
    pub(super) zeros: u64,
    /// Numbers that are -1.
    pub(super) minus_ones: u64,
    /// Numbers that are each of [`NO_LIMITS`].
    pub(super) no_limits: [u64; 2],
    wholes: u64,
    reals: u64,
    dates: u64,
    spans: u64,
    lists: u64,
    /// Other forms of times that every text may have, a bit each.
    pub(super) forms: u32,
}

impl ColumnSurvey {
    pub(super) fn new(name: &str) -> Self {
        ColumnSurvey {
            name: name.to_owned(),
            stated: 0,
            unknown: 0,
            values: Vec::new(),
            has_more: false,
            range: None,
            times: None,
            least_above: f64::INFINITY,
            zeros: 0,
            minus_ones: 0,
            no_limits: [0; 2],
            wholes: 0,
            reals: 0,
            dates: 0,
            spans: 0,
            lists: 0,
            forms: (1 << FORMS.len()) - 1,
        }
    }

    /// Type of its values.
    pub fn kind(&self) -> ColumnType {
        self.kind_of_most(self.stated)
    }

    /// Type of nearly all of its values (of all but one, of a few), by which a key takes it: a run
    /// says what is wrong with the others.
    pub(super) fn likely(&self) -> ColumnType {
        self.kind_of_most(self.stated - (self.stated / 10).max(u64::from(self.stated > 2)))
    }

    /// Type that so many of its values have.
    fn kind_of_most(&self, most: u64) -> ColumnType {
        let numbers = self.wholes + self.reals;
        match () {
            () if self.stated == 0 => ColumnType::Nothing,
            () if numbers >= most && self.reals == 0 => ColumnType::Whole,
            () if numbers >= most => ColumnType::Real,
            () if self.dates > 0 && self.dates + numbers >= most => ColumnType::Time,
            () if self.spans > 0 && self.spans + self.wholes >= most => ColumnType::Span,
            () if self.lists >= most => ColumnType::List,
            () => ColumnType::Text,
        }
    }

    /// Returns true if numbers stand among the dates.
    pub(super) fn has_numbers(&self) -> bool {
        self.wholes + self.reals > 0
    }

    /// Takes in the cell of a row.
    pub(super) fn take(&mut self, cell: Cell<'_>) {
        if cell.states_nothing() {
            self.unknown += 1;
            return;
        }
        self.stated += 1;
        match cell {
            Cell::Text(text) => self.text(trimmed(text)),
            Cell::Whole(value) => self.number(Number::Whole(value)),
            Cell::Real(_) => self.number(cell.number().unwrap_or(Number::Real(0.0))),
            Cell::Instant(nanos, _) => self.time(nanos.div_euclid(1_000_000_000)),
            Cell::List(..) | Cell::Absent => self.lists += 1,
        }
        self.keep(cell);
    }

    fn text(&mut self, text: &[u8]) {
        if let Some(number) = number(text) {
            return self.number(number);
        }
        if let Some((seconds, _, zone)) = date_and_clock(text) {
            return self.time(seconds - zone.unwrap_or(0));
        }
        let is_span = text.len() <= 32 && text.contains(&b':');
        if is_span && std::str::from_utf8(text).is_ok_and(|text| duration(text, 1000).is_some()) {
            self.spans += 1;
        }
        if self.forms != 0 {
            let fits = |form: &str| {
                let times = Times { format: Some(form.to_owned()), unit: None, zone: None };
                times.read(Cell::Text(text)).is_ok()
            };
            let before = self.forms;
            let kept = FORMS.iter().enumerate().filter(|(bit, form)| (before >> bit) & 1 == 1 && fits(form));
            self.forms = kept.fold(0, |forms, (bit, _)| forms | (1 << bit));
        }
    }

    fn number(&mut self, number: Number) {
        let value = number.real();
        match number {
            Number::Whole(0) => self.zeros += 1,
            Number::Whole(-1) => self.minus_ones += 1,
            Number::Whole(whole) => {
                let counts = NO_LIMITS.iter().zip(&mut self.no_limits);
                counts.for_each(|(known, count)| *count += u64::from(*known == whole));
            }
            Number::Real(_) => {}
        }
        match number {
            Number::Whole(_) => self.wholes += 1,
            Number::Real(_) => self.reals += 1,
        }
        if value > 0.0 {
            self.least_above = self.least_above.min(value);
        }
        let (least, greatest) = self.range.unwrap_or((value, value));
        self.range = Some((least.min(value), greatest.max(value)));
    }

    fn time(&mut self, seconds: i64) {
        self.dates += 1;
        let (first, last) = self.times.unwrap_or((seconds, seconds));
        self.times = Some((first.min(seconds), last.max(seconds)));
    }

    /// Keeps a value that differs from those that are kept.
    fn keep(&mut self, cell: Cell<'_>) {
        if self.has_more {
            return;
        }
        if let Cell::Text(text) = cell
            && self.values.iter().any(|known| known.as_bytes() == trimmed(text))
        {
            return;
        }
        let value = written(cell);
        if self.values.contains(&value) {
            return;
        }
        if self.values.len() == MOST_VALUES {
            self.has_more = true;
        } else {
            self.values.push(value);
        }
    }
}

/// A value as it stands in the table, cut to its first letters.
fn written(cell: Cell<'_>) -> String {
    match cell {
        Cell::Instant(nanos, is_utc) => {
            let zone = if is_utc { "Z" } else { "" };
            format!("{}{zone}", super::date(nanos.div_euclid(1_000_000_000)))
        }
        Cell::List(count, _) => format!("[{count}]"),
        Cell::Text(text) => {
            let text = trimmed(text);
            let shown = String::from_utf8_lossy(&text[..text.len().min(LONGEST_VALUE)]);
            let mut shown: String =
                shown.chars().map(|one| if one.is_control() { '·' } else { one }).collect();
            if text.len() > LONGEST_VALUE {
                shown.push('…');
            }
            shown
        }
        other => other.name().unwrap_or_default().into_owned(),
    }
}
