//! Records of a dump that cannot be read, and how many of them a log may lack.
//!
//! They are counted by cause, and the log is made of the others. Two bounds keep a log from being
//! something else than its site: at most a share of all records may be missing, and of the records
//! of a week, a partition or a group of users no cause may take more than a fifth, lest just the
//! large jobs or just one partition go. Fewer than three records of a cause are no pattern, however
//! few the others are.

use jiff::Timestamp;

use crate::collections::OrderedMap;
use crate::registry::Problem;
use crate::workload::swf::{Cause, Report};

use super::record::{BadRecord, shown};

/// Share of records that need not be readable, unless stated otherwise.
pub(super) const MOST_UNREAD: f64 = 0.01;
/// Share of the records of a week, a partition or a group that one cause may take.
const MOST_OF_PART: f64 = 0.2;
/// Records of a cause that are a pattern.
const LEAST_OF_PART: u64 = 3;

const DAY: u64 = 86_400;

/// Parts of a dump that a record belongs to, as far as it states them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts<'a> {
    /// Unix time \[s\], of the submission if that is known.
    pub(super) time: Option<u64>,
    pub(super) partition: Option<&'a str>,
    pub(super) group: Option<&'a str>,
}

/// Records of a part of a dump, and those among them that cannot be read, by cause.
#[derive(Debug, Default)]
struct Counts {
    records: u64,
    unread: u64,
    /// Each cause with its records and the lines of the first three.
    causes: Vec<(Cause, u64, Vec<u64>)>,
}

impl Counts {
    fn count(&mut self, bad: Option<(Cause, u64)>) {
        self.records += 1;
        let Some((cause, line)) = bad else { return };
        self.unread += 1;
        let place = self.causes.iter().position(|(known, ..)| *known == cause).unwrap_or_else(|| {
            self.causes.push((cause, 0, Vec::new()));
            self.causes.len() - 1
        });
        let (_, count, lines) = &mut self.causes[place];
        *count += 1;
        if lines.len() < 3 {
            lines.push(line);
        }
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.records.max(1) as f64
    }
}

/// Records of a dump, as far as they can be read.
#[derive(Debug)]
pub(super) struct Unread {
    /// Share of records that need not be readable; at 0 the first of them is a mistake.
    most: f64,
    all: Counts,
    weeks: OrderedMap<u64, Counts>,
    partitions: OrderedMap<String, Counts>,
    groups: OrderedMap<String, Counts>,
    /// The first mistake of each cause.
    firsts: Vec<(Cause, Box<Problem>)>,
}

impl Unread {
    pub(super) fn new(most: f64) -> Self {
        Unread {
            most,
            all: Counts::default(),
            weeks: OrderedMap::new(),
            partitions: OrderedMap::new(),
            groups: OrderedMap::new(),
            firsts: Vec::new(),
        }
    }

    /// Counts a record that was read.
    pub(super) fn read(&mut self, of: Parts<'_>) {
        self.count(of, None);
    }

    /// Counts a record in `line` that cannot be read.
    ///
    /// # Errors
    /// The mistake in the record, if none is allowed.
    pub(super) fn bad(
        &mut self,
        bad: BadRecord,
        line: u64,
        of: Parts<'_>,
        report: &mut Report,
    ) -> Result<(), Problem> {
        if self.most <= 0.0 {
            return Err(*bad.problem);
        }
        report.jobs = report.jobs.saturating_add(1);
        report.count(bad.cause, line);
        self.count(of, Some((bad.cause, line)));
        if !self.firsts.iter().any(|(cause, _)| *cause == bad.cause) {
            self.firsts.push((bad.cause, bad.problem));
        }
        Ok(())
    }

    fn count(&mut self, of: Parts<'_>, bad: Option<(Cause, u64)>) {
        self.all.count(bad);
        // weeks begin on Mondays; the first day of 1970 is a Thursday
        let week = of.time.map(|time| (time / DAY + 3) / 7);
        if let Some(week) = week {
            self.weeks.entry(week).or_default().count(bad);
        }
        for (map, name) in [(&mut self.partitions, of.partition), (&mut self.groups, of.group)] {
            let Some(name) = name else { continue };
            match map.get_mut(name) {
                Some(counts) => counts.count(bad),
                None => map.entry(name.to_owned()).or_default().count(bad),
            }
        }
    }

    /// Judges how many records are missing.
    ///
    /// # Errors
    /// More than may be, of all or of a part for one cause.
    pub(super) fn verdict(self) -> Result<(), Problem> {
        let share = self.all.share(self.all.unread);
        if share > self.most {
            let (unread, records) = (self.all.unread, self.all.records);
            let (share, most) = (percent(share), percent(self.most));
            let message =
                format!("{unread} of {records} records cannot be read ({share}), and at most {most} may be");
            return Err(self.problem(None, &message));
        }
        let most = self.most.max(MOST_OF_PART);
        let weeks =
            self.weeks.iter().map(|(week, counts)| (format!("the week of {}", monday(*week)), counts));
        let partitions =
            self.partitions.iter().map(|(name, counts)| (format!("partition `{}`", shown(name)), counts));
        let groups = self.groups.iter().map(|(name, counts)| (format!("group `{}`", shown(name)), counts));
        let over = weeks.chain(partitions).chain(groups).find_map(|(part, counts)| {
            let is_over =
                |&&(_, count, _): &&(Cause, u64, Vec<u64>)| count >= LEAST_OF_PART && counts.share(count) > most;
            let (cause, count, lines) = counts.causes.iter().find(is_over)?;
            let (records, share) = (counts.records, percent(counts.share(*count)));
            let message = format!(
                "{count} of {records} records of {part} cannot be read for one cause ({share}), and at most {} may be: \
                 {}, {}",
                percent(most),
                cause.about(),
                in_lines(lines, *count)
            );
            Some((*cause, message))
        });
        match over {
            Some((cause, message)) => Err(self.problem(Some(cause), &message)),
            None => Ok(()),
        }
    }

    /// A problem at the first record that cannot be read, of this cause if one is named.
    fn problem(self, cause: Option<Cause>, message: &str) -> Problem {
        let first = self.firsts.into_iter().filter(|(known, _)| cause.is_none_or(|cause| cause == *known));
        let first = first.min_by_key(|(_, problem)| problem.place.as_ref().map(|place| place.line));
        let causes = self.all.causes.iter().map(|(cause, count, lines)| {
            let about = cause.about().trim_start_matches("not read: ");
            format!("{about}: {count} ({})", in_lines(lines, *count))
        });
        let causes: Vec<String> = causes.collect();
        let help = "mend the dump, or allow for more by --most-unread, in a scenario `most-unread`";
        let help = format!("{}; {help}", causes.join("; "));
        match first {
            Some((_, problem)) => {
                let message = format!("{}: {message}", problem.message);
                let own = problem.help.map(|own| format!("{own}; ")).unwrap_or_default();
                Problem { message, help: Some(format!("{own}{help}")), ..*problem }
            }
            None => Problem::new(crate::registry::code::SACCT_FIELD, message).help(help),
        }
    }
}

/// A share in percent, with two decimals at most.
fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    let text = if text == "0.00" { format!("{:.6}", share * 100.0) } else { text };
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The first lines of so many.
fn in_lines(lines: &[u64], count: u64) -> String {
    let named: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let more = if count > lines.len() as u64 { ", …" } else { "" };
    format!("line {}{more}", named.join(", "))
}

/// The date of the Monday of a week.
fn monday(week: u64) -> String {
    let seconds = (week * 7).saturating_sub(3) * DAY;
    let monday = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    monday.map(|monday| monday.to_string().chars().take(10).collect()).unwrap_or_default()
}
