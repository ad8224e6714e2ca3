//! The matrix by hand, and against a grid of cells of which every step scans all.

use proptest::prelude::*;

use super::*;

fn matrix(shape: MatrixShape, tasks: &[u32]) -> Matrix {
    let mut matrix = Matrix::new(shape);
    for (job, &tasks) in (0..).zip(tasks) {
        assert!(matrix.insert(JobId(job), tasks).is_some(), "job {job} fits");
    }
    matrix.fill();
    matrix
}

/// The rows as text: jobs and their columns, replicas in brackets.
fn contents(matrix: &Matrix) -> Vec<String> {
    let member = |member: RowMember<'_>| {
        let columns: Vec<String> = member.columns.iter().map(ToString::to_string).collect();
        let text = format!("{}:{}", member.job, columns.join("+"));
        if member.role == Role::Own { text } else { format!("({text})") }
    };
    matrix.rows().map(|row| matrix.members(row.id()).map(member).collect::<Vec<_>>().join(" ")).collect()
}

fn ids(matrix: &Matrix) -> Vec<RowId> {
    matrix.rows().map(Row::id).collect()
}

#[test]
fn the_figure_of_six_jobs_has_replicas_of_the_two_small_ones() {
    // B4 of the experiments: jobs of 8, 8, 4, 2, 2 and 4 tasks on 8 nodes in 4 rows
    let matrix = matrix(MatrixShape::new(8, 4), &[8, 8, 4, 2, 2, 4]);
    assert_eq!(contents(&matrix), ["0:0-7", "1:0-7", "2:0-3 3:4-5 4:6-7", "(3:4-5) (4:6-7) 5:0-3"]);
    assert_eq!(matrix.replicas(JobId(3)).collect::<Vec<_>>(), [ids(&matrix)[3]]);
    assert_eq!(matrix.free_slots(), 4, "replicas are no tasks");
    assert_eq!(matrix.capacity(), 4, "and give way");
}

#[test]
fn a_whole_replica_yields_to_a_job_that_needs_a_cell_of_it() {
    let mut matrix = matrix(MatrixShape::new(8, 4), &[8, 8, 4, 2, 2, 4]);
    let last = ids(&matrix)[3];
    let before = matrix.row(last).expect("the row is there").changes();
    let place = matrix.insert(JobId(6), 1).expect("there is room");
    assert_eq!((place.row, place.columns), (last, &[Interval::new(4, 4)][..]));
    assert_eq!(contents(&matrix)[3], "(4:6-7) 5:0-3 6:4");
    assert!(matrix.row(last).expect("the row is there").changes() > before);
    matrix.remove(JobId(6));
    matrix.fill();
    assert_eq!(contents(&matrix)[3], "(3:4-5) (4:6-7) 5:0-3");
}

#[test]
fn best_takes_the_row_that_is_left_fullest_and_first_the_first() {
    let jobs = [4, 6, 7, 2];
    let first = matrix(MatrixShape::new(8, 3), &jobs);
    assert_eq!(contents(&first)[0], "0:0-3 3:4-5");
    let best = matrix(MatrixShape { choice: RowChoice::Best, ..MatrixShape::new(8, 3) }, &jobs);
    assert_eq!(contents(&best), ["0:0-3 (3:6-7)", "1:0-5 3:6-7", "2:0-6"]);
}

#[test]
fn rows_keep_their_order_while_others_are_deleted() {
    let mut matrix = matrix(MatrixShape::new(4, 4), &[4, 3, 4, 4]);
    let rows = ids(&matrix);
    assert_eq!(matrix.next_row(None), Some(rows[0]));
    assert_eq!(matrix.next_row(Some(rows[3])), Some(rows[0]));
    // the running slice is that of row 1; the rows around it lose their jobs
    matrix.remove(JobId(0));
    matrix.remove(JobId(2));
    assert_eq!(matrix.next_row(Some(rows[1])), Some(rows[3]), "an empty row is skipped before it is deleted");
    matrix.compact();
    assert_eq!(ids(&matrix), [rows[1], rows[3]], "nobody moves to a row that is to be deleted");
    assert_eq!(contents(&matrix), ["1:0-2", "3:0-3"]);
    let next = |row| matrix.next_row(Some(row));
    assert_eq!(
        [next(rows[0]), next(rows[1]), next(rows[2]), next(rows[3])],
        [1, 3, 3, 1].map(|at| Some(rows[at]))
    );
    let new = matrix.insert(JobId(4), 2).expect("there is room").row;
    assert!(new > rows[3], "a new row comes last");
}

#[test]
fn jobs_move_up_in_their_own_columns_only() {
    let mut matrix = matrix(MatrixShape::new(8, 4), &[5, 3, 4, 4, 8]);
    assert_eq!(contents(&matrix), ["0:0-4 1:5-7", "2:0-3 3:4-7", "4:0-7"]);
    matrix.remove(JobId(0));
    matrix.compact();
    matrix.fill();
    // job 3 would need column 5 of the first row; job 2 runs in both, the second being its old one
    assert_eq!(contents(&matrix), ["1:5-7 2:0-3", "(2:0-3) 3:4-7", "4:0-7"]);
    matrix.remove(JobId(1));
    matrix.compact();
    assert_eq!(contents(&matrix), ["2:0-3 3:4-7", "4:0-7"], "the second row had only a replica left");
    assert_eq!(matrix.replicas(JobId(2)).count(), 0);
}

#[test]
fn empty_rows_that_are_kept_have_their_turn() {
    let shape = MatrixShape { empty_rows: EmptyRows::Kept, ..MatrixShape::new(4, 3) };
    let mut matrix = matrix(shape, &[4, 4, 2, 2]);
    let rows = ids(&matrix);
    matrix.remove(JobId(1));
    matrix.compact();
    assert_eq!(contents(&matrix), ["0:0-3", "", "2:0-1 3:2-3"]);
    assert_eq!(matrix.next_row(Some(rows[0])), Some(rows[1]));
    matrix.fill();
    assert_eq!(contents(&matrix)[1], "(0:0-3)");
    // once the row has a job of its own, others move to it
    matrix.insert(JobId(4), 2);
    matrix.compact();
    assert_eq!(contents(&matrix), ["0:0-3", "3:2-3 4:0-1", "2:0-1"]);
}

/// The rows in one line, as the manual has them.
fn line(matrix: &Matrix) -> String {
    let row = |row: String| if row.is_empty() { "-".to_owned() } else { row };
    contents(matrix).into_iter().map(row).collect::<Vec<_>>().join(" | ")
}

#[test]
fn the_cases_of_the_manual_on_rows_that_lose_their_jobs() {
    let mut lines = Vec::new();
    let filled = |tasks: &[u32]| {
        let mut matrix = Matrix::new(MatrixShape::new(4, 4));
        (0..).zip(tasks).for_each(|(job, &tasks)| assert!(matrix.insert(JobId(job), tasks).is_some()));
        matrix
    };
    let mut matrix = filled(&[4, 4, 2, 3]);
    lines.push(line(&matrix));
    let rows = ids(&matrix);
    let ended = |matrix: &mut Matrix, jobs: [u32; 2]| {
        jobs.into_iter().for_each(|job| assert!(matrix.remove(JobId(job))));
    };
    ended(&mut matrix, [0, 1]);
    lines.push(line(&matrix));
    matrix.compact();
    lines.push(line(&matrix));
    matrix.insert(JobId(4), 2).expect("the first row has room");
    assert!(matrix.insert(JobId(5), 4).expect("there is a row to open").row > rows[3]);
    lines.push(line(&matrix));
    let next = matrix.next_row(Some(rows[1])).expect("there are jobs");
    assert_eq!(next, rows[2], "the row behind the deleted one");
    assert_eq!(matrix.place(JobId(4)).map(|place| place.row), Some(next));
    assert_eq!(matrix.next_row(Some(ids(&matrix)[2])), Some(next), "after the last row comes the first");

    let mut early = filled(&[4, 4, 2, 3]);
    ended(&mut early, [0, 1]);
    assert_eq!(early.cycle(), [rows[2], rows[3]], "an empty row has no turn");
    early.insert(JobId(4), 2).expect("the first row is empty");
    let place = early.insert(JobId(5), 4).expect("the second row is empty");
    assert_eq!(place.row, rows[1], "the row that runs");
    lines.push(line(&early));

    let mut emptied = filled(&[2, 2, 4, 2, 2, 2]);
    lines.push(line(&emptied));
    ended(&mut emptied, [0, 4]);
    lines.push(line(&emptied));
    emptied.compact();
    lines.push(line(&emptied));

    let manual = include_str!("../../../../../docs/batch.md");
    let (_, chapter) = manual.split_once("**Rows that lose their jobs.**").expect("the manual has the rules");
    let drawn = chapter.split("```").skip(1).step_by(2).take(3).flat_map(|block| block.lines().skip(1));
    let drawn: Vec<&str> = drawn.map(|line| line.split("   ").next().unwrap_or_default()).collect();
    assert_eq!(drawn, lines);
}

#[test]
fn an_empty_matrix_has_nothing_to_run() {
    let mut matrix = Matrix::new(MatrixShape::new(4, 2));
    assert_eq!(matrix.next_row(None), None);
    assert_eq!((matrix.capacity(), matrix.free_slots()), (4, 8));
    assert_eq!(matrix.insert(JobId(0), 5), None, "a job larger than the machine");
    assert!(!matrix.remove(JobId(0)));
    matrix.compact();
    matrix.fill();
    assert_eq!(matrix.rows().len(), 0);
    assert_eq!(Matrix::new(MatrixShape::new(4, 0)).insert(JobId(0), 1), None, "no rows");
    let gone = matrix.insert(JobId(1), 1).expect("there is room").row;
    matrix.remove(JobId(1));
    matrix.compact();
    assert_eq!(matrix.next_row(Some(gone)), None);
    assert_eq!(matrix.members(gone).count(), 0);
}

#[test]
fn blocks_of_two_to_the_k_lose_what_they_do_not_use() {
    let shape = MatrixShape { packing: Packing::Buddy, ..MatrixShape::new(8, 2) };
    let mut matrix = matrix(shape, &[3, 3, 5]);
    // columns 3 and 7 of the first row are lost, and 5 to 7 of the second
    assert_eq!(matrix.insert(JobId(3), 1), None);
    assert_eq!(contents(&matrix), ["0:0-2 1:4-6", "2:0-4"]);
    assert_eq!((matrix.fragmented(), matrix.free_slots(), matrix.capacity()), (5, 5, 0));
}

/// A cell of the plain model: whose it is, and whether its own; `None` for one lost in a block
/// counts as the job's.
type Cell = Option<(u32, Role)>;

/// The matrix as a grid. Every step scans every cell, and the rules are written as they are stated.
struct Plain {
    shape: MatrixShape,
    opened: u64,
    rows: Vec<(u64, Vec<Cell>)>,
    /// Job, tasks.
    jobs: Vec<(u32, u32)>,
    /// True of each column out of service.
    out: Vec<bool>,
}

impl Plain {
    fn columns_of(&self, row: usize, job: u32, role: Role) -> Vec<usize> {
        let cells = &self.rows[row].1;
        (0..cells.len()).filter(|&column| cells[column] == Some((job, role))).collect()
    }

    fn jobs_of(&self, row: usize, role: Role) -> Vec<u32> {
        let with = |job: &u32| !self.columns_of(row, *job, role).is_empty();
        let mut jobs: Vec<u32> = self.jobs.iter().map(|job| job.0).filter(with).collect();
        jobs.sort_unstable();
        jobs
    }

    fn clear(&mut self, row: usize, job: u32) {
        for cell in &mut self.rows[row].1 {
            if cell.is_some_and(|cell| cell.0 == job) {
                *cell = None;
            }
        }
    }

    fn vacant(cell: Cell) -> bool {
        cell.is_none_or(|cell| cell.1 == Role::Replica)
    }

    /// The columns booked for `tasks` tasks in a row.
    fn columns(&self, cells: &[Cell], tasks: usize) -> Option<Vec<usize>> {
        let open = |column: usize| Self::vacant(cells[column]) && !self.out[column];
        match self.shape.packing {
            Packing::Leftmost => {
                let vacant: Vec<usize> = (0..cells.len()).filter(|&column| open(column)).collect();
                vacant.get(..tasks).map(<[usize]>::to_vec)
            }
            Packing::Buddy => {
                let size = tasks.next_power_of_two();
                let block = |first: usize| (first..(first + size).min(cells.len())).collect::<Vec<usize>>();
                let blocks = (0..cells.len()).step_by(size).map(block);
                let fits =
                    |block: &Vec<usize>| block.len() >= tasks && block.iter().all(|&column| open(column));
                { blocks }.find(fits)
            }
        }
    }

    fn take(&mut self, row: usize, job: u32, columns: &[usize]) {
        for &column in columns {
            if let Some((other, _)) = self.rows[row].1[column] {
                self.clear(row, other);
            }
        }
        for &column in columns {
            self.rows[row].1[column] = Some((job, Role::Own));
        }
    }

    fn insert(&mut self, job: u32, tasks: u32) -> bool {
        let nodes = self.shape.nodes as usize;
        let mut best: Option<(usize, usize, Vec<usize>)> = None;
        for row in 0..self.rows.len() {
            let cells = &self.rows[row].1;
            let Some(columns) = self.columns(cells, tasks as usize) else { continue };
            let open = |column: &usize| Self::vacant(cells[*column]) && !self.out[*column];
            let left = (0..nodes).filter(open).count() - columns.len();
            let better =
                self.shape.choice == RowChoice::Best && best.as_ref().is_some_and(|best| left < best.0);
            if best.is_none() || better {
                best = Some((left, row, columns));
            }
        }
        if best.is_none() && self.rows.len() < self.shape.rows as usize {
            let empty = vec![None; nodes];
            if let Some(columns) = self.columns(&empty, tasks as usize) {
                self.rows.push((self.opened, empty));
                self.opened += 1;
                best = Some((0, self.rows.len() - 1, columns));
            }
        }
        let Some((_, row, columns)) = best else { return false };
        self.jobs.push((job, tasks));
        self.take(row, job, &columns);
        true
    }

    fn remove(&mut self, job: u32) {
        (0..self.rows.len()).for_each(|row| self.clear(row, job));
        self.jobs.retain(|other| other.0 != job);
    }

    fn compact(&mut self) {
        for from in 1..self.rows.len() {
            for job in self.jobs_of(from, Role::Own) {
                let columns = self.columns_of(from, job, Role::Own);
                let vacant =
                    |row: &usize| columns.iter().all(|&column| Self::vacant(self.rows[*row].1[column]));
                let has_jobs = |row: &usize| !self.jobs_of(*row, Role::Own).is_empty();
                if let Some(to) = (0..from).filter(has_jobs).find(vacant) {
                    self.clear(from, job);
                    self.clear(to, job);
                    self.take(to, job, &columns);
                }
            }
        }
        if self.shape.empty_rows == EmptyRows::Deleted {
            self.rows.retain(|row| row.1.iter().any(|cell| cell.is_some_and(|cell| cell.1 == Role::Own)));
        }
    }

    fn fill(&mut self) {
        for row in 0..self.rows.len() {
            let mut jobs = self.jobs.clone();
            jobs.sort_unstable();
            for (job, _) in jobs {
                let home = (0..self.rows.len()).find(|&row| !self.columns_of(row, job, Role::Own).is_empty());
                let columns = self.columns_of(home.expect("a job has a row"), job, Role::Own);
                if columns.iter().all(|&column| self.rows[row].1[column].is_none()) {
                    columns.iter().for_each(|&column| self.rows[row].1[column] = Some((job, Role::Replica)));
                }
            }
        }
    }

    fn capacity(&self) -> u64 {
        let fits = |tasks: &u32| {
            let empty = vec![None; self.shape.nodes as usize];
            let fits = self.columns(&empty, *tasks as usize).is_some();
            let opens = self.rows.len() < self.shape.rows as usize && fits;
            opens || self.rows.iter().any(|row| self.columns(&row.1, *tasks as usize).is_some())
        };
        (1..=self.shape.nodes).rev().find(fits).map_or(0, u64::from)
    }
}

/// Both hold the same, cell by cell; and nothing that no matrix may hold.
fn check(matrix: &Matrix, plain: &Plain) {
    let keys: Vec<u64> = matrix.rows().map(|row| row.id().0).collect();
    assert_eq!(keys, plain.rows.iter().map(|row| row.0).collect::<Vec<_>>());
    let mut used = 0;
    for (at, row) in matrix.rows().enumerate() {
        for role in [Role::Own, Role::Replica] {
            let jobs: Vec<u32> = row.jobs().filter(|job| job.1 == role).map(|(job, _)| job.0).collect();
            assert_eq!(jobs, plain.jobs_of(at, role), "row {at}, {role:?}");
        }
        let mut taken = vec![false; matrix.shape().nodes as usize];
        for member in matrix.members(row.id()) {
            let (_, tasks) = *plain.jobs.iter().find(|job| job.0 == member.job.0).expect("the model has it");
            let columns: Vec<usize> =
                member.columns.iter().flat_map(|part| part.first as usize..=part.last as usize).collect();
            assert_eq!(columns.len(), tasks as usize, "a task has a column");
            let booked = plain.columns_of(at, member.job.0, member.role);
            assert_eq!(columns, booked[..columns.len()], "row {at}, job {}", member.job);
            for column in columns {
                assert!(!taken[column], "node {column} of row {at} has two tasks");
                taken[column] = true;
            }
            // its own cells are in one row, its replicas in others on the same columns
            let place = matrix.place(member.job).expect("a member has a place");
            assert_eq!(place.columns, member.columns);
            assert_eq!(place.row == row.id(), member.role == Role::Own);
            let has_replica = matrix.replicas(member.job).any(|replica| replica == row.id());
            assert_eq!(has_replica, member.role == Role::Replica);
            used += u64::from(tasks) * u64::from(member.role == Role::Own);
        }
    }
    let booked = plain.rows.iter().flat_map(|row| &row.1).filter(|&&cell| !Plain::vacant(cell)).count();
    let in_service = plain.out.iter().filter(|&&out| !out).count() as u64;
    let cells = in_service * u64::from(plain.shape.rows);
    assert_eq!(used, plain.jobs.iter().map(|job| u64::from(job.1)).sum::<u64>());
    assert_eq!((matrix.free_slots(), matrix.fragmented()), (cells - used, booked as u64 - used));
    assert_eq!(matrix.capacity(), plain.capacity());
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(u32),
    Remove(usize),
    Compact,
    Fill,
    /// Columns from the first on, so many.
    Fail(u32, u32),
    Repair(u32, u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1_u32..14).prop_map(Step::Insert),
        3 => (0_usize..40).prop_map(Step::Remove),
        2 => Just(Step::Compact),
        2 => Just(Step::Fill),
        1 => (0_u32..14, 0_u32..4).prop_map(|(first, more)| Step::Fail(first, more)),
        1 => (0_u32..14, 0_u32..6).prop_map(|(first, more)| Step::Repair(first, more)),
    ];
    prop::collection::vec(step, 0..120)
}

fn shapes() -> impl Strategy<Value = MatrixShape> {
    let choice = prop_oneof![Just(RowChoice::First), Just(RowChoice::Best)];
    let packing = prop_oneof![Just(Packing::Leftmost), Just(Packing::Buddy)];
    let empty_rows = prop_oneof![Just(EmptyRows::Deleted), Just(EmptyRows::Kept)];
    let shape = (1_u32..14, 0_u32..7, choice, packing, empty_rows);
    shape.prop_map(|(nodes, rows, choice, packing, empty_rows)| MatrixShape {
        nodes,
        rows,
        choice,
        packing,
        empty_rows,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_matrix_is_that_of_scans_over_a_grid(shape in shapes(), steps in steps()) {
        let mut matrix = Matrix::new(shape);
        let out = vec![false; shape.nodes as usize];
        let mut plain = Plain { shape, opened: 0, rows: Vec::new(), jobs: Vec::new(), out };
        // later jobs have lower keys now and then, as when the queue is not in order of submission
        let mut keys = (0..).map(|step: u32| (step * 7) % 128);
        for step in steps {
            match step {
                Step::Insert(tasks) => {
                    let job = keys.next().expect("there is no last key");
                    let fits = u64::from(tasks) <= matrix.capacity();
                    prop_assert_eq!(matrix.insert(JobId(job), tasks).is_some(), fits);
                    prop_assert_eq!(plain.insert(job, tasks), fits);
                }
                Step::Remove(place) if plain.jobs.is_empty() => prop_assert!(!matrix.remove(JobId(place as u32))),
                Step::Remove(place) => {
                    let (job, _) = plain.jobs[place % plain.jobs.len()];
                    prop_assert!(matrix.remove(JobId(job)));
                    plain.remove(job);
                }
                Step::Compact => {
                    matrix.compact();
                    plain.compact();
                }
                Step::Fill => {
                    matrix.fill();
                    plain.fill();
                }
                Step::Fail(first, more) if first < shape.nodes => {
                    let part = Interval::new(first, (first + more).min(shape.nodes - 1));
                    // jobs that use such a column leave before
                    for (job, _) in plain.jobs.clone() {
                        let place = matrix.place(JobId(job)).expect("it is here");
                        let meets = |on: &Interval| on.first <= part.last && part.first <= on.last;
                        if place.columns.iter().any(meets) {
                            matrix.remove(JobId(job));
                            plain.remove(job);
                        }
                    }
                    matrix.fail(part);
                    plain.out[part.first as usize..=part.last as usize].fill(true);
                }
                Step::Repair(first, more) if first < shape.nodes => {
                    let part = Interval::new(first, (first + more).min(shape.nodes - 1));
                    matrix.repair(part);
                    plain.out[part.first as usize..=part.last as usize].fill(false);
                }
                Step::Fail(..) | Step::Repair(..) => {}
            }
            check(&matrix, &plain);
        }
    }
}
