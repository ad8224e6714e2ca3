//! Accounting dumps of Slurm as workloads: `[workload] kind = "slurm"`.
//!
//! Source: sacct(1) and slurm.conf(5) of Slurm 22.05 and 24.05. A dump is what `sacct --parsable2`
//! prints, header included, plain or gzip, in any order of columns. A record is a job, but for
//! these:
//!
//! | record | becomes |
//! |---|---|
//! | step (`12.batch`, `12.extern`, `12.0`) | nothing: its job stands for it; counted |
//! | task of an array (`12_3`) | a job, numbered by JobIDRaw, or behind all others |
//! | tasks never started (`12_[5-9]`, cut lists too) | no jobs, so many |
//! | part of a heterogeneous job (`12+1`) | processors of the job of its first part, longest time |
//! | pending, or cancelled before its start | no job; counted |
//! | running, suspended, completing | dropped: its run time is not known |
//! | requeued, preempted, on a failed node | a job of its own (with `--duplicates`, one a try) |
//! | one that cannot be read | counted by cause; too many of them are a mistake |
//!
//! A job's processors are those allocated, else those requested; its estimate is its time limit
//! (without one that of the partition, if a `slurm.conf` is given); users, groups, names,
//! qualities of service (as queue) and partitions are numbered in the order in which they come up.
//! The run time of a job is ElapsedRaw, which has no suspension. Times without a zone are in
//! `utc-offset`, or on the clock of `timezone`; `TZ=UTC sacct …` prints times that need neither.
//!
//! Memory, GPUs, features and the nodes of a partition are asked for where `resources =
//! "allocated"` says so. Else they are not represented, and counted, as other generic resources
//! always are.

mod clock;
mod columns;
mod conf;
mod conf_lines;
mod conf_values;
mod demand;
mod divide;
mod fields;
mod gres;
mod gres_conf;
mod hostlist;
mod job;
mod marks;
mod node_devices;
#[cfg(test)]
mod odd_clocks;
#[cfg(test)]
mod odd_records;
mod open;
mod qos;
mod read;
mod record;
mod sacctmgr;
mod scheduler;
mod scheduler_keys;
mod shares;
#[cfg(test)]
mod sites;
mod source;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod torn;
mod unread;
mod usual;

pub(super) use demand::{can_be_asked_for, part};
pub(super) use fields::{MOST_MILLIS, State, duration, memory, resource_text, state};
pub(super) use gres::gpus_in_tres;

pub use clock::SiteClock;
pub use conf::{Group, Partition, Site, read as read_conf, read_at as read_conf_at, read_with_gres};
pub use conf_values::ConfTime;
pub use marks::{CONF, DUMP};
pub use node_devices::ListedGpus;
pub use qos::{SiteAmounts, SiteQos, read_qos};
pub use read::{Reading, Unit, read};
pub use scheduler::{LostKey, LostOfNodes, SiteScheduler, SiteWeights};
pub use scheduler_keys::PolicyPart;
pub use shares::{SiteShares, read_shares};
pub use source::SLURM;
