//! Priority by a formula over a job's fields, its age and what its account has used, as site
//! schedulers have it.
//!
//! ```text
//! priority = age × min(wait, max-age) / max-age        + size × processors / machine
//!          + fairshare × 2^(-usage share / target share)
//!          + queue × priority of its queue / the highest of all queues
//!          + partition and qos, likewise, of the queues that go by these
//!          + run-time × min(estimate, longest) / longest  + what `grant` gives its account
//! ```
//!
//! Every factor lies between 0 and 1, the weights before them are a site's choice, and may be
//! negative: a negative weight of size favours small jobs. The job of the highest priority is
//! considered first, at equal priorities the earlier one.
//!
//! What an account has used is processor time, or what `charge` makes of the nodes, GPUs, memory
//! and pools that its jobs held, those of interrupted runs included.
//!
//! Source: Slurm's multifactor priority plugin ("Multifactor Priority Plugin", "Classic Fairshare
//! Algorithm", SchedMD): age, job size, fair share, partition, and the site factor. Deviations:
//! priorities are real numbers, where Slurm cuts them to whole ones; `run-time` is ours; target
//! shares have one level, of users or of groups.
//!
//! **When.** Age and usage move every priority all the time. They are computed again at a decision
//! if `interval` has passed since they last were; a job that is submitted in between gets its
//! priority as of its submission. So n waiting jobs cost a sort of n once an interval, however many
//! decisions there are. With `interval = "0s"` every decision sorts, which is exact and costs n log
//! n each. Nothing is computed between decisions.

mod charge;
mod fairshare;
mod formula;

use crate::registry::{Bounds, Entry, Key, Kind, entry};

use super::Discipline;
use formula::{Accounts, Priority};

const fn weight(name: &'static str, default: f64, about: &'static str) -> Key {
    Key::new(name, Kind::Number(Bounds::Any))
        .or_number(default)
        .about(about)
        .source("Slurm, multifactor priority")
}

pub(super) const ENTRY: Entry<dyn Discipline> = entry! {
    "priority" => "the highest priority first, by weights of age, size, fair share, queue and requested time",
    source "SchedMD, Slurm: Multifactor Priority Plugin, Classic Fairshare Algorithm",
    keys {
        ..weight("age", 1000.0, "weight of the time that a job has waited, as a share of `max-age`");
        ..weight("size", 0.0, "weight of the processors a job needs, as a share of the machine; negative \
             favours small jobs");
        ..weight("fairshare", 0.0, "weight of the fair share of a job's account: 1 if it has used nothing, \
             1/2 if its target");
        ..weight("queue", 0.0, "weight of the priority of a job's queue (`queues`), as a share of the \
             highest of them");
        ..weight("partition", 0.0, "weight of the priority of a job's partition (`queues` with `of`), as a share \
             of the highest of them");
        ..weight("qos", 0.0, "weight of the priority of a job's quality of service (`queues` with `of`), as a \
             share of the highest of them");
        ..weight("run-time", 0.0, "weight of a job's estimate, as a share of `longest`; negative favours \
             short jobs");
        "max-age" Kind::Duration(Bounds::Positive), or "7d" =>
            "the wait from which age counts no more", source "Slurm, PriorityMaxAge";
        "longest" Kind::Duration(Bounds::Positive), or "1d" =>
            "the estimate from which the requested time counts no more";
        "half-life" Kind::Duration(Bounds::Positive), or "7d" =>
            "the time in which what an account has used comes to count half",
            source "Slurm, PriorityDecayHalfLife";
        "accounts" Accounts::CHOICES, or "user" => "whose usage fair share is about";
        ..charge::CHARGE;
        "shares" Kind::Map(&Kind::Number(Bounds::NotNegative)), or_table =>
            "target shares of accounts by number, such as { \"12\" = 3 }; all others have 1",
            source "Slurm, Classic Fairshare Algorithm";
        "grant" Kind::Map(&Kind::Number(Bounds::Any)), or_table =>
            "priority that accounts have by themselves, by number, such as { \"12\" = 500 }",
            source "Slurm, site factor";
        "interval" Kind::Duration(Bounds::NotNegative), or "5min" =>
            "how long priorities stand before a decision recomputes them; with 0s every decision does",
            source "Slurm, PriorityCalcPeriod";
    },
    reads |params| Priority::read(params)?
};
