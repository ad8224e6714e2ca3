//! The rows of `jobs.csv`: each cell that follows from other cells, from the workload or from
//! `attempts.csv` is made again.
//!
//! Execution is end - start; waiting is start - submission without earlier runs; turnaround
//! is end - submission; stretch is turnaround over the run time alone, to the nearest
//! millionth; energy is busy power times the processor time of all runs. Success and empty
//! cells follow from the state.

use std::borrow::Cow;

use crate::check::Violation;
use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{FileLine, NoRows, Row as _, Text, Whole, each_line};
use crate::text::TextSource;
use crate::workload::resources::GpuShare;
use clustersim_experiment::rows::jobs::{JobColumns, JobRow};

/// The end of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    Completed,
    Killed,
    Cancelled,
    Lost,
    Rejected,
}

const FATES: [(&str, Fate); 5] = [
    ("COMPLETED_SUCCESSFULLY", Fate::Completed),
    ("COMPLETED_WALLTIME_REACHED", Fate::Killed),
    ("CANCELLED", Fate::Cancelled),
    ("COMPLETED_FAILED", Fate::Lost),
    ("REJECTED", Fate::Rejected),
];

/// A row.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct JudgedRow<'a> {
    pub(super) number: u64,
    pub(super) submitted: SimTime,
    pub(super) asked: u32,
    pub(super) requested: SimDuration,
    pub(super) fate: Fate,
    pub(super) start: Option<SimTime>,
    pub(super) end: Option<SimTime>,
    pub(super) on: Vec<Interval>,
    /// GPUs, where they are distinguished.
    pub(super) gpus: Vec<GpuShare>,
    /// Processors and time as given, and the run time alone as the row has it, where jobs may be
    /// given other sizes.
    pub(super) given: Option<(u32, SimDuration, Option<SimDuration>)>,
    /// Returns true if it ran inside a reservation.
    pub(super) inside: bool,
    /// Returns true if it was rejected as no reservation could take it any more.
    pub(super) without_reservation: bool,
    execution: Option<SimDuration>,
    waited: Option<SimDuration>,
    turnaround: Option<SimDuration>,
    /// In millionths.
    stretch: Option<u128>,
    /// In picojoules; `None` for -1.
    energy: Option<u128>,
    success: bool,
    workload: Text<'a>,
    profile: Text<'a>,
    metadata: Text<'a>,
    reason: Text<'a>,
}

/// Facts that the cells of a row follow from, apart from the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind<'a> {
    pub(super) workload: &'a str,
    /// Time for which the job had processors before its last run.
    pub(super) held: SimDuration,
    /// Run time alone on the processors that it asked for.
    pub(super) alone: Option<SimDuration>,
    /// Power of a processor that a job has \[mW\], where it is known and no processor is shared.
    pub(super) busy: Option<u64>,
}

/// Hands over the rows, in the order of the file, of which little is in memory.
///
/// # Errors
/// The first cell that cannot be read, and its place.
pub(super) fn each(
    source: TextSource<'_>,
    mut see: impl FnMut(JudgedRow<'_>) -> Result<(), String>,
) -> Result<(), NoRows> {
    each_line::<JobRow<'_>>(
        source,
        |met| JobColumns { of_cluster: true, ..met },
        |line, met| see(judged(JobRow::read(line)?, met.molds, line)?),
    )
}

fn judged<'a>(row: JobRow<'a>, molds: bool, line: &FileLine<'a, '_>) -> Result<JudgedRow<'a>, String> {
    let fate = |text: &str| FATES.iter().find(|(name, _)| *name == text).map(|(_, fate)| *fate);
    let count = |Whole(count): Whole| u32::try_from(count).ok();
    let procs = |cell: Option<Whole>| {
        cell.and_then(count).ok_or_else(|| line.wrong("a number of processors is none"))
    };
    let given = || match (procs(row.given_procs)?, row.given_time) {
        (procs, Some(time)) => Ok((procs, time, row.dedicated)),
        (_, None) => Err(line.wrong("the time that was given is missing")),
    };
    let gpus = row
        .gpus_held
        .map(|gpus| GpuShare::parse_all(&gpus).ok_or_else(|| line.wrong("the GPUs that it had are none")));
    let gpus = gpus.transpose()?;
    let reason = row.reason.map(|reason| reason.0).unwrap_or_default();
    Ok(JudgedRow {
        number: row.job,
        fate: line.find(&row.state, "state", fate)?,
        submitted: row.submitted,
        asked: procs(Some(row.procs))?,
        requested: row.requested.ok_or_else(|| line.wrong("the time that it requested is missing"))?,
        start: row.start,
        end: row.end,
        on: row.on.map(Cow::into_owned).unwrap_or_default(),
        gpus: gpus.unwrap_or_default(),
        given: if molds { Some(given()?) } else { None },
        inside: reason == "inside-reservation",
        without_reservation: reason == "no-reservation",
        execution: row.execution,
        waited: row.waiting,
        turnaround: row.turnaround,
        stretch: row.stretch.map(|stretch| stretch.0),
        energy: row.energy.0,
        success: match row.success {
            Whole(0) => false,
            Whole(1) => true,
            Whole(_) => return Err(line.wrong("success is neither 0 nor 1")),
        },
        workload: row.workload.0,
        profile: row.profile,
        metadata: row.metadata.unwrap_or_default(),
        reason,
    })
}

/// Response time over run time, to the nearest millionth.
fn stretch_of(turnaround: SimDuration, alone: SimDuration) -> u128 {
    let [turnaround, alone] = [turnaround, alone].map(|span| u128::from(span.as_nanos()));
    if alone == 0 { 1_000_000 } else { (turnaround * 2_000_000 + alone) / (2 * alone) }
}

impl JudgedRow<'_> {
    /// Processors that it had.
    pub(super) fn had(&self) -> u32 {
        self.given.map_or(self.asked, |(procs, _, _)| procs)
    }

    /// Every cell that is not what the others make it.
    pub(super) fn wrong(&self, behind: &Behind<'_>) -> Vec<Violation> {
        let mut violations = Vec::new();
        let at = self.end.or(self.start).unwrap_or(self.submitted);
        let mut broken = |what: String| violations.push(Violation { job: self.number, at, what });
        let ran = self.start.zip(self.end).filter(|_| self.fate != Fate::Rejected);
        let since = |to: SimTime, from: SimTime| to.since(from);
        let turnaround = ran.map(|(_, end)| since(end, self.submitted));
        let waited = match (ran, self.end) {
            _ if self.fate == Fate::Rejected => None,
            (Some((start, _)), _) => Some(since(start, self.submitted).saturating_sub(behind.held)),
            (None, end) => end.map(|end| since(end, self.submitted).saturating_sub(behind.held)),
        };
        let spans = [
            ("execution", self.execution, ran.map(|(start, end)| since(end, start))),
            ("waiting", self.waited, waited),
            ("turnaround", self.turnaround, turnaround),
        ];
        for (name, stated, found) in spans {
            if stated != found {
                broken(format!("its {name} time is {}, and by the others {}", shown(stated), shown(found)));
            }
        }
        let stretch = turnaround.map(|turnaround| behind.alone.map(|alone| stretch_of(turnaround, alone)));
        if stretch != Some(None) && self.stretch != stretch.flatten() {
            broken(format!(
                "its stretch is {}, and by its times {} millionths",
                self.stretch.map_or("none".to_owned(), |millionths| format!("{millionths}")),
                stretch.flatten().map_or("none".to_owned(), |millionths| format!("{millionths}"))
            ));
        }
        let held = ran.map(|(start, end)| since(end, start).saturating_add(behind.held));
        let energy = held
            .zip(behind.busy)
            .map(|(held, busy)| u128::from(held.as_nanos()) * u128::from(self.had()) * u128::from(busy));
        if self.energy != energy {
            broken("its consumed energy is not busy power times its processor time".to_owned());
        }
        if self.success != (self.fate == Fate::Completed) {
            broken("its success contradicts its state".to_owned());
        }
        let never_ran = matches!(self.fate, Fate::Rejected | Fate::Cancelled);
        let is_whole = match self.fate {
            Fate::Rejected => self.start.is_none() && self.end.is_none() && self.on.is_empty(),
            _ => self.end.is_some() && (self.start.is_some() != self.on.is_empty()),
        };
        if !is_whole || (self.start.is_none() && !never_ran) {
            broken("it lacks a time or its processors, or has them and did not run".to_owned());
        }
        let withdrawn = self.fate == Fate::Cancelled && self.start.is_none();
        if withdrawn != (self.reason == "cancelled") || self.reason.is_empty() {
            broken(format!("its reason `{}` contradicts its state", self.reason));
        }
        let dedicated = self.given.map(|(_, _, dedicated)| dedicated.is_some());
        if dedicated.is_some_and(|known| known != ran.is_some()) {
            broken("it has a run time alone and did not run, or has none and ran".to_owned());
        }
        if self.workload != behind.workload || self.profile != "rigid" || !self.metadata.is_empty() {
            broken("its workload, profile or metadata is not that of the run".to_owned());
        }
        violations
    }
}

fn shown(span: Option<SimDuration>) -> String {
    span.map_or("none".to_owned(), |span| span.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
        final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,\
        consumed_energy,metadata,reason";
    const BEHIND: Behind<'static> = Behind {
        workload: "w",
        held: SimDuration::from_secs(2),
        alone: Some(SimDuration::from_secs(6)),
        busy: Some(500),
    };

    /// The violations of one row.
    fn wrong(row: &str) -> Result<usize, NoRows> {
        let mut found = 0;
        each(TextSource::Text(&format!("{HEAD}\n{row}\n")), |row| {
            found += row.wrong(&BEHIND).len();
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn any_changed_cell_of_a_row_contradicts_another() {
        // interrupted once, after 2 s; 4 s of 6 are left; waited 10 - 1 - 2 = 7 s; 2 processors x 6
        // s x 0.5 W
        let ran = "7,w,rigid,1,2,9,1,COMPLETED_SUCCESSFULLY,10,4,14,7,13,2.166667,0-1,6,,head";
        let rejected = "7,w,rigid,1,2,9,0,REJECTED,,,,,,,,-1,,too-large";
        let withdrawn = "7,w,rigid,1,2,9,0,CANCELLED,,,4,1,,,,-1,,cancelled";
        for row in [ran, rejected, withdrawn] {
            assert_eq!(wrong(row).expect("a row"), 0, "{row}");
            let cells: Vec<&str> = row.split(',').collect();
            // number, size and request follow from the workload alone, and why a job started from
            // the policy
            for column in [1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] {
                for other in ["77", "", "COMPLETED_FAILED", "0-1"] {
                    let mut changed = cells.clone();
                    if (column == 14 && !cells[column].is_empty() && !other.is_empty())
                        || changed[column] == other
                    {
                        continue;
                    }
                    changed[column] = other;
                    let found = wrong(&changed.join(","));
                    assert!(!matches!(found, Ok(0)), "{}", changed.join(","));
                }
            }
        }
    }

    #[test]
    fn stretch_is_exact_to_the_millionth() {
        let second = SimDuration::from_secs(1);
        assert_eq!(stretch_of(second, SimDuration::from_secs(3)), 333_333);
        assert_eq!(stretch_of(SimDuration::from_secs(2), SimDuration::from_secs(3)), 666_667);
    }
}
