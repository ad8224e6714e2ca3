//! Names that columns have in tables of jobs, and the units that names state.

use super::tally::{ColumnSurvey, ColumnType};

/// Sense in which a key takes a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeySense {
    /// A time.
    Time,
    /// A span of time.
    Span,
    /// An amount.
    Amount,
    /// A name or a word.
    Name,
}

/// Names of the column of a key, in small letters and digits alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyWords {
    pub(super) key: &'static str,
    pub(super) sense: KeySense,
    /// Names, the likelier ones first.
    names: &'static str,
    /// Parts of names.
    parts: &'static str,
    /// Parts of names of other things.
    others: &'static str,
}

const fn words(
    key: &'static str,
    sense: KeySense,
    names: &'static str,
    [parts, others]: [&'static str; 2],
) -> KeyWords {
    KeyWords { key, sense, names, parts, others }
}

/// The keys that are guessed, in the order in which they choose.
pub(super) const KEYS: [KeyWords; 21] = [
    words(
        "submit",
        KeySense::Time,
        "submit submittime submitted submittedat submittedtime submissiontime timesubmit submitts queued queuedat queuedtime \
         queuedtimestamp qtime arrival arrivaltime created createdat creationtime when",
        ["submit submission arriv queued creation enqueue", "user host line node dir wait id script"],
    ),
    words(
        "start",
        KeySense::Time,
        "start starttime started startedat timestart startts began begin begintime scheduledtime sdt from",
        ["start begin began launch", "wait restart id type"],
    ),
    words(
        "end",
        KeySense::Time,
        "end endtime ended endedat timeend endts finish finished finishedat finishtime completed completedat completiontime \
         deletiontime stop stoptime edt to",
        ["endtime finish completion endtimestamp", "wait id type"],
    ),
    words(
        "run-time",
        KeySense::Span,
        "runtime duration elapsed elapsedtime elapsedraw runtimeseconds exectime executiontime",
        ["runtime duration elapsed execution", "wait queue limit req"],
    ),
    words(
        "limit",
        KeySense::Span,
        "timelimit timelimitraw limit walltime walltimereq wallclockreq walltimeseconds walltimelimit requestedtime \
         reqtime timereq requestedwalltime asked elpl",
        [
            "timelimit wallclock walltime requestedtime limit",
            "mem used node core cpu gpu disk rdma rate count",
        ],
    ),
    words(
        "nodes",
        KeySense::Amount,
        "nodes nnodes numnodes nodenum nodecount nodesalloc allocnodes numnodesalloc nodesused nodesrequested nodesreq \
         nodesrequired",
        ["nodes nodenum numnode", "hour second time list power id name cpu core gpu mem"],
    ),
    words(
        "procs",
        KeySense::Amount,
        "procs processors nprocs numprocs cores ncores numcores corecount cpus ncpus numcpus cpunum cpucount cpusalloc \
         alloccpus cpurequest cpusreq reqcpus coresused coresrequested processorsreq cpumilli cpu",
        [
            "cores cpus procs processors cpunum",
            "hour second time util usage percent freq power mem id type model node gpu",
        ],
    ),
    words(
        "gpus",
        KeySense::Amount,
        "gpus ngpus numgpus gpunum gpucount gpusalloc allocgpus gpusreq gpurequest gpu",
        [
            "gpus gpunum numgpu gpurequest",
            "hour second time util usage type model spec milli power mem id share",
        ],
    ),
    words("tres", KeySense::Name, "tres alloctres tresalloc tresallocstr reqtres", ["tresalloc", ""]),
    words(
        "memory",
        KeySense::Amount,
        "mem memory memreq reqmem memalloc memorymib memgb memorygb memmb memorymb",
        ["mem", "util bandwidth power gpu peak used id max name"],
    ),
    words("gpu-type", KeySense::Name, "gputype gpumodel gpuspec gpukind", ["gputype gpumodel", ""]),
    words(
        "user",
        KeySense::Name,
        "user userid username who iduser usr uid owner organization hasheduserid",
        ["user", "group"],
    ),
    words(
        "group",
        KeySense::Name,
        "group groupid gid groupname account accountname project projectname",
        ["groupid groupname", ""],
    ),
    words(
        "account",
        KeySense::Name,
        "account accountid accountname project projectid projectname",
        ["account project", ""],
    ),
    words("executable", KeySense::Name, "executable exe app application program", ["executable", ""]),
    words("qos", KeySense::Name, "qos", ["", ""]),
    words("queue", KeySense::Name, "queue queuename queueid vc virtualcluster", ["queuename", "time"]),
    words("partition", KeySense::Name, "partition partitionname", ["partition", ""]),
    words("class", KeySense::Name, "class jobclass jobtype tasktype", ["jobtype jobclass", ""]),
    words(
        "state",
        KeySense::Name,
        "state jobstate status jobstatus exitstate exitstatus exitcode result outcome podphase",
        ["state status exitcode outcome", "time"],
    ),
    words("energy", KeySense::Amount, "energy energyj energykwh", ["energy", "estimate gpu cpu"]),
];

/// A name in small letters and digits alone.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

impl KeyWords {
    /// The column of this key among those that are left.
    pub(super) fn find<'a>(&self, columns: &[&'a ColumnSurvey]) -> Option<&'a ColumnSurvey> {
        let fitting = || columns.iter().copied().filter(|column| self.takes(column));
        let by_name = |word: &str| {
            fitting().find(|column| unitless(&column.name) == word || plain(&column.name) == word)
        };
        let by_part = |part: &str| {
            fitting().find(|column| {
                let name = plain(&column.name);
                name.contains(part)
                    && !self.others.split(' ').any(|other| !other.is_empty() && name.contains(other))
            })
        };
        self.names
            .split(' ')
            .find_map(by_name)
            .or_else(|| self.parts.split(' ').filter(|part| !part.is_empty()).find_map(by_part))
    }

    /// The column of exactly a name of this key, whatever stands in it.
    pub(super) fn find_by_name<'a>(&self, columns: &[&'a ColumnSurvey]) -> Option<&'a ColumnSurvey> {
        let called = |word: &str| {
            columns
                .iter()
                .copied()
                .find(|column| unitless(&column.name) == word || plain(&column.name) == word)
        };
        self.names.split(' ').find_map(called)
    }

    /// Returns true if the values of a column can be of this key.
    fn takes(&self, column: &ColumnSurvey) -> bool {
        let kind = column.likely();
        match self.sense {
            KeySense::Time => {
                let is_form = kind == ColumnType::Text && column.forms != 0;
                kind.is_number() || kind == ColumnType::Time || is_form
            }
            KeySense::Span => kind.is_number() || kind == ColumnType::Span,
            KeySense::Amount => kind.is_number(),
            KeySense::Name => !matches!(kind, ColumnType::List | ColumnType::Nothing | ColumnType::Time),
        }
    }
}

/// Parts of a name: words between signs, and before and behind a change to a capital.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let breaks = !letter.is_ascii_alphanumeric() || (was_small && letter.is_ascii_uppercase());
        if breaks && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        was_small = letter.is_ascii_lowercase();
        if letter.is_ascii_alphanumeric() {
            if parts.is_empty() {
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut() {
                part.push(letter);
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A name without the unit at its end, in small letters and digits.
fn unitless(name: &str) -> String {
    let mut parts = parts(name);
    let is_unit = |part: &String| {
        let unit = part.to_ascii_lowercase();
        [TIME_WORDS, MEMORY_WORDS, ENERGY_WORDS].iter().any(|words| unit_in(words, &unit).is_some())
    };
    if parts.len() > 1 && parts.last().is_some_and(is_unit) {
        parts.pop();
    }
    plain(&parts.concat())
}

/// Words of names, each with the unit that it stands for.
type UnitWords = [(&'static str, &'static str)];

/// Units of time.
pub(super) const TIME_WORDS: &UnitWords = &[
    ("ns", "ns"),
    ("us", "us"),
    ("ms", "ms"),
    ("millis", "ms"),
    ("milliseconds", "ms"),
    ("s", "s"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("min", "min"),
    ("mins", "min"),
    ("minutes", "min"),
    ("h", "h"),
    ("hr", "h"),
    ("hrs", "h"),
    ("hours", "h"),
    ("d", "d"),
    ("days", "d"),
];
/// Units of memory.
pub(super) const MEMORY_WORDS: &UnitWords = &[
    ("bytes", "B"),
    ("kb", "kB"),
    ("mb", "MB"),
    ("gb", "GB"),
    ("tb", "TB"),
    ("kib", "KiB"),
    ("mib", "MiB"),
    ("gib", "GiB"),
    ("tib", "TiB"),
];
/// Units of energy.
pub(super) const ENERGY_WORDS: &UnitWords =
    &[("j", "J"), ("joules", "J"), ("kj", "kJ"), ("mj", "MJ"), ("wh", "Wh"), ("kwh", "kWh")];

fn unit_in(words: &UnitWords, word: &str) -> Option<&'static str> {
    words.iter().find(|(known, _)| *known == word).map(|&(_, unit)| unit)
}

/// The unit that a name states.
pub(super) fn unit_of(words: &UnitWords, name: &str) -> Option<&'static str> {
    let parts = parts(name);
    let behind_first = parts.iter().skip(1).rev();
    behind_first.map(|part| part.to_ascii_lowercase()).find_map(|part| unit_in(words, &part))
}

/// The whole that an amount is of, if the name states it.
pub(super) fn per_of(name: &str) -> Option<&'static str> {
    let name = plain(name);
    let per = [
        ("pernode", "node"),
        ("perworker", "worker"),
        ("pergpu", "gpu"),
        ("percpu", "processor"),
        ("percore", "processor"),
    ];
    per.iter().find(|(word, _)| name.contains(word)).map(|&(_, per)| per)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_behind_names() {
        let time = |name| unit_of(TIME_WORDS, name);
        assert_eq!(
            (time("duration_ms"), time("WALLTIME_SECONDS"), time("runTime [s]")),
            (Some("ms"), Some("s"), Some("s"))
        );
        assert_eq!((time("ms"), time("limit"), time("minutes_used_by")), (None, None, None));
        assert_eq!(unit_of(MEMORY_WORDS, "mem_per_pod_GB"), Some("GB"));
        assert_eq!((per_of("mem_per_node"), per_of("mem")), (Some("node"), None));
        assert_eq!(
            (unitless("submission_time_ms"), unitless("s"), unitless("elapsedRaw")),
            ("submissiontime".to_owned(), "s".to_owned(), "elapsedraw".to_owned())
        );
    }
}
