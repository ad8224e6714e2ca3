//! Columns that features of another crate have in the table of jobs, and their cells.

use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Cell, Column};

/// Cell of a job under a column of a feature of another crate.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum FeatureCell {
    /// Nothing: not observed, or does not apply.
    #[default]
    Empty,
    /// A whole number from 0.
    Count(u64),
    /// A span.
    Time(SimDuration),
    /// A real number.
    Real(f64),
    /// Any text.
    Text(String),
}

impl FeatureCell {
    /// The cell of a row.
    pub fn cell(&self) -> Cell<'_> {
        match self {
            FeatureCell::Empty => Cell::Empty,
            FeatureCell::Count(count) => Cell::Count(*count),
            FeatureCell::Time(span) => Cell::Time(*span),
            FeatureCell::Real(value) => Cell::Real(*value),
            FeatureCell::Text(text) => Cell::Text(text),
        }
    }
}

macro_rules! cells_from {
    ($($of:ty: $value:ident => $cell:expr;)*) => {
        $(impl From<$of> for FeatureCell {
            fn from($value: $of) -> Self {
                $cell
            }
        })*
    };
}

cells_from! {
    u64: count => FeatureCell::Count(count);
    f64: value => FeatureCell::Real(value);
    SimDuration: span => FeatureCell::Time(span);
    SimTime: at => FeatureCell::Time(at.since(SimTime::ZERO));
    String: text => FeatureCell::Text(text);
    &str: text => FeatureCell::Text(text.to_owned());
}

impl<T: Into<FeatureCell>> From<Option<T>> for FeatureCell {
    fn from(value: Option<T>) -> Self {
        value.map(Into::into).unwrap_or_default()
    }
}

/// Columns of features of another crate, and the cells of every job.
#[derive(Clone, Debug, Default)]
pub struct OwnCells {
    /// The columns, under the names that they have in the table.
    pub columns: Vec<Column>,
    /// Cells of each job, by its id; those that are missing are empty.
    cells: Vec<Vec<FeatureCell>>,
}

impl OwnCells {
    /// Cells of jobs in order of their ids under these columns.
    ///
    /// # Errors
    /// A cell is none of its column.
    pub fn new(columns: Vec<Column>, cells: Vec<Vec<FeatureCell>>) -> Result<Self, String> {
        for row in &cells {
            let mut pairs = columns.iter().zip(row);
            if let Some((column, cell)) = pairs.find(|(column, cell)| !column.kind.takes(&cell.cell())) {
                return Err(format!("{cell:?} is no cell of the column `{}`", column.name));
            }
        }
        Ok(OwnCells { columns, cells })
    }

    /// Cells of a job, one for each column.
    pub fn of(&self, job: JobId) -> impl Iterator<Item = Cell<'_>> {
        let own = self.cells.get(job.index()).map_or(&[][..], Vec::as_slice);
        (0..self.columns.len()).map(|place| own.get(place).map(FeatureCell::cell).unwrap_or_default())
    }

    /// Gives the jobs other ids: `now[id]` is what the job `id` is called.
    pub(super) fn renamed(mut self, now: &[JobId]) -> Self {
        let mut cells = vec![Vec::new(); now.len()];
        for (own, name) in self.cells.into_iter().zip(now) {
            cells[name.index()] = own;
        }
        self.cells = cells;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::CellType;

    #[test]
    fn cells_are_of_their_columns_and_go_with_their_jobs() {
        let columns = || {
            vec![
                Column::new("a.waited", CellType::Time, "s", "how long it waited"),
                Column::new("a.by", CellType::Text, "", "by whom"),
            ]
        };
        let second = SimDuration::from_secs(1);
        let cells = vec![vec![second.into(), "x".into()], vec![FeatureCell::Empty], Vec::new()];
        let own = OwnCells::new(columns(), cells).expect("cells of their columns");
        let of = |own: &OwnCells, job| own.of(JobId(job)).map(|cell| format!("{cell:?}")).collect::<Vec<_>>();
        let first = of(&own, 0);
        assert_eq!(first, [format!("{:?}", Cell::Time(second)), "Text(\"x\")".to_owned()]);
        assert_eq!([1, 2].map(|job| of(&own, job)), [["Empty", "Empty"]; 2]);
        let renamed = own.renamed(&[JobId(2), JobId(0), JobId(1)]);
        assert_eq!(of(&renamed, 2), first);
        let wrong = |row: Vec<FeatureCell>| OwnCells::new(columns(), vec![row]).is_err();
        assert!(wrong(vec![1_u64.into()]));
        assert!(!wrong(vec![Some(second).into(), None::<String>.into()]));
    }
}
