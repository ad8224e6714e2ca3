//! The format of a table, by its content, and its rows.

use std::ops::ControlFlow;

use crate::import::slurm;
use crate::registry::Problem;
use crate::registry::code;
use crate::text::Mistakes;
use crate::text::mark::{FileMark, Head};
use crate::workload::swf::{self, ErrorKind};

use super::accounting::{self, ACCOUNTING};
use super::archive;
use super::delimited::{self, Form};
use super::input::Input;
use super::mapping::Mapping;
use super::objects;
use super::row::{Row, Take, WrongCells};

/// Bytes that are looked at.
const LOOKED_AT: usize = 1 << 16;
/// First bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";
/// Texts that have readers of their own.
const OTHERS: [FileMark; 2] = [swf::MARK, slurm::DUMP];

/// The layout of a table in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TableForm {
    /// Parquet.
    Columnar,
    /// Objects of JSON.
    Objects,
    /// Records of an accounting log.
    Records,
    /// Cells, and the byte between two of them.
    Separated(u8),
}

/// Reads a table; `file` is its name, and `each` is given each row, notes the cells that are wrong
/// in it, and breaks where no further row is wanted. Returns the number of rows.
///
/// # Errors
/// A file that is no table or is damaged; all that is wrong in its rows, each at its place, in
/// their order.
pub(super) fn read(
    input: Input<'_>,
    file: &str,
    mapping: &Mapping,
    each: &mut dyn FnMut(&dyn Row, &mut WrongCells) -> ControlFlow<()>,
) -> Result<u64, Mistakes<Problem>> {
    let mut take = Take::new(each);
    let read = match form(input, file, mapping.names.is_some())? {
        TableForm::Columnar => parquet(input, mapping, &mut take),
        TableForm::Objects => objects::read(input, mapping, &mut take),
        TableForm::Records => accounting::read(input, mapping, &mut take),
        TableForm::Separated(delimiter) => {
            let form = Form { delimiter, names: mapping.names.as_deref() };
            delimited::read(input, form, mapping, &mut take)
        }
    };
    let mut mistakes = take.into_mistakes(|wanted| objects::places(input, wanted));
    match read {
        Ok(rows) => mistakes.unless_any(rows),
        Err(problem) => {
            mistakes.push(problem);
            Err(mistakes)
        }
    }
}

/// The form of a table; `is_named` is true if the names of its columns are known, so that it need
/// not state them.
///
/// # Errors
/// A file that is no table.
pub(super) fn form(input: Input<'_>, file: &str, is_named: bool) -> Result<TableForm, Problem> {
    let mut first = [0; 4];
    let count = std::io::Read::read(&mut input.bytes()?, &mut first).unwrap_or(0);
    if archive::is_zip(&first[..count]) {
        return Err(archive::refuse_zip(input, file));
    }
    if first[..count] == *PARQUET {
        return Ok(TableForm::Columnar);
    }
    let head = input.head(LOOKED_AT)?;
    if head.is_empty() {
        return Err(ErrorKind::Empty.into());
    }
    if archive::is_tar(&head) {
        return Err(archive::refuse_tar(input, file));
    }
    if head.starts_with(PARQUET) {
        let problem = Problem::new(code::COMPRESSED, "a Parquet file is compressed once more as a whole");
        return Err(problem.help("decompress it; what is in it is compressed as well"));
    }
    if let Some(at) = head.iter().position(|&byte| byte == 0) {
        let message = format!("this is no text, nor a table of another form: byte {at} is zero");
        return Err(Problem::new(code::TABLE, message).help("tables are CSV, TSV, JSON or Parquet"));
    }
    let looked_at = Head::new(&head);
    if looked_at.is_json() || looked_at.text().starts_with('[') {
        return Ok(TableForm::Objects);
    }
    let first_line = looked_at.text().split(['\n', '\r']).next().unwrap_or_default();
    if (ACCOUNTING.fits)(&looked_at) {
        return Ok(TableForm::Records);
    }
    if let Some(mark) = OTHERS.iter().find(|mark| !is_named && (mark.fits)(&looked_at)) {
        let message = format!("this is no table: it is {}", mark.about);
        return Err(Problem::new(code::TABLE, message).help(mark.reader_of(file)));
    }
    Ok(TableForm::Separated(delimiter(file, first_line)))
}

/// The byte between cells: that of the name's ending if the first line has it, else the one that
/// the line has most of.
fn delimiter(file: &str, first_line: &str) -> u8 {
    let name = file.to_ascii_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    let count = |sign: u8| first_line.bytes().filter(|&byte| byte == sign).count();
    let by_name = [(".csv", b','), (".tsv", b'\t')].into_iter().find(|(ending, _)| name.ends_with(ending));
    match by_name {
        Some((_, sign)) if count(sign) > 0 => sign,
        _ => b"|;\t,".iter().copied().max_by_key(|&sign| count(sign)).unwrap_or(b','),
    }
}

#[cfg(feature = "parquet")]
fn parquet(input: Input<'_>, mapping: &Mapping, take: &mut Take<'_>) -> Result<u64, Problem> {
    super::columnar::read(input, mapping, take)
}

#[cfg(not(feature = "parquet"))]
fn parquet(_input: Input<'_>, _mapping: &Mapping, _take: &mut Take<'_>) -> Result<u64, Problem> {
    let message = "this build cannot read Parquet: it was made without the feature `parquet`";
    let help = "releases have it; from the sources: cargo install --locked --path . --features parquet";
    Err(Problem::new(code::FEATURE, message).help(help))
}

/// The names of the columns of a Parquet file whose values can be those of cells.
#[cfg(feature = "parquet")]
pub(super) fn parquet_names(input: Input<'_>) -> Result<Vec<String>, Problem> {
    super::columnar::names(input)
}

#[cfg(not(feature = "parquet"))]
pub(super) fn parquet_names(input: Input<'_>) -> Result<Vec<String>, Problem> {
    let mut each = |_: &dyn Row, _: &mut WrongCells| ControlFlow::Break(());
    parquet(input, &Mapping::of_columns(&[], None), &mut Take::new(&mut each)).map(|_| Vec::new())
}
