//! The tables and keys that every scenario may have, as written.
//!
//! What a system's own tables hold is declared where the system is
//! ([`SystemData::keys`](crate::scenario::SystemData::keys)), what a component's own table holds
//! where the component is.

use crate::registry::{Absent, Bounds, Key, Kind, key, keys};
use crate::scenario::kept_runs::RUNS;

/// The keys at the root of every scenario that come before those of its system.
pub const FIRST: &[Key] = &[TITLE, SEED, DETAIL];

/// The keys at the root of every scenario that come after those of its system.
pub const LAST: &[Key] = &[EXPECT, VARY, REPEATED, ASKED, CROSSOVERS];

/// Files that are taken in; gone once they are.
pub(super) const INCLUDE: Key =
    Key::new("include", Kind::List(&Kind::Path)).absent("nothing is taken in").about(
        "scenario files whose tables are taken in, relative to this file; what this \
                file says wins, and of several the later one; each file is read once",
    );

const TITLE: Key = Key::new("title", Kind::Text).about("what the scenario is about; names its results");

const SEED: Key = Key::new("seed", Kind::count_from(0)).or_count(1).about("the root of every random stream");

/// Detail of the simulation, where its tables leave it open.
pub(super) const DETAIL: Key = Key::new("detail", Kind::Text)
    .absent("it follows from the tables and the components that they name")
    .about("what is simulated: \"cluster\", \"agents\", \"dag\", \"sweep\" or a system of one's own");

/// End of a run; a system whose runs have more to say puts other keys in the place of these.
pub const RUN: Key = Key::new("run", Kind::Table(&[UNTIL, GIVE_UP_AFTER, REPLICATION]))
    .or_table()
    .about("when the run ends and what is left out of the statistics");

/// Files written of a run; a system puts its own keys in the place of these.
pub const RECORD: Key = Key::new("record", Kind::Table(&[ALL, REPORT, TRACE, PARQUET, RUNS]))
    .or_table()
    .about("which files are written in addition to the summary");

const EXPECT: Key = Key::new("expect", Kind::Map(&Kind::Text)).or_table().about(
    "bounds on metrics, for example \"bounded-slowdown.mean\" = \"< 60\", \
                \"wait-time.mean\" = \"< 2h\", utilization = \"> 60 %\": times take units \
                of time, shares percent, others the unit of the metric; a broken one is \
                exit status 3",
);

const VARY: Key = key! {
    "vary" Kind::List(&Kind::Map(&Kind::List(&Kind::Any))), absent "no axes: a single point" =>
        "the axes of a study: a table each, with the path of a key and its values, \"policy.backfill\" = \
         [\"none\", \"easy\"]; the keys of one table move together; the points are the product of the axes, \
         the last moving fastest"
};

const REPEATED: Key = key! {
    "repeat" Kind::Table(REPEAT), absent "every point is run once" =>
        "how many replications of every point are run; each draws other random numbers, the same at all \
         points",
        source "A. M. Law, W. D. Kelton, Simulation Modeling and Analysis, 3rd ed., 2000, chapters 9 and 11"
};

const ASKED: Key = key! {
    "question" Kind::Table(QUESTION), absent "the first value of the default axis against the others, in the headline of the system" =>
        "the question that a study answers first: its metrics, axis and baseline are the family of tests whose verdicts hold \
         together; it changes no run"
};

/// The question of a study.
pub(super) const QUESTION: &[Key] = &keys! {
    "metrics" Kind::List(&Kind::Text), absent "the headline of the system" =>
        "the metrics; the first is primary and a family of its own, the others are a second one; \"all\" is every metric that \
         has a better and a worse";
    "axis" Kind::Text, absent "that of the first varied policy, else the first with two values" =>
        "the varied key along which points are compared";
    "baseline" Kind::Any, absent "its first value" =>
        "the value of that key with which the others are compared; \"all\": each with each";
    "detect" Kind::Share(Bounds::Positive), absent "10 %" =>
        "the change for which an unsettled comparison states the replications that would find it in four studies of five";
};

const CROSSOVERS: Key = key! {
    "crossover" Kind::List(&Kind::Table(CROSSOVER)), absent "no crossover is looked for" =>
        "the value of one axis at which one setting of another axis begins to be ahead of a second one, a \
         table each, with the 95 % interval of the paired differences; at every combination of the other axes",
        source "E. C. Fieller, Journal of the Royal Statistical Society B 16(2), 1954 (the interval)"
};

/// A crossover that a study looks for.
pub(super) const CROSSOVER: &[Key] = &keys! {
    "metric" Kind::Text => "the metric that is compared, for example \"makespan\"";
    "along" Kind::Text => "the varied key whose value is looked for; its values are numbers, shares or times that rise";
    "of" Kind::Text => "the varied key whose settings are compared, of another axis";
    "from" Kind::Any => "the first of the two settings, as it stands in `[[vary]]`";
    "to" Kind::Any => "the second";
    "expect" Kind::Text, absent "no bound" =>
        "a bound that both ends of the interval must keep, for example \"> 20 %\"; a broken one is exit status 3";
};

/// Replications of every point of a study.
pub(super) const REPEAT: &[Key] = &keys! {
    "replications" Kind::Count { least: 1, most: MOST_REPLICATIONS },
        absent "1; 10 with `to-power`; or as many as `until` takes" =>
            "replications of every point, with `to-power` those of its pilot; write this or `until`";
    "until" Kind::Table(REPEAT_UNTIL), absent "a fixed number of replications" =>
        "replications of a point, 10 at least, until the 95 % interval of a metric is narrow enough";
    "to-power" Kind::Flag, absent "no further replications" =>
        "take `replications` as a pilot and draw as many more as its paired spreads ask for: then a change of `detect` \
         of the primary metric is found in four studies of five; the question is part of what the study is then",
        source "C. Stein, Annals of Mathematical Statistics 16(3), 1945";
    "at-most" Kind::Count { least: 10, most: MOST_REPLICATIONS }, absent "1,000" =>
        "replications of a point at the most, with `to-power`";
};

const REPEAT_UNTIL: &[Key] = &keys! {
    "metric" Kind::Text => "the metric whose interval is looked at, for example \"wait-time.mean\"";
    "half-width" Kind::Share(Bounds::Positive) =>
        "half of the interval's width, as a share of the mean, that is narrow enough";
    "at-most" Kind::Count { least: 10, most: MOST_REPLICATIONS }, or_count 100 =>
        "replications after which a point is left as it is";
};

/// Most replications of a point.
const MOST_REPLICATIONS: u64 = 10_000;

/// Latest end of a run.
pub const UNTIL: Key = Key::new("until", Kind::Duration(Bounds::Positive))
    .absent("until every job, or every agent, has ended")
    .about("when the run ends at the latest");

/// Decisions in a row after which a run is given up, unless it says otherwise.
pub const USUAL_PATIENCE: u64 = 10_000;

/// After how many decisions that complete nothing a run is given up.
pub const GIVE_UP_AFTER: Key = Key::new("give-up-after", Kind::count_from(1)).absent("10,000").about(
    "decisions in a row (plans, attempts that fail, retries, waits for another look) after which a run in which nothing was \
     completed ends with an error, for each of the things that are tried side by side: it would never end",
);

/// Number of the replication that a run is.
pub const REPLICATION: Key = Key::new("replication", Kind::count_from(0))
    .absent("0, the first; a study numbers its runs itself")
    .about("which replication this run is: each draws other random numbers from the seed");

/// Switch of all files that `check` judges by; gone once they are on.
pub const ALL: Key = Key::new("all", Kind::Flag)
    .absent("each file is written or not as its own key says")
    .about("write every file that `check` judges by, whatever the keys of single files say; as --checkable");

/// True if `report.html` is written.
pub const REPORT: Key =
    Key::new("report", Kind::Flag).or_flag(true).about("write report.html, the run in pictures");

/// True if `trace.pftrace` is written.
pub const TRACE: Key = Key::new("trace", Kind::Flag)
    .or_flag(false)
    .about("write trace.pftrace, a timeline of every processor that ui.perfetto.dev opens");

/// True if rows are written in Parquet too.
pub const PARQUET: Key = key! {
    "parquet" Kind::Flag, or_flag false =>
        "write jobs.parquet, the rows of jobs.csv in typed columns; of a study, results.parquet; for a \
         program built with the feature `parquet`",
        source "github.com/apache/parquet-format"
};

/// The keys at the root of a scenario: these and those of all scenarios.
pub fn whole_keys(own: &[Key], required: &[&str]) -> Vec<Key> {
    let must = |key: &Key| if required.contains(&key.name) { Absent::Error } else { key.default };
    let own = own.iter().map(|key| Key { default: must(key), ..*key });
    FIRST.iter().copied().chain(own).chain(LAST.iter().copied()).collect()
}
