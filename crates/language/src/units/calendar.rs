//! Dates and weekdays as well as durations: `"2026-03-01T06:00"`, `"sunday 06:00"`.
//!
//! A moment is a span since the start of a run, a date with a time of day, or a weekday with one.
//! The last two mean something where the start of the run has a date ([`Calendar`]). Dates are of
//! the Gregorian calendar. A date that has no zone of its own (`Z`, `+01:00`) is local by the
//! offset that the calendar has at its start, and so is a weekday: there is no daylight saving, so
//! a day always has 24 hours.
//!
//! Left out: months and years as spans, names of zones, leap seconds (the 60th second of a minute
//! is the next minute).

use super::{BadQuantity, duration};

/// Nanoseconds of a second.
const SECOND: i128 = 1_000_000_000;
/// Seconds of a day.
const DAY: i64 = 86_400;
/// The days of the week, from that of 1 January 1970 on.
const WEEKDAYS: [&str; 7] = ["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"];

const EXPECTED: &str =
    "a duration, a date or a weekday, such as \"90min\", \"2026-03-01T06:00\" or \"sunday 06:00\"";

/// A moment of a run, as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// So many nanoseconds after the start.
    After(u64),
    /// At a date and time: seconds since 1970 on its own clock, and how far that is ahead of UTC
    /// \[s\], if it says so.
    Date(i64, Option<i64>),
    /// On the first such weekday, counted from Thursday, from the start on, at this second of the
    /// day.
    Weekday(u8, u32),
}

/// The date of the start of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Calendar {
    /// The start, in nanoseconds since 1970, UTC.
    pub start: i128,
    /// Offset of local time from UTC at the start \[s\], if that is known.
    pub offset: Option<i64>,
}

/// Reason that a moment is at no instant of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoInstant {
    /// The start of the run has no date.
    #[error("this workload has no calendar: nothing says at which date it begins")]
    NoCalendar,
    /// Local time is not known.
    #[error("the log does not say how far its local time is ahead of UTC")]
    NoOffset,
    /// Before the start.
    #[error("this is before the start of the run")]
    Before,
    /// Out of range.
    #[error("this is past the end of virtual time (584 years)")]
    Late,
}

impl NoInstant {
    /// Remedy.
    pub fn help(self) -> &'static str {
        match self {
            NoInstant::NoCalendar => {
                "write a duration from the start of the run; SWF logs have a calendar by `; UnixStartTime:`, dumps of Slurm by their times"
            }
            NoInstant::NoOffset => {
                "write the zone behind the time, as in \"2026-03-01T06:00+01:00\"; SWF logs say theirs by `; StartTime:` or `; TimeZone:`"
            }
            NoInstant::Before | NoInstant::Late => "write a date within the log",
        }
    }
}

impl Moment {
    /// Reads a moment.
    ///
    /// # Errors
    /// It is no duration, no date that exists, and no weekday with a time of day.
    pub fn parse(text: &str) -> Result<Self, BadQuantity> {
        let help = "weekdays are monday to sunday; times of day have hours and minutes, as 06:00";
        let bad = |problem: String| BadQuantity { problem, expected: EXPECTED, help: help.to_owned() };
        let trimmed = text.trim();
        if let Some((day, clock)) = trimmed.split_once(' ')
            && day.bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            let Some(day) = WEEKDAYS.iter().position(|known| known.eq_ignore_ascii_case(day)) else {
                return Err(bad(format!("`{day}` is no day of the week")));
            };
            let Some(second) = clock_seconds(clock.trim()) else {
                return Err(bad(format!("`{clock}` is no time of day")));
            };
            return Ok(Moment::Weekday(day as u8, second));
        }
        let dated =
            trimmed.len() > 4 && trimmed.as_bytes()[4] == b'-' && trimmed.as_bytes()[0].is_ascii_digit();
        if dated {
            let date =
                date_time(trimmed).ok_or_else(|| bad(format!("`{text}` is no date with a time of day")))?;
            return Ok(Moment::Date(date.0, date.1));
        }
        duration(text).map(Moment::After).map_err(|error| BadQuantity { expected: EXPECTED, ..error })
    }

    /// Time from the start to the moment \[ns\].
    ///
    /// # Errors
    /// The start has no date, local time is not known, or it is before the start.
    pub fn after_start(self, calendar: Option<Calendar>) -> Result<u64, NoInstant> {
        let known = || calendar.ok_or(NoInstant::NoCalendar);
        let nanos = match self {
            Moment::After(nanos) => return Ok(nanos),
            Moment::Date(clock, zone) => {
                let known = known()?;
                let ahead = zone.or(known.offset).ok_or(NoInstant::NoOffset)?;
                i128::from(clock - ahead) * SECOND - known.start
            }
            Moment::Weekday(day, second) => {
                let known = known()?;
                let ahead = known.offset.ok_or(NoInstant::NoOffset)?;
                let local = known.start + i128::from(ahead) * SECOND;
                let at = (i128::from(day) * i128::from(DAY) + i128::from(second)) * SECOND;
                (at - local).rem_euclid(7 * i128::from(DAY) * SECOND)
            }
        };
        match u64::try_from(nanos) {
            Ok(nanos) => Ok(nanos),
            Err(_) if nanos < 0 => Err(NoInstant::Before),
            Err(_) => Err(NoInstant::Late),
        }
    }
}

/// Seconds since 1970 of a date and time as `2026-03-01T06:00`, on its own clock, and how far that
/// is ahead of UTC if it says so. Seconds may follow, and the zone.
pub fn date_time(text: &str) -> Option<(i64, Option<i64>)> {
    let (date, clock) = text.split_once(['T', 't', ' '])?;
    let (clock, zone) = match clock.find(['Z', 'z', '+', '-']) {
        None => (clock, None),
        Some(at) if clock[at..].eq_ignore_ascii_case("z") => (&clock[..at], Some(0)),
        Some(at) => (&clock[..at], Some(utc_offset(&clock[at..])?)),
    };
    let mut date = date.split('-').map(digits);
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    if date.next().is_some() {
        return None;
    }
    Some((days_since_1970(year, month, day)? * DAY + i64::from(clock_seconds(clock)?), zone))
}

/// An offset as `+01:00`, `-0330` or `+1`, in seconds ahead of UTC.
pub fn utc_offset(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 4 && rest.is_ascii() => rest.split_at(2),
        None => (rest, "0"),
    };
    let (hours, minutes) = (digits(hours)?, digits(minutes)?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// The second of the day of a time as `06:00` or `06:00:30`.
fn clock_seconds(text: &str) -> Option<u32> {
    let mut parts = text.split(':').map(digits);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    let lawful = parts.next().is_none() && hour < 24 && minute < 60 && second <= 60;
    lawful.then(|| (hour * 3600 + minute * 60 + second) as u32)
}

/// A number of one to nine digits.
fn digits(text: &str) -> Option<i64> {
    let whole = (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    whole.then(|| text.parse().ok())?
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 to a date, from 1970 to 2500; `None` if there is no such date.
pub fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let exists = (1970..=2500).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day);
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let years = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    let months: i64 = (1..month).map(|month| days_of(year, month)).sum();
    exists.then_some(years + months + day - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds after a start at `unix` in a zone `hours` ahead of UTC.
    fn after(text: &str, unix: i64, hours: i64) -> Result<u64, NoInstant> {
        let calendar = Calendar { start: i128::from(unix) * SECOND, offset: Some(hours * 3600) };
        let moment = Moment::parse(text).unwrap_or_else(|bad| panic!("{text}: {}", bad.problem));
        moment.after_start(Some(calendar)).map(|nanos| nanos / 1_000_000_000)
    }

    #[test]
    fn every_day_of_the_calendar_follows_the_one_before() {
        let mut days = 0;
        for year in 1970..=2500 {
            for month in 1..=12 {
                for day in 1..=days_of(year, month) {
                    assert_eq!(days_since_1970(year, month, day), Some(days), "{year}-{month}-{day}");
                    days += 1;
                }
                assert_eq!(days_since_1970(year, month, days_of(year, month) + 1), None);
            }
        }
        // 400 years have 146,097 days
        assert_eq!(days_since_1970(2370, 1, 1), Some(146_097));
        let lengths = [1900, 2000, 2023, 2024, 2100].map(|year| days_of(year, 2));
        assert_eq!(lengths, [28, 29, 28, 29, 28]);
    }

    #[test]
    fn dates_are_seconds_of_their_own_clock() {
        assert_eq!(date_time("1970-01-01T00:00"), Some((0, None)));
        assert_eq!(date_time("2000-02-29T12:00:00"), Some((951_825_600, None)));
        assert_eq!(date_time("2026-03-01 00:00Z"), Some((1_772_323_200, Some(0))));
        assert_eq!(date_time("2026-03-01T00:00:00-03:30"), Some((1_772_323_200, Some(-12_600))));
        for bad in [
            "2026-02-29T00:00",
            "2100-02-29T00:00",
            "2026-04-31T00:00",
            "2026-13-01T00:00",
            "2026-01-01",
            "2026-01-01T24:00",
            "2026-01-01T00:60",
            "2026-01-01T00:00+15:00",
            "1969-12-31T23:59",
            "2026-1-1-1T0:0",
        ] {
            assert_eq!(date_time(bad), None, "{bad}");
        }
    }

    #[test]
    fn offsets_are_seconds_ahead_of_utc() {
        assert_eq!(
            ["+01:00", "-0330", "+1", "+15:00", "1"].map(utc_offset),
            [Some(3600), Some(-12_600), Some(3600), None, None]
        );
    }

    #[test]
    fn dates_are_local_by_the_offset_of_the_start_unless_they_have_a_zone() {
        // 1 March 2026, 00:00 UTC, a Sunday
        const START: i64 = 1_772_323_200;
        assert_eq!(after("90min", START, 1), Ok(5400));
        assert_eq!(after("2026-03-01T06:00", START, 0), Ok(6 * 3600));
        assert_eq!(after("2026-03-01T06:00", START, 1), Ok(5 * 3600));
        assert_eq!(after("2026-03-01T06:00+02:00", START, 1), Ok(4 * 3600));
        assert_eq!(after("2026-02-28T23:59", START, 0), Err(NoInstant::Before));
        assert_eq!(after("2026-02-28T23:59", START, -8), Ok(8 * 3600 - 60));
        // no daylight saving: the 31 days of March have 24 hours each
        assert_eq!(after("2026-04-01T00:00", START, 0), Ok(31 * 86_400));
        assert_eq!(after("2028-03-01T00:00", START, 0), Ok((365 + 366) * 86_400));
    }

    #[test]
    fn weekdays_are_the_first_from_the_start_on() {
        const START: i64 = 1_772_323_200;
        assert_eq!(after("sunday 00:00", START, 0), Ok(0));
        assert_eq!(after("Sunday 06:00", START, 0), Ok(6 * 3600));
        assert_eq!(after("monday 06:00:30", START, 0), Ok(30 * 3600 + 30));
        assert_eq!(after("saturday 23:59", START, 0), Ok(7 * 86_400 - 60));
        // an hour ahead the start is at 01:00 of Sunday, eight behind at 16:00 of Saturday
        assert_eq!(after("sunday 00:00", START, 1), Ok(7 * 86_400 - 3600));
        assert_eq!(after("sunday 00:00", START, -8), Ok(8 * 3600));
    }

    #[test]
    fn what_has_no_date_or_no_local_time_says_so() {
        let date = Moment::parse("2026-03-01T06:00").expect("a date");
        let zoned = Moment::parse("2026-03-01T06:00Z").expect("a date");
        let week = Moment::parse("sunday 06:00").expect("a weekday");
        let utc = Some(Calendar { start: 0, offset: None });
        assert_eq!([date, zoned, week].map(|one| one.after_start(None)), [Err(NoInstant::NoCalendar); 3]);
        assert_eq!([date, week].map(|one| one.after_start(utc)), [Err(NoInstant::NoOffset); 2]);
        assert!(zoned.after_start(utc).is_ok());
        assert_eq!(Moment::After(7).after_start(None), Ok(7));
        for bad in ["sunday", "someday 06:00", "sunday 6", "2026-03-01", "2026-02-30T06:00", "6", "", "é-é-"]
        {
            assert!(Moment::parse(bad).is_err(), "{bad}");
        }
    }
}
