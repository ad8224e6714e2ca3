//! Clocks of a site: from the times of day that a dump prints to UTC.
//!
//! sacct prints local times without their zone. A zone with summer time repeats an hour of its
//! clock in autumn, in which two instants have one name, and skips one in spring, in which no
//! instant has a name. Zones come from the database that is built into the program.
//!
//! Where no zone is named, a job over which the clock changed gives it away: its end minus its
//! start differs from its run time by an hour. Days on which that happens fit the rule of the
//! European Union (last Sundays of March and October), that of the United States
//! (second Sunday of March, first of November), or neither; which zone it is they cannot say.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday, date};
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::units::calendar::date_time;

/// A clock that times without a zone are read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SiteClock {
    /// So many seconds ahead of UTC, always.
    Fixed(i64),
    /// The clock of a place, with its changes.
    Place(TimeZone),
}

/// The instants that a time of day may mean, in Unix seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Instants {
    /// The only one, or the earlier of two.
    pub(super) first: i64,
    /// The later one, in an hour that is repeated.
    pub(super) second: Option<i64>,
    /// True if the clock of the site has a say in it.
    pub(super) is_local: bool,
}

/// Reason that a text is no instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoInstants {
    /// Not a time in any form that is read.
    Form,
    /// In an hour that the clock skips.
    Skipped,
}

impl SiteClock {
    /// The clock of a zone by its name, such as `Europe/Paris`; `None` if there is no such zone.
    pub fn parse(name: &str) -> Option<SiteClock> {
        TimeZone::get(name).ok().map(SiteClock::Place)
    }

    /// The instants of a time as `2026-03-01T12:00:00`, with its own zone or without, or of a
    /// number of Unix seconds.
    pub(super) fn instants(&self, text: &str) -> Result<Instants, NoInstants> {
        let certain = |first, is_local| Ok(Instants { first, second: None, is_local });
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return certain(text.parse().map_err(|_| NoInstants::Form)?, false);
        }
        let (local, zone) = date_time(text).ok_or(NoInstants::Form)?;
        let zone = match (zone, self) {
            (Some(offset), _) => return certain(local - offset, false),
            (None, SiteClock::Fixed(offset)) => return certain(local - offset, true),
            (None, SiteClock::Place(zone)) => zone,
        };
        let named = Timestamp::from_second(local).map_err(|_| NoInstants::Form)?;
        let behind = |offset: jiff::tz::Offset| local - i64::from(offset.seconds());
        match zone.to_ambiguous_timestamp(TimeZone::UTC.to_datetime(named)).offset() {
            AmbiguousOffset::Unambiguous { offset } => certain(behind(offset), true),
            AmbiguousOffset::Fold { before, after } => {
                Ok(Instants { first: behind(before), second: Some(behind(after)), is_local: true })
            }
            AmbiguousOffset::Gap { .. } => Err(NoInstants::Skipped),
        }
    }

    /// Seconds that the clock is ahead of UTC at an instant \[Unix s\].
    pub(super) fn offset(&self, instant: i64) -> i64 {
        match self {
            SiteClock::Fixed(offset) => *offset,
            SiteClock::Place(zone) => {
                let instant = Timestamp::from_second(instant).unwrap_or(Timestamp::UNIX_EPOCH);
                i64::from(zone.to_offset(instant).seconds())
            }
        }
    }
}

/// Changes of a clock that no zone explains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Jumps {
    all: u64,
    /// Jumps on a day of the rule of the European Union.
    european: u64,
    /// Jumps on a day of the rule of the United States.
    american: u64,
}

/// Day of a year on which clocks change by a rule.
type ChangeDay = fn(i16) -> Option<Date>;

impl Jumps {
    /// Seconds of a day during which clocks change by either rule, from its midnight on.
    const NIGHT: i64 = 4 * 3600;

    /// Takes in a job from `start` to `end` by the clock \[s since 1970\], which are `more` seconds
    /// more than it ran.
    pub(super) fn push(&mut self, start: i64, end: i64, more: i64) {
        let forward = more > 0;
        // the hour that is repeated lets an end come before its start
        let (start, end) = (start.min(end), start.max(end));
        let (european, american): (ChangeDay, ChangeDay) = if forward {
            (|year| sunday(year, 3, -1), |year| sunday(year, 3, 2))
        } else {
            (|year| sunday(year, 10, -1), |year| sunday(year, 11, 1))
        };
        let spans = |day: fn(i16) -> Option<Date>| {
            [start, end].into_iter().filter_map(year).filter_map(day).any(|day| {
                let midnight =
                    day.to_zoned(TimeZone::UTC).map_or(i64::MAX, |day| day.timestamp().as_second());
                start < midnight.saturating_add(Self::NIGHT) && end >= midnight
            })
        };
        self.all += 1;
        self.european += u64::from(spans(european));
        self.american += u64::from(spans(american));
    }

    /// A note on the rule by which the clock seems to change, if it does.
    pub(super) fn note(self) -> Option<String> {
        if self.all == 0 {
            return None;
        }
        // a record may be mended by hand
        let fits = |count: u64| count * 10 >= self.all * 9;
        let rule = match (fits(self.european), fits(self.american)) {
            (true, false) => "by the rule of the EU (last Sundays of March and October)",
            (false, true) => "by the rule of the US (second Sunday of March, first of November)",
            (true, true) => "by the rule of the EU or that of the US",
            (false, false) => "by neither the rule of the EU nor that of the US",
        };
        Some(format!(
            "times of day: the clock changed {rule} during some jobs, so local times are not one offset from UTC; \
             name the zone of the site by --timezone, in a scenario `timezone`"
        ))
    }
}

/// The year of a time by the clock \[s since 1970\].
fn year(local: i64) -> Option<i16> {
    Timestamp::from_second(local).ok().map(|time| TimeZone::UTC.to_datetime(time).year())
}

/// A Sunday of a month: the `nth`, or the last for -1.
fn sunday(year: i16, month: i8, nth: i8) -> Option<Date> {
    let first = (1970..=2500).contains(&year).then(|| date(year, month, 1))?;
    first.nth_weekday_of_month(nth, Weekday::Sunday).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secs(text: &str) -> i64 {
        date_time(text).expect("right").0
    }

    #[test]
    fn an_hour_that_is_repeated_has_two_instants_and_one_that_is_skipped_none() {
        let paris = SiteClock::parse("Europe/Paris").expect("known");
        let at = |text: &str| paris.instants(text).map(|found| (found.first, found.second));
        // UTC+2 until 01:00 UTC of 25 October 2026, then UTC+1
        let hour = |text: &str, ahead: i64| secs(text) - ahead * 3600;
        let twice = "2026-10-25T02:30:00";
        assert_eq!(at(twice), Ok((hour(twice, 2), Some(hour(twice, 1)))));
        for (once, ahead) in
            [("2026-10-25T01:59:59", 2), ("2026-10-25T03:00:00", 1), ("2026-07-01T12:00:00", 2)]
        {
            assert_eq!(at(once), Ok((hour(once, ahead), None)), "{once}");
        }
        assert_eq!(at("2026-03-29T02:00:00"), Err(NoInstants::Skipped));
        assert_eq!(at("2026-03-29T03:00:00"), Ok((hour("2026-03-29T03:00:00", 2), None)));
        assert_eq!(at("2026-03-29T02:30:00Z"), Ok((secs("2026-03-29T02:30:00"), None)));
        assert_eq!((at("1772323200"), at("soon")), (Ok((1_772_323_200, None)), Err(NoInstants::Form)));
        assert_eq!((paris.offset(hour(twice, 2)), paris.offset(hour(twice, 1))), (7200, 3600));
        assert_eq!(SiteClock::parse("Europe/Pari"), None);
        assert_eq!(SiteClock::Fixed(3600).instants(twice).map(|found| found.first), Ok(hour(twice, 1)));
    }

    #[test]
    fn jumps_propose_the_rule_whose_days_they_fall_on() {
        let note = |jumps: &[(&str, &str, i64)]| {
            let mut all = Jumps::default();
            jumps.iter().for_each(|&(start, end, more)| all.push(secs(start), secs(end), more));
            all.note().unwrap_or_default()
        };
        let european = [
            ("2026-03-28T20:00:00", "2026-03-29T09:00:00", 3600),
            ("2026-10-25T02:50:00", "2026-10-25T02:10:00", -3600),
        ];
        assert!(note(&european).contains("rule of the EU (last"));
        let american = [
            ("2026-03-08T01:00:00", "2026-03-08T04:00:00", 3600),
            ("2026-10-31T22:00:00", "2026-11-01T09:00:00", -3600),
        ];
        assert!(note(&american).contains("rule of the US (second"));
        assert!(note(&[("2026-03-01T00:00:00", "2026-04-01T00:00:00", 3600)]).contains("EU or that"));
        assert!(note(&[("2026-06-01T00:00:00", "2026-06-02T00:00:00", 3600)]).contains("neither"));
        // a job of the wrong direction
        assert!(note(&[("2026-10-24T20:00:00", "2026-10-25T09:00:00", 3600)]).contains("neither"));
        assert_eq!(note(&[]), "");
    }
}
