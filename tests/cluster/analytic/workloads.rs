//! Published workload models against the laws they are drawn from: sizes, run times and arrivals.
//!
//! Theory is computed here in another way than the models draw: probabilities of sizes from
//! distribution functions, moments of cut gamma laws by Simpson's rule over their density. Gaps are
//! asked in the time of a busy hour, that is, by the long run: weights of the day have mean 1, so
//! that jobs times mean gap is the length of the log.

use std::path::Path;

use clustersim::system::standard;
use clustersim_cluster::system::workload;
use clustersim_experiment::scenario::{from_text, study};
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::source::LoadRequest;
use clustersim_kernel::rng::{Streams, math};
use clustersim_language::registry::Registry;

use super::agree;

/// The jobs of `[workload]` with these lines on a machine of `procs` processors.
fn jobs_of(registry: &Registry, lines: &str, procs: u32, seed: u64) -> Vec<Job> {
    let text = format!("title = \"t\"\n[cluster]\nprocs = {procs}\n[workload]\n{lines}\n");
    let study = study(registry, from_text("test", text, Path::new(""), &[])).unwrap();
    let source = workload(registry, study.first()).unwrap();
    let request = LoadRequest { procs: Some(procs), streams: Streams::new(seed, 0) };
    source.load(&request).unwrap().jobs
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    sum / count
}

fn share(jobs: &[Job], holds: impl Fn(&Job) -> bool) -> f64 {
    mean(jobs.iter().map(|job| f64::from(u8::from(holds(job)))))
}

fn secs(job: &Job) -> f64 {
    job.run_time.as_secs_f64()
}

fn submit(job: &Job) -> f64 {
    job.submit_time.as_secs_f64()
}

/// The integral of `of` over `from..to`, by Simpson's rule.
fn integral(from: f64, to: f64, of: impl Fn(f64) -> f64) -> f64 {
    const PANELS: u32 = 4000;
    let step = (to - from) / f64::from(PANELS);
    let at = |place: u32| of(from + step * f64::from(place));
    let weight = |place: u32| match place {
        0 | PANELS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=PANELS).map(|place| weight(place) * at(place)).sum::<f64>() * step / 3.0
}

/// Density of a gamma law.
fn gamma(shape: f64, scale: f64) -> impl Fn(f64) -> f64 {
    let norm = math::ln_gamma(shape) + shape * math::ln(scale);
    move |x| if x <= 0.0 { 0.0 } else { math::exp((shape - 1.0) * math::ln(x) - x / scale - norm) }
}

/// A class of the model of Lublin and Feitelson, from its table of published values.
struct Class {
    serial: f64,
    powers: f64,
    /// low, medium, high and the share of the first stage, for 128 processors
    stages: [f64; 4],
    short: (f64, f64),
    long: (f64, f64),
    line: (f64, f64),
    gap: (f64, f64),
    cycle: (f64, f64),
}

const BATCH: Class = Class {
    serial: 0.2927,
    powers: 0.6686,
    stages: [1.2, 5.0, 7.0, 0.875],
    short: (6.57, 0.823),
    long: (639.1, 0.0156),
    line: (-0.003, 0.6986),
    gap: (6.0415 * 1.0519, 0.8531),
    cycle: (6.1271, 5.2740),
};

const INTERACTIVE: Class = Class {
    serial: 0.1541,
    powers: 0.625,
    stages: [1.0, 3.0, 5.5, 0.705],
    short: (3.8351, 0.6605),
    long: (7.073, 0.6856),
    line: (-0.0118, 0.9156),
    gap: (6.5510 * 0.9797, 0.6621),
    cycle: (8.9186, 3.6680),
};

const WHOLE: Class = Class {
    serial: 0.244,
    powers: 0.576,
    stages: [0.8, 4.5, 7.0, 0.86],
    short: (4.2, 0.94),
    long: (312.0, 0.03),
    line: (-0.0054, 0.78),
    gap: (10.2303 * 1.0225, 0.4871),
    cycle: (8.1737, 3.9631),
};

impl Class {
    /// Distribution function of the exponent.
    fn exponent(&self, x: f64) -> f64 {
        let [low, medium, high, first] = self.stages;
        let part = |from: f64, to: f64| ((x - from) / (to - from)).clamp(0.0, 1.0);
        first * part(low, medium) + (1.0 - first) * part(medium, high)
    }

    /// The probability of every size from 1 to 128.
    fn sizes(&self) -> Vec<f64> {
        let other = 1.0 - self.serial - self.powers;
        let probability = |size: u32| {
            let n = f64::from(size);
            let power = if size.is_power_of_two() {
                let exponent = f64::from(size.ilog2());
                self.exponent(exponent + 0.5) - self.exponent(exponent - 0.5)
            } else {
                0.0
            };
            let least = if size == 1 { 0.0 } else { self.exponent(math::log2(n - 0.5)) };
            let any = self.exponent(math::log2(n + 0.5)) - least;
            f64::from(u8::from(size == 1)) * self.serial + self.powers * power + other * any
        };
        (1..=128).map(probability).collect()
    }

    fn no_powers(&self) -> f64 {
        let sizes = self.sizes();
        sizes.iter().zip(1_u32..).filter(|(_, size)| !size.is_power_of_two()).map(|(share, _)| share).sum()
    }

    fn mean_size(&self) -> f64 {
        self.sizes().iter().zip(1_u32..).map(|(probability, size)| probability * f64::from(size)).sum()
    }

    /// The mean of `of` over the logarithm of run times, which are cut at 12.
    fn run_times(&self, of: impl Fn(f64) -> f64) -> f64 {
        let (short, long) = (gamma(self.short.0, self.short.1), gamma(self.long.0, self.long.1));
        let parts = [
            (integral(0.0, 12.0, &short), integral(0.0, 12.0, |x| of(x) * short(x))),
            (integral(0.0, 12.0, &long), integral(0.0, 12.0, |x| of(x) * long(x))),
        ];
        let of_size = |(probability, size): (f64, u32)| {
            let share = (self.line.1 + self.line.0 * f64::from(size)).clamp(0.0, 1.0);
            let mixed = |one: f64, other: f64| share * one + (1.0 - share) * other;
            probability * mixed(parts[0].1, parts[1].1) / mixed(parts[0].0, parts[1].0)
        };
        self.sizes().into_iter().zip(1_u32..).map(of_size).sum()
    }

    /// The mean gap of a busy hour [s], cut at e^13 s.
    fn mean_gap(&self) -> f64 {
        let density = gamma(self.gap.0, self.gap.1);
        integral(0.0, 13.0, |x| math::exp(x) * density(x)) / integral(0.0, 13.0, &density)
    }

    /// The share of arrivals between ten in the morning and six in the evening: half hours 21 to
    /// 36, counted from 1.
    fn office_hours(&self) -> f64 {
        let density = gamma(self.cycle.0, self.cycle.1);
        integral(20.5, 36.5, &density) / integral(10.5, 58.5, &density)
    }

    fn theory(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("share of one processor", self.sizes()[0]),
            ("share of 16 processors", self.sizes()[15]),
            ("share of no power of two", self.no_powers()),
            ("mean size", self.mean_size()),
            ("mean run time", self.run_times(math::exp)),
            ("mean logarithm of run times", self.run_times(|x| x)),
            ("mean square of that logarithm", self.run_times(|x| x * x)),
            ("mean gap", self.mean_gap()),
            ("share of office hours", self.office_hours()),
        ]
    }

    fn measured(jobs: &[Job], length: f64) -> Vec<f64> {
        let logarithm = |job: &Job| math::ln(secs(job));
        vec![
            share(jobs, |job| job.procs == 1),
            share(jobs, |job| job.procs == 16),
            share(jobs, |job| !job.procs.is_power_of_two()),
            mean(jobs.iter().map(|job| f64::from(job.procs))),
            mean(jobs.iter().map(secs)),
            mean(jobs.iter().map(logarithm)),
            mean(jobs.iter().map(|job| logarithm(job) * logarithm(job))),
            length / jobs.len() as f64,
            share(jobs, |job| (36_000.0..64_800.0).contains(&(submit(job) % 86_400.0))),
        ]
    }
}

/// What the jobs of days that are over show, by queue if told.
fn whole_days(jobs: &[Job], queue: Option<u16>) -> Vec<f64> {
    let days = (submit(&jobs[jobs.len() - 1]) / 86_400.0).floor() * 86_400.0;
    let counted = |job: &&Job| submit(job) < days && (queue.is_none() || job.queue() == queue);
    let jobs: Vec<Job> = jobs.iter().filter(counted).copied().collect();
    Class::measured(&jobs, days)
}

#[test]
fn lublin_and_feitelson_whole() {
    let registry = standard();
    let lines = "kind = \"lublin-feitelson-whole\"\njobs = 100_000";
    agree(&WHOLE.theory(), |seed| whole_days(&jobs_of(&registry, lines, 128, seed), None));
}

#[test]
fn lublin_and_feitelson_by_class() {
    let registry = standard();
    let lines = "kind = \"lublin-feitelson\"\njobs = 200_000";
    let theory: Vec<_> = BATCH.theory().into_iter().chain(INTERACTIVE.theory()).collect();
    agree(&theory, |seed| {
        let jobs = jobs_of(&registry, lines, 128, seed);
        [whole_days(&jobs, Some(1)), whole_days(&jobs, Some(0))].concat()
    });
}

/// The probability of every size of Downey's model.
fn downey_sizes(largest: u32) -> Vec<f64> {
    let whole = math::ln(f64::from(largest) + 1.0);
    (1..=largest).map(|size| math::ln_1p(1.0 / f64::from(size)) / whole).collect()
}

#[test]
fn downey_run_times() {
    let registry = standard();
    let sizes = downey_sizes(100);
    let times = 133_252.352_946 - 6.049_647_464;
    let theory = [
        ("share of one processor", sizes[0]),
        ("share of the larger half of the machine", sizes[49..].iter().sum::<f64>()),
        ("mean size", sizes.iter().zip(1_u32..).map(|(share, size)| share * f64::from(size)).sum()),
        ("mean run time", times / 10.0),
        ("mean logarithm of run times", 6.8),
        ("mean gap over day and night", 1266.0),
    ];
    let lines = "kind = \"downey\"\njobs = 40_000";
    agree(&theory, |seed| {
        let jobs = jobs_of(&registry, lines, 100, seed);
        assert!(jobs.iter().all(|job| submit(job) % 86_400.0 <= 43_200.0), "a job arrives by night");
        vec![
            share(&jobs, |job| job.procs == 1),
            share(&jobs, |job| job.procs >= 50),
            mean(jobs.iter().map(|job| f64::from(job.procs))),
            mean(jobs.iter().map(secs)),
            mean(jobs.iter().map(|job| math::ln(secs(job)))),
            submit(&jobs[jobs.len() - 1]) / jobs.len() as f64,
        ]
    });
}

#[test]
fn downey_work() {
    let registry = standard();
    for variance in [0.5, 2.0_f64] {
        // on as many processors as it can use on average: A / S(A), from the equations of the
        // report at n = A
        let slower = |a: f64| {
            if variance <= 1.0 {
                (a + variance * (a - 1.0) / 2.0) / (a * a)
            } else {
                (variance * (2.0 * a - 1.0) + a) / (a * a * (variance + 1.0))
            }
        };
        let mean_work = (10_000.0 - 100.0) / math::ln(100.0);
        let sizes = downey_sizes(64);
        let each = |(share, size): (&f64, u32)| share * slower(f64::from(size));
        let theory = [("mean run time", mean_work * sizes.iter().zip(1..).map(each).sum::<f64>())];
        let lines = format!(
            "kind = \"downey\"\njobs = 60_000\ntimes = \"work\"\nshortest = \"100s\"\nlongest = \"10000s\"\nvariance = {variance}"
        );
        agree(&theory, |seed| vec![mean(jobs_of(&registry, &lines, 64, seed).iter().map(secs))]);
    }
}
