//! Times of day in cells: dates with and without a zone, numbers since an origin, forms of one's
//! own.
//!
//! The common form, `2026-03-01 12:00:00.25+01:00` and its like, is read by hand. Times of another
//! form are read by a format of strptime. A time that states its zone is in that zone; any other is
//! in the zone of the table. Zones with summer time come from the database that is built into the
//! program, so that they are the same on every machine.

use jiff::Timestamp;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;

use crate::units::calendar;

use super::cell::{Cell, Number, number, of_real, trimmed};

/// Nanoseconds of a second.
pub(super) const SECOND: i64 = 1_000_000_000;
/// Latest time \[s\]: 285 years, so that a submission and a run fit into virtual time.
const MOST_SECS: i64 = 9_000_000_000;

/// Zone of times that state none.
#[derive(Clone, Debug)]
pub(super) enum Zone {
    /// So many seconds ahead of UTC, always.
    Fixed(i64),
    /// A place, whose clocks may change.
    Place(Clocks),
}

/// The clocks of a place over the years that times can have.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    zone: TimeZone,
    /// Seconds ahead of UTC, and the local time up to which that is meant: behind the hour that
    /// comes twice, or that is left out.
    spans: Vec<(i64, i64)>,
}

impl Clocks {
    fn new(zone: TimeZone) -> Self {
        let mut ahead = i64::from(zone.to_offset(Timestamp::UNIX_EPOCH).seconds());
        let mut spans = Vec::new();
        for change in zone.following(Timestamp::UNIX_EPOCH) {
            let (at, next) = (change.timestamp().as_second(), i64::from(change.offset().seconds()));
            if at > MOST_SECS {
                break;
            }
            if next != ahead {
                spans.push((ahead, at + ahead.max(next)));
                ahead = next;
            }
        }
        spans.push((ahead, i64::MAX));
        Clocks { zone, spans }
    }

    /// Seconds that a local time \[s\] is ahead of UTC. Where clocks are set back the earlier
    /// instant is meant; a time that clocks skip is as much later as they do.
    fn ahead(&self, local: i64) -> i64 {
        let place = self.spans.partition_point(|&(_, until)| until <= local);
        self.spans.get(place).map_or(0, |&(ahead, _)| ahead)
    }
}

impl Zone {
    /// The zone of a name as `Europe/Rome`, or of an offset as `+01:00`.
    pub(super) fn parse(text: &str) -> Option<Zone> {
        if let Some(offset) = calendar::utc_offset(text) {
            return Some(Zone::Fixed(offset));
        }
        if text.eq_ignore_ascii_case("utc") {
            return Some(Zone::Fixed(0));
        }
        TimeZone::get(text).ok().map(|zone| Zone::Place(Clocks::new(zone)))
    }

    /// UTC \[s\] of a local time \[s\].
    fn utc(&self, local: i64) -> i64 {
        match self {
            Zone::Fixed(offset) => local - offset,
            Zone::Place(clocks) => local - clocks.ahead(local),
        }
    }
}

/// The form of the times of a table.
#[derive(Clone, Debug)]
pub(super) struct Times {
    /// Format of strptime, if texts are in none of the common forms.
    pub(super) format: Option<String>,
    /// Nanoseconds in the unit of times that are numbers, if some are.
    pub(super) unit: Option<i64>,
    /// Zone of times that state none, if that is known.
    pub(super) zone: Option<Zone>,
}

/// A time that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    /// Nanoseconds since 1970, or since the origin of the trace.
    pub(super) nanos: i64,
    /// True if nothing stated its zone.
    pub(super) is_zoneless: bool,
}

/// Reason that a cell is no time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoMoment {
    /// Not in a form that is read.
    Form,
    /// A number, whose unit nothing states.
    NoUnit,
    /// A date in the form that is read, of no day from 1970 on.
    NoDay,
    /// Before the origin, or later than virtual time reaches.
    Range,
}

impl Times {
    /// The time in a cell that states something.
    pub(super) fn read(&self, cell: Cell<'_>) -> Result<Moment, NoMoment> {
        let text = match cell {
            Cell::Text(text) => trimmed(text),
            Cell::Instant(nanos, true) => return within(nanos, false),
            Cell::Instant(nanos, false) => {
                return self.zoned(nanos.div_euclid(SECOND), nanos.rem_euclid(SECOND), None);
            }
            Cell::Whole(number) => return self.of_number(Number::Whole(number)),
            Cell::Real(number) => {
                return of_real(number).map_or(Err(NoMoment::Form), |number| self.of_number(number));
            }
            Cell::Absent | Cell::List(..) => return Err(NoMoment::Form),
        };
        if let Some(format) = &self.format {
            return self.by_format(format, text);
        }
        if let Some((seconds, nanos, zone)) = date_and_clock(text) {
            return self.zoned(seconds, nanos, zone);
        }
        match number(text) {
            Some(number) => self.of_number(number),
            None if has_form_of_a_date(text) => Err(NoMoment::NoDay),
            None => Err(NoMoment::Form),
        }
    }

    /// Seconds that local time is ahead of UTC at an instant \[s since 1970\].
    pub(super) fn offset(&self, instant: i64) -> i64 {
        match &self.zone {
            None => 0,
            Some(Zone::Fixed(offset)) => *offset,
            Some(Zone::Place(clocks)) => {
                let instant = Timestamp::from_second(instant).unwrap_or(Timestamp::UNIX_EPOCH);
                i64::from(clocks.zone.to_offset(instant).seconds())
            }
        }
    }

    fn of_number(&self, number: Number) -> Result<Moment, NoMoment> {
        let Some(unit) = self.unit else { return Err(NoMoment::NoUnit) };
        let nanos = match number {
            Number::Whole(number) => number.checked_mul(unit).ok_or(NoMoment::Range)?,
            Number::Real(number) => (number * unit as f64).round() as i64,
        };
        within(nanos, false)
    }

    /// An instant of a local time, by its own zone or that of the table.
    fn zoned(&self, local: i64, nanos: i64, own: Option<i64>) -> Result<Moment, NoMoment> {
        let (seconds, is_zoneless) = match (own, &self.zone) {
            (Some(offset), _) => (local - offset, false),
            (None, Some(zone)) => (zone.utc(local), false),
            (None, None) => (local, true),
        };
        if !(0..=MOST_SECS).contains(&seconds) {
            return Err(NoMoment::Range);
        }
        Ok(Moment { nanos: seconds * SECOND + nanos, is_zoneless })
    }

    fn by_format(&self, format: &str, text: &[u8]) -> Result<Moment, NoMoment> {
        let parts = BrokenDownTime::parse(format, text).map_err(|_| NoMoment::Form)?;
        if parts.offset().is_some() {
            let instant = parts.to_timestamp().map_err(|_| NoMoment::Form)?;
            return within(i64::try_from(instant.as_nanosecond()).map_err(|_| NoMoment::Range)?, false);
        }
        let clock = match parts.to_datetime() {
            Ok(clock) => clock,
            // a day without a time of day begins at midnight
            Err(_) => parts.to_date().map_err(|_| NoMoment::Form)?.at(0, 0, 0, 0),
        };
        let local = TimeZone::UTC.to_timestamp(clock).map_err(|_| NoMoment::Range)?;
        self.zoned(local.as_second(), i64::from(local.subsec_nanosecond()), None)
    }
}

/// Returns true if a text is a format that times can be read by.
pub(super) fn is_format(format: &str) -> bool {
    let known = jiff::civil::date(2026, 3, 1).at(14, 30, 59, 0);
    let written =
        known.to_zoned(TimeZone::UTC).ok().map(|known| BrokenDownTime::from(&known).to_string(format));
    let again = written.and_then(Result::ok).map(|text| BrokenDownTime::parse(format, &text));
    matches!(again, Some(Ok(parts)) if parts.to_date().is_ok())
}

fn within(nanos: i64, is_zoneless: bool) -> Result<Moment, NoMoment> {
    let is_within = (0..=MOST_SECS * SECOND).contains(&nanos);
    if is_within { Ok(Moment { nanos, is_zoneless }) } else { Err(NoMoment::Range) }
}

/// Two digits.
fn two(bytes: &[u8]) -> Option<i64> {
    let &[tens, ones] = bytes else { return None };
    (tens.is_ascii_digit() && ones.is_ascii_digit()).then(|| i64::from((tens - b'0') * 10 + (ones - b'0')))
}

/// Seconds since 1970 on its own clock, nanoseconds, and the zone, of a text as
/// `2026-03-01T12:00:00.25+01:00`; the seconds, their fraction and the zone may be left out.
pub(super) fn date_and_clock(text: &[u8]) -> Option<(i64, i64, Option<i64>)> {
    if text.len() < 16 || text[4] != b'-' || text[7] != b'-' || text[13] != b':' {
        return None;
    }
    if !matches!(text[10], b' ' | b'T' | b't') {
        return None;
    }
    let year = two(&text[..2])? * 100 + two(&text[2..4])?;
    let days = calendar::days_since_1970(year, two(&text[5..7])?, two(&text[8..10])?)?;
    let (hours, minutes) = (two(&text[11..13])?, two(&text[14..16])?);
    let mut rest = &text[16..];
    let (mut seconds, mut nanos) = (0, 0);
    if let Some(behind) = rest.strip_prefix(b":") {
        seconds = two(behind.get(..2)?)?;
        rest = &behind[2..];
        if let Some(behind) = rest.strip_prefix(b".") {
            let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return None;
            }
            // what lies beyond the ninth digit is less than virtual time resolves
            nanos = (0..9).fold(0, |nanos, place| {
                nanos * 10 + behind[..digits].get(place).map_or(0, |digit| i64::from(digit - b'0'))
            });
            rest = &behind[digits..];
        }
    }
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let zone = match trimmed(rest) {
        b"" => None,
        b"Z" | b"z" | b"UTC" | b"GMT" => Some(0),
        zone => Some(calendar::utc_offset(std::str::from_utf8(zone).ok()?)?),
    };
    Some((days * 86_400 + hours * 3600 + minutes * 60 + seconds, nanos, zone))
}

/// Returns true if a text begins as dates do, and names no day that times can have.
fn has_form_of_a_date(text: &[u8]) -> bool {
    let Some(date) = text.get(..10) else { return false };
    let parts = [&date[..2], &date[2..4], &date[5..7], &date[8..]].map(two);
    let [Some(century), Some(year), Some(month), Some(day)] = parts else { return false };
    date[4] == b'-'
        && date[7] == b'-'
        && calendar::days_since_1970(century * 100 + year, month, day).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Times = Times { format: None, unit: None, zone: None };

    fn nanos(times: &Times, text: &str) -> Result<i64, NoMoment> {
        times.read(Cell::Text(text.as_bytes())).map(|moment| moment.nanos)
    }

    #[test]
    fn the_common_forms_of_dates_are_read() {
        for (text, secs) in [
            ("1970-01-01 00:00:00", 0),
            ("2000-02-29T12:00:00", 951_825_600),
            ("2026-03-01 00:00", 1_772_323_200),
            ("2026-03-01 00:00:00Z", 1_772_323_200),
            ("2026-03-01 08:00:00+08:00", 1_772_323_200),
            ("2026-02-28T19:00:00-0500", 1_772_323_200),
            ("2026-03-01 00:00:00 UTC", 1_772_323_200),
        ] {
            assert_eq!(nanos(&PLAIN, text), Ok(secs * SECOND), "{text}");
        }
        assert_eq!(nanos(&PLAIN, "1970-01-01 00:00:01.250000"), Ok(1_250_000_000));
        assert_eq!(nanos(&PLAIN, "1970-01-01 00:00:00.0000000019"), Ok(1));
        for bad in ["2026-03-01", "soon", "2026-03-01 24:00:00", "2026-03-01 00:00:00."] {
            assert_eq!(nanos(&PLAIN, bad), Err(NoMoment::Form), "{bad}");
        }
        for none in ["2026-02-30 00:00:00", "1969-12-31 23:59:59", "9999-12-31 23:59:59"] {
            assert_eq!(nanos(&PLAIN, none), Err(NoMoment::NoDay), "{none}");
        }
        assert_eq!(nanos(&PLAIN, "1970-01-01 00:30:00+01:00"), Err(NoMoment::Range));
    }

    #[test]
    fn numbers_have_the_unit_of_the_table_or_none() {
        let millis = Times { unit: Some(1_000_000), ..PLAIN };
        assert_eq!(nanos(&millis, "1546332955000"), Ok(1_546_332_955 * SECOND));
        assert_eq!(nanos(&millis, "0.5"), Ok(500_000));
        assert_eq!(nanos(&PLAIN, "1546332955"), Err(NoMoment::NoUnit));
        assert_eq!(nanos(&millis, "-1"), Err(NoMoment::Range));
        assert_eq!(nanos(&millis, "99999999999999999999"), Err(NoMoment::Range));
    }

    #[test]
    fn clocks_of_a_place_follow_its_summer_time() {
        let rome = Times { zone: Zone::parse("Europe/Rome"), ..PLAIN };
        assert_eq!(nanos(&rome, "2026-03-01 01:00:00"), Ok(1_772_323_200 * SECOND));
        assert_eq!(nanos(&rome, "2026-07-01 02:00:00"), Ok(1_782_864_000 * SECOND));
        // set back on 25 October 2026: 02:30 comes twice, and the earlier one is meant
        assert_eq!(nanos(&rome, "2026-10-25 02:30:00"), Ok(1_792_888_200 * SECOND));
        // set forward on 29 March 2026: there is no 02:30
        assert_eq!(nanos(&rome, "2026-03-29 02:30:00"), nanos(&rome, "2026-03-29 03:30:00"));
        assert_eq!(nanos(&rome, "2026-03-01 00:00:00Z"), Ok(1_772_323_200 * SECOND));
        assert!(Zone::parse("Europe/Roma").is_none() && Zone::parse("").is_none());
    }

    #[test]
    fn clocks_of_every_place_are_those_of_the_library() {
        let places =
            ["Europe/Rome", "America/Denver", "Australia/Lord_Howe", "Asia/Tokyo", "Africa/Monrovia"];
        for name in places {
            let zone = TimeZone::get(name).expect("a zone");
            let clocks = Clocks::new(zone.clone());
            let around =
                |&(_, until): &(i64, i64)| (-8..=8).map(move |step| until.saturating_sub(step * 450));
            let spread = (0..20_000).map(|step| step * 449_993);
            let locals = clocks.spans.iter().take(clocks.spans.len() - 1).flat_map(around).chain(spread);
            for local in locals.filter(|local| (90_000..MOST_SECS).contains(local)) {
                let clock = TimeZone::UTC.to_datetime(Timestamp::from_second(local).expect("in range"));
                let meant = zone.to_timestamp(clock).expect("in range").as_second();
                assert_eq!(local - clocks.ahead(local), meant, "{name}: {clock}");
            }
        }
    }

    #[test]
    fn other_forms_are_read_by_a_format() {
        let american = Times { format: Some("%m/%d/%Y %H:%M:%S".to_owned()), ..PLAIN };
        assert_eq!(nanos(&american, "03/01/2026 00:00:00"), Ok(1_772_323_200 * SECOND));
        assert_eq!(nanos(&american, "2026-03-01 00:00:00"), Err(NoMoment::Form));
        let zoned = Times { format: Some("%Y-%m-%d %H:%M:%S %z".to_owned()), ..PLAIN };
        assert_eq!(nanos(&zoned, "2026-03-01 01:00:00 +0100"), Ok(1_772_323_200 * SECOND));
        let days = Times { format: Some("%d.%m.%Y".to_owned()), ..PLAIN };
        assert_eq!(nanos(&days, "01.03.2026"), Ok(1_772_323_200 * SECOND));
        assert!(is_format("%d.%m.%Y %H:%M") && is_format("%Y-%m-%dT%H:%M:%S%.f"));
        assert!(!is_format("%H:%M") && !is_format("%Q!") && !is_format("day"));
    }
}
