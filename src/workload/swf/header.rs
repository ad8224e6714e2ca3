//! The header of a log: comments of the form `; Key: value`.
//!
//! The machine's size, the origin of time and whom to thank are understood; every other entry is kept as text, up
//! to a bound, so that what is written later can carry it on.

/// Entries kept; a log's header has some dozens, a log of nothing but comments must not fill the memory.
const MOST_ENTRIES: usize = 1000;
/// Bytes kept of one entry.
const LONGEST: usize = 400;

/// What a log says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    entries: Vec<(String, String)>,
}

impl Header {
    /// Takes in a comment line, without its line end; lines that are no `Key: value` are passed over.
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
    pub(crate) fn push(&mut self, key: &str, value: String) {
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

    /// Processors of the machine: `MaxProcs`, else `MaxNodes`; `None` if neither is a number above zero.
    pub fn procs(&self) -> Option<u32> {
        ["MaxProcs", "MaxNodes"].iter().find_map(|key| self.number(key)).filter(|&procs| procs > 0)
    }

    /// Nodes of the machine: `MaxNodes`.
    pub fn nodes(&self) -> Option<u32> {
        self.number("MaxNodes").filter(|&nodes| nodes > 0)
    }

    /// The Unix time at which the log's time 0 was, in seconds.
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }

    /// Those to be thanked for the log.
    pub fn acknowledgements(&self) -> impl Iterator<Item = &str> {
        self.entries().filter(|(key, _)| key.eq_ignore_ascii_case("Acknowledge")).map(|(_, value)| value)
    }

    /// The number at the start of an entry's value.
    fn number<N: std::str::FromStr>(&self, key: &str) -> Option<N> {
        self.entry(key)?.split_ascii_whitespace().next()?.parse().ok()
    }
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
    fn every_acknowledgement_is_kept() {
        let header = header(&["; Acknowledge: A. Author", ";", "; free text", "; Acknowledge: B. Author"]);
        assert_eq!(header.acknowledgements().collect::<Vec<_>>(), ["A. Author", "B. Author"]);
    }

    #[test]
    fn times_before_1970_and_odd_bytes_do_no_harm() {
        assert_eq!(header(&["; UnixStartTime: -5"]).unix_start_time(), Some(-5));
        let mut odd = Header::default();
        odd.read(b"; Computer: \xff\xfe");
        assert_eq!(odd.entry("computer"), Some("\u{fffd}\u{fffd}"));
    }
}
