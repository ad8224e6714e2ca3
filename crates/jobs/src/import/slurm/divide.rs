//! Fields of a record that has more bars than its columns part.
//!
//! Names of jobs, comments and constraints may hold `|` themselves. Every other field has a form:
//! times, durations, numbers, states, lists of resources. A division gives each column a run of
//! what stands between bars, more than one to columns of free text alone, so that every field has
//! its form. A field that all divisions agree on is that; one that they place differently is
//! unknown, and a record of which a field that counts is so cannot be read.

use super::columns::{Column, Columns};
use super::fields::{self, State, is_unknown};

/// Most bars of a record beyond those between its columns.
const MOST_SURPLUS: usize = 64;
/// Most runs of parts, of all columns together, that are looked at.
const MOST_RUNS: usize = 400_000;

/// Returns true if fields of this column may hold bars and ends of lines.
pub(super) fn is_free(kind: Option<Column>) -> bool {
    matches!(kind, None | Some(Column::JobName | Column::Constraints))
}

/// Bytes of each column, from the parts of a record, which are more than the columns; `None` if
/// there is no division, or several that differ in a field that counts.
pub(super) fn among(text: &str, parts: &[(usize, usize)], columns: &Columns) -> Option<Vec<(usize, usize)>> {
    let kinds = &columns.kinds;
    let surplus = parts.len().checked_sub(kinds.len()).filter(|&surplus| {
        surplus <= MOST_SURPLUS && kinds.len().saturating_mul(surplus * surplus) <= MOST_RUNS
    })?;
    let part = |place: usize| &text[parts[place].0..parts[place].1];
    // ahead[c][s]: the first c columns can have the first c + s parts
    let mut ahead = vec![vec![false; surplus + 1]; kinds.len() + 1];
    ahead[0][0] = true;
    // may[c]: pairs of surplus before and behind column c that its own parts allow
    let may = |column: usize, before: usize, behind: usize| match kinds[column] {
        None | Some(Column::JobName) => true,
        kind if is_free(kind) => (column + before..=column + behind)
            .all(|place| is_form(kind, part(place)) && (before == behind || !part(place).is_empty())),
        kind => before == behind && is_form(kind, part(column + before)),
    };
    for column in 0..kinds.len() {
        for behind in 0..=surplus {
            ahead[column + 1][behind] =
                (0..=behind).any(|before| ahead[column][before] && may(column, before, behind));
        }
    }
    let mut after = vec![vec![false; surplus + 1]; kinds.len() + 1];
    after[kinds.len()][surplus] = true;
    for column in (0..kinds.len()).rev() {
        for before in 0..=surplus {
            after[column][before] =
                (before..=surplus).any(|behind| after[column + 1][behind] && may(column, before, behind));
        }
    }
    if !after[0][0] {
        return None;
    }
    let mut spans = Vec::with_capacity(kinds.len());
    for column in 0..kinds.len() {
        let runs = (0..=surplus).flat_map(|before| (before..=surplus).map(move |behind| (before, behind)));
        let mut runs = runs.filter(|&(before, behind)| {
            ahead[column][before] && after[column + 1][behind] && may(column, before, behind)
        });
        let (before, behind) = runs.next()?;
        let is_unique = runs.next().is_none();
        let (start, end) = (parts[column + before].0, parts[column + behind].1);
        match kinds[column] {
            _ if is_unique => spans.push((start, end)),
            None | Some(Column::JobName) => spans.push((start, start)),
            Some(_) => return None,
        }
    }
    Some(spans)
}

/// Returns true if what stands between two bars may be a field of this column, or a part of one.
pub(super) fn is_form(kind: Option<Column>, text: &str) -> bool {
    let Some(kind) = kind else { return true };
    match kind {
        Column::JobName => true,
        Column::Constraints => text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'='),
        _ if text.contains('\n') => false,
        Column::JobId => fields::name(text).is_some(),
        Column::JobIdRaw => is_unknown(text) || fields::name(text).is_some(),
        Column::Submit | Column::Eligible | Column::Start | Column::End => {
            is_unknown(text) || fields::time(text, 0).is_some()
        }
        Column::Elapsed | Column::ElapsedRaw | Column::Suspended => {
            is_unknown(text) || fields::duration(text.trim_start_matches('-'), 1000).is_some()
        }
        Column::Timelimit | Column::TimelimitRaw => fields::limit(text).is_some(),
        Column::State => is_unknown(text) || fields::state(text) != State::Unknown,
        Column::AllocCpus | Column::ReqCpus | Column::AllocNodes | Column::ReqNodes => {
            is_unknown(text) || fields::count(text).is_some()
        }
        Column::AllocTres | Column::ReqTres => {
            is_unknown(text) || text.split(',').all(|part| part.contains('='))
        }
        Column::ReqMem => is_unknown(text) || text.starts_with(|letter: char| letter.is_ascii_digit()),
        Column::Uid | Column::Gid | Column::ConsumedEnergyRaw => {
            is_unknown(text) || fields::number(text).is_some()
        }
        Column::User
        | Column::Group
        | Column::Account
        | Column::Qos
        | Column::Partition
        | Column::Reservation => true,
        Column::AllocGres | Column::ReqGres => !text.contains(' '),
    }
}
