//! The header of a log: comments of the form `; Key: value`.
//!
//! The machine's size, the origin of time and acknowledgements are understood; every other entry is
//! kept as text, up to a bound, so that what is written later can carry it on.

use crate::units::calendar::date_time;

/// Entries kept; a log's header has some dozens, a log of nothing but comments must not fill the
/// memory.
const MOST_ENTRIES: usize = 1000;
/// Bytes kept of one entry.
const LONGEST: usize = 400;

/// Statements of a log about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    entries: Vec<(String, String)>,
}

impl Header {
    /// Takes in a comment line, without its line end; lines that are no `Key: value` are passed
    /// over.
    pub(super) fn read(&mut self, comment: &[u8]) {
        if self.entries.len() >= MOST_ENTRIES {
            return;
        }
        let text = String::from_utf8_lossy(&comment[..comment.len().min(LONGEST)]);
        let text = text.trim_start_matches(';').trim();
        if let Some((key, value)) = text.split_once(':') {
            let (key, value) = (key.trim(), value.trim());
            if !key.is_empty() && !value.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                self.entries.push((key.to_owned(), value.to_owned()));
            }
        }
    }

    /// Adds an entry.
    pub fn push(&mut self, key: &str, value: String) {
        self.entries.push((key.to_owned(), value));
    }

    /// All entries, in file order, as written.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The first entry of this key, whatever its capitals.
    pub fn entry(&self, key: &str) -> Option<&str> {
        self.entries().find(|(other, _)| other.eq_ignore_ascii_case(key)).map(|(_, value)| value)
    }

    /// Processors of the machine: `MaxProcs`, else `MaxNodes`; `None` if neither is a number above
    /// zero, or the first that is stated is none.
    pub fn procs(&self) -> Option<u32> {
        let stated = SIZES.iter().find(|key| self.entry(key).is_some_and(|value| !is_unknown(value)));
        self.number(stated?).filter(|&procs| procs > 0)
    }

    /// The entry that should state the size of the machine and cannot be read, as written.
    pub fn odd_size(&self) -> Option<(&'static str, &str)> {
        let mut stated = SIZES.iter().filter_map(|&key| Some((key, self.entry(key)?)));
        let (key, value) = stated.find(|(_, value)| !is_unknown(value))?;
        self.number::<u32>(key).is_none_or(|procs| procs == 0).then_some((key, value))
    }

    /// Nodes of the machine: `MaxNodes`.
    pub fn nodes(&self) -> Option<u32> {
        self.number("MaxNodes").filter(|&nodes| nodes > 0)
    }

    /// The Unix time at which the log's time 0 was, in seconds.
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }

    /// Lead of local time over UTC when the log began \[s\]: by `StartTime`, which is
    /// local, with `UnixStartTime`; else by the deprecated `TimeZone`, which many logs have wrong
    /// or without their daylight saving.
    pub fn utc_offset(&self) -> Option<i64> {
        let plausible = |offset: &i64| offset.abs() <= 14 * 3600 && offset % 900 == 0;
        let by_start = || Some(local_start(self.entry("StartTime")?)? - self.unix_start_time()?);
        by_start().filter(plausible).or_else(|| self.number("TimeZone").filter(plausible))
    }

    /// Persons and institutions to be thanked for the log.
    pub fn acknowledgements(&self) -> impl Iterator<Item = &str> {
        self.entries().filter(|(key, _)| key.eq_ignore_ascii_case("Acknowledge")).map(|(_, value)| value)
    }

    /// The number at the start of an entry's value, before a blank or a sign that ends it.
    fn number<N: std::str::FromStr>(&self, key: &str) -> Option<N> {
        let first = self.entry(key)?.split_ascii_whitespace().next()?;
        without_commas(first.trim_end_matches([',', ';', '.', ':'])).parse().ok()
    }
}

/// Entries of the size of the machine, the first of which counts.
const SIZES: [&str; 2] = ["MaxProcs", "MaxNodes"];

/// Returns true if the value of an entry says that it is not known.
fn is_unknown(value: &str) -> bool {
    let first = value.split_ascii_whitespace().next().unwrap_or_default();
    first.starts_with('-') || ["unknown", "n/a", "none"].iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// A number without the commas between its thousands; any other text as it is.
fn without_commas(text: &str) -> String {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split(',');
    let first = parts.next().unwrap_or_default();
    let is_parted = digits(first) && first.len() <= 3 && parts.all(|part| part.len() == 3 && digits(part));
    if is_parted { text.replace(',', "") } else { text.to_owned() }
}

/// Seconds since 1970 on the clock that `Mon Sep 23 14:00:31 CEST 1996` was read from.
fn local_start(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (&[_, month, day, clock, year] | &[_, month, day, clock, _, year]) = words.as_slice() else {
        return None;
    };
    let month = MONTHS.iter().position(|known| known.eq_ignore_ascii_case(month))? + 1;
    date_time(&format!("{year}-{month}-{day}T{clock}")).map(|(seconds, _)| seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(lines: &[&str]) -> Header {
        let mut header = Header::default();
        for line in lines {
            header.read(line.as_bytes());
        }
        header
    }

    #[test]
    fn the_machine_is_max_procs_else_max_nodes() {
        assert_eq!(header(&["; MaxNodes: 10", ";MaxProcs:  80 "]).procs(), Some(80));
        assert_eq!(header(&[";   maxnodes: 10 (of 12)"]).procs(), Some(10));
        assert_eq!(header(&["; MaxProcs: -1", "; MaxProcs: many"]).procs(), None);
    }

    #[test]
    fn local_time_is_that_of_the_start_else_of_the_zone() {
        let offset = |lines: &[&str]| header(lines).utc_offset();
        // headers of KTH-SP2 (summer time, which its TimeZone leaves out) and LLNL-Atlas (whose
        // TimeZone is another's)
        let kth =
            ["; UnixStartTime: 843480031", "; TimeZone: 3600", "; StartTime: Mon Sep 23 14:00:31 CEST 1996"];
        assert_eq!(offset(&kth), Some(7200));
        let atlas =
            ["; UnixStartTime: 1163199901", "; TimeZone: 3600", "; StartTime: Fri Nov 10 15:05:01 PST 2006"];
        assert_eq!(offset(&atlas), Some(-8 * 3600));
        assert_eq!(offset(&kth[..2]), Some(3600));
        assert_eq!(offset(&kth[..1]), None);
        // a start that is no time, or another one, is passed over
        let odd = |start: &str| offset(&[kth[0], kth[1], &format!("; StartTime: {start}")]);
        assert_eq!([odd("soon"), odd("Mon Sep 23 13:37:31 CEST 1996"), odd("1996")], [Some(3600); 3]);
    }

    #[test]
    fn every_acknowledgement_is_kept() {
        let header = header(&["; Acknowledge: A. Author", ";", "; free text", "; Acknowledge: B. Author"]);
        assert_eq!(header.acknowledgements().collect::<Vec<_>>(), ["A. Author", "B. Author"]);
    }

    #[test]
    fn sizes_have_commas_and_words_behind_them_or_are_none() {
        for (value, procs) in [
            ("1152", Some(1152)),
            ("1,152", Some(1152)),
            ("1,152,000 cores", Some(1_152_000)),
            ("1152 (72 nodes of 16)", Some(1152)),
            ("1152, of which 16 are spare", Some(1152)),
            ("1152;", Some(1152)),
            ("1,15", None),
            ("1.152", None),
            ("1152procs", None),
            ("about 1152", None),
            ("0", None),
        ] {
            let header = header(&[&format!("; MaxProcs: {value}"), "; MaxNodes: 72"]);
            assert_eq!(header.procs(), procs, "{value}");
            assert_eq!(header.odd_size(), procs.is_none().then_some(("MaxProcs", value)), "{value}");
        }
        for unknown in ["-1", "unknown"] {
            let header = header(&[&format!("; MaxProcs: {unknown}"), "; MaxNodes: 72"]);
            assert_eq!((header.procs(), header.odd_size()), (Some(72), None), "{unknown}");
        }
        assert_eq!(header(&["; Note: none"]).odd_size(), None);
    }

    #[test]
    fn times_before_1970_and_odd_bytes_do_no_harm() {
        assert_eq!(header(&["; UnixStartTime: -5"]).unix_start_time(), Some(-5));
        let mut odd = Header::default();
        odd.read(b"; Computer: \xff\xfe");
        assert_eq!(odd.entry("computer"), Some("\u{fffd}\u{fffd}"));
    }
}
