//! A study in shards: contiguous ranges of its runs, each made by one process, anywhere, any number
//! of times.
//!
//! Which runs a shard holds follows from the plan alone. A shard is done when its seal is there:
//! `part-00007.json`, written whole or not at all, after its journals are on the disk. Making a
//! shard again finds its runs in the journals and makes none twice; two tries at once each write a
//! journal of their own, with equal rows.
//!
//! With a fixed number of replications a shard is a range of (point, replication). Where the number
//! depends on what comes out, it is a range of points: the rule of stopping then sees all
//! replications of a point in one place.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use crate::output::hash;
use crate::output::manifest::document;
use crate::output::path::{at, remove};
use crate::study::directory::{PARTS, remove_parts, replace, write_through};
use crate::study::journal::force_directory;
use crate::study::plan::{PLAN, Plan};
use crate::study::row::{Row, Rows, RunKey, State};

/// The file that describes the shards.
pub const SHARDS: &str = "shards.json";
/// The version of that file's shape.
pub const SCHEMA: &str = "clustersim/shards/1";
/// Most shards of a study: Slurm takes arrays up to index 1000 unless configured otherwise.
pub const MOST: u32 = 1000;
/// Shards, where nothing was asked and there are as many runs.
const USUAL: u32 = 64;

/// The division of a study's runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Shards {
    /// [`SCHEMA`].
    pub schema: String,
    /// The number of shards; they are counted from 0.
    pub count: u32,
    /// The number of units that are divided: runs, or points.
    units: u64,
    /// Runs of a point that lie next to each other as units of their own; 0 where points are
    /// divided.
    replications: u32,
}

impl Shards {
    /// Divides `points` times `runs` runs; by whole points where the runs of a point are not known
    /// before. That of the recorded log is one of them, and the last.
    pub fn new(points: u32, runs: Option<u32>, asked: Option<u32>) -> Self {
        let units = u64::from(points) * u64::from(runs.unwrap_or(1));
        let most = u32::try_from(units).unwrap_or(u32::MAX).clamp(1, MOST);
        Shards {
            schema: SCHEMA.to_owned(),
            count: asked.unwrap_or(USUAL).clamp(1, most),
            units,
            replications: runs.unwrap_or(0),
        }
    }

    /// The division of the study in `directory`; `None` if it has none that can be read.
    pub fn read(directory: &Path) -> Option<Self> {
        let shards: Shards = serde_json::from_slice(&fs::read(directory.join(SHARDS)).ok()?).ok()?;
        (shards.schema == SCHEMA).then_some(shards)
    }

    /// The shard that makes this run.
    pub fn shard_of(&self, (point, replication): RunKey) -> u32 {
        let unit = match self.replications {
            0 => u64::from(point),
            each => u64::from(point) * u64::from(each) + u64::from(replication.unwrap_or(each - 1)),
        };
        (u128::from(unit) * u128::from(self.count) / u128::from(self.units.max(1))) as u32
    }
}

/// Lays out the directory of a study in shards. The plan goes last: once it is there, everything
/// is.
///
/// # Errors
/// It cannot be written.
pub fn lay(directory: &Path, plan: &Plan, shards: &Shards) -> io::Result<()> {
    let parts = directory.join(PARTS);
    at(&parts, fs::create_dir_all(&parts))?;
    replace(directory, SHARDS, &document(&serde_json::json!(shards)))?;
    replace(directory, PLAN, &plan.document())
}

/// Removes what is no longer needed behind the manifest of a complete study: the plan first, and
/// what shows that this was a study in shards last, so that a collector that was interrupted is
/// known by what is left.
///
/// # Errors
/// It cannot be removed.
pub fn tidy(directory: &Path) -> io::Result<()> {
    let [plan, shards] = [PLAN, SHARDS].map(|name| directory.join(name));
    remove(&plan)?;
    if shards.exists() {
        remove_parts(directory)?;
    }
    remove(&shards)
}

/// The facts about a shard that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Seal {
    /// The shard.
    pub shard: u32,
    /// Runs.
    pub rows: u64,
    /// Number of them failed.
    pub failed: u64,
    /// Hash over its rows as lines, in order.
    pub sha256: String,
    /// The host on which it was made.
    pub host: String,
    /// Number of times that it was begun again by the batch system.
    pub restart: u32,
    /// The time that the last try took, in seconds.
    pub wall_s: f64,
}

impl Seal {
    /// The seal of a shard with these rows among others; where and how it was made is not known
    /// yet.
    pub fn of(shards: &Shards, shard: u32, rows: &Rows) -> Self {
        let own = |row: &&Row| shards.shard_of(row.key()) == shard;
        let rows: Vec<&Row> = rows.values().filter(own).collect();
        let lines: String = rows.iter().map(|row| row.line()).collect();
        Seal {
            shard,
            rows: rows.len() as u64,
            failed: rows.iter().filter(|row| row.state == State::Failed).count() as u64,
            sha256: hash::of_bytes(lines.as_bytes()),
            host: String::new(),
            restart: 0,
            wall_s: 0.0,
        }
    }

    /// The file of a shard's seal in the directory of parts.
    pub fn path(parts: &Path, shard: u32) -> PathBuf {
        parts.join(format!("part-{shard:05}.json"))
    }

    /// The seal of a shard; `None` unless it is done.
    pub fn read(parts: &Path, shard: u32) -> Option<Self> {
        let seal: Seal = serde_json::from_slice(&fs::read(Self::path(parts, shard)).ok()?).ok()?;
        (seal.shard == shard).then_some(seal)
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, parts: &Path) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        let path = Self::path(parts, self.shard);
        let other = path.with_extension(format!("json.tmp.{}", std::process::id()));
        at(&other, write_through(&other, &bytes))?;
        at(&path, fs::rename(&other, &path))?;
        at(parts, force_directory(parts))
    }
}

/// The shards without a seal, in order.
pub fn missing(shards: &Shards, parts: &Path) -> Vec<u32> {
    (0..shards.count).filter(|&shard| Seal::read(parts, shard).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_in_one_shard_and_shards_are_even_and_in_order() {
        for (points, replications, asked) in
            [(10, Some(10), 8), (3, Some(1), 3), (7, None, 4), (1, Some(5), 1000), (30, Some(7), 64)]
        {
            let shards = Shards::new(points, replications, Some(asked));
            let mut sizes = vec![0_u32; shards.count as usize];
            let mut last = 0;
            for point in 0..points {
                for replication in 0..replications.unwrap_or(5) {
                    let shard = shards.shard_of((point, Some(replication)));
                    assert!(shard >= last, "shards are contiguous");
                    last = shard;
                    sizes[shard as usize] += 1;
                }
            }
            assert_eq!(last + 1, shards.count);
            let (least, most) = (sizes.iter().min(), sizes.iter().max());
            let unit = if replications.is_some() { 1 } else { 5 };
            assert!(most.unwrap_or(&0) - least.unwrap_or(&9) <= unit, "{sizes:?}");
        }
    }

    #[test]
    fn the_run_of_the_recorded_log_is_the_last_of_its_point() {
        let shards = Shards::new(2, Some(4), Some(4));
        let found =
            [(0, Some(1)), (0, Some(2)), (0, None), (1, Some(0)), (1, None)].map(|key| shards.shard_of(key));
        assert_eq!(found, [0, 1, 1, 2, 3]);
        // where points are divided it goes with its point; so it does with the last replication in
        // a plan that had none
        assert_eq!(Shards::new(3, None, Some(3)).shard_of((2, None)), 2);
        assert_eq!(Shards::new(1, Some(3), Some(3)).shard_of((0, None)), 2);
    }

    #[test]
    fn there_are_never_more_shards_than_runs_or_than_an_array_takes() {
        assert_eq!(Shards::new(2, Some(3), Some(64)).count, 6);
        assert_eq!(Shards::new(2, None, None).count, 2);
        assert_eq!(Shards::new(10_000, Some(100), Some(5000)).count, MOST);
        assert_eq!(Shards::new(100, Some(100), None).count, 64);
    }

    #[test]
    fn a_shard_is_done_when_its_seal_can_be_read() {
        let parts = tempfile::tempdir().expect("a directory");
        let shards = Shards::new(3, None, None);
        let seal = Seal {
            shard: 1,
            rows: 2,
            failed: 0,
            sha256: "00".to_owned(),
            host: "here".to_owned(),
            restart: 0,
            wall_s: 0.5,
        };
        seal.write(parts.path()).expect("writable");
        assert_eq!(Seal::read(parts.path(), 1), Some(seal));
        fs::write(Seal::path(parts.path(), 2), "{\"shard\": 2, \"ro").expect("writable");
        assert_eq!(missing(&shards, parts.path()), [0, 2]);
    }
}
