//! Classes of files, and which task reads which of them.

use crate::kernel::rng::distribution::Zipf;
use crate::kernel::rng::{Sampler, Stream};
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, Span, keys};
use crate::workflow::generate::choose;

use super::times::MOST_TASKS;

const COUNT: Kind = Kind::Count { least: 1, most: MOST_TASKS as u64 };

/// Draws of one task from a popular class before the files that are left are taken in order.
const MOST_TRIES: u32 = 64;

const SHARING: Kind = Kind::FirstOrTable(&keys! {
    "kind" Kind::Choice(&[("private", "each task has files of its own"), ("all", "all tasks read the same files")]),
        absent "as the other key says" => "whether no tasks or all of them share the files";
    "chunk" COUNT, absent "as the other key says" => "so many consecutive tasks share files";
    "random" COUNT, absent "as the other key says" => "each task draws so many different files of the class";
    "zipf" Kind::Number(Bounds::Within(0.0, 50.0)), absent "all are equally likely" =>
        "of `random`: the n-th file of the class is as likely as n^-zipf";
    "grid" Kind::List(&COUNT), absent "as the other key says" =>
        "rows and columns in which the tasks lie: each reads the files of its row and of its column";
});

const CLASS: &[Key] = &keys! {
    "name" Kind::Text => "what it is called; its files have this name and their numbers from 0";
    "sharing" SHARING, or "private" => "which tasks read the same files";
    "count" COUNT, or_count 1 =>
        "files of each task that are private, of each chunk, row and column, or that all tasks read; with `random` all files of the class";
    "size" Kind::Distribution(Quantity::Bytes) => "size of a file, drawn for each";
};

pub(super) const FILES: Key = Key::new("files", Kind::List(&Kind::Table(CLASS)))
    .absent("tasks read nothing")
    .about("the classes of files that tasks read, a table for each");

/// Groups of tasks that read the same files.
#[derive(Clone, Debug)]
pub(super) enum FileSharing {
    Private,
    All,
    Chunk(u32),
    Random { each: u32, popularity: Option<Sampler> },
    Grid { columns: u32, rows: u32 },
}

/// Files that are shared by one rule, and have sizes of one law.
#[derive(Clone, Debug)]
pub(super) struct FileClass {
    pub(super) name: String,
    pub(super) sharing: FileSharing,
    pub(super) count: u32,
    pub(super) size: Sampler,
    /// Place at which a wrong number of files is reported.
    pub(super) at: Span,
}

impl FileClass {
    /// The classes of the key `files`.
    pub(super) fn all(params: &Params<'_>) -> Result<Vec<Self>, Complaint> {
        let mut classes: Vec<FileClass> = Vec::new();
        for node in params.items("files") {
            let table = params.with(node);
            let name: String = table.read("name")?;
            if name.is_empty() {
                return Err(table.complaint("name", "a class without a name"));
            }
            if classes.iter().any(|class| class.name == name) {
                return Err(table.complaint("name", format!("there are two classes `{name}`")));
            }
            let count = table.read("count")?;
            let sharing = FileSharing::read(&table.section("sharing"), count, params.read("tasks")?)?;
            let size = *table.component("size", "distribution")?;
            classes.push(FileClass { name, sharing, count, size, at: table.span("count") });
        }
        Ok(classes)
    }

    /// The class of `own-count` and `own-size`.
    pub(super) fn own(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(FileClass {
            name: "own".to_owned(),
            sharing: FileSharing::Private,
            count: params.read("own-count")?,
            size: *params.component("own-size", "distribution")?,
            at: params.span("own-count"),
        })
    }

    /// Number of files it has.
    pub(super) fn files(&self, tasks: u32) -> u64 {
        let groups = match self.sharing {
            FileSharing::Private => tasks,
            FileSharing::All | FileSharing::Random { .. } => 1,
            FileSharing::Chunk(chunk) => tasks.div_ceil(chunk),
            FileSharing::Grid { rows, columns } => rows + columns,
        };
        u64::from(groups) * u64::from(self.count)
    }

    /// Number of files a task reads.
    pub(super) fn inputs(&self) -> u64 {
        match self.sharing {
            FileSharing::Random { each, .. } => each.into(),
            FileSharing::Grid { .. } => 2 * u64::from(self.count),
            _ => self.count.into(),
        }
    }

    /// Returns true if tasks may share its files.
    pub(super) fn is_shared(&self) -> bool {
        !matches!(self.sharing, FileSharing::Private)
    }

    /// Puts the files that a task reads into `inputs`, by their numbers in the class.
    pub(super) fn read_by(&self, task: u32, stream: &mut Stream, inputs: &mut Vec<u32>) {
        inputs.clear();
        let group = match &self.sharing {
            FileSharing::Private => task,
            FileSharing::All => 0,
            FileSharing::Chunk(chunk) => task / chunk,
            FileSharing::Grid { rows, columns } => {
                let of = |group: u32| group * self.count..(group + 1) * self.count;
                inputs.extend(of(task / columns).chain(of(rows + task % columns)));
                return;
            }
            FileSharing::Random { each, popularity: None } => {
                return choose(stream, self.count, *each, inputs);
            }
            FileSharing::Random { each, popularity: Some(law) } => {
                return popular(law, self.count, *each, stream, inputs);
            }
        };
        inputs.extend(group * self.count..(group + 1) * self.count);
    }
}

/// Draws `each` different files of `count` by a law of their ranks from 1, in order.
fn popular(law: &Sampler, count: u32, each: u32, stream: &mut Stream, files: &mut Vec<u32>) {
    let mut tries = MOST_TRIES.saturating_mul(each);
    while files.len() < each as usize {
        // where a few files are nearly all that is drawn, the others follow by rank
        let drawn = if tries > 0 {
            (law.draw(stream) as u32).clamp(1, count) - 1
        } else {
            (0..count).find(|file| files.binary_search(file).is_err()).unwrap_or(0)
        };
        tries = tries.saturating_sub(1);
        if let Err(place) = files.binary_search(&drawn) {
            files.insert(place, drawn);
        }
    }
}

impl FileSharing {
    fn read(table: &Params<'_>, count: u32, tasks: u32) -> Result<Self, Complaint> {
        let rules = ["kind", "chunk", "random", "grid"];
        let given: Vec<&str> = rules.into_iter().filter(|key| table.has(key)).collect();
        let [rule] = given[..] else {
            let message = match given[..] {
                [] => "nothing says how the files are shared".to_owned(),
                _ => format!("files are shared by one rule, and here are {}", given.join(" and ")),
            };
            let complaint = table.complaint(given.get(1).copied().unwrap_or("kind"), message);
            let known = "write \"private\", \"all\", { chunk = 50 }, { random = 3 } or { grid = [20, 20] }";
            return Err(complaint.help(known));
        };
        if table.has("zipf") && rule != "random" {
            let complaint = table.complaint("zipf", "only files that are drawn are popular by a law");
            return Err(complaint.help("write `random`, too"));
        }
        Ok(match rule {
            "chunk" => FileSharing::Chunk(table.read("chunk")?),
            "random" => {
                let each: u32 = table.read("random")?;
                if each > count {
                    let message = format!("each task draws {each} files of a class that has {count}");
                    let complaint = table.complaint("random", message);
                    return Err(complaint.help("`count` is the number of files of the class"));
                }
                let zipf: Option<f64> = table.read("zipf")?;
                let law = |exponent: f64| {
                    let law = Zipf::new(count.into(), exponent);
                    law.map(Sampler::new)
                        .map_err(|bad| table.complaint("zipf", format!("`zipf` {}", bad.rule)))
                };
                FileSharing::Random { each, popularity: zipf.map(law).transpose()? }
            }
            "grid" => {
                let sides: Vec<u32> = table.read("grid")?;
                match sides[..] {
                    [rows, columns] if u64::from(rows) * u64::from(columns) == u64::from(tasks) => {
                        FileSharing::Grid { rows, columns }
                    }
                    [rows, columns] => {
                        let message = format!("{tasks} tasks do not fill {rows} rows of {columns}");
                        return Err(table.complaint("grid", message));
                    }
                    _ => return Err(table.complaint("grid", "a grid has two sides: rows and columns")),
                }
            }
            _ if table.read::<String>("kind")? == "all" => FileSharing::All,
            _ => FileSharing::Private,
        })
    }
}
