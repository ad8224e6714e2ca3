//! Names of rows: a text in which columns stand in braces, as in `{kind} of {server}`.

use std::fmt::Write;

use crate::output::Cell;

use super::cells::{Cells, whole};

/// A piece of a name: a text, or the cell at a place.
pub(super) enum Piece {
    Text(&'static str),
    Cell(usize),
}

/// The pieces of a name; its columns are put behind `columns`.
pub(super) fn pieces(name: &'static str, columns: &mut Vec<Vec<&'static str>>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in name.split('}') {
        let (text, column) = part.split_once('{').map_or((part, None), |(text, column)| (text, Some(column)));
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        pieces.extend(column.map(|column| {
            columns.push(column.split('|').collect());
            Piece::Cell(columns.len() - 1)
        }));
    }
    pieces
}

/// Adds what the pieces of a name amount to in a row.
pub(super) fn put_name(name: &mut String, pieces: &[Piece], cells: Cells<'_>) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => name.push_str(text),
            Piece::Cell(place) => match cells.at(*place) {
                Cell::Word(text) | Cell::Text(text) => name.push_str(text),
                // writing into memory cannot fail
                cell => drop(whole(cell).map(|number| write!(name, "{number}"))),
            },
        }
    }
}
