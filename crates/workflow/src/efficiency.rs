//! Laws of parallel tasks: by how much a task is shorter on several cores, where its file has the
//! time of one.
//!
//! Source: H. Casanova et al., "Developing accurate and scalable simulators of production workflow
//! management systems with WRENCH", FGCS 112, 2020: its parallel models.

use std::fmt;

use crate::registry::{Bounds, Entry, Key, Kind, Table, keys};

/// A law of parallel tasks.
pub trait Efficiency: fmt::Debug {
    /// The time on so many cores over that on one; above zero [no unit].
    fn time(&self, cores: u32) -> f64;
}

/// Part of the work is divided without loss, and the rest is serial: 1 - p + p / k.
#[derive(Debug)]
struct Amdahl {
    parallel: f64,
}

impl Efficiency for Amdahl {
    fn time(&self, cores: u32) -> f64 {
        1.0 - self.parallel + self.parallel / f64::from(cores)
    }
}

/// Each core does the same share of what one does by itself: 1 / (k e).
#[derive(Debug)]
struct Constant {
    share: f64,
}

impl Efficiency for Constant {
    fn time(&self, cores: u32) -> f64 {
        1.0 / (f64::from(cores) * self.share)
    }
}

const PARALLEL: &[Key] = &keys! {
    "parallel" Kind::Share(Bounds::Within(0.0, 1.0)) => "the part of the work that is divided among the cores";
};

const SHARE: &[Key] = &keys! {
    "share" Kind::Share(Bounds::Within(0.001, 1.0)) => "what each core does of what one by itself does";
};

/// The laws by name.
pub fn efficiencies() -> Table<dyn Efficiency> {
    const ENTRIES: &[Entry<dyn Efficiency>] = &[
        Entry::published(
            "amdahl",
            "a part of the work is divided among the cores, and the rest is done by one",
            "G. M. Amdahl, AFIPS 1967; H. Casanova et al., FGCS 112, 2020",
            PARALLEL,
            |params| Ok(Box::new(Amdahl { parallel: params.read("parallel")? })),
        ),
        Entry::published(
            "constant",
            "all cores do the same share of what one by itself does, however many they are",
            "H. Casanova et al., FGCS 112, 2020",
            SHARE,
            |params| Ok(Box::new(Constant { share: params.read("share")? })),
        ),
    ];
    Table::new("efficiency", "how much shorter a task is on several cores than on one", ENTRIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_of_several_cores_is_shorter_by_its_parallel_part() {
        for (parallel, cores, time) in [(0.9, 3, 0.4), (0.5, 4, 0.625), (1.0, 8, 0.125), (0.0, 8, 1.0)] {
            assert!((Amdahl { parallel }.time(cores) - time).abs() < 1e-15, "{parallel} {cores}");
        }
        for (share, cores, time) in [(0.8, 2, 0.625), (1.0, 4, 0.25), (0.25, 2, 2.0)] {
            assert!((Constant { share }.time(cores) - time).abs() < 1e-15, "{share} {cores}");
        }
    }
}
