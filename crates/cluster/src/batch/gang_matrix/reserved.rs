//! Reserved rows of the matrix: slices that come back in every frame, for jobs that need a share of
//! every period.
//!
//! Time goes in frames of equal length. A frame begins with a slice for each reserved row, in
//! order, and the rest of it belongs to the other rows. A job that needs b of processor time in
//! every span of length D (the shorter of its period and its deadline) meets ⌊D / frame⌋ whole
//! slices of its row in any such span, wherever it begins, so a slice of b / ⌊D / frame⌋ keeps its
//! share, whatever else there is:
//!
//! ```text
//!  frame ──────────────────────▶│ frame ──────────────────────▶│
//!  ├ row 1 ┼ row 2 ┼ other rows ┼ row 1 ┼ row 2 ┼ other rows ──┤
//!          ◀────── any span as long as a frame: one slice of row 2 in all ──────▶
//! ```
//!
//! That holds only as long as no slice comes later in its frame than it did before. So a job joins
//! a row only if its slice is long enough, or is the last, which delays no other; a new row is put
//! after the others; and jobs come only where a frame begins. When jobs leave, slices shrink and
//! come earlier, which takes nothing from any job.
//!
//! A slice takes as long as it says plus the switch to it, and reserved slices take no more of a
//! frame than they may. Of the rows in question a job is put where that needs least, in the first
//! of equals.
//!
//! Source: cyclic executives (T. P. Baker, A. Shaw, "The cyclic executive model and Ada", Real-Time
//! Systems 1(1), 1989), with gangs in place of tasks. That time-shared clusters should serve
//! best-effort and real-time jobs so, by time division under gang scheduling, is the subject of Y.
//! Zhang, A. Sivasubramaniam, SPAA 2001, of which only the abstract was at hand; "ClusterSchedSim",
//! section 7, refers to it.

use crate::collections::{Interval, IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::workload::parallel::Quality;

/// Division of frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Length; above zero.
    pub length: SimDuration,
    /// Time that reserved slices may take of it at most.
    pub most: SimDuration,
    /// Time that each of them takes before its jobs run, or may take of their time.
    pub switch: SimDuration,
}

impl Frame {
    /// Length that the slices of a job need; `None` for best effort, and where no frame is over
    /// before it is due.
    pub fn slice_for(&self, quality: Quality) -> Option<SimDuration> {
        let Quality::RealTime { period, deadline, share } = quality else { return None };
        let budget = SimDuration::ceil_secs(period.as_secs_f64() * share).as_nanos();
        let frames = period.min(deadline).as_nanos() / self.length.as_nanos();
        (frames > 0).then(|| SimDuration::from_nanos(budget.div_ceil(frames).max(1)))
    }
}

/// A reserved row that has its turn. Rows that are opened later have greater turns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ReservedRowId(u64);

#[derive(Clone, Debug)]
struct Member {
    columns: Vec<Interval>,
    slice: SimDuration,
}

#[derive(Clone, Debug)]
struct Row {
    turn: ReservedRowId,
    vacant: IntervalSet,
    jobs: OrderedMap<JobId, Member>,
}

impl Row {
    fn slice(&self) -> SimDuration {
        self.jobs.values().map(|member| member.slice).max().unwrap_or(SimDuration::ZERO)
    }
}

/// The reserved rows.
#[derive(Clone, Debug)]
pub struct Reserved {
    nodes: u32,
    most_rows: usize,
    frame: Frame,
    /// In order of their turns; none is empty.
    rows: Vec<Row>,
    opened: u64,
}

impl Reserved {
    /// No rows yet, of `nodes` columns; `most_rows` rows at most.
    pub fn new(nodes: u32, most_rows: u32, frame: Frame) -> Self {
        Reserved { nodes, most_rows: most_rows as usize, frame, rows: Vec::new(), opened: 0 }
    }

    /// Division of frames.
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// Returns true if no job is here.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns true if a job of `tasks` tasks with slices of this length would fit if it were the
    /// only one.
    pub fn could_fit(&self, tasks: u32, slice: SimDuration) -> bool {
        tasks <= self.nodes
            && self.most_rows > 0
            && slice.saturating_add(self.frame.switch) <= self.frame.most
    }

    /// Time that the slices of all rows take of a frame, switches included.
    pub fn taken(&self) -> SimDuration {
        let each = self.rows.iter().map(|row| row.slice().saturating_add(self.frame.switch));
        each.fold(SimDuration::ZERO, SimDuration::saturating_add)
    }

    /// Lets in a job of `tasks` tasks with slices of this length, where a frame begins: the columns
    /// it gets, or `None` if its slices cannot be kept together with those of the others.
    ///
    /// # Panics
    /// If the job has no tasks.
    ///
    /// # Complexity
    /// A step for each job in the rows, and one for each interval of columns.
    pub fn insert(&mut self, job: JobId, tasks: u32, slice: SimDuration) -> Option<&[Interval]> {
        assert!(tasks > 0, "a job has a task");
        let left = self.frame.most.saturating_sub(self.taken());
        let last = self.rows.len().checked_sub(1);
        let joined = (0..).zip(&self.rows).filter_map(|(at, row)| {
            let more = slice.saturating_sub(row.slice());
            let fits = row.vacant.count() >= u64::from(tasks) && (more.is_zero() || Some(at) == last);
            fits.then_some((more, at))
        });
        let opened = (self.rows.len() < self.most_rows && tasks <= self.nodes)
            .then_some((slice.saturating_add(self.frame.switch), self.rows.len()));
        let (_, at) = joined.chain(opened).filter(|&(more, _)| more <= left).min()?;
        if at == self.rows.len() {
            let (turn, vacant) = (ReservedRowId(self.opened), IntervalSet::full(self.nodes));
            self.rows.push(Row { turn, vacant, jobs: OrderedMap::new() });
            self.opened += 1;
        }
        let row = &mut self.rows[at];
        let mut columns = Vec::new();
        row.vacant.lowest(u64::from(tasks), &mut columns);
        for &part in &columns {
            row.vacant.remove(part);
        }
        Some(&row.jobs.entry(job).or_insert(Member { columns, slice }).columns)
    }

    /// Takes a job out; whether it was here.
    pub fn remove(&mut self, job: JobId) -> bool {
        let Some(at) = self.rows.iter().position(|row| row.jobs.contains_key(&job)) else { return false };
        let row = &mut self.rows[at];
        let member = row.jobs.remove(&job).expect("it has just been found");
        for part in member.columns {
            row.vacant.insert(part);
        }
        if row.jobs.is_empty() {
            self.rows.remove(at);
        }
        true
    }

    /// The row whose slice follows that of `after` in a frame, or the first of a frame, and how
    /// long the slice is without its switch; `None` if the other rows follow.
    pub fn next(&self, after: Option<ReservedRowId>) -> Option<(ReservedRowId, SimDuration)> {
        let row = self.rows.iter().find(|row| after.is_none_or(|after| row.turn > after))?;
        Some((row.turn, row.slice()))
    }

    /// Number of jobs a row has; none if it is not there.
    pub fn count_of(&self, turn: Option<ReservedRowId>) -> usize {
        self.rows.iter().find(|row| Some(row.turn) == turn).map_or(0, |row| row.jobs.len())
    }

    /// The jobs and their columns: those of a row first, if it is there, then all others, rows in
    /// order and jobs in order of submission.
    pub fn jobs(&self, first: Option<ReservedRowId>) -> impl Iterator<Item = (JobId, &[Interval])> {
        let has_turn = move |row: &&Row| Some(row.turn) == first;
        let (own, others) =
            (self.rows.iter().filter(has_turn), self.rows.iter().filter(move |row| !has_turn(row)));
        let jobs = own.chain(others).flat_map(|row| &row.jobs);
        jobs.map(|(&job, member)| (job, member.columns.as_slice()))
    }
}

/// Jobs that can run at the same time: each whose columns no earlier one has, in order of
/// submission.
///
/// # Complexity
/// A search for each interval of columns.
pub fn side_by_side<'a>(nodes: u32, jobs: impl IntoIterator<Item = (JobId, &'a [Interval])>) -> Vec<JobId> {
    let mut free = IntervalSet::full(nodes);
    let mut chosen = Vec::new();
    for (job, columns) in jobs {
        let got = columns.iter().take_while(|&&part| free.remove(part)).count();
        if got == columns.len() {
            chosen.push(job);
        } else {
            for &part in &columns[..got] {
                free.insert(part);
            }
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn us(micros: u64) -> SimDuration {
        SimDuration::from_micros(micros)
    }

    /// Frames of 10 ms, half of each for reserved slices, switches of 500 us.
    const FRAME: Frame = Frame {
        length: SimDuration::from_millis(10),
        most: SimDuration::from_millis(5),
        switch: SimDuration::from_micros(500),
    };

    fn slice(period: u64, deadline: u64, share: f64) -> Option<SimDuration> {
        let (period, deadline) = (SimDuration::from_millis(period), SimDuration::from_millis(deadline));
        FRAME.slice_for(Quality::RealTime { period, deadline, share })
    }

    #[test]
    fn a_slice_is_what_a_job_needs_of_each_frame_that_is_over_before_it_is_due() {
        assert_eq!(slice(20, 20, 0.1), Some(us(1000)));
        // 8.25 ms in the three frames of 33 ms, or in the one of a deadline of 19 ms
        assert_eq!((slice(33, 33, 0.25), slice(33, 19, 0.25)), (Some(us(2750)), Some(us(8250))));
        // a deadline after the next release changes nothing
        assert_eq!(slice(20, 50, 0.1), Some(us(1000)));
        assert_eq!(slice(20, 9, 0.1), None);
        assert_eq!(slice(10, 10, 1e-12), Some(SimDuration::from_nanos(1)));
        assert_eq!(FRAME.slice_for(Quality::BestEffort), None);
    }

    fn turns(reserved: &Reserved) -> Vec<(SimDuration, Vec<u32>)> {
        let mut found = Vec::new();
        let mut after = None;
        while let Some((turn, slice)) = reserved.next(after) {
            let row = reserved.rows.iter().find(|row| row.turn == turn).expect("it has a turn");
            found.push((slice, row.jobs.keys().map(|job| job.0).collect()));
            after = Some(turn);
        }
        found
    }

    fn insert(reserved: &mut Reserved, job: u32, tasks: u32, slice: u64) -> Option<String> {
        let columns = reserved.insert(JobId(job), tasks, us(slice))?;
        Some(columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_job_goes_where_it_takes_least_of_the_frame_and_delays_no_slice() {
        let mut reserved = Reserved::new(8, 3, FRAME);
        let columns = |found: Option<String>| found.unwrap_or_default();
        assert_eq!(columns(insert(&mut reserved, 0, 3, 1000)), "0-2");
        // the only row may grow: 500 us more instead of 2 ms for a row of its own
        assert_eq!(columns(insert(&mut reserved, 1, 2, 1500)), "3-4");
        assert_eq!(columns(insert(&mut reserved, 2, 6, 700)), "0-5");
        assert_eq!(turns(&reserved), [(us(1500), vec![0, 1]), (us(700), vec![2])]);
        assert_eq!(reserved.taken(), us(3200));
        // the first row may grow no more, and the last has two free columns only
        assert_eq!(columns(insert(&mut reserved, 3, 3, 1501)), "");
        assert_eq!(columns(insert(&mut reserved, 3, 2, 1501)), "6-7");
        assert_eq!(columns(insert(&mut reserved, 4, 3, 1400)), "5-7");
        assert_eq!(reserved.taken(), us(4001));
        // 999 us are left: a row of its own for 499
        assert_eq!(columns(insert(&mut reserved, 5, 1, 500)), "");
        assert_eq!(columns(insert(&mut reserved, 5, 8, 499)), "0-7");
        assert_eq!(reserved.taken(), FRAME.most);
        // a job that leaves shortens a slice, or takes the row along
        assert!(reserved.remove(JobId(1)) && !reserved.remove(JobId(1)));
        assert!(reserved.remove(JobId(2)) && reserved.remove(JobId(3)));
        assert_eq!(turns(&reserved), [(us(1400), vec![0, 4]), (us(499), vec![5])]);
    }

    #[test]
    fn what_could_never_fit_is_known() {
        let reserved = Reserved::new(8, 1, FRAME);
        assert!(reserved.could_fit(8, us(4500)));
        assert!(!reserved.could_fit(8, us(4501)) && !reserved.could_fit(9, us(1)));
        assert!(!Reserved::new(8, 0, FRAME).could_fit(1, us(1)));
    }

    #[test]
    fn jobs_that_run_together_are_found_by_columns() {
        let columns =
            [[Interval::new(0, 3)], [Interval::new(3, 4)], [Interval::new(4, 7)], [Interval::new(6, 6)]];
        let jobs = (0..).map(JobId).zip(columns.iter().map(<[Interval; 1]>::as_slice));
        assert_eq!(side_by_side(8, jobs.clone()), [JobId(0), JobId(2)]);
        assert_eq!(
            side_by_side(8, jobs.skip(1).chain([(JobId(0), columns[0].as_slice())])),
            [JobId(1), JobId(3)]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(20_261_121),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// Jobs come where frames begin and leave whenever: every span of so many frames in the
        /// life of a job holds that many of its slices.
        #[test]
        fn no_span_of_frames_lacks_a_slice(
            steps in prop::collection::vec((1_u32..6, 1_u64..30, 0_u64..4, 0_u64..100, prop::bool::ANY), 1..60),
        ) {
            let frame = Frame { length: us(100), most: us(70), switch: us(2) };
            let mut reserved = Reserved::new(8, 4, frame);
            let mut lives: OrderedMap<JobId, (u64, u64)> = OrderedMap::new();
            // which job ran from when to when [us]
            let mut ran: Vec<(JobId, u64, u64)> = Vec::new();
            for (number, (tasks, slice, leaver, when, comes)) in (0..).zip(steps) {
                let begins = u64::from(number) * 100;
                if comes && reserved.insert(JobId(number), tasks, us(slice)).is_some() {
                    lives.insert(JobId(number), (begins, slice));
                }
                prop_assert!(reserved.taken() <= frame.most);
                let leaver = lives.keys().nth(leaver as usize).copied();
                let (mut at, mut after, mut gone) = (begins, None, false);
                while let Some((turn, slice)) = reserved.next(after) {
                    let end = at + 2 + slice.as_nanos() / 1000;
                    for (job, _) in reserved.jobs(Some(turn)).take_while(|(job, _)| {
                        reserved.rows.iter().any(|row| row.turn == turn && row.jobs.contains_key(job))
                    }) {
                        ran.push((job, at + 2, end));
                    }
                    (at, after) = (end, Some(turn));
                    if let Some(leaver) = leaver.filter(|_| !gone && at >= begins + when) {
                        gone = true;
                        reserved.remove(leaver);
                        lives.remove(&leaver);
                    }
                }
                let ends = begins + 100;
                for (&job, &(since, slice)) in &lives {
                    let own: Vec<(u64, u64)> =
                        ran.iter().filter(|ran| ran.0 == job).map(|&(_, from, to)| (from, to)).collect();
                    // spans of one to three frames that end within this frame
                    for frames in 1..=3_u64 {
                        for end in ends - 100..=ends {
                            let Some(begin) = end.checked_sub(frames * 100).filter(|&begin| begin >= since) else { continue };
                            let time: u64 = own.iter().map(|&(from, to)| to.min(end).saturating_sub(from.max(begin))).sum();
                            prop_assert!(time >= frames * slice, "{job:?}: {time} of {} in {begin}..{end}", frames * slice);
                        }
                    }
                }
            }
        }
    }
}
