//! Classes of jobs that are pipelines: frames pass from stage to stage.

use crate::registry::{Absent, Complaint, Entry, Key, Params, named_keys, variants};

use super::super::keys::{self, SOURCE};
use super::super::program::Program;
use super::recipe::{NAME, TASKS, WEIGHT};
use super::{Class, Recipe, single};

named_keys! {
    FRAMES = "frames" TASKS.kind, or_count 300 => "frames that pass through a job";
    STAGES = "tasks" TASKS.kind, or_count 4 => "tasks of a job, each a stage of the pipeline";
}

const fn keys(compute: Absent, period: Absent) -> [Key; 10] {
    [
        NAME,
        WEIGHT,
        STAGES,
        FRAMES,
        keys::STAGE_COMPUTE.otherwise(compute),
        keys::PERIOD.otherwise(period),
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

pub(super) const ENTRIES: &[Entry<Class>] = &variants! { PIPELINE;
    "video" &keys(
        Absent::Written("{ kind = \"uniform\", low = \"4500us\", high = \"5500us\" }"),
        Absent::Text("33ms"),
    ) => "pipelined video: a frame every 33 ms, about 5 ms of computing in each stage";
};

fn read(params: &Params<'_>) -> Result<Recipe, Complaint> {
    let pipeline = keys::pipeline(params, 1, keys::times(params, "compute")?)?;
    let quality = keys::quality(params, Some(&pipeline))?;
    Recipe::read(params, "frames", Program::Pipeline(pipeline), quality)
}
