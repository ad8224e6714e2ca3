//! What lies behind the jobs of a Gantt chart: when processors were reserved, and when they were out of service.
//!
//! From the run, or from `reservations.csv` and `outages.csv`; both give the same spans.

use crate::collections::Interval;
use crate::instrument::metrics::Run;
use crate::kernel::SimTime;
use crate::text::csv::{NamedRow, NamedRows};
use crate::units::seconds;

/// Processors that were taken from the jobs for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Behind {
    /// What it was.
    pub(super) what: &'static str,
    /// What it is called.
    pub(super) name: String,
    /// The processors.
    pub(super) on: Interval,
    /// From when [ns].
    pub(super) from: u64,
    /// To when [ns], if it was over when the run was.
    pub(super) to: Option<u64>,
}

const RESERVED: &str = "reserved";
const OUT_OF_SERVICE: &str = "out of service";

/// What a run had.
pub(super) fn of_run(run: &Run<'_>) -> Vec<Behind> {
    let until = |at: SimTime| (at < SimTime::MAX).then(|| at.as_nanos());
    let site = run.record.site();
    let reserved = run.record.reserved().taken().iter().filter(|_| site.reserves).map(|one| Behind {
        what: RESERVED,
        name: reservation(u64::from(one.which.0), u64::from(one.which.1)),
        on: one.processors,
        from: one.from.as_nanos(),
        to: until(one.to),
    });
    let outages = run.record.outages().spans().iter().filter(|_| site.failures.is_some()).map(|one| Behind {
        what: OUT_OF_SERVICE,
        name: node(u64::from(one.node)),
        on: one.processors,
        from: one.from.as_nanos(),
        to: until(one.to),
    });
    reserved.chain(outages).collect()
}

/// What these files hold.
///
/// # Errors
/// What is wrong with one, after its name.
pub(super) fn of_csv(
    reservations: Option<&str>,
    outages: Option<&str>,
) -> Result<Vec<Behind>, (&'static str, String)> {
    let mut all = Vec::new();
    let count = |row: &NamedRow<'_, '_>, column| row.read(column, |text| text.parse::<u64>().ok());
    if let Some(text) = reservations {
        let name = |row: &NamedRow<'_, '_>| Ok(reservation(count(row, "reservation")?, count(row, "time")?));
        read(text, RESERVED, &["reservation", "time"], name, &mut all)
            .map_err(|message| ("reservations.csv", message))?;
    }
    if let Some(text) = outages {
        let name = |row: &NamedRow<'_, '_>| Ok(node(count(row, "node")?));
        read(text, OUT_OF_SERVICE, &["node"], name, &mut all).map_err(|message| ("outages.csv", message))?;
    }
    Ok(all)
}

fn read(
    text: &str,
    what: &'static str,
    more: &[&str],
    name: impl Fn(&NamedRow<'_, '_>) -> Result<String, String>,
    all: &mut Vec<Behind>,
) -> Result<(), String> {
    let mut rows = NamedRows::of(text, &[&["processors", "from", "to"], more].concat())?;
    while let Some(row) = rows.next_row()? {
        all.push(Behind {
            what,
            name: name(&row)?,
            on: row.read("processors", Interval::parse)?,
            from: row.read("from", seconds)?,
            to: row.read_any("to", seconds)?,
        });
    }
    Ok(())
}

fn reservation(number: u64, time: u64) -> String {
    format!("reservation {number}, time {time}")
}

fn node(number: u64) -> String {
    format!("node {number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_give_spans_and_what_is_wrong_is_said_with_its_file() {
        let reservations = "reservation,time,processors,from,to\n2,1,0-3,5,7.5\n2,2,9,6,\n";
        let outages = "node,processors,from,to\n3,12-15,1,2\n";
        let all = of_csv(Some(reservations), Some(outages)).expect("spans");
        let of = |behind: &Behind| {
            (behind.name.clone(), behind.on.to_string(), behind.from / 1_000_000, behind.to)
        };
        assert_eq!(
            of(&all[0]),
            ("reservation 2, time 1".to_owned(), "0-3".to_owned(), 5_000, Some(7_500_000_000))
        );
        assert_eq!(of(&all[1]), ("reservation 2, time 2".to_owned(), "9".to_owned(), 6_000, None));
        assert_eq!((all[2].name.as_str(), all[2].what), ("node 3", OUT_OF_SERVICE));
        let wrong = of_csv(None, Some("node,processors,from,to\n3,15-12,1,2\n")).expect_err("refused");
        assert_eq!(wrong, ("outages.csv", "`processors` of line 2 cannot be read".to_owned()));
        assert_eq!(of_csv(None, None), Ok(Vec::new()));
    }
}
