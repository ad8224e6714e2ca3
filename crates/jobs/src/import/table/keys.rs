//! The keys of `[workload.columns]`: which column states what, and in which unit.

use crate::registry::{Bounds, Key, Kind, key, keys};

/// Units of spans of time and of times that are numbers, each with its nanoseconds.
pub(super) const TIME_UNITS: [(&str, i64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

const TIME_UNIT: Kind = Kind::Choice(&[
    ("ns", "nanoseconds"),
    ("us", "microseconds"),
    ("ms", "milliseconds"),
    ("s", "seconds"),
    ("min", "minutes"),
    ("h", "hours"),
    ("d", "days"),
]);

const MEMORY_UNIT: Kind = Kind::Choice(&[
    ("B", "bytes"),
    ("kB", "1000 bytes"),
    ("MB", "1000 kB"),
    ("GB", "1000 MB"),
    ("TB", "1000 GB"),
    ("KiB", "1024 bytes"),
    ("MiB", "1024 KiB"),
    ("GiB", "1024 MiB"),
    ("TiB", "1024 GiB"),
]);

/// Units of energy and power, each with its millijoules or milliwatts.
pub(super) const POWER_UNITS: [(&str, f64); 8] = [
    ("J", 1e3),
    ("kJ", 1e6),
    ("MJ", 1e9),
    ("Wh", 3.6e6),
    ("kWh", 3.6e9),
    ("mW", 1.0),
    ("W", 1e3),
    ("kW", 1e6),
];

const ENERGY_UNIT: Kind = Kind::Choice(&[
    ("J", "joules"),
    ("kJ", "1000 J"),
    ("MJ", "1000 kJ"),
    ("Wh", "watt hours, 3600 J"),
    ("kWh", "1000 Wh"),
]);

const POWER_UNIT: Kind = Kind::Choice(&[("mW", "milliwatts"), ("W", "watts"), ("kW", "1000 W")]);

const PER: Kind = Kind::Choice(&[
    ("job", "the whole job"),
    ("node", "each of its nodes"),
    ("worker", "each of its workers, of which `workers` is the number"),
    ("processor", "each of its processors"),
    ("gpu", "each of its GPUs"),
]);

const COLUMN: Key = key! {
    "column" Kind::OneOrList(&Kind::Text) =>
        "the column; of several the first that states something. In JSON a path, as attempts[-1].end or count(nodes)"
};
const COLUMN_IF_ANY: Key = key! {
    "column" Kind::OneOrList(&Kind::Text), absent "`value` holds for every job" =>
        "the column; of several the first that states something. In JSON a path, as attempts[-1].end or count(nodes)"
};
const NONE: Key = key! {
    "none" Kind::OneOrList(&Kind::Any), absent "what no table means as a value: empty, NaN, None, null, NA, \\N, Unknown" =>
        "values that stand for unknown, as 0 or -1"
};
const OPTIONAL: Key = key! {
    "optional" Kind::Flag, or_flag false => "whether a table without this column is read, as if nothing stood in it"
};
const SCALE: Key = key! {
    "scale" Kind::Number(Bounds::Positive), or_number 1.0 => "what every value is multiplied by"
};
const LIST: Key = key! {
    "list" Kind::Choice(&[
        ("refuse", "it is a mistake"),
        ("mean", "the mean of its values, those that are unknown aside"),
        ("sum", "the sum of its values"),
    ]), or "refuse" => "what a list in a cell means"
};
const VALUE: Key = key! {
    "value" Kind::Number(Bounds::Positive), absent "the column states it" => "the same amount for every job, without a column"
};
const ROUND: Key = key! {
    "round" Kind::Choice(&[
        ("refuse", "it is a mistake"),
        ("up", "the next whole one is taken, and counted"),
    ]), or "refuse" => "what an amount that is not whole means"
};
const PER_JOB: Key = key! { "per" PER, or "job" => "what the amount is of" };

/// A column of names.
const NAMES: Kind = Kind::FirstOrTable(&[COLUMN, NONE, OPTIONAL]);
/// A column of spans of time.
const SPANS: Kind = Kind::FirstOrTable(&keys! {
    ..COLUMN;
    "unit" TIME_UNIT, absent "texts as 1-02:03:04 need none; a number without a unit is a mistake" => "the unit of its numbers";
    ..SCALE;
    ..NONE;
    ..OPTIONAL;
});
/// A column of amounts.
const AMOUNTS: Kind = Kind::FirstOrTable(&[COLUMN_IF_ANY, VALUE, PER_JOB, SCALE, ROUND, NONE, OPTIONAL]);

const STATE_WORDS: Kind = Kind::OneOrList(&Kind::Any);

const STATES: &[Key] = &keys! {
    "completed" STATE_WORDS, absent "no state" => "states of jobs that ended by themselves; \"others\" for all that are not listed";
    "failed" STATE_WORDS, absent "no state" => "states of jobs that failed";
    "cancelled" STATE_WORDS, absent "no state" => "states of jobs that were cancelled";
    "timeout" STATE_WORDS, absent "no state" => "states of jobs that were killed at their limit";
    "dropped" STATE_WORDS, absent "no state" => "states of jobs that did not start, or have not ended";
};

const TIMES: &[Key] = &keys! {
    "format" Kind::Text, absent "as 2026-03-01 12:00:00.25+01:00, with or without fraction and zone" =>
        "the form of texts, as strptime has it: \"%m/%d/%Y %H:%M:%S\"";
    "unit" TIME_UNIT, absent "a time that is a number is a mistake" => "the unit of times that are numbers";
    "origin" Kind::Choice(&[
        ("epoch", "1970, UTC: they are dates"),
        ("trace", "some instant of the trace: nothing has a date"),
    ]), or "epoch" => "since when numbers count";
    "zone" Kind::Text, absent "UTC, and such times are counted" =>
        "the zone of times that state none: \"Europe/Rome\", or an offset as \"+01:00\"";
};

/// The keys of the mapping.
pub(super) const COLUMNS: &[Key] = &keys! {
    "submit" NAMES, absent "it must be written, here or by `like`" => "when the job was submitted";
    "start" NAMES, absent "waits are not known" => "when it started; a start before the submission moves that";
    "end" NAMES, absent "`run-time` states how long it ran" => "when it ended";
    "run-time" SPANS, absent "end minus start" => "how long it ran; next to `end` it is only compared, and differences are counted";
    "limit" SPANS, absent "no time was asked for" => "the time that was asked for: the estimate";
    "procs" AMOUNTS, absent "whole nodes, or else a processor a GPU, and such jobs are counted" => "its processors";
    "nodes" AMOUNTS, absent "not known" => "its nodes";
    "workers" AMOUNTS, absent "not known" => "its workers, which amounts may be of";
    "gpus" Kind::FirstOrTable(&keys! {
        ..COLUMN_IF_ANY;
        ..VALUE;
        ..PER_JOB;
        ..SCALE;
        ..ROUND;
        "share" Kind::Text, absent "jobs have whole GPUs" =>
            "the column that states which part of a GPU a job has; it holds the whole one, and is counted";
        "of" Kind::Number(Bounds::Positive), or_number 1.0 => "the value of `share` that stands for a whole GPU";
        ..NONE;
        ..OPTIONAL;
    }), absent "it has none" => "its GPUs";
    "memory" Kind::FirstOrTable(&keys! {
        ..COLUMN;
        "unit" MEMORY_UNIT => "the unit of the amount";
        "per" PER => "what the amount is of";
        ..SCALE;
        ..NONE;
        ..OPTIONAL;
    }), absent "it asked for none" => "its memory";
    "gpu-type" NAMES, absent "any GPU will do" => "the kind of its GPUs: it needs nodes that list GPUs of this kind, or have the feature gpu:KIND";
    "tres" NAMES, absent "columns of their own state what it had" =>
        "resources as Slurm lists them, cpu=4,mem=16G,node=1,gres/gpu=2, for what has no column of its own";
    "tres-ids" Kind::Map(&Kind::Text), absent "resources go by their names" => "the name of each resource that is listed by its number";
    "user" NAMES, absent "not known" => "its user";
    "group" NAMES, absent "not known" => "its group or account";
    "executable" NAMES, absent "not known" => "its program or name";
    "account" NAMES, absent "not known" => "the account that is charged";
    "qos" NAMES, absent "not known" => "its quality of service";
    "class" NAMES, absent "not known" => "its class, in the words of the table";
    "pools" NAMES, absent "it asked for none" =>
        "amounts of pools of the site (`cluster.pools`) that it asked for, licences above all, as matlab:2,abaqus:10";
    "energy" Kind::FirstOrTable(&keys! {
        ..COLUMN;
        "unit" ENERGY_UNIT => "the unit of the amount";
        ..SCALE;
        ..LIST;
        ..NONE;
        ..OPTIONAL;
    }), absent "not known" => "the energy that it took";
    "power" Kind::FirstOrTable(&keys! {
        ..COLUMN;
        "unit" POWER_UNIT => "the unit of the power";
        "per" PER => "what the power is of";
        ..SCALE;
        ..LIST;
        ..NONE;
        ..OPTIONAL;
    }), absent "not known" => "the mean power that it drew";
    "queue" NAMES, absent "not known" => "its queue";
    "partition" NAMES, absent "not known" => "its partition";
    "state" NAMES, absent "every job ended, as far as its times say" => "how it ended";
    "states" Kind::Table(STATES), absent "the words of Slurm" =>
        "what the states mean; one that is not listed is unknown, and the job is kept and counted";
    "times" Kind::Table(TIMES), absent "dates, each with its zone or in UTC" => "the form of times";
    "header" Kind::Flag, absent "true, unless the preset says otherwise" => "whether the first line names the columns";
    "names" Kind::List(&Kind::Text), absent "as the first line or the preset has them" =>
        "the names of the columns of a table without a line of them, in order";
};
