//! Explanation of the wait of one job, in words and as JSON: what `run --explain` prints.
//!
//! A paragraph a span of the wait: what held the job back, why it might not overtake, and which
//! jobs overtook it by which rule. The member `explanation` of `--json` has the same: `{"job",
//! "procs", "requested-time", "submitted", "state", "started", "reason", "refusal", "spans":
//! [{"from", "to", "cause", "bar", "head", "text", "overtaken-by": [{"job", "at", "reason",
//! "ends"}]}]}`, times in seconds; null is what there is none of. Where a rule chose how many
//! processors the job was given, `{"given": {"procs", "requested-time", "why"}}` stands there too.

use serde_json::{Map, Value as Json, json};

use crate::collections::StableSort as _;
use crate::ids::JobId;
use crate::instrument::explanation::{Explanation, Obstacle, Of, Overtaker, Shortage, WaitCause, WaitSpan};
use crate::instrument::{Reason, State};
use crate::kernel::SimTime;
use crate::output::number::{clock, counted, grouped, lasting};
use crate::output::{self, Explanation as Document, Paragraph};
use crate::policy::Outcomes;
use crate::workload::Job;

/// The explanation of the job that was asked about, if one was.
pub fn explanation(outcomes: &Outcomes) -> Option<Document> {
    let recorded = outcomes.explanation.as_ref()?;
    let words = Words { outcomes, recorded };
    let plain = |text| Paragraph { text, span: None };
    let mut timed: Vec<(SimTime, Paragraph)> =
        words.runs().into_iter().map(|(end, run)| (end, plain(run))).collect();
    timed.extend(recorded.spans().iter().map(|span| (span.from, words.span(span))));
    // a run that was interrupted comes before the wait that follows
    timed.stable_sort_by_key(|(at, _)| *at);
    let size = words.size().map(plain).into_iter();
    let paragraphs =
        size.chain(timed.into_iter().map(|(_, paragraph)| paragraph)).chain([plain(words.end())]);
    Some(Document { title: words.title(), members: words.members(), paragraphs: paragraphs.collect() })
}

struct Words<'a> {
    outcomes: &'a Outcomes,
    recorded: &'a Explanation,
}

impl Words<'_> {
    fn job(&self, id: JobId) -> &Job {
        &self.outcomes.jobs[id.index()]
    }

    fn number(&self, id: JobId) -> u64 {
        self.job(id).number
    }

    /// Members of a document on the job, apart from its spans.
    fn members(&self) -> Map<String, Json> {
        let (run, id) = (self.outcomes.run(), self.recorded.job());
        let (job, outcome) = (self.job(id), self.outcomes.record.outcome(id));
        let started = outcome.state == State::Running || outcome.ran();
        let mut all = Map::new();
        let mut put = |name: &str, value: Json| all.insert(name.to_owned(), value);
        put("job", json!(job.number));
        put("procs", json!(run.asked(id).procs));
        put("requested-time", json!(run.asked(id).estimate.as_secs_f64()));
        put("submitted", json!(job.submit_time.as_secs_f64()));
        put("state", json!(outcome.state.name()));
        put("started", json!(started.then(|| outcome.start.as_secs_f64())));
        put("reason", json!((outcome.state != State::Expected).then(|| outcome.reason.name())));
        put("refusal", json!(self.recorded.refusal()));
        if let Some(why) = self.recorded.size() {
            let given = job.estimate.as_secs_f64();
            put("given", json!({ "procs": job.procs, "requested-time": given, "why": why }));
        }
        all
    }

    /// A span of the wait.
    fn span(&self, span: &WaitSpan) -> Paragraph {
        let cause = &span.cause;
        let members = [
            ("cause", json!(cause.name())),
            ("bar", json!(cause.obstacle_name())),
            ("head", json!(cause.head().map(|head| self.number(head)))),
        ];
        let point = |one: &Overtaker| {
            let (at, ends) = (one.at.as_secs_f64(), one.ends.map(SimTime::as_secs_f64));
            let reason = one.reason.name();
            let document = json!({ "job": self.number(one.job), "at": at, "reason": reason, "ends": ends });
            (self.overtaker(one), document)
        };
        let span = output::ExplainedSpan {
            from: span.from,
            to: span.to,
            members: members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            points_are: ("overtaken by", "overtaken-by"),
            points: span.overtakers.iter().map(point).collect(),
        };
        Paragraph { text: self.cause(cause), span: Some(span) }
    }

    /// The job that is explained.
    fn title(&self) -> String {
        let job = self.job(self.recorded.job());
        let run = self.outcomes.run();
        let procs = counted(u64::from(run.asked(self.recorded.job()).procs), "processor");
        let request = lasting(run.asked(self.recorded.job()).estimate);
        format!("Job {}, {procs} for {request}, submitted at {}", job.number, clock(job.submit_time))
    }

    /// Number of processors it was given and why, if that was chosen.
    fn size(&self) -> Option<String> {
        let (why, job) = (self.recorded.size()?, self.job(self.recorded.job()));
        let procs = counted(u64::from(job.procs), "processor");
        Some(format!("Given {procs} for {}: {why}", lasting(job.estimate)))
    }

    /// Description of the cause that held the job back.
    fn cause(&self, cause: &WaitCause) -> String {
        let need = u64::from(self.job(self.recorded.job()).procs);
        match cause {
            WaitCause::NotReported => "waits; the policy does not report why".to_owned(),
            WaitCause::HeldForEver(job) => format!(
                "held for ever: job {}, which had to end by itself and without failure, did not",
                self.number(*job)
            ),
            WaitCause::Held(job, 0) => format!("held until job {} has left", self.number(*job)),
            WaitCause::Held(job, others) => {
                format!(
                    "held until job {} and {} have left",
                    self.number(*job),
                    counted(*others, "other job")
                )
            }
            WaitCause::Feature(why) => why.clone(),
            WaitCause::Limit(limit) => format!("held back by a limit: {limit}"),
            WaitCause::Reserved { number, from, to, behind } => {
                let why = format!(
                    "because of reservation {number}, which lasts from {} to {}",
                    clock(*from),
                    clock(*to)
                );
                match behind {
                    None => format!("waits {why}"),
                    Some(head) => format!(
                        "waits behind job {}, the head of the queue, which waits {why}; no job may overtake",
                        self.number(*head)
                    ),
                }
            }
            WaitCause::Inside(number) => {
                format!(
                    "waits for reservation {number}, inside which it is to run, to begin and to have enough free"
                )
            }
            WaitCause::Delayed => {
                "cannot be started again yet, as it was interrupted (`requeue-delay`)".to_owned()
            }
            WaitCause::NoRoom(shortage) => {
                format!(
                    "waits for free capacity: {}; any job that fits may start before it",
                    self.lack(shortage)
                )
            }
            WaitCause::First(_, Obstacle::Reserved(start))
            | WaitCause::Behind(_, _, Obstacle::Reserved(start)) => {
                format!(
                    "holds a reservation for {}: by the estimates the first time at which {} with the reservations made before",
                    clock(*start),
                    if need == 1 {
                        "1 processor is free for it".to_owned()
                    } else {
                        format!("{need} processors are free for it")
                    },
                )
            }
            WaitCause::First(_, Obstacle::Overdue) | WaitCause::Behind(_, _, Obstacle::Overdue) => {
                "its reservation cannot be kept while jobs run past their estimates".to_owned()
            }
            WaitCause::First(shortage, Obstacle::Promised(start)) if shortage.need <= shortage.free => {
                format!(
                    "is the head of {} and keeps its reservation for {}, not to start before it",
                    self.queue(),
                    clock(*start)
                )
            }
            WaitCause::First(shortage, Obstacle::Promised(start)) => format!(
                "is the head of {}: {}; by the estimates it can start at {}",
                self.queue(),
                self.lack(shortage),
                clock(*start)
            ),
            WaitCause::First(shortage, Obstacle::Away) => {
                format!("is the head of {}: {}, and fewer are in service", self.queue(), self.lack(shortage))
            }
            WaitCause::First(shortage, _) => {
                format!("is the head of {}: {}", self.queue(), self.lack(shortage))
            }
            WaitCause::Behind(head, shortage, obstacle) => {
                let head = self.number(*head);
                let head_lacks = if shortage.need <= shortage.free {
                    "keeps its reservation".to_owned()
                } else {
                    format!("waits itself: {}", self.lack(shortage))
                };
                format!(
                    "waits behind job {head}, the head of {}, which {head_lacks}; {}",
                    self.queue(),
                    match *obstacle {
                        Obstacle::Pool { pool, need, free } => {
                            let shortage = Shortage { need, free, of: Of::Pool(pool) };
                            format!("cannot overtake: {}", self.lack(&shortage))
                        }
                        other => obstacle_words(other, head, need),
                    }
                )
            }
        }
    }

    /// The queue in which it stands.
    fn queue(&self) -> String {
        self.recorded.queue().map_or_else(|| "the queue".to_owned(), |name| format!("queue `{name}`"))
    }

    /// `it needs 8 processors, and 4 are free`
    fn lack(&self, shortage: &Shortage) -> String {
        let Shortage { need, free, of } = *shortage;
        match (of, self.outcomes.record.pools()) {
            (Of::Pool(pool), Some(pools)) => {
                let (name, are) = (pools.pool(pool).0, if free < 2 { "is" } else { "are" });
                let free = if free == 0 { "none".to_owned() } else { free.to_string() };
                format!("it needs {need} of pool {name}, and {free} {are} free")
            }
            _ => lack(shortage),
        }
    }

    /// Job that overtook, with the instant and the rule by which it did.
    fn overtaker(&self, one: &Overtaker) -> String {
        let job = self.job(one.job);
        let ends = one.ends.map(|ends| format!(", to end by {}", clock(ends))).unwrap_or_default();
        let why = allowed(one.reason);
        format!(
            "job {} ({}{ends}) at {}: {why}",
            job.number,
            counted(u64::from(job.procs), "processor"),
            clock(one.at)
        )
    }

    /// The runs of the job that were interrupted: when each was, and in words.
    fn runs(&self) -> Vec<(SimTime, String)> {
        let outages = self.outcomes.record.outages();
        let own = outages.attempts().iter().filter(|one| one.job == self.recorded.job());
        let recorded = own.map(|one| {
            let kept = if one.kept.is_zero() { "nothing".to_owned() } else { lasting(one.kept) };
            let (start, end) = (clock(one.start), clock(one.end));
            let why = if self.outcomes.record.site().failures.is_some() {
                "a node of it failed"
            } else {
                "maintenance began that needs processors of it"
            };
            (one.end, format!("ran from {start} to {end}, when {why}; it keeps {kept} of its work"))
        });
        recorded.collect()
    }

    /// Outcome of the job.
    fn end(&self) -> String {
        let outcome = self.outcomes.record.outcome(self.recorded.job());
        let job = self.job(self.recorded.job());
        let waited = self.outcomes.run().waited(self.recorded.job());
        match outcome.state {
            State::Rejected => {
                let why = match (outcome.reason, self.recorded.refusal()) {
                    (_, Some(refusal)) => refusal.to_owned(),
                    (Reason::TooLarge, None) => {
                        let (asked, there) = (u64::from(job.procs), u64::from(self.outcomes.setting.procs));
                        format!(
                            "it asks for {}; the machine has {}",
                            counted(asked, "processor"),
                            grouped(there)
                        )
                    }
                    (reason, None) => reason.about().trim_start_matches("rejected: ").to_owned(),
                };
                format!("Rejected at {}: {why}", clock(outcome.start))
            }
            State::Expected if self.recorded.spans().is_empty() => {
                "Not submitted before the run was stopped".to_owned()
            }
            State::Expected => "Still waiting when the run was stopped".to_owned(),
            State::Cancelled if !outcome.ran() => {
                format!("Cancelled by its user at {}, after {}", clock(outcome.start), lasting(waited))
            }
            State::Running | State::Completed | State::Killed | State::Cancelled | State::Lost => {
                let waited = if waited.is_zero() && outcome.start == job.submit_time {
                    "at its submission".to_owned()
                } else {
                    format!("after {}", lasting(waited))
                };
                let why = allowed(outcome.reason);
                format!("Started at {}, {waited}: {why} ({})", clock(outcome.start), outcome.reason.name())
            }
        }
    }
}

/// Reason that a job could start.
fn allowed(reason: Reason) -> &'static str {
    match reason {
        Reason::Head => "it was the head of the queue, and enough was free",
        Reason::Fits => "it fitted, and the discipline passes over jobs that do not",
        Reason::BeforeShadow => {
            "backfilled, as by its estimate it is over before the head of the queue can start"
        }
        Reason::Extra => "backfilled on what the head of the queue leaves free",
        Reason::HeadUnable => "the jobs before it need more processors than are in service",
        Reason::DelaysNoReservation => "backfilled, as it delays none of the reservations",
        Reason::Reservation => "its own reservation was reached",
        Reason::LimitLifted => "the limit that had held it back was lifted",
        Reason::ReservationOver => "enough was free as a reservation of processors was over",
        Reason::Inside => "it runs inside a reservation of processors, which had enough free",
        Reason::ByFeature => "a feature of the site had it started, before all that waited",
        Reason::Row => "it was next, and a row of the matrix had enough free columns",
        Reason::Compacted => "it was next, and a row had enough free columns once rows had been compacted",
        Reason::OtherRow => "backfilled into another row than the one promised to the head of the queue",
        Reason::Admitted => "the share that it reserves could be kept",
        Reason::Own(own) => own.about,
        Reason::TooLarge
        | Reason::NodeFeatures
        | Reason::NodeProcessors
        | Reason::NodeMemory
        | Reason::NodeGpus
        | Reason::NoSuchNodes
        | Reason::NoSuchPool
        | Reason::QueueLimit
        | Reason::NoReservation
        | Reason::Admission
        | Reason::Refused
        | Reason::Dependency
        | Reason::Withdrawn => "it was not",
    }
}

/// Reason that a job behind the head may not overtake it.
fn obstacle_words(obstacle: Obstacle, head: u64, need: u64) -> String {
    match obstacle {
        Obstacle::Order => "no job may overtake".to_owned(),
        Obstacle::Short => format!("cannot overtake: it needs {need} itself"),
        Obstacle::Shadow { shadow, ends, extra } => format!(
            "may not overtake: it would end at {}, after job {head} can start at {}, and it needs {need}, where job {head} \
             leaves {extra} then",
            clock(ends),
            clock(shadow),
        ),
        Obstacle::Reservations(1) => {
            "may not overtake: it would delay the job that holds a reservation".to_owned()
        }
        Obstacle::Reservations(jobs) => {
            format!("may not overtake: it would delay one of the {jobs} jobs that hold reservations")
        }
        Obstacle::Away => format!("cannot overtake: it needs {need}, and fewer are in service"),
        Obstacle::Unknown
        | Obstacle::Promised(_)
        | Obstacle::Reserved(_)
        | Obstacle::Overdue
        | Obstacle::Pool { .. } => "the rule does not let it overtake".to_owned(),
    }
}

/// A shortage in words, of all but pools, whose names are those of the run.
fn lack(shortage: &Shortage) -> String {
    let Shortage { need, free, of } = *shortage;
    let free = if free == 0 { "none".to_owned() } else { free.to_string() };
    let are = if shortage.free < 2 { "is" } else { "are" };
    match of {
        Of::Processors => format!("it needs {}, and {free} {are} free", counted(need, "processor")),
        Of::Pool(_) => format!("it needs {need} of a pool, and {free} {are} free"),
        Of::Asked => format!(
            "it needs {} with all that it asks for, and {free} such {are} free",
            counted(need, "processor")
        ),
        Of::Nodes => format!(
            "it needs {}, and {free} {} a free slot",
            counted(need, "node"),
            if shortage.free < 2 { "has" } else { "have" }
        ),
        Of::Columns if free == "none" => {
            format!("it needs {}, and no row of the matrix has any free", counted(need, "column"))
        }
        Of::Columns => {
            format!(
                "it needs {}, and no row of the matrix has more than {free} free",
                counted(need, "column")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_reported_in_the_number_there_is() {
        let shortage = |need, free, of| lack(&Shortage { need, free, of });
        assert_eq!(shortage(8, 4, Of::Processors), "it needs 8 processors, and 4 are free");
        assert_eq!(shortage(2, 1, Of::Nodes), "it needs 2 nodes, and 1 has a free slot");
        assert_eq!(shortage(1, 0, Of::Columns), "it needs 1 column, and no row of the matrix has any free");
    }
}
