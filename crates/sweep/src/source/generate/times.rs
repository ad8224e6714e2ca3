//! Times of tasks: computing times, their estimates, and arrivals.

use crate::kernel::rng::Sampler;
use crate::kernel::rng::distribution::Uniform;
use crate::kernel::{SimDuration, SimTime};
use crate::model::application::{ORIGINS, TaskTime};
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, Span, code, keys};
use crate::source::SweepRequest;
use crate::source::scaled::CCR;

/// Most tasks of an application.
pub(super) const MOST_TASKS: u32 = 10_000_000;

const FACTOR: Kind = Kind::Distribution(Quantity::Number);

const ARRIVALS: [Key; 2] = keys! {
    "batch" Kind::Count { least: 1, most: MOST_TASKS as u64 }, or_count 1 => "tasks that arrive together";
    "known" Kind::Count { least: 0, most: MOST_TASKS as u64 }, absent "one batch" => "tasks that are known from the start";
};

/// The keys of every generator.
pub(super) const COMMON: &[Key] = &keys! {
    "time" Kind::Distribution(Quantity::Duration), absent "uniform from 90 to 110 s, unless `times` says it" =>
        "how long a task computes on a host that is all available";
    "times" Kind::List(&Kind::Distribution(Quantity::Duration)), absent "`time` holds on all architectures" =>
        "the same on each architecture, a law for each; drawn one by one";
    "architectures" Kind::Count { least: 1, most: 1_000 }, absent "one, or as many as `times` has" => "how many architectures there are";
    "affinity" FACTOR, absent "1: a task takes as long on all architectures" =>
        "factor on the times of a class of tasks on an architecture, drawn for each such pair";
    "classes" Kind::Count { least: 1, most: MOST_TASKS as u64 }, or_count 1 =>
        "classes of tasks for `affinity`: so many groups of consecutive tasks, equally long as far as that goes";
    "estimate-error" FACTOR, absent "1: times are known" => "estimated time by real time of a task, drawn for each";
    "output-of-inputs" Kind::Share(Bounds::Within(0.0, 1e6)), or_number 0.0 =>
        "bytes that a task writes for each byte of its inputs, with those of `output`";
    "output-error" FACTOR, absent "1: sizes are known" => "estimated size by real size of an output, drawn for each";
    "perturb" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.0 =>
        "share of the tasks of which one shared input is swapped for another file of its class";
    ..ORIGINS;
    ..CCR;
    "arrivals" Kind::DistributionWith(Quantity::Duration, &ARRIVALS), absent "all tasks are known from the start" =>
        "times between the arrivals of batches of tasks, which the scheduler does not know before";
};

/// Time that tasks take.
#[derive(Debug)]
pub(super) struct TimeLaws {
    /// One for all architectures, or one for each.
    laws: Vec<Sampler>,
    architectures: usize,
    affinity: Option<Sampler>,
    classes: u32,
    error: Option<Sampler>,
    at_error: Span,
}

impl TimeLaws {
    /// Returns true if anything is drawn.
    pub(super) fn draws(&self) -> bool {
        self.laws.iter().chain(&self.affinity).chain(&self.error).any(Sampler::varies)
    }

    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let law: Option<Box<Sampler>> = params.component_if_any("time", "distribution")?;
        let laws = if params.has("times") {
            if let Some(key) = ["time", "architectures"].into_iter().find(|key| params.has(key)) {
                let complaint = params.complaint(key, format!("`times` are given, and `{key}` is, too"));
                return Err(complaint.label("take one of them out"));
            }
            let laws: Vec<Sampler> =
                params.components("times", "distribution")?.into_iter().map(|law| *law).collect();
            if laws.is_empty() {
                return Err(params.complaint("times", "there is no architecture"));
            }
            laws
        } else {
            let usual = || Sampler::new(Uniform::new(90.0, 110.0).expect("90 is less than 110"));
            vec![law.map_or_else(usual, |law| *law)]
        };
        Ok(TimeLaws {
            architectures: params.read::<Option<usize>>("architectures")?.unwrap_or(laws.len()),
            laws,
            affinity: params.component_if_any("affinity", "distribution")?.map(|law| *law),
            classes: params.read("classes")?,
            error: params.component_if_any("estimate-error", "distribution")?.map(|law| *law),
            at_error: params.span("estimate-error"),
        })
    }

    /// The times of each of so many tasks.
    pub(super) fn draw(
        &self,
        tasks: u32,
        request: &SweepRequest<'_>,
    ) -> Result<Vec<Box<[TaskTime]>>, Complaint> {
        let mut streams: Vec<_> = (0..self.laws.len())
            .map(|place| match place {
                0 => request.draws_for("time"),
                place => request.draws_for(&format!("time-{place}")),
            })
            .collect();
        let mut errors = request.draws_for("estimate-error");
        let factors: Vec<f64> = match &self.affinity {
            None => Vec::new(),
            Some(law) => {
                let mut stream = request.draws_for("affinity");
                (0..self.classes as usize * self.architectures).map(|_| law.draw(&mut stream)).collect()
            }
        };
        let one = |task: u32| {
            let drawn: Vec<f64> =
                self.laws.iter().zip(&mut streams).map(|(law, stream)| law.draw(stream)).collect();
            let error = self.error.as_ref().map_or(1.0, |law| law.draw(&mut errors));
            let class = (u64::from(task) * u64::from(self.classes) / u64::from(tasks)) as usize;
            let on = |architecture: usize| {
                let factor = factors.get(class * self.architectures + architecture).copied().unwrap_or(1.0);
                let real = drawn[architecture.min(drawn.len() - 1)] * factor;
                TaskTime { real, estimated: real * error }
            };
            (0..self.architectures).map(on).collect::<Box<[TaskTime]>>()
        };
        let times: Vec<Box<[TaskTime]>> = (0..tasks).map(one).collect();
        let wrong =
            |time: &&TaskTime| !(time.estimated.is_finite() && (time.estimated > 0.0 || time.real <= 0.0));
        match times.iter().flatten().find(wrong) {
            None => Ok(times),
            Some(time) => {
                let message = format!("an estimate of {} s for a time of {} s", time.estimated, time.real);
                Err(Complaint::new(code::RANGE, message, self.at_error).label("expected factors above 0"))
            }
        }
    }
}

/// Arrivals of tasks.
#[derive(Debug)]
pub(super) struct Arrivals {
    between: Sampler,
    batch: u32,
    known: u32,
}

impl Arrivals {
    /// Returns true if they are drawn.
    pub(super) fn draws(&self) -> bool {
        self.between.varies()
    }

    pub(super) fn read(params: &Params<'_>) -> Result<Option<Self>, Complaint> {
        let Some(between) = params.component_if_any::<Sampler>("arrivals", "distribution")? else {
            return Ok(None);
        };
        let table = params.section("arrivals");
        let batch = table.read("batch")?;
        Ok(Some(Arrivals {
            between: *between,
            batch,
            known: table.read::<Option<u32>>("known")?.unwrap_or(batch),
        }))
    }

    /// The instants of so many tasks.
    pub(super) fn draw(&self, tasks: u32, request: &SweepRequest<'_>) -> Vec<SimTime> {
        let mut stream = request.draws_for("arrivals");
        let (mut at, mut in_batch) = (SimTime::ZERO, self.batch);
        let one = |task: u32| {
            if task < self.known {
                return SimTime::ZERO;
            }
            if in_batch == self.batch {
                let span = SimDuration::ceil_secs(self.between.draw(&mut stream)).as_nanos();
                at = SimTime::from_nanos(at.as_nanos().saturating_add(span));
                in_batch = 0;
            }
            in_batch += 1;
            at
        };
        (0..tasks).map(one).collect()
    }
}
