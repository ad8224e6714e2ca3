//! Rows of all systems, drawn, written and read back.

use super::jobs::JobRow;
use crate::output::drawn_rows::RowDraw;

#[test]
fn a_row_that_is_written_and_read_back_is_the_same() {
    for seed in 0..60 {
        JobRow::goes_there_and_back(&mut RowDraw::new(seed));
    }
}
