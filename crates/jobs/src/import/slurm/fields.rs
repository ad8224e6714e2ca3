//! Fields of Slurm: durations, times of day, resources, names of jobs, states.
//!
//! Source: the manual pages sacct(1) and slurm.conf(5) of Slurm 22.05 and 24.05.

use crate::units::Bytes;
use crate::units::calendar::date_time;

/// Longest time that is read \[ms\]: 285 years, so that a submission and a run fit into virtual
/// time.
pub(in crate::import) const MOST_MILLIS: u64 = 9_000_000_000_000;

/// A time limit as Slurm writes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    /// So many milliseconds.
    Millis(u64),
    /// No limit.
    Unlimited,
    /// Limit of its partition.
    OfPartition,
    /// Not given.
    Unknown,
}

/// Returns true if a field holds nothing that is known.
pub(super) fn is_unknown(text: &str) -> bool {
    ["", "unknown", "none", "invalid", "n/a", "(null)"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// A time limit; a bare number counts minutes.
pub(super) fn limit(text: &str) -> Option<Limit> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    if is_unknown(text) || is("not_set") {
        Some(Limit::Unknown)
    } else if is("unlimited") || is("infinite") || text == "-1" {
        Some(Limit::Unlimited)
    } else if is("partition_limit") {
        Some(Limit::OfPartition)
    } else {
        duration(text, 60_000).map(Limit::Millis)
    }
}

/// A duration [ms]: `D-HH:MM:SS`, shorter at either end, with a fraction, or a bare number of
/// `unit` milliseconds.
pub(in crate::import) fn duration(text: &str, unit: u64) -> Option<u64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(number(days)?), rest),
        None => (None, text),
    };
    let (whole, millis) = match rest.split_once('.') {
        Some((whole, fraction)) => (whole, fraction_millis(fraction)?),
        None => (rest, 0),
    };
    let parts: Vec<u64> = whole.split(':').map(number).collect::<Option<_>>()?;
    let seconds = match (days, parts.as_slice()) {
        (None, &[bare]) => return bare.checked_mul(unit)?.checked_add(millis),
        (Some(_), &[hours]) => [hours, 0, 0],
        (Some(_), &[hours, minutes]) => [hours, minutes, 0],
        (None, &[minutes, seconds]) => [0, minutes, seconds],
        (_, &[hours, minutes, seconds]) => [hours, minutes, seconds],
        _ => return None,
    };
    let days = days.unwrap_or(0).checked_mul(86_400)?;
    let total = seconds[0].checked_mul(3600)?.checked_add(seconds[1].checked_mul(60)?)?;
    total.checked_add(seconds[2])?.checked_add(days)?.checked_mul(1000)?.checked_add(millis)
}

/// A whole number of digits alone.
pub(super) fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// A whole amount as `64`, or as `4K` and `2.25K`, in which sacct shortens those above 1024, and
/// true if it is rounded up.
pub(super) fn count(text: &str) -> Option<(u32, bool)> {
    let (amount, factor) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 1 << 10),
        b'M' | b'm' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    if whole.is_empty() || fraction.len() > 9 || (factor == 1 && amount.contains('.')) {
        return None;
    }
    let places = 10_u64.pow(fraction.len() as u32);
    let part = if fraction.is_empty() { 0 } else { number(fraction)? };
    let times = number(whole)?.checked_mul(places)?.checked_add(part)?.checked_mul(factor)?;
    // two decimals name one amount of several
    let is_rounded = times % places != 0;
    Some((u32::try_from(times.div_ceil(places)).ok()?, is_rounded))
}

fn fraction_millis(text: &str) -> Option<u64> {
    number(text)?;
    number(&format!("{text:0<3}")[..3])
}

/// Unix seconds of a time as `2026-03-01T12:00:00`, which is `offset` seconds ahead of UTC unless
/// it states its own zone, or of a bare number of Unix seconds.
pub(super) fn time(text: &str, offset: i64) -> Option<i64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let (seconds, zone) = date_time(text)?;
    Some(seconds - zone.unwrap_or(offset))
}

/// The amount of a resource (`cpu`, `node`) in a list as `billing=4,cpu=4,mem=16G,node=1`.
pub(in crate::import) fn resource_text<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    list.split(',')
        .filter_map(|part| part.split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, text)| text)
}

/// An amount of memory as `240G`, `1.50T` or `4000`, which are mebibytes \[bytes\].
pub(in crate::import) fn memory(text: &str) -> Option<u64> {
    let (amount, unit) = match text.char_indices().next_back()? {
        (_, '0'..='9') => (text, "MiB"),
        (at, letter) => {
            let units = [('K', "KiB"), ('M', "MiB"), ('G', "GiB"), ('T', "TiB"), ('P', "PiB"), ('B', "B")];
            let unit = units.iter().find(|(known, _)| letter.to_ascii_uppercase() == *known)?;
            (&text[..at], unit.1)
        }
    };
    let digits = !amount.is_empty() && amount.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    Bytes::parse(&format!("{amount}{unit}")).ok().filter(|_| digits).map(Bytes::get)
}

/// Returns true if a list of resources has one whose name begins so.
pub(super) fn has_resource(list: &str, begins: &str) -> bool {
    list.split(',').any(|part| part.starts_with(begins))
}

/// Name in a `JobID`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Name {
    /// The number of the job, or of its array or first part.
    pub(super) base: u64,
    /// Task in an array.
    pub(super) task: Option<u64>,
    /// Tasks of an array that one record stands for, as `[5-9%2]` does.
    pub(super) tasks: u64,
    /// Part of a heterogeneous job.
    pub(super) part: Option<u64>,
    /// True if it is a step of that job.
    pub(super) step: bool,
}

/// The name of a job or step: `12`, `12.batch`, `12_3`, `12_[5-9,12]`, `12+1`, `12_3.0`.
pub(super) fn name(text: &str) -> Option<Name> {
    // a column of fixed width ends in a plus sign where it is too narrow
    let is_cut = text.contains("_[") && !text.contains(']');
    let text = if is_cut { text.trim_end_matches('+') } else { text };
    // a long list of tasks has points of its own
    let list =
        text.find('[').map_or(0, |open| text[open..].find(']').map_or(text.len(), |length| open + length));
    let (text, step) = match text[list..].find('.').map(|point| text.split_at(list + point)) {
        Some((_, ".")) => return None,
        Some((job, _)) => (job, true),
        None => (text, false),
    };
    let (text, part) = match text.split_once('+') {
        Some((job, part)) if !part.is_empty() => (job, Some(number(part)?)),
        Some(_) => return None,
        None => (text, None),
    };
    let (base, task, tasks) = match text.split_once('_') {
        Some((base, list)) if list.starts_with('[') => (base, None, tasks(list)?),
        Some((base, task)) => (base, Some(number(task)?), 1),
        None => (text, None, 1),
    };
    if base.is_empty() {
        return None;
    }
    Some(Name { base: number(base)?, task, tasks, part, step })
}

/// Number of tasks a list as `[0-5,7,10-20:2%3]` has. Slurm cuts long lists short with `...`, in
/// the midst of a number too: what is cut is not counted, and there is one task at least.
fn tasks(list: &str) -> Option<u64> {
    let inner = list.strip_prefix('[')?;
    let inner = inner.split(']').next().unwrap_or(inner);
    let is_whole = list.contains(']') && !list.contains("...");
    let inner = inner.split_once('%').map_or(inner, |(tasks, _)| tasks);
    if !is_whole {
        let known = inner.split("...").next().unwrap_or_default();
        // the item before the dots may be the beginning of another one
        let known = known.rsplit_once(',').map_or("", |(known, _)| known);
        let count = if known.is_empty() { Some(1) } else { tasks_of(known) };
        return count.map(|count| count.max(1));
    }
    tasks_of(inner)
}

/// Number of tasks in ranges between commas.
fn tasks_of(list: &str) -> Option<u64> {
    let mut count = 0_u64;
    for item in list.split(',') {
        let (range, stride) = match item.split_once(':') {
            Some((range, stride)) => (range, number(stride).filter(|&stride| stride > 0)?),
            None => (item, 1),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(range)?, number(range)?),
        };
        count = count.saturating_add((last.checked_sub(first)? / stride).saturating_add(1));
    }
    Some(count)
}

/// Outcome of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::import) enum State {
    /// Not started.
    Pending,
    /// Not over.
    Running,
    /// Over, with its status in SWF (1 completed, 0 failed, 5 cancelled).
    Over(i8),
    /// Over, and queued again.
    Again,
    /// Not one of Slurm's.
    Unknown,
}

/// Every state by its long and its short name.
const STATES: &[(&str, &str, State)] = &[
    ("BOOT_FAIL", "BF", State::Over(0)),
    ("CANCELLED", "CA", State::Over(5)),
    ("COMPLETED", "CD", State::Over(1)),
    ("COMPLETING", "CG", State::Running),
    ("CONFIGURING", "CF", State::Running),
    ("DEADLINE", "DL", State::Over(0)),
    ("FAILED", "F", State::Over(0)),
    ("NODE_FAIL", "NF", State::Again),
    ("OUT_OF_MEMORY", "OOM", State::Over(0)),
    ("PENDING", "PD", State::Pending),
    ("PREEMPTED", "PR", State::Again),
    ("REQUEUED", "RQ", State::Again),
    ("REQUEUE_HOLD", "RH", State::Pending),
    ("REQUEUE_FED", "RF", State::Pending),
    ("RESIZING", "RS", State::Running),
    ("RESV_DEL_HOLD", "RD", State::Pending),
    ("REVOKED", "RV", State::Over(5)),
    ("RUNNING", "R", State::Running),
    ("SIGNALING", "SI", State::Running),
    ("SPECIAL_EXIT", "SE", State::Over(0)),
    ("STAGE_OUT", "SO", State::Running),
    ("STOPPED", "ST", State::Running),
    ("SUSPENDED", "S", State::Running),
    ("TIMEOUT", "TO", State::Over(0)),
];

/// A state; what follows a blank (`CANCELLED by 1001`) or a plus sign (a cut name) is passed over.
pub(in crate::import) fn state(text: &str) -> State {
    // nearly all are words as they stand
    if let Some(&(.., state)) = STATES.iter().find(|(long, ..)| *long == text) {
        return state;
    }
    let word = text.split([' ', '+']).next().unwrap_or_default();
    let cut = text.ends_with('+');
    let is = |long: &str, short: &str| {
        word == long || word == short || (cut && word.len() > 2 && long.starts_with(word))
    };
    STATES.iter().find(|(long, short, _)| is(long, short)).map_or(State::Unknown, |&(.., state)| state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_in_every_form() {
        for (text, millis) in [
            ("1-02:03:04", 93_784_000),
            ("00:10:00", 600_000),
            ("10:00", 600_000),
            ("00:01.250", 1_250),
            ("2-12", 216_000_000),
            ("2-12:30", 217_800_000),
            ("90", 5_400_000),
        ] {
            assert_eq!(duration(text, 60_000), Some(millis), "{text}");
        }
        assert_eq!(duration("90", 1000), Some(90_000));
        for bad in ["", "1:2:3:4", "a", "1-", "-5", "1:-2", "99999999999999999999", "1::2", "1.x"] {
            assert_eq!(duration(bad, 1000), None, "{bad}");
        }
    }

    #[test]
    fn words_of_limits_are_distinguished() {
        assert_eq!(limit("UNLIMITED"), Some(Limit::Unlimited));
        assert_eq!(limit("Partition_Limit"), Some(Limit::OfPartition));
        assert_eq!(limit(""), Some(Limit::Unknown));
        assert_eq!(limit("30"), Some(Limit::Millis(1_800_000)));
        assert_eq!(limit("soon"), None);
    }

    #[test]
    fn times_are_unix_seconds_in_the_zone_reported() {
        assert_eq!(time("1970-01-01T00:00:00", 0), Some(0));
        assert_eq!(time("2000-02-29T12:00:00", 0), Some(951_825_600));
        assert_eq!(time("2026-03-01T00:00:00", 3600), Some(1_772_319_600));
        assert_eq!(time("2026-03-01T00:00:00Z", 3600), Some(1_772_323_200));
        assert_eq!(time("2026-03-01T00:00:00-03:30", 0), Some(1_772_335_800));
        assert_eq!(time("1772323200", 3600), Some(1_772_323_200));
        for bad in
            ["2026-02-29T00:00:00", "2026-13-01T00:00:00", "2026-01-01", "Unknown", "2026-01-01T24:00:00"]
        {
            assert_eq!(time(bad, 0), None, "{bad}");
        }
    }

    #[test]
    fn names_of_jobs_steps_arrays_and_parts() {
        let plain = Name { base: 12, task: None, tasks: 1, part: None, step: false };
        assert_eq!(name("12"), Some(plain.clone()));
        for step in ["12.batch", "12.extern", "12.0", "12.interactive"] {
            assert_eq!(name(step), Some(Name { step: true, ..plain.clone() }), "{step}");
        }
        assert_eq!(name("12_3"), Some(Name { task: Some(3), ..plain.clone() }));
        assert_eq!(name("12_[5-9%2]"), Some(Name { tasks: 5, ..plain.clone() }));
        assert_eq!(name("12_[0-5,7,10-20:2]"), Some(Name { tasks: 13, ..plain.clone() }));
        let cut = [
            ("1-3,...]", 3),
            ("1,3,5,7...", 3),
            ("1,3,...,3...]", 2),
            ("1...]", 1),
            ("...", 1),
            ("1-9%...", 1),
            ("1-9,1", 9),
        ];
        for (list, tasks) in cut {
            assert_eq!(name(&format!("12_[{list}")), Some(Name { tasks, ..plain.clone() }), "{list}");
        }
        let most = format!("12_[0-{}]", u64::MAX);
        assert_eq!(name(&most), Some(Name { tasks: u64::MAX, ..plain.clone() }));
        assert_eq!(name("12+1.0"), Some(Name { part: Some(1), step: true, ..plain.clone() }));
        assert_eq!(name("12_3+1"), Some(Name { task: Some(3), part: Some(1), ..plain }));
        for bad in ["", "x", "12_", "12_x", "12+", "_3", "12_[9-5]", "12.", "+1"] {
            assert_eq!(name(bad), None, "{bad}");
        }
    }

    #[test]
    fn states_are_known_by_either_name() {
        assert_eq!(state("CANCELLED by 1001"), State::Over(5));
        assert_eq!(state("CANCELLED+"), State::Over(5));
        assert_eq!(state("COMPLETED"), State::Over(1));
        assert_eq!((state("TO"), state("OUT_OF_ME+")), (State::Over(0), State::Over(0)));
        assert_eq!(
            (state("NODE_FAIL"), state("PD"), state("R")),
            (State::Again, State::Pending, State::Running)
        );
        assert_eq!((state("HAPPY"), state("")), (State::Unknown, State::Unknown));
    }

    #[test]
    fn amounts_of_resources_are_found_by_name() {
        let list = "billing=8,cpu=4,gres/gpu:a100=2,gres/gpu=2,mem=16G,node=1";
        assert_eq!((resource_text(list, "cpu"), resource_text(list, "node")), (Some("4"), Some("1")));
        assert_eq!((resource_text(list, "energy"), resource_text("cpu=x", "cpu")), (None, Some("x")));
        assert!(has_resource(list, "gres/") && !has_resource("cpu=1", "gres/"));
        assert_eq!(resource_text(list, "mem"), Some("16G"));
    }

    #[test]
    fn amounts_above_a_thousand_may_be_shortened() {
        let found = ["64", "4K", "2.25K", "2.26K", "1M", "0"].map(count);
        let counts = [(64, false), (4096, false), (2304, false), (2315, true), (1 << 20, false), (0, false)];
        assert_eq!(found, counts.map(Some));
        assert_eq!(["16?", "1.5", "K", ".5K", "-4", "4.K5", "5000M", ""].map(count), [None; 8]);
    }

    #[test]
    fn memory_is_reported_with_and_without_a_unit() {
        let (kib, mib) = (1 << 10, 1 << 20);
        let found =
            [("16G", 16 * kib * mib), ("1.50T", 1536 * kib * mib), ("4000", 4000 * mib), ("512K", 512 * kib)];
        for (text, bytes) in found {
            assert_eq!(memory(text), Some(bytes), "{text}");
        }
        assert_eq!((memory("0"), memory("16 G"), memory(""), memory("G")), (Some(0), None, None, None));
        assert_eq!((memory("1e3M"), memory("99999999999P"), memory("5é")), (None, None, None));
    }
}
