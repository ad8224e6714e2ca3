//! Classes of jobs that are pipelines: frames pass from stage to stage.

use crate::registry::{Absent, Complaint, Entry, Key, Params};

use super::super::keys::{self, SOURCE};
use super::super::program::Program;
use super::recipe::{NAME, TASKS, WEIGHT};
use super::{Class, Recipe, single};

const FRAMES: Key =
    Key { name: "frames", default: Absent::Count(300), about: "frames that pass through a job", ..TASKS };

const STAGES: Key =
    Key { default: Absent::Count(4), about: "tasks of a job, each a stage of the pipeline", ..TASKS };

const fn keys(compute: Absent, period: Absent) -> [Key; 10] {
    [
        NAME,
        WEIGHT,
        STAGES,
        FRAMES,
        Key { default: compute, ..keys::STAGE_COMPUTE },
        Key { default: period, ..keys::PERIOD },
        keys::DEADLINE,
        keys::FRAME_SIZE,
        keys::MEMORY,
        keys::REAL_TIME_FRAMES,
    ]
}

const PIPELINE: Entry<Class> = Entry::published(
    "pipeline",
    "frames pass from stage to stage, each due some time after its release",
    SOURCE,
    &keys(Absent::Error, Absent::Error),
    |params| Ok(Box::new(single(read(params)?))),
);

pub(super) const ENTRIES: &[Entry<Class>] = &[
    PIPELINE,
    Entry {
        name: "video",
        about: "pipelined video: a frame every 33 ms, about 5 ms of computing in each stage",
        keys: &keys(
            Absent::Written("{ kind = \"uniform\", low = \"4500us\", high = \"5500us\" }"),
            Absent::Text("33ms"),
        ),
        ..PIPELINE
    },
];

fn read(params: &Params<'_>) -> Result<Recipe, Complaint> {
    let pipeline = keys::pipeline(params, 1, keys::times(params, "compute")?)?;
    let quality = keys::quality(params, Some(&pipeline))?;
    Recipe::read(params, "frames", Program::Pipeline(pipeline), quality)
}
