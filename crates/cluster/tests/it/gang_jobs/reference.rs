//! Gang scheduling a slice at a time on a grid of cells, every step a scan of all: what the coarse
//! engine is compared with.

use std::collections::BTreeMap;

/// The rules, named as in a scenario.
#[expect(clippy::struct_excessive_bools, reason = "each is a rule that holds or does not")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) level: usize,
    pub(super) quantum: u64,
    pub(super) switch: u64,
    pub(super) queue: &'static str,
    pub(super) best: bool,
    pub(super) buddy: bool,
    pub(super) kept: bool,
    pub(super) replicas: bool,
    pub(super) unification: bool,
    pub(super) backfill: bool,
    /// What a migration costs, if there are any.
    pub(super) migration: Option<u64>,
}

impl Rules {
    /// The policy as a scenario has it.
    pub(super) fn policy(&self) -> String {
        format!(
            "{{ kind = 'gang', quantum = '{}ns', switch = '{}ns', queue = '{}', row = '{}', packing = '{}', \
             empty-rows = '{}', replicas = {}, unification = {}, backfill = '{}', migration = '{}', \
             migration-cost = '{}ns' }}",
            self.quantum,
            self.switch,
            self.queue,
            if self.best { "best" } else { "first" },
            if self.buddy { "buddy" } else { "leftmost" },
            if self.kept { "kept" } else { "skipped" },
            self.replicas,
            self.unification,
            if self.backfill { "easy" } else { "none" },
            if self.migration.is_some() { "compaction" } else { "none" },
            self.migration.unwrap_or(0),
        )
    }
}

/// A job as (submission, tasks, run time, estimate) [ns].
pub(super) type Asked = (u64, usize, u64, u64);

/// A span in which a job has cells in a row: its beginning, the place of the row from 1, columns,
/// the job, true for a replica, its end.
pub(super) type Stand = (u64, u32, Vec<u32>, usize, bool, u64);

/// Outcome of a run.
pub(super) struct GridRun {
    pub(super) starts: Vec<u64>,
    pub(super) ends: Vec<u64>,
    pub(super) migrations: u64,
    /// In order.
    pub(super) stands: Vec<Stand>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cell {
    job: usize,
    own: bool,
}

struct Grid<'a> {
    jobs: &'a [Asked],
    rules: Rules,
    nodes: usize,
    /// Rows by the number of their opening.
    rows: Vec<(usize, Vec<Option<Cell>>)>,
    opened: usize,
    queue: Vec<usize>,
    starts: Vec<u64>,
    left: BTreeMap<usize, u64>,
    frozen: BTreeMap<usize, u64>,
    /// Whether a job came or its rows became others.
    touched: bool,
    migrations: u64,
    /// Cells that jobs have: job, place of the row, true for a replica; since when, which.
    standing: BTreeMap<(usize, u32, bool), (u64, Vec<u32>)>,
    stands: Vec<Stand>,
}

fn vacant(cell: Option<Cell>) -> bool {
    cell.is_none_or(|cell| !cell.own)
}

impl Grid<'_> {
    fn home(&self, job: usize) -> Option<usize> {
        self.rows.iter().position(|row| row.1.contains(&Some(Cell { job, own: true })))
    }

    fn booked(&self, row: usize, job: usize) -> Vec<usize> {
        let cells = &self.rows[row].1;
        (0..self.nodes).filter(|&column| cells[column].is_some_and(|cell| cell.job == job)).collect()
    }

    fn is_home(&self, row: usize) -> bool {
        self.rows[row].1.iter().flatten().any(|cell| cell.own)
    }

    fn fits(&self, row: usize, tasks: usize) -> Option<Vec<usize>> {
        self.columns(&self.rows[row].1, tasks)
    }

    fn columns(&self, cells: &[Option<Cell>], tasks: usize) -> Option<Vec<usize>> {
        if !self.rules.buddy {
            let free: Vec<usize> = (0..self.nodes).filter(|&column| vacant(cells[column])).collect();
            return free.get(..tasks).map(<[usize]>::to_vec);
        }
        let size = tasks.next_power_of_two();
        let block = |first: usize| (first..(first + size).min(self.nodes)).collect::<Vec<usize>>();
        (0..self.nodes)
            .step_by(size)
            .map(block)
            .find(|block| block.len() >= tasks && block.iter().all(|&column| vacant(cells[column])))
    }

    fn clear(&mut self, job: usize, rows: impl Iterator<Item = usize>) {
        for row in rows {
            for cell in self.rows[row].1.iter_mut().filter(|cell| cell.is_some_and(|cell| cell.job == job)) {
                *cell = None;
            }
        }
    }

    fn clear_all(&mut self, job: usize) {
        self.clear(job, 0..self.rows.len());
    }

    /// Gives a job cells of its own; replicas there go.
    fn take(&mut self, job: usize, row: usize, columns: &[usize]) {
        for &column in columns {
            if let Some(other) = self.rows[row].1[column] {
                assert!(!other.own, "a cell is booked once");
                self.clear(other.job, [row].into_iter());
            }
        }
        for &column in columns {
            self.rows[row].1[column] = Some(Cell { job, own: true });
        }
        self.touched = true;
    }

    fn open(&self, kept: Option<usize>) -> impl Iterator<Item = usize> {
        (0..self.rows.len()).filter(move |&row| Some(row) != kept)
    }

    fn could_open(&self) -> bool {
        self.rows.len() < self.rules.level
    }

    fn insert(&mut self, now: u64, job: usize, kept: Option<usize>) -> bool {
        let tasks = self.jobs[job].1;
        let mut found: Option<(usize, usize, Vec<usize>)> = None;
        for row in self.open(kept) {
            let Some(columns) = self.fits(row, tasks) else { continue };
            let left = self.rows[row].1.iter().filter(|&&cell| vacant(cell)).count() - columns.len();
            if found.as_ref().is_none_or(|found| self.rules.best && left < found.0) {
                found = Some((left, row, columns));
            }
        }
        if found.is_none() && self.could_open() {
            let cells = vec![None; self.nodes];
            if let Some(columns) = self.columns(&cells, tasks) {
                self.rows.push((self.opened, cells));
                self.opened += 1;
                found = Some((0, self.rows.len() - 1, columns));
            }
        }
        let Some((_, row, columns)) = found else { return false };
        self.take(job, row, &columns);
        self.queue.retain(|&other| other != job);
        self.starts[job] = now;
        self.left.insert(job, self.jobs[job].2);
        true
    }

    fn fits_somewhere(&self, job: usize) -> bool {
        self.could_open() || (0..self.rows.len()).any(|row| self.fits(row, self.jobs[job].1).is_some())
    }

    fn schedule(&mut self, now: u64) {
        loop {
            let key = |&job: &usize| match self.rules.queue {
                "sjf" => (self.jobs[job].3, job),
                "smallest" => (self.jobs[job].1 as u64, job),
                _ => (0, job),
            };
            self.queue.sort_by_key(key);
            let next = if self.rules.queue == "first-fit" {
                self.queue.iter().copied().find(|&job| self.fits_somewhere(job))
            } else {
                self.queue.first().copied().filter(|&job| self.fits_somewhere(job))
            };
            let Some(job) = next else { break };
            assert!(self.insert(now, job, None));
        }
        if self.rules.backfill && !self.queue.is_empty() {
            self.backfill(now);
        }
    }

    fn backfill(&mut self, now: u64) {
        let (head, level) = (self.queue[0], self.rules.level as u64);
        let need = self.jobs[head].1;
        let mut promise: Option<(u64, usize, usize)> = None;
        for row in 0..self.rows.len() {
            let own: Vec<usize> =
                self.left.keys().copied().filter(|&job| self.home(job) == Some(row)).collect();
            let end = |job: usize| (self.starts[job] + self.jobs[job].3 * level).max(now + 1);
            let free_at = |at: u64| {
                let released = own.iter().filter(|&&job| end(job) <= at);
                self.rows[row].1.iter().filter(|&&cell| vacant(cell)).count()
                    + released.map(|&job| self.booked(row, job).len()).sum::<usize>()
            };
            let shadow = own.iter().map(|&job| end(job)).filter(|&at| free_at(at) >= need).min();
            if let Some(shadow) = shadow
                && promise.is_none_or(|promise| shadow < promise.0)
            {
                promise = Some((shadow, row, free_at(shadow) - need));
            }
        }
        let Some((shadow, row, mut extra)) = promise else { return };
        let behind = self.queue[1..].to_vec();
        for job in behind {
            let (_, tasks, _, estimate) = self.jobs[job];
            let short = now + estimate * level <= shadow;
            let inside = self.fits(row, tasks).is_some() && (short || tasks <= extra);
            let beside = self.open(Some(row)).any(|row| self.fits(row, tasks).is_some());
            if inside || beside {
                assert!(self.insert(now, job, (!inside).then_some(row)));
                if self.home(job) == Some(row) && !short {
                    extra = extra.saturating_sub(self.booked(row, job).len());
                }
            }
        }
    }

    fn compact(&mut self, now: u64) {
        if self.rules.unification || self.rules.migration.is_some() {
            self.move_up(now, None);
        }
        if let Some(cost) = self.rules.migration {
            self.move_up(now, Some(cost));
        }
        if !self.rules.kept {
            let gone: Vec<usize> = (0..self.rows.len()).filter(|&row| !self.is_home(row)).collect();
            for &row in gone.iter().rev() {
                self.touched |= self.rows.remove(row).1.iter().flatten().next().is_some();
            }
        }
    }

    fn move_up(&mut self, now: u64, migration: Option<u64>) {
        for from in 1..self.rows.len() {
            let own: Vec<usize> =
                self.left.keys().copied().filter(|&job| self.home(job) == Some(from)).collect();
            for job in own {
                let columns = self.booked(from, job);
                let homes: Vec<usize> = (0..from).filter(|&row| self.is_home(row)).collect();
                let free = |&row: &usize| columns.iter().all(|&column| vacant(self.rows[row].1[column]));
                if let Some(to) = homes.iter().copied().find(|row| free(row)) {
                    self.clear(job, [from, to].into_iter());
                    self.take(job, to, &columns);
                } else if let Some(cost) = migration {
                    let to = homes.into_iter().find_map(|row| Some((row, self.fits(row, self.jobs[job].1)?)));
                    if let Some((to, columns)) = to {
                        self.clear_all(job);
                        self.take(job, to, &columns);
                        self.frozen.insert(job, now + cost);
                        self.migrations += 1;
                    }
                }
            }
        }
    }

    fn fill(&mut self) {
        for row in 0..self.rows.len() {
            for job in self.left.keys().copied().collect::<Vec<usize>>() {
                let columns = self.booked(self.home(job).expect("who runs has a row"), job);
                if columns.iter().all(|&column| self.rows[row].1[column].is_none()) {
                    for &column in &columns {
                        self.rows[row].1[column] = Some(Cell { job, own: false });
                    }
                    self.touched = true;
                }
            }
        }
    }

    /// The row whose slice follows that of the row with the number `after`.
    fn next_row(&self, after: Option<usize>) -> Option<usize> {
        if self.left.is_empty() {
            return None;
        }
        let runs = |row: &&(usize, Vec<Option<Cell>>)| self.rules.kept || row.1.iter().any(Option::is_some);
        let later = self.rows.iter().filter(runs).find(|row| after.is_none_or(|after| row.0 > after));
        later.or_else(|| self.rows.iter().find(runs)).map(|row| row.0)
    }

    /// Notes which cells jobs have after this instant. Of a block a job uses the first columns.
    fn note(&mut self, now: u64) {
        let mut present: BTreeMap<(usize, u32, bool), Vec<u32>> = BTreeMap::new();
        for (place, (_, cells)) in (1..).zip(&self.rows) {
            for (column, cell) in (0..).zip(cells) {
                if let Some(Cell { job, own }) = *cell {
                    let columns = present.entry((job, place, !own)).or_default();
                    if columns.len() < self.jobs[job].1 {
                        columns.push(column);
                    }
                }
            }
        }
        for (key, (since, columns)) in std::mem::take(&mut self.standing) {
            if present.get(&key) == Some(&columns) {
                self.standing.insert(key, (since, columns));
            } else {
                self.stands.push((since, key.1, columns, key.0, key.2, now));
            }
        }
        for (key, columns) in present {
            self.standing.entry(key).or_insert((now, columns));
        }
    }

    fn runs(&self, job: usize, row: usize, now: u64) -> bool {
        let there = self.rows.iter().find(|other| other.0 == row);
        let is_there = there.is_some_and(|row| row.1.iter().flatten().any(|cell| cell.job == job));
        is_there && self.frozen.get(&job).is_none_or(|&until| until <= now)
    }
}

/// Starts and ends of all jobs, how often one migrated, and which cells they had.
pub(super) fn by_slices(jobs: &[Asked], nodes: usize, rules: Rules) -> GridRun {
    let mut grid = Grid {
        jobs,
        rules,
        nodes,
        rows: Vec::new(),
        opened: 0,
        queue: Vec::new(),
        starts: vec![0; jobs.len()],
        left: BTreeMap::new(),
        frozen: BTreeMap::new(),
        touched: false,
        migrations: 0,
        standing: BTreeMap::new(),
        stands: Vec::new(),
    };
    let mut ends = vec![0; jobs.len()];
    let (mut now, mut submitted, mut gone) = (0, 0, 0);
    // row, when its jobs begin to run, when it ends
    let mut slice: Option<(usize, u64, u64)> = None;
    let mut goes_on = true;
    while gone < jobs.len() {
        let arrival = jobs.get(submitted).map(|job| job.0);
        let mut next: Vec<u64> = arrival.into_iter().chain(slice.map(|slice| slice.2)).collect();
        if let Some((row, runs, _)) = slice {
            next.push(runs);
            let here = grid.left.iter().filter(|&(&job, _)| grid.runs(job, row, now));
            next.extend(here.map(|(_, left)| now.max(runs) + left));
            next.extend(grid.frozen.values());
        }
        let then = next.into_iter().filter(|&at| at > now || (now == 0 && at == 0 && submitted == 0)).min();
        let then = then.expect("something happens");
        if let Some((row, runs, _)) = slice
            && then > runs
        {
            let passed = then - now.max(runs);
            let here: Vec<usize> =
                grid.left.keys().copied().filter(|&job| grid.runs(job, row, now)).collect();
            for job in here {
                *grid.left.get_mut(&job).expect("it is here") -= passed;
            }
        }
        now = then;
        let ended: Vec<usize> = grid.left.iter().filter(|left| *left.1 == 0).map(|left| *left.0).collect();
        for job in ended {
            grid.clear_all(job);
            grid.left.remove(&job);
            grid.frozen.remove(&job);
            ends[job] = now;
            gone += 1;
            goes_on = false;
        }
        while jobs.get(submitted).is_some_and(|job| job.0 == now) {
            grid.queue.push(submitted);
            submitted += 1;
            goes_on = false;
        }
        if let Some((_, _, over)) = slice
            && now < over
        {
            if !goes_on {
                grid.schedule(now);
                grid.note(now);
            }
            continue;
        }
        let before = slice.map(|slice| slice.0).filter(|_| !grid.left.is_empty());
        if !goes_on {
            // what schedule did within the slice is settled by these steps
            grid.touched = false;
            grid.compact(now);
            grid.schedule(now);
            if rules.replicas {
                grid.fill();
            }
            goes_on = !grid.touched;
            grid.note(now);
        }
        slice = grid.next_row(before).map(|row| {
            let switch = if before.is_some_and(|before| before != row) { rules.switch } else { 0 };
            (row, now + switch, now + switch + rules.quantum)
        });
    }
    grid.stands.sort();
    GridRun { starts: grid.starts, ends, migrations: grid.migrations, stands: grid.stands }
}
