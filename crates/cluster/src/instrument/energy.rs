//! Energy drawn by the processors of a machine, and the jobs it is drawn for.
//!
//! `FAMILIES` defines the metrics.
//!
//! A processor that is out of service draws nothing; its time counts as neither. A job that was
//! interrupted has drawn what all its runs did.
//!
//! A processor is busy as long as a job has it, which is how utilization counts too: a job that is
//! killed has drawn what it did until then, and a processor that several jobs share is busy once.
//! Energy is a whole number of picojoules (milliwatts times nanoseconds), so jobs and idle time add
//! up to the total exactly; the metrics are in joules, and as numbers in double precision they add
//! up exactly too. Without a warm-up, and in a run that was not stopped, what jobs draw one by one
//! adds up to `energy.jobs`. Where processors are shared, what one job draws is not reported.

use crate::ids::JobId;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;

use super::Draw;
use super::metrics::{FinishedRun, real};
use super::observations::WINDOW;
use super::outages::out_of_service;

const POWER: &str = "the power of processors is given (`cluster.power`)";

/// The metrics of runs in which power is known, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "energy.total" ["J"] Lower, WINDOW => "`energy.jobs` + `energy.idle`", shown POWER;
    "energy.jobs" ["J"] Lower, WINDOW => "busy power x processor time that jobs had", shown POWER;
    "energy.idle" ["J"] Lower, WINDOW =>
        "idle power x (processors x length of the window - processor time that jobs had - processor time \
         out of service)",
        shown POWER;
};

/// An amount of energy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Energy(u128);

const PICO: u128 = 1_000_000_000_000;

impl Energy {
    /// Whole picojoules.
    pub const fn picojoules(self) -> u128 {
        self.0
    }

    /// Joules, rounded once.
    pub fn joules(self) -> f64 {
        ratio(self.0, PICO)
    }
}

/// Energy drawn by the processors in the window of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Account {
    /// While jobs had them.
    pub jobs: Energy,
    /// While none had.
    pub idle: Energy,
}

impl Account {
    /// Both together.
    pub fn total(&self) -> Energy {
        Energy(self.jobs.0 + self.idle.0)
    }
}

/// Energy drawn by the processors in the window of a run, if their power is known.
pub fn account(run: &FinishedRun<'_>) -> Option<Account> {
    let Draw { idle, busy } = run.record.site().power?;
    let window = run.window();
    let all = u128::from(window.to.since(window.from).as_nanos()) * u128::from(run.procs);
    let allocated = run.allocated(window);
    // below 2^64 ns × 2^32 processors × 2^30 mW
    let of = |time: u128, milliwatts: u64| Energy(time * u128::from(milliwatts));
    Some(Account {
        jobs: of(allocated, busy.milliwatts()),
        idle: of(all.saturating_sub(allocated + out_of_service(run, window)), idle.milliwatts()),
    })
}

/// Energy drawn by the processors of a job while it had them, in all its runs; `None` if their
/// power is not known, if they are shared, or if the job has not run and left.
pub fn of_job(run: &FinishedRun<'_>, id: JobId) -> Option<Energy> {
    let draw = run.record.site().power?;
    let outcome = run.record.outcome(id);
    if !outcome.ran() || !run.record.usage().is_empty() {
        return None;
    }
    let held = outcome.end.since(outcome.start).saturating_add(run.record.outages().held(id));
    let held = u128::from(held.as_nanos()) * u128::from(run.jobs[id.index()].procs);
    Some(Energy(held * u128::from(draw.busy.milliwatts())))
}

/// The metrics, in the order in which they are shown; none if power is not known.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    let Some(account) = account(run) else { return Vec::new() };
    let [total, jobs, idle] = in_joules(&account);
    let window = run.window();
    let watched = window.to > window.from;
    [("energy.total", total), ("energy.jobs", jobs), ("energy.idle", idle)]
        .map(|(name, joules)| real(name, watched.then_some(joules)))
        .into()
}

/// Total, of jobs, and idle [J], such that the sum of the latter is the first.
fn in_joules(account: &Account) -> [f64; 3] {
    let [total, jobs, idle] = [account.total(), account.jobs, account.idle].map(Energy::joules);
    #[expect(clippy::float_cmp, reason = "they are to add up exactly")]
    if jobs + idle == total {
        return [total, jobs, idle];
    }
    // each difference is exact where the one before was rounded (Sterbenz), so the last two add up
    let idle = total - jobs;
    [total, total - idle, idle]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collections::Interval;
    use crate::instrument::{Reason, Record, SiteModel, State};
    use crate::kernel::stats::WarmUp;
    use crate::kernel::{SimDuration, SimTime};
    use crate::units::Power;
    use crate::workload::Job;

    /// Two processors of 1 W for 4 s, until a node fails, and again from 6 s to 16 s.
    #[test]
    fn a_job_has_drawn_what_all_its_runs_did() {
        let at = |secs| SimTime::from_secs(secs).expect("in range");
        let watt = Power::from_milliwatts(1000).expect("it is little");
        let site = SiteModel { power: Some(Draw { idle: watt, busy: watt }), ..SiteModel::default() };
        let mut record = Record::new(1).at(site);
        let on = [Interval::new(0, 1)];
        record.started(JobId(0), at(0), &on, Reason::Head);
        record.interrupted(JobId(0), at(4), SimDuration::ZERO);
        record.started(JobId(0), at(6), &on, Reason::Head);
        record.over(JobId(0), at(16), State::Completed);
        let jobs = [Job::new(1, at(0), 2, SimDuration::from_secs(10))];
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 4, until: None, warm_up: WarmUp::None };
        assert_eq!(of_job(&run, JobId(0)), Some(Energy(28 * PICO)));
        assert_eq!(account(&run).map(|account| account.jobs), Some(Energy(28 * PICO)));
    }

    #[test]
    fn joules_are_read_off_without_loss() {
        let energy = Energy(3 * PICO + 500);
        assert_eq!(energy.picojoules(), 3_000_000_000_500);
        assert!((Energy(PICO / 2).joules() - 0.5).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        #[expect(clippy::float_cmp, reason = "they are to add up exactly")]
        fn joules_add_up_as_numbers_too(jobs in 0..u128::MAX / 4, idle in 0..u128::MAX / 4, shift in 0..120_u32) {
            let account = Account { jobs: Energy(jobs >> (shift / 2)), idle: Energy(idle >> shift) };
            let [total, jobs, idle] = in_joules(&account);
            prop_assert!(jobs + idle == total);
            prop_assert!((jobs - account.jobs.joules()).abs() <= 2.0 * total * f64::EPSILON);
            prop_assert!((idle - account.idle.joules()).abs() <= 2.0 * total * f64::EPSILON);
        }
    }
}
