//! One record of a dump: its fields by column, each with its place for messages.

use crate::registry::Problem;
use crate::registry::code;
use crate::text::Place;
use crate::workload::swf::Cause;

use super::columns::{Column, Columns};
use super::divide;
use super::fields::{self, is_unknown};

/// A record that cannot be read: the cause under which it is counted, and the first mistake in it.
#[derive(Debug)]
pub(super) struct BadRecord {
    pub(super) cause: Cause,
    pub(super) problem: Box<Problem>,
    /// True if fields are missing at its end.
    pub(super) is_short: bool,
}

/// A record.
pub(super) struct Record<'a> {
    pub(super) text: &'a str,
    columns: &'a Columns,
    /// Bytes of each field, from the first to behind the last.
    spans: Vec<(usize, usize)>,
    /// Number of its first line.
    pub(super) line: u64,
}

impl<'a> Record<'a> {
    /// Divides a line into its fields.
    pub(super) fn new(text: &'a str, columns: &'a Columns, line: u64) -> Result<Self, BadRecord> {
        if let Some(widths) = &columns.widths {
            let record = Record { text, columns, spans: spans_of(text, widths), line };
            return match columns.cut_at(text) {
                None => Ok(record),
                Some(found) => {
                    let cut = miscounted(text, &record.spans[..found], columns.kinds.len(), line);
                    Err(BadRecord { is_short: false, ..cut })
                }
            };
        }
        let count = columns.kinds.len();
        let open = if columns.is_closed { text.strip_suffix('|').unwrap_or(text) } else { text };
        let mut spans = parts(open);
        if spans.len() > count {
            spans = match divide::among(open, &spans, columns) {
                Some(divided) => divided,
                // lines of `--parsable` in a dump whose header is not
                None if spans.len() == count + 1 && open.ends_with('|') => parts(&open[..open.len() - 1]),
                None => return Err(miscounted(text, &spans, count, line)),
            };
        }
        if spans.len() < count {
            return Err(miscounted(text, &spans, count, line));
        }
        // the end of a line stands in names and comments, and in no field that is read
        let is_torn = |(&(start, end), kind): (&(usize, usize), &Option<Column>)| {
            !divide::is_free(*kind) && text[start..end].contains('\n')
        };
        if text.contains('\n') && spans.iter().zip(&columns.kinds).any(is_torn) {
            let torn = miscounted(text, &spans[..1], count, line);
            return Err(BadRecord { is_short: false, ..torn });
        }
        Ok(Record { text, columns, spans, line })
    }

    /// Fields of a line of too few or too many, as far as they are where they should be.
    pub(super) fn of_part(text: &'a str, columns: &'a Columns, line: u64) -> Self {
        let count = columns.kinds.len();
        if let Some(widths) = &columns.widths {
            let mut spans = spans_of(text, widths);
            let known = columns.cut_at(text).unwrap_or(count);
            spans[known.min(count)..].fill((0, 0));
            return Record { text, columns, spans, line };
        }
        let parts = parts(if columns.is_closed { text.strip_suffix('|').unwrap_or(text) } else { text });
        let mut spans = vec![(0, 0); count];
        let is_form =
            |place: usize, part: (usize, usize)| divide::is_form(columns.kinds[place], &text[part.0..part.1]);
        // the last of too few may be cut itself, and a name may hold bars that are too many
        let is_long = parts.len() > count;
        let is_known = |place: usize| !is_long || !divide::is_free(columns.kinds[place]);
        let ahead = if parts.len() < count { parts.len() - 1 } else { count };
        let ahead = (0..ahead).take_while(|&place| is_known(place) && is_form(place, parts[place])).count();
        spans[..ahead].copy_from_slice(&parts[..ahead]);
        if is_long {
            let surplus = parts.len() - count;
            let behind = (ahead..count).rev();
            for place in behind.take_while(|&place| is_known(place) && is_form(place, parts[place + surplus]))
            {
                spans[place] = parts[place + surplus];
            }
        }
        Record { text, columns, spans, line }
    }

    /// The field of a column; `None` if there is no such column or it holds nothing that is known.
    pub(super) fn get(&self, column: Column) -> Option<&'a str> {
        let (start, end) = self.spans[self.columns.place(column)?];
        let text = &self.text[start..end];
        (!is_unknown(text)).then_some(text)
    }

    /// Returns true if each field has the form of its column.
    pub(super) fn has_forms(&self) -> bool {
        let mut fields = self.spans.iter().zip(&self.columns.kinds);
        fields.all(|(&(start, end), &kind)| divide::is_form(kind, &self.text[start..end]))
    }

    /// Returns true if it names a job.
    pub(super) fn has_name(&self) -> bool {
        let name = self.get(Column::JobId).or_else(|| self.get(Column::JobIdRaw));
        name.is_some_and(|name| fields::name(name).is_some())
    }

    /// Returns true if the dump has this column.
    pub(super) fn has(&self, column: Column) -> bool {
        self.columns.place(column).is_some()
    }

    /// A field that cannot be read.
    pub(super) fn wrong(&self, column: Column, message: impl Into<String>) -> BadRecord {
        let (start, end) = self.columns.place(column).map_or((0, 0), |place| self.spans[place]);
        let width = if self.get(column).is_some() { end - start } else { 0 };
        let place = place(self.line, self.text, start, width);
        let problem = Problem::new(code::SACCT_FIELD, message).at(place);
        BadRecord { cause: cause_of(column), problem: Box::new(problem), is_short: false }
    }

    /// A field as `read` reads it; `what` names that in the message about one that it cannot read.
    pub(super) fn read<T>(
        &self,
        column: Column,
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, BadRecord> {
        let Some(text) = self.get(column) else { return Ok(None) };
        match read(text) {
            Some(value) => Ok(Some(value)),
            None => Err(self.wrong(column, format!("`{}` is no {what}", shown(text)))),
        }
    }

    /// A whole amount in a column of its own, or of a resource in a list, and true if it is
    /// rounded; zero is not known.
    pub(super) fn amount(
        &self,
        own: Column,
        list: Column,
        resource: &str,
    ) -> Result<Option<(u32, bool)>, BadRecord> {
        let own = self.read(own, "number", fields::count)?.filter(|&(count, _)| count > 0);
        if own.is_some_and(|(_, is_rounded)| !is_rounded) {
            return Ok(own);
        }
        let Some(text) = self.get(list).and_then(|text| fields::resource_text(text, resource)) else {
            return Ok(own);
        };
        match fields::count(text) {
            Some((_, true)) if own.is_some() => Ok(own),
            Some(amount) => Ok(Some(amount).filter(|&(count, _)| count > 0)),
            None => Err(self.wrong(list, format!("`{resource}=` in this list is no such number"))),
        }
    }
}

/// Cause under which a record is counted whose field of this column cannot be read.
fn cause_of(column: Column) -> Cause {
    match column {
        Column::JobId | Column::JobIdRaw => Cause::UnreadName,
        Column::Submit | Column::Eligible | Column::Start | Column::End => Cause::UnreadTime,
        Column::Elapsed | Column::ElapsedRaw | Column::Suspended => Cause::UnreadRunTime,
        Column::Timelimit | Column::TimelimitRaw => Cause::UnreadTimeLimit,
        Column::AllocCpus | Column::ReqCpus | Column::AllocNodes | Column::ReqNodes => Cause::UnreadNumber,
        _ => Cause::UnreadResources,
    }
}

/// Returns true if a line is the beginning of a record: its fields have the forms of their columns,
/// and one of them is a name of a job, a time or a state.
pub(super) fn begins(text: &str, columns: &Columns) -> bool {
    let parts = parts(text);
    let last = parts.len() - 1;
    if last >= columns.kinds.len() {
        return false;
    }
    let mut is_record = false;
    for (place, (&(start, end), &kind)) in parts.iter().zip(&columns.kinds).enumerate() {
        let part = &text[start..end];
        let is_form = divide::is_form(kind, part);
        // the last field may be cut itself
        if place < last && !is_form {
            return false;
        }
        let identifies = kind.is_some_and(|kind| {
            let of_job = matches!(kind, Column::JobId | Column::JobIdRaw | Column::State);
            of_job || matches!(kind, Column::Submit | Column::Eligible | Column::Start | Column::End)
        });
        is_record |= identifies && is_form && last > 0 && !is_unknown(part);
    }
    is_record
}

/// Bytes of each column of fixed width.
fn spans_of(text: &str, widths: &[std::ops::Range<usize>]) -> Vec<(usize, usize)> {
    let span = |width: &std::ops::Range<usize>| {
        let field = super::columns::within(text, width);
        let start = width.start.min(text.len()) + lead(text, width, field);
        // a column that begins within a letter holds nothing
        if text.is_char_boundary(start) { (start, start + field.len()) } else { (0, 0) }
    };
    widths.iter().map(span).collect()
}

/// Bytes between bars.
fn parts(text: &str) -> Vec<(usize, usize)> {
    let bars = text.bytes().enumerate().filter(|&(_, byte)| byte == b'|').map(|(at, _)| at);
    let mut start = 0;
    bars.chain([text.len()]).map(|bar| (std::mem::replace(&mut start, bar + 1), bar)).collect()
}

/// Blanks before a field of fixed width.
fn lead(text: &str, width: &std::ops::Range<usize>, field: &str) -> usize {
    let part = text.get(width.start.min(text.len())..width.end.min(text.len())).unwrap_or_default();
    part.find(field).unwrap_or(0)
}

/// The place of bytes in a record, which may have several lines.
fn place(line: u64, text: &str, start: usize, width: usize) -> Place {
    let first = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let line = line + text[..first].matches('\n').count() as u64;
    let rest = text[first..].split('\n').next().unwrap_or_default();
    Place::new(line, rest.as_bytes(), start - first, width.min(rest.len() - (start - first)))
}

/// Mistake of a record of too few or too many fields.
fn miscounted(text: &str, spans: &[(usize, usize)], count: usize, line: u64) -> BadRecord {
    let found = spans.len();
    let message = format!("a record has {count} fields, this one has {found}");
    let column = spans.get(count).map_or(text.len(), |&(start, _)| start - 1);
    let at = place(line, text, column, text.len() - column);
    let problem = Problem::new(code::NOT_SACCT, message).at(at);
    let problem = problem.help(if found > count {
        "names of jobs may hold `|`: leave JobName out of --format, or name it last"
    } else {
        "the dump may have been cut short, or a name holds the end of a line"
    });
    BadRecord { cause: Cause::UnreadFields, problem: Box::new(problem), is_short: found < count }
}

/// The beginning of a field, in one line.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(40).map(|letter| if letter.is_control() { '·' } else { letter }).collect()
}
