//! The formula, and the order that follows from it.

use crate::batch::holding::RunHolding;
use crate::batch::limits::QueuePriorities;
use crate::batch::queue::{Discipline, Machine, Ranking};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Complaint, Node, Params, Value, choices, code};
use crate::workload::{Job, UNKNOWN_ID};

use super::charge::Charge;
use super::fairshare::Fairshare;

choices! {
    /// Account that a job is charged to.
    pub(super) enum Accounts {
        User = "user", "the job's user";
        Group = "group", "the job's group";
    }
}

impl Accounts {
    fn of(self, job: &Job) -> u32 {
        match self {
            Accounts::User => job.user,
            Accounts::Group => job.group,
        }
    }
}

#[derive(Debug)]
pub(super) struct Priority {
    age: f64,
    size: f64,
    fairshare: f64,
    queue: f64,
    partition: f64,
    qos: f64,
    run_time: f64,
    max_age: SimDuration,
    longest: SimDuration,
    accounts: Accounts,
    interval: SimDuration,
    grant: Vec<(u32, f64)>,
    usage: Fairshare,
    charge: Charge,
    /// Charges of running jobs, where they are not their processors.
    charged: OrderedMap<JobId, f64>,
    procs: f64,
    computed: Option<SimTime>,
}

/// A table of numbers by account.
fn by_account(params: &Params<'_>, name: &str) -> Result<Vec<(u32, f64)>, Complaint> {
    let mut all = Vec::new();
    for slot in params.tree().get(name).and_then(Node::as_table).map_or(&[][..], |table| table.slots()) {
        let Ok(account) = slot.name.parse::<u32>() else {
            let message = format!("`{}` is no number of an account", slot.name);
            let complaint = Complaint::new(code::TYPE, message, slot.span);
            return Err(complaint.label("expected the number of a user or a group, in quotes"));
        };
        let value = match slot.node.value {
            Value::Integer(number) => number as f64,
            Value::Float(number) => number,
            _ => 0.0,
        };
        all.push((account, value));
    }
    all.sort_unstable_by_key(|&(account, _)| account);
    Ok(all)
}

pub(super) fn of_account(table: &[(u32, f64)], account: u32) -> Option<f64> {
    table.binary_search_by_key(&account, |&(known, _)| known).ok().map(|place| table[place].1)
}

impl Priority {
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let weight = |name| params.read::<f64>(name);
        let half_life: SimDuration = params.read("half-life")?;
        Ok(Priority {
            age: weight("age")?,
            size: weight("size")?,
            fairshare: weight("fairshare")?,
            queue: weight("queue")?,
            partition: weight("partition")?,
            qos: weight("qos")?,
            run_time: weight("run-time")?,
            max_age: params.read("max-age")?,
            longest: params.read("longest")?,
            accounts: params.read("accounts")?,
            interval: params.read("interval")?,
            grant: by_account(params, "grant")?,
            usage: Fairshare::new(half_life, by_account(params, "shares")?),
            charge: Charge::read(params)?,
            charged: OrderedMap::new(),
            procs: 1.0,
            computed: None,
        })
    }

    fn priority(&self, now: SimTime, job: &Job, estimate: SimDuration, queues: QueuePriorities) -> f64 {
        let share =
            |part: SimDuration, whole: SimDuration| part.min(whole).as_secs_f64() / whole.as_secs_f64();
        let account = self.accounts.of(job);
        let mut priority = self.age * share(now.since(job.submit_time), self.max_age);
        priority += self.size * f64::from(job.procs) / self.procs;
        if self.fairshare.abs() > 0.0 {
            priority += self.fairshare * self.usage.factor(account);
        }
        priority += self.queue * queues.queue;
        priority += self.partition * queues.partition;
        priority += self.qos * queues.qos;
        priority += self.run_time * share(estimate, self.longest);
        if account != UNKNOWN_ID {
            priority += of_account(&self.grant, account).unwrap_or(0.0);
        }
        priority
    }
}

/// A key that falls as the priority rises.
fn key(priority: f64) -> u64 {
    // adding zero makes the two zeros one; the bits of positive numbers rise with them, those of
    // negative ones fall
    let bits = (priority + 0.0).to_bits();
    let rising = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
    !rising
}

impl Discipline for Priority {
    fn key(&self, job: &Job) -> u64 {
        key(self.priority(job.submit_time, job, job.estimate, QueuePriorities::default()))
    }

    fn ranking(&mut self) -> Option<&mut dyn Ranking> {
        Some(self)
    }

    fn moves(&self) -> bool {
        true
    }
}

impl Ranking for Priority {
    fn begin(&mut self, jobs: &[Job], machine: Machine) {
        self.procs = f64::from(machine.procs);
        if self.fairshare.abs() > 0.0 {
            let accounts = self.accounts;
            self.usage.begin(jobs.iter().map(|job| accounts.of(job)));
        }
    }

    fn key(&mut self, now: SimTime, job: &Job, estimate: SimDuration, queues: QueuePriorities) -> u64 {
        self.usage.look(now);
        key(self.priority(now, job, estimate, queues))
    }

    fn looks_at_holdings(&self) -> bool {
        self.fairshare.abs() > 0.0 && self.charge.looks_at_holdings()
    }

    fn started(&mut self, now: SimTime, id: JobId, job: &Job, holding: &RunHolding<'_>) {
        if self.fairshare.abs() > 0.0 {
            let charge = self.charge.of(job, holding);
            if self.charge.looks_at_holdings() {
                self.charged.insert(id, charge);
            }
            self.usage.started(now, self.accounts.of(job), charge);
        }
    }

    fn ended(&mut self, now: SimTime, id: JobId, job: &Job) {
        if self.fairshare.abs() > 0.0 {
            let charge = self.charged.remove(&id).unwrap_or_else(|| f64::from(job.procs));
            self.usage.ended(now, self.accounts.of(job), charge);
        }
    }

    fn due(&mut self, now: SimTime) -> bool {
        let moves = self.age.abs() > 0.0 || self.fairshare.abs() > 0.0;
        let due = moves && self.computed.is_none_or(|at| now.since(at) >= self.interval);
        if due {
            self.computed = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use crate::batch::tests::built;

    use super::*;

    fn secs(secs: u64) -> SimDuration {
        SimDuration::from_secs(secs)
    }

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    fn job(number: u64, submit: u64, procs: u32, estimate: u64, user: u32) -> Job {
        let mut job = Job::new(number, at(submit), procs, secs(estimate));
        job.user = user;
        job
    }

    /// The order in which a discipline considers jobs at an instant, by number.
    fn order(text: &str, now: u64, jobs: &[Job], before: impl FnOnce(&mut dyn Ranking)) -> Vec<u64> {
        let mut discipline = built(text, crate::batch::queue::table());
        let ranking = discipline.ranking().expect("priorities move");
        ranking.begin(jobs, Machine { procs: 100 });
        before(ranking);
        let mut keys: Vec<(u64, u64)> = jobs
            .iter()
            .map(|job| {
                let odd = f64::from(job.procs % 2);
                let queues = QueuePriorities { queue: odd, partition: 1.0 - odd, qos: odd / 2.0 };
                (ranking.key(at(now), job, job.estimate, queues), job.number)
            })
            .collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, number)| number).collect()
    }

    #[test]
    fn each_weight_orders_by_its_field() {
        let jobs = [job(1, 0, 10, 500, 7), job(2, 100, 41, 100, 8), job(3, 200, 20, 900, 9)];
        let order = |text: &str| order(text, 1000, &jobs, |_| {});
        assert_eq!(order("'priority'"), [1, 2, 3]);
        assert_eq!(order("{ kind = 'priority', age = 0, size = 1 }"), [2, 3, 1]);
        assert_eq!(order("{ kind = 'priority', age = 0, size = -1 }"), [1, 3, 2]);
        assert_eq!(order("{ kind = 'priority', age = 0, run-time = -1 }"), [2, 1, 3]);
        assert_eq!(order("{ kind = 'priority', age = 0, queue = 1 }"), [2, 1, 3]);
        assert_eq!(order("{ kind = 'priority', age = 0, partition = 1 }"), [1, 3, 2]);
        assert_eq!(order("{ kind = 'priority', age = 0, qos = 1 }"), [2, 1, 3]);
        // of job 2, 3 × 1 − 2 − 0.5 × 1.5; of the others −1 + 2
        assert_eq!(order("{ kind = 'priority', age = 0, queue = 3, partition = 2, qos = -3 }"), [1, 3, 2]);
        assert_eq!(order("{ kind = 'priority', grant = { '9' = 1000 } }"), [3, 1, 2]);
        // from a wait of 850 s on all are equally old
        assert_eq!(order("{ kind = 'priority', max-age = '850s', size = 0.001 }"), [2, 1, 3]);
    }

    #[test]
    fn weights_add_up_by_hand() {
        let mut discipline = built(
            "{ kind = 'priority', age = 700, max-age = '1000s', size = 50, run-time = -30, longest = '600s' }",
            crate::batch::queue::table(),
        );
        let ranking = discipline.ranking().expect("priorities move");
        let jobs = [job(1, 0, 10, 300, 7)];
        ranking.begin(&jobs, Machine { procs: 100 });
        // 700 × 0.4 + 50 × 0.1 − 30 × 0.5
        assert_eq!(ranking.key(at(400), &jobs[0], secs(300), QueuePriorities::default()), key(270.0));
    }

    #[test]
    fn a_user_of_less_of_its_share_is_considered_first() {
        let jobs = [job(1, 0, 10, 500, 7), job(2, 0, 10, 500, 8), job(3, 0, 10, 500, 9)];
        let used = |ranking: &mut dyn Ranking| {
            // user 7 uses twice what user 8 does, user 9 nothing
            for (job, procs) in [(&jobs[0], 20), (&jobs[1], 10)] {
                let mut job = *job;
                job.procs = procs;
                let id = JobId(job.number as u32);
                ranking.started(at(0), id, &job, &RunHolding::default());
                ranking.ended(at(100), id, &job);
            }
        };
        let text = |more: &str| format!("{{ kind = 'priority', age = 0, fairshare = 1{more} }}");
        assert_eq!(order(&text(""), 100, &jobs, used), [3, 2, 1]);
        assert_eq!(order(&text(", shares = { '7' = 5 }"), 100, &jobs, used), [3, 1, 2]);
        assert_eq!(order(&text(", accounts = 'group'"), 100, &jobs, used), [1, 2, 3], "all of one group");
    }

    #[test]
    fn keys_fall_as_priorities_rise() {
        let rising = [f64::NEG_INFINITY, -2.0, -1.0, -0.0, 1e-300, 1.0, 2.0, 1e300];
        assert!(rising.windows(2).all(|pair| key(pair[0]) > key(pair[1])), "{rising:?}");
        assert_eq!(key(-0.0), key(0.0));
    }
}
