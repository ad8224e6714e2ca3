//! A synthetic stream of parallel jobs: `[workload] kind = "parallel"`.
//!
//! Jobs arrive one after another, each of a class drawn by weight. Without `arrivals` all are there
//! at time 0; with `load` the arrivals (exponential unless written) are stretched so that tasks ×
//! dedicated time fill that share of the machine. The dedicated time is the plain one of
//! [`Application::dedicated_time`]: mean computing and I/O, messages not counted.
//!
//! Arrivals, the choice of class, numbers of tasks and of iterations are drawn from streams of
//! their own, the last two a stream for each job. So another law of arrivals moves no size, another
//! mix moves no arrival, and the tasks of a job depend on nothing but its number and its class.
//!
//! [`Application::dedicated_time`]: super::Application::dedicated_time

use std::sync::Arc;

use tracing::info;

use crate::kernel::rng::distribution::Exponential;
use crate::kernel::rng::{Sampler, Stream, Streams};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Complaint, Entry, Kind, Params, Quantity, Span, code, keys};
use crate::workload::source::{LOAD, LoadRequest, LoadedWorkload, Source};
use crate::workload::synthetic::{DrawError, JOBS, count_of_jobs};
use crate::workload::{Job, load};

use super::application::Applications;
use super::class::{self, Class, Recipe, Shared};

pub(in crate::workload) const PARALLEL: Entry<dyn Source> = Entry::published(
    "parallel",
    "jobs whose tasks compute, do I/O and exchange messages, drawn from classes",
    "the job model of ClusterSchedSim, SIMULATION 80(4-5), 2004, section 2.2",
    &keys! {
        ..JOBS;
        "arrivals" Kind::Distribution(Quantity::Duration),
            absent "all jobs at time 0, or without memory if `load` is written" =>
            "time from one submission to the next";
        "load" LOAD.kind, absent "arrivals as they are" =>
            "the offered load that arrivals are stretched to: tasks × dedicated time over the machine's, messages \
             not counted", source LOAD.source;
        "class" Kind::List(&Kind::Component("class")) =>
            "the classes that jobs are drawn from, a [[workload.class]] table each";
    },
    |params| Ok(Box::new(Parallel::read(params)?)),
);

/// A stream of parallel jobs.
#[derive(Debug)]
struct Parallel {
    jobs: u32,
    arrivals: Option<Sampler>,
    load: Option<f64>,
    recipes: Vec<Recipe>,
    at_arrivals: Span,
    at_load: Span,
    at_table: Span,
}

impl Parallel {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let recipes = class::recipes(params.components::<Class>("class", "class")?);
        if recipes.is_empty() || recipes.len() > usize::from(u16::MAX) {
            let message = format!("jobs cannot be drawn from {} classes", recipes.len());
            return Err(params.complaint("class", message).label("expected one class at least"));
        }
        for (index, recipe) in recipes.iter().enumerate() {
            if let Some(first) = recipes[..index].iter().find(|other| other.name == recipe.name) {
                let message = format!("two classes are called `{}`", recipe.name);
                let complaint = Complaint::new(code::CONTRADICTION, message, recipe.at_name);
                return Err(complaint
                    .label("the second")
                    .help("give one of them another `name`")
                    .note("the first is here", Some(first.at_name)));
            }
        }
        let load: Option<f64> = params.read("load")?;
        let arrivals = match (params.has("arrivals"), load) {
            (true, _) => Some(*params.component::<Sampler>("arrivals", "distribution")?),
            // any mean will do: `load` stretches what is drawn
            (false, Some(_)) => Exponential::new(1.0).ok().map(Sampler::new),
            (false, None) => None,
        };
        Ok(Parallel {
            jobs: count_of_jobs(params)?,
            arrivals,
            load,
            recipes,
            at_arrivals: params.span("arrivals"),
            at_load: params.span("load"),
            at_table: params.span("kind"),
        })
    }

    fn draw(&self, streams: &Streams, procs: u32) -> Result<(Vec<Job>, Applications, bool), Complaint> {
        let mut arrivals = streams.stream("workload/arrivals");
        let mut choice = Choice::new(&self.recipes, streams);
        let mut shared = Shared::new();
        let mut jobs = Vec::with_capacity(self.jobs as usize);
        let mut of = Vec::with_capacity(self.jobs as usize);
        let mut submit = SimTime::ZERO;
        let mut drew = false;
        for number in 1..=u64::from(self.jobs) {
            let class = choice.next();
            let recipe = &self.recipes[usize::from(class)];
            let mut tasks_from = streams.of("workload/tasks", "job", number);
            let mut length_from = streams.of("workload/iterations", "job", number);
            let tasks = recipe.draw_tasks(&mut tasks_from);
            let length = recipe.draw_length(&mut length_from);
            drew |= tasks_from.draws() + length_from.draws() > 0;
            if tasks > procs {
                return Err(unusable(DrawError::TooLarge { number, needed: tasks, procs }, recipe.at_tasks));
            }
            let application = shared
                .entry((class, tasks, length))
                .or_insert_with(|| Arc::new(recipe.application(class, tasks, length)));
            let too_late = |span| unusable(DrawError::TooLate { number }, span);
            let span = application.dedicated_time().ok_or_else(|| too_late(recipe.at_length))?;
            if let Some(law) = &self.arrivals {
                let gap = SimDuration::ceil_secs(law.draw(&mut arrivals));
                submit = submit.checked_add(gap).ok_or_else(|| too_late(self.at_arrivals))?;
            }
            submit.checked_add(span).ok_or_else(|| too_late(recipe.at_length))?;
            jobs.push(Job::new(number, submit, tasks, span));
            of.push(Arc::clone(application));
        }
        drew |= arrivals.draws() + choice.stream.draws() > 0;
        let classes = self.recipes.iter().map(|recipe| recipe.name.clone()).collect();
        Ok((jobs, Applications { classes, of }, drew))
    }

    fn jobs(&self, request: &LoadRequest) -> Result<LoadedWorkload, Complaint> {
        let procs = request.processors("a parallel workload", self.at_table)?;
        let (mut jobs, applications, drew) = self.draw(&request.streams, procs)?;
        load::scale_to(&mut jobs, procs, self.load, self.at_load)?;
        info!(jobs = jobs.len(), classes = self.recipes.len(), "workload drawn");
        let applications = Some(Arc::new(applications));
        Ok(LoadedWorkload { drew, applications, ..LoadedWorkload::new(jobs, procs, "parallel") })
    }
}

impl Source for Parallel {
    fn load(&self, request: &LoadRequest) -> Result<LoadedWorkload, Vec<Complaint>> {
        self.jobs(request).map_err(|complaint| vec![complaint])
    }
}

fn unusable(error: DrawError, span: Span) -> Complaint {
    Complaint::new(code::CONTRADICTION, error.to_string(), span).label("draws such a value")
}

/// Draws the class of each job by weight.
struct Choice {
    /// Sums of the weights up to each class.
    sums: Vec<f64>,
    stream: Stream,
}

impl Choice {
    fn new(recipes: &[Recipe], streams: &Streams) -> Self {
        let sums = recipes.iter().scan(0.0, |sum, recipe| {
            *sum += recipe.weight;
            Some(*sum)
        });
        Choice { sums: sums.collect(), stream: streams.stream("workload/classes") }
    }

    /// The class of the next job. One draw, none if there is one class only.
    fn next(&mut self) -> u16 {
        let last = self.sums.len() - 1;
        if last == 0 {
            return 0;
        }
        let at = self.stream.uniform01() * self.sums[last];
        // rounding may lead to the very end, never past it
        self.sums.partition_point(|&sum| sum <= at).min(last) as u16
    }
}

#[cfg(test)]
mod tests {
    use crate::distribution;
    use crate::registry::{Key, Node, Registry, Sources, Tree, Value, check, parse_file};
    use crate::workload::parallel::{Program, Quality, pattern};
    use crate::workload::sources;

    use super::*;
    use crate::kernel::PAST_THE_END;

    /// The workload that `text` describes, as a scenario would.
    fn loaded_at(text: &str, procs: u32, seed: u64) -> Result<LoadedWorkload, Vec<Complaint>> {
        const ROOT: &[Key] = &[Key::new("workload", Kind::Component("workload")).about("")];
        let mut registry = Registry::new();
        registry.table(class::table()).table(distribution::table()).table(pattern::table());
        registry.table(crate::workload::randomization::table()).table(sources());
        registry.table(crate::workload::parallel::structure::table());
        let mut sources = Sources::new("");
        let id = sources.add("test.toml", text, "");
        let mut complaints = Vec::new();
        let mut tree = Tree::default();
        for slot in parse_file(text, id, &mut complaints).slots() {
            tree.put(slot.clone());
        }
        let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
        let Some(node) = check(&registry, &sources, &node, ROOT, &mut complaints) else {
            return Err(complaints);
        };
        let params = Params::new(&registry, &sources, &node);
        let source: Box<dyn Source> = params.component("workload", "workload").expect("checked");
        source.load(&LoadRequest { procs: Some(procs), streams: Streams::new(seed, 0) })
    }

    fn loaded(text: &str) -> LoadedWorkload {
        loaded_at(&format!("[workload]\nkind = \"parallel\"\n{text}"), 32, 1).expect("right")
    }

    fn complaint(text: &str) -> String {
        let complaints =
            loaded_at(&format!("[workload]\nkind = \"parallel\"\n{text}"), 32, 1).expect_err("wrong");
        complaints.iter().map(|bad| bad.message.clone()).collect::<Vec<_>>().join("; ")
    }

    /// Class name, tasks and dedicated time in milliseconds of the first job.
    fn first(class: &str) -> (String, u32, u64) {
        let loaded = loaded(&format!("jobs = 1\nclass = [{class}]\n"));
        let applications = loaded.applications.expect("parallel");
        let job = loaded.jobs[0];
        let class = applications.classes[usize::from(applications.of[0].class)].clone();
        (class, job.procs, job.run_time.as_nanos() / 1_000_000)
    }

    #[test]
    fn every_class_has_its_dedicated_time() {
        let named = |class: &str, tasks, millis| {
            assert_eq!(first(&format!("\"{class}\"")), (class.to_owned(), tasks, millis));
        };
        named("comm-fine", 8, 100);
        named("comm", 8, 500);
        named("cpu", 8, 5_000);
        named("io", 8, 2_000);
        named("periodic", 8, 500);
        // 299 periods of 33 ms and four stages of 5 ms
        named("video", 4, 299 * 33 + 20);
        assert_eq!(first("{ kind = \"server\", tasks = 2, iterations = 3 }"), ("server".to_owned(), 2, 30));
        assert_eq!(
            first(
                "{ kind = \"comm\", name = \"mine\", compute = \"1s\", skew = 0.5, tasks = 4, iterations = 2 }"
            ),
            ("mine".to_owned(), 4, 3_000)
        );
    }

    #[test]
    fn a_server_has_short_jobs_of_one_or_two_tasks() {
        let loaded = loaded("jobs = 200\nclass = [\"server\"]\narrivals = \"1s\"\n");
        let mut seen: Vec<(u32, u64)> =
            loaded.jobs.iter().map(|job| (job.procs, job.run_time.as_nanos() / 1_000_000)).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [(1, 10), (1, 20), (1, 30), (2, 10), (2, 20), (2, 30)]);
        assert!(loaded.drew);
        let applications = loaded.applications.expect("parallel");
        let mut kinds: Vec<_> = applications.of.iter().map(Arc::as_ptr).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), 6, "jobs of one recipe share what they do");
    }

    #[test]
    fn weights_and_mixes_decide_the_share_of_each_class() {
        let text = "jobs = 4000\nclass = [{ kind = \"mix\", weight = 3 }, \"mixed-quality\"]\n";
        let applications = loaded(text).applications.expect("parallel");
        assert_eq!(
            applications.classes,
            ["mix/comm", "mix/io", "mixed-quality/comm", "mixed-quality/periodic"]
        );
        let count = |class: u16| applications.of.iter().filter(|job| job.class == class).count();
        let counts: Vec<usize> = (0..4).map(count).collect();
        // 3/8, 3/8, 1/8, 1/8 of 4000, within four standard deviations
        for (count, expected) in counts.iter().zip([1500_usize, 1500, 500, 500]) {
            assert!(count.abs_diff(expected) < 125, "{counts:?}");
        }
        let real_time = applications.of.iter().filter(|job| job.quality != Quality::BestEffort);
        assert!(real_time.clone().all(|job| job.class == 3));
        let (period, share) = (SimDuration::from_millis(50), 0.2);
        let expected = Quality::RealTime { period, deadline: period, share };
        assert!(real_time.clone().all(|job| job.quality == expected) && real_time.count() > 0);
    }

    #[test]
    fn arrivals_are_at_zero_as_drawn_or_stretched_to_a_load() {
        let at_once = loaded("jobs = 3\nclass = [\"comm\"]\n");
        assert!(!at_once.drew && at_once.jobs.iter().all(|job| job.submit_time == SimTime::ZERO));
        let drawn = loaded("jobs = 3\nclass = [\"comm\"]\narrivals = \"2s\"\n");
        let submits: Vec<f64> = drawn.jobs.iter().map(|job| job.submit_time.as_secs_f64()).collect();
        assert_eq!(submits, [2.0, 4.0, 6.0]);
        for arrivals in ["", "arrivals = { kind = \"gamma\", mean = \"1h\", cv = 2 }\n"] {
            let text = format!("jobs = 500\nclass = [\"comm\", \"server\"]\nload = 0.7\n{arrivals}");
            let loaded = loaded(&text);
            let load = load::offered(&loaded.jobs, 32).expect("a span");
            assert!((load - 0.7).abs() < 1e-6, "{load}");
        }
    }

    #[test]
    fn another_law_moves_no_draw_of_the_others() {
        let workload = |arrivals: &str, tasks: &str, classes: &str| {
            let uniform = "{ kind = \"uniform\", low = 1, high = 9 }";
            loaded(&format!(
                "jobs = 300\narrivals = {arrivals}\nclass = [{{ kind = \"comm\", tasks = {tasks}, iterations = {uniform} }}{classes}]\n"
            ))
        };
        let law = "{ kind = \"exponential\", mean = \"1s\" }";
        let uniform = "{ kind = \"uniform\", low = 1, high = 9 }";
        let plain = workload(law, uniform, "");
        let sequential = workload(law, "1", "");
        let regular = workload("\"5s\"", uniform, "");
        let mixed = workload(law, uniform, ", \"io\"");
        let column =
            |loaded: &LoadedWorkload, of: fn(&Job) -> u64| loaded.jobs.iter().map(of).collect::<Vec<u64>>();
        let submits = |job: &Job| job.submit_time.as_nanos();
        let lengths = |job: &Job| job.run_time.as_nanos();
        let tasks = |job: &Job| u64::from(job.procs);
        assert_eq!(column(&plain, submits), column(&sequential, submits));
        assert_eq!(column(&plain, lengths), column(&sequential, lengths));
        assert_eq!(column(&plain, tasks), column(&regular, tasks));
        assert_eq!(column(&plain, submits), column(&mixed, submits));
        let applications = mixed.applications.as_ref().expect("parallel");
        let of_the_first: Vec<usize> = (0..300).filter(|&job| applications.of[job].class == 0).collect();
        assert!(of_the_first.len() > 100 && of_the_first.len() < 200);
        assert!(of_the_first.iter().all(|&job| plain.jobs[job].procs == mixed.jobs[job].procs));
        assert_ne!(column(&plain, tasks), column(&sequential, tasks));
    }

    #[test]
    fn what_cannot_be_is_reported() {
        assert_eq!(
            complaint("jobs = 1\nclass = [{ kind = \"comm\", tasks = 33 }]\n"),
            "job 1 needs 33 processors, but the machine has 32"
        );
        assert_eq!(
            complaint("jobs = 1\nclass = [{ kind = \"video\", frames = 0 }]\n"),
            "a job cannot have 0 frames"
        );
        assert_eq!(complaint("jobs = 1\nclass = []\n"), "jobs cannot be drawn from 0 classes");
        assert_eq!(
            complaint("jobs = 1\nclass = [\"comm\", \"io\", \"comm\"]\n"),
            "two classes are called `comm`"
        );
        assert_eq!(
            complaint("jobs = 1\nclass = [{ kind = \"mix\", parts = [] }]\n"),
            "a mix of no classes has no jobs"
        );
        let heavy = "{ kind = \"pareto\", low = \"1s\", shape = 1 }";
        assert_eq!(
            complaint(&format!("jobs = 1\nclass = [{{ kind = \"comm\", compute = {heavy} }}]\n")),
            "`compute` has no mean, so the time of a job is unknown"
        );
        let endless = "compute = \"100h\", iterations = 1_000_000_000";
        assert_eq!(
            complaint(&format!("jobs = 1\nclass = [{{ kind = \"comm\", {endless} }}]\n")),
            format!("job 1 would be submitted or end {PAST_THE_END}")
        );
        let explicit = "pattern = { kind = \"explicit\", peers = [[1], [0]] }";
        assert_eq!(
            complaint(&format!("jobs = 1\nclass = [{{ kind = \"comm\", {explicit} }}]\n")),
            "the peers of 2 tasks are listed, but `tasks` is not 2"
        );
        let pair = loaded(&format!("jobs = 1\nclass = [{{ kind = \"comm\", tasks = 2, {explicit} }}]\n"));
        let applications = pair.applications.expect("parallel");
        assert!(
            matches!(&applications.of[0].program, Program::Iterations(iterations) if iterations.pattern.tasks() == Some(2))
        );
    }
}
