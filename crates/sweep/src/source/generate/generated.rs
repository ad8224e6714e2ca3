//! Applications by laws: their kinds and keys, and how each is drawn.

use crate::kernel::SimTime;
use crate::kernel::rng::Sampler;
use crate::model::application::{Sweep, SweepFile, SweepTask};
use crate::registry::{Complaint, Entry, Key, Kind, Params, Quantity, Span, code, keys, named_keys};
use crate::source::scaled::to_ratio;
use crate::source::{LoadedSweep, SweepRequest, SweepSource};
use crate::workflow::FileNumber;
use crate::workflow::generate::choose;

use super::sharing::{FILES, FileClass, FileSharing};
use super::times::{Arrivals, COMMON, MOST_TASKS, TimeLaws};

const SOURCE: &str = "F. Berman et al., LIP RR1999-46, 1999, sections 6.1 and 8";
const SMALL: &str = "{ kind = \"uniform\", low = \"8kB\", high = \"12kB\" }";
const BYTES: Kind = Kind::Distribution(Quantity::Bytes);

named_keys! {
    TASKS = "tasks" Kind::Count { least: 1, most: MOST_TASKS as u64 }, or_count 400 => "how many tasks";
    OUTPUT = "output" BYTES, absent "tasks write nothing" => "size of the file that a task writes";
    SMALL_OUTPUT = "output" BYTES, or_written SMALL => "size of the file that a task writes";
    OWN_COUNT = "own-count" Kind::Count { least: 0, most: 1_000 }, or_count 2 => "inputs that a task has for itself";
    OWN_SIZE = "own-size" BYTES, or_written SMALL => "size of an input that a task has for itself";
}

const GENERATED: [Key; 3] = [TASKS, FILES, OUTPUT];

const INS2D: [Key; 4] = [TASKS, OWN_COUNT, OWN_SIZE, SMALL_OUTPUT];

const MCELL: [Key; 6] = keys! {
    ..TASKS;
    "chunk" Kind::Count { least: 1, most: MOST_TASKS as u64 }, or_count 50 => "consecutive tasks that share a file";
    "shared-size" BYTES, or "4800kB" => "size of a file that a chunk of tasks shares";
    ..OWN_COUNT;
    ..OWN_SIZE;
    ..SMALL_OUTPUT;
};

/// The generators by name.
pub(crate) const ENTRIES: &[Entry<dyn SweepSource>] = &[
    Entry::published(
        "generated",
        "tasks and classes of files, each class shared by a rule of its own",
        SOURCE,
        &Key::joined::<{ GENERATED.len() + COMMON.len() }>(&[&GENERATED, COMMON]),
        |params| {
            let classes = FileClass::all(params)?;
            Ok(Box::new(Generated::build(params, classes)?))
        },
    ),
    Entry::published(
        "ins2d",
        "no sharing: each task reads small files of its own",
        SOURCE,
        &Key::joined::<{ INS2D.len() + COMMON.len() }>(&[&INS2D, COMMON]),
        |params| {
            let own = FileClass::own(params)?;
            Ok(Box::new(Generated::build(params, vec![own])?))
        },
    ),
    Entry::published(
        "mcell",
        "chunks of tasks that share one large file each, and read small files of their own",
        SOURCE,
        &Key::joined::<{ MCELL.len() + COMMON.len() }>(&[&MCELL, COMMON]),
        |params| {
            let shared = FileClass {
                name: "shared".to_owned(),
                sharing: FileSharing::Chunk(params.read("chunk")?),
                count: 1,
                size: *params.component("shared-size", "distribution")?,
                at: params.span("chunk"),
            };
            Ok(Box::new(Generated::build(params, vec![shared, FileClass::own(params)?])?))
        },
    ),
];

/// Most files, and most files that tasks name one by one.
const MOST_FILES: u64 = 100_000_000;

/// Classes of files and laws.
#[derive(Debug)]
pub(super) struct Generated {
    tasks: u32,
    classes: Vec<FileClass>,
    output: Option<Sampler>,
    /// Bytes that a task writes for each byte that it reads, with those of `output`.
    output_of_inputs: f64,
    output_error: Option<Sampler>,
    times: TimeLaws,
    arrivals: Option<Arrivals>,
    perturb: f64,
    ccr: Option<(f64, Span)>,
}

/// The files of one class among all, and which of them each task reads.
struct Drawn {
    first: u32,
    count: u32,
    is_shared: bool,
    /// By task, so many each.
    inputs: Vec<u32>,
    each: usize,
}

impl Generated {
    pub(super) fn build(params: &Params<'_>, classes: Vec<FileClass>) -> Result<Self, Complaint> {
        let tasks: u32 = params.read("tasks")?;
        let (mut files, mut named) = (u64::from(tasks), u64::from(tasks));
        for class in &classes {
            files = files.saturating_add(class.files(tasks));
            named = named.saturating_add(class.inputs().saturating_mul(tasks.into()));
            if files.max(named) > MOST_FILES {
                let message = format!("the tasks would name more than {MOST_FILES} files");
                return Err(Complaint::new(code::RANGE, message, class.at));
            }
        }
        let ccr: Option<f64> = params.read("ccr")?;
        let law = |key: &str| params.component_if_any::<Sampler>(key, "distribution");
        Ok(Generated {
            tasks,
            classes,
            output: law("output")?.map(|law| *law),
            output_of_inputs: params.read("output-of-inputs")?,
            output_error: law("output-error")?.map(|law| *law),
            times: TimeLaws::read(params)?,
            arrivals: Arrivals::read(params)?,
            perturb: params.read("perturb")?,
            ccr: ccr.map(|ccr| (ccr, params.span("ccr"))),
        })
    }

    /// The files of a class, added to all, and which task reads which.
    fn class(&self, class: &FileClass, request: &SweepRequest<'_>, files: &mut Vec<SweepFile>) -> Drawn {
        let first = files.len() as u32;
        let count = class.files(self.tasks) as u32;
        let mut sizes = request.draws_for(&format!("size-{}", class.name));
        files.extend((0..count).map(|number| {
            let bytes = whole(class.size.draw(&mut sizes));
            SweepFile::new(format!("{}-{number}", class.name).into(), bytes)
        }));
        let each = class.inputs() as usize;
        let mut stream = request.draws_for(&format!("files-{}", class.name));
        let (mut own, mut inputs) = (Vec::new(), Vec::with_capacity(each * self.tasks as usize));
        for task in 0..self.tasks {
            class.read_by(task, &mut stream, &mut own);
            inputs.extend(own.iter().map(|file| first + file));
        }
        Drawn { first, count, is_shared: class.is_shared(), inputs, each }
    }

    /// Swaps one shared input of so many tasks for another file of its class.
    fn perturb(&self, drawn: &mut [Drawn], request: &SweepRequest<'_>) {
        let swapped = (self.perturb * f64::from(self.tasks)).round() as u32;
        // a class of which a task reads every file has no other one
        let class = drawn.iter_mut().find(|class| class.is_shared && class.count as usize > class.each);
        let Some(class) = class.filter(|_| swapped > 0) else { return };
        let (mut stream, mut chosen) = (request.draws_for("perturb"), Vec::new());
        choose(&mut stream, self.tasks, swapped.min(self.tasks), &mut chosen);
        for task in chosen {
            let own = &mut class.inputs[task as usize * class.each..][..class.each];
            let place = stream.below(own.len() as u64) as usize;
            // the number among those that the task does not read
            let mut other = class.first + stream.below(u64::from(class.count) - own.len() as u64) as u32;
            let mut read = own.to_vec();
            read.sort_unstable();
            for file in read {
                other += u32::from(file <= other);
            }
            own[place] = other;
            own.sort_unstable();
        }
    }

    fn draw(&self, request: &SweepRequest<'_>) -> Result<Sweep, Complaint> {
        let mut files = Vec::new();
        let mut drawn: Vec<Drawn> =
            self.classes.iter().map(|class| self.class(class, request, &mut files)).collect();
        self.perturb(&mut drawn, request);
        let times = self.times.draw(self.tasks, request)?;
        let arrivals = self.arrivals.as_ref().map(|law| law.draw(self.tasks, request));
        let (mut sizes, mut errors) = (request.draws_for("output"), request.draws_for("output-error"));
        let one = |(times, task): (_, u32)| {
            let place = task as usize;
            let inputs = drawn.iter().flat_map(|class| &class.inputs[place * class.each..][..class.each]);
            let inputs: Box<[FileNumber]> = inputs.copied().map(FileNumber).collect();
            let writes = self.output.is_some() || self.output_of_inputs > 0.0;
            let output = writes.then(|| {
                let read: f64 = inputs.iter().map(|file| files[file.index()].bytes as f64).sum();
                let own = self.output.as_ref().map_or(0.0, |law| law.draw(&mut sizes));
                let bytes = whole(own + self.output_of_inputs * read);
                let error = self.output_error.as_ref().map_or(1.0, |law| law.draw(&mut errors));
                let estimated = whole(bytes as f64 * error);
                let name = format!("output-{task}").into();
                files.push(SweepFile { estimated, ..SweepFile::new(name, bytes) });
                FileNumber(files.len() as u32 - 1)
            });
            let arrival = arrivals.as_ref().map_or(SimTime::ZERO, |instants| instants[place]);
            let outputs = output.into_iter().collect();
            SweepTask { name: task.to_string().into(), inputs, outputs, times, arrival }
        };
        let tasks = times.into_iter().zip(0..self.tasks).map(one).collect();
        Ok(Sweep { files, tasks })
    }
}

/// A size in whole bytes; beyond 2^64 the cast saturates.
fn whole(bytes: f64) -> u64 {
    bytes.round() as u64
}

impl SweepSource for Generated {
    fn load(&self, request: &SweepRequest<'_>) -> Result<LoadedSweep, Vec<Complaint>> {
        let sweep = self.draw(request)?;
        Ok(to_ratio(sweep, request, self.ccr)?.into())
    }

    fn draws(&self) -> bool {
        let laws = self.classes.iter().map(|class| &class.size).chain(&self.output).chain(&self.output_error);
        laws.into_iter().any(Sampler::varies)
            || self.classes.iter().any(|class| matches!(class.sharing, FileSharing::Random { .. }))
            || self.times.draws()
            || self.arrivals.as_ref().is_some_and(Arrivals::draws)
            || self.perturb > 0.0
    }
}
