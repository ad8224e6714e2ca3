//! Simulated systems against closed forms of queueing theory (`MODELS.md` section 7, experiments G1
//! to G8 and X3).
//!
//! One lucky seed proves nothing: at 10^6 customers a single run of M/M/1 at load 0.8 misses its
//! mean by more than 2 % in 9 cases of 100. So every case runs 20 consecutive seeds, 1 to 20, none
//! chosen, and two things are asked of the mean over them: it lies within 3.3 standard errors of
//! theory, and a standard error is at most 1 % of theory, which the lengths of the runs were raised
//! to reach. Means, deviations and intervals are those of the kernel's own statistics.
//!
//! Every run drops a warm-up by resetting the windows of its stations, and when it ends Little's
//! law must hold for each of them as an identity of whole numbers: the integral of the number
//! inside over the window, and the sum of the times inside clipped to it.
//!
//! Of the section's list these are asked of whole clusters (`batch`): full-width jobs, one-task
//! jobs, and round robin with a vanishing quantum.

mod agreement;
mod disciplines;
mod networks;
mod queues;

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::primitive::Station;
use clustersim_kernel::stats::StationLog;
use clustersim_kernel::{Simulation, hold, now, spawn, spawn_daemon, stream};

use agreement::{agree, exponential, secs};

/// The length of a run [s].
#[derive(Clone, Copy)]
struct Length {
    warm_up: f64,
    window: f64,
}

impl Length {
    /// A window of so many seconds after a twentieth of it.
    fn of(window: f64) -> Self {
        Length { warm_up: window / 20.0, window }
    }

    /// Builds a system, lets it warm up, begins its windows, and reads it when the run is over.
    fn run<S: 'static>(
        self,
        seed: u64,
        build: impl FnOnce() -> S,
        begin: impl FnOnce(&S) + 'static,
        read: impl FnOnce(&S) -> Vec<f64> + 'static,
    ) -> Vec<f64> {
        let result = Rc::new(RefCell::new(Vec::new()));
        let simulation = Simulation::new(seed);
        simulation.enter(|| {
            let system = build();
            let result = Rc::clone(&result);
            spawn("experimenter", async move {
                hold(secs(self.warm_up)).await;
                begin(&system);
                hold(secs(self.window)).await;
                *result.borrow_mut() = read(&system);
            });
        });
        simulation.run().unwrap();
        result.take()
    }
}

/// Customers in a Poisson stream of `rate` per second, each a process.
fn arrivals<F: Future<Output = ()> + 'static>(
    name: &'static str,
    rate: f64,
    mut customer: impl FnMut() -> F + 'static,
) {
    let (gap, mut draws) = (exponential(1.0 / rate), stream(name));
    spawn_daemon(name, async move {
        loop {
            hold(secs(gap.draw(&mut draws))).await;
            spawn_daemon("customer", customer());
        }
    });
}

/// Little's law, and the mean number in a log.
fn mean_number(log: &StationLog) -> f64 {
    assert!(log.identity_holds(now()), "Little's law is broken: {log:?}");
    log.number().mean(now()).unwrap()
}

/// The mean of the complete stays in a log [s].
fn mean_stay(log: &StationLog) -> f64 {
    assert!(log.identity_holds(now()), "Little's law is broken: {log:?}");
    log.stays().mean_secs().unwrap()
}

/// Little's law on all of a station.
fn assert_little(station: &Station) {
    for log in [station.inside(), station.queue()] {
        assert!(log.identity_holds(now()), "Little's law is broken: {log:?}");
        assert!(log.time_in_station(now()) == log.number().area(now()));
    }
}
