//! Rows, cells and columns of texts, and what is no CSV.

use std::borrow::Cow;

use proptest::prelude::*;

use crate::text::LONGEST_LINE;

use super::*;

/// A text as a cell: in quotes if it holds a comma, a quote or a line end.
fn quote(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// The rows as texts, each with its line.
fn rows(mut reader: Reader<'_>) -> Result<Vec<(u64, Vec<String>)>, Mistake> {
    let (mut row, mut rows) = (Row::default(), Vec::new());
    while reader.read(&mut row)? {
        rows.push((row.line(), row.cells().map(|cell| cell.text().into_owned()).collect()));
    }
    Ok(rows)
}

/// Message of the mistake, its line and column, and its width.
fn mistake(text: &str) -> (String, u64, usize, usize) {
    let Mistake { message, place, .. } = rows(Reader::new(text)).expect_err(text);
    (message, place.line, place.column, place.width)
}

#[test]
fn cells_are_trimmed_and_quoted_ones_are_what_stands_between_their_quotes() {
    let text = "\u{feff}a, b\t,,\"c, \"\"d\"\" \" ,5\" disk\r\n\"x\ny\",\n\"\"\n\nend";
    let cells = |line, cells: &[&str]| (line, cells.iter().map(|cell| (*cell).to_owned()).collect());
    let expected = [
        cells(1, &["a", "b", "", "c, \"d\" ", "5\" disk"]),
        cells(2, &["x\ny", ""]),
        cells(4, &[""]),
        cells(5, &[""]),
        cells(6, &["end"]),
    ];
    assert_eq!(rows(Reader::new(text)), Ok(expected.to_vec()));
    let written = "# by hand\n\n a,#b\n  \n#\nc";
    let expected = [cells(3, &["a", "#b"]), cells(6, &["c"])];
    assert_eq!(rows(Reader::new(written).with_comments()), Ok(expected.to_vec()));
    assert_eq!(rows(Reader::new("")), Ok(Vec::new()));
}

#[test]
fn a_cell_knows_its_line_and_column() {
    let mut reader = Reader::new("h\n\"a\nb\", c ,\"d\"\n");
    let mut row = Row::default();
    assert!(reader.read(&mut row).expect("a head") && reader.read(&mut row).expect("a row"));
    let place = |column: usize| {
        let place = row.get(column).expect("a cell").place();
        (place.line, place.column, place.width, place.text.into_string())
    };
    assert_eq!(place(0), (2, 2, 1, "\"a".to_owned()));
    assert_eq!(place(1), (3, 5, 1, "b\", c ,\"d\"".to_owned()));
    assert_eq!(place(2), (3, 9, 1, "b\", c ,\"d\"".to_owned()));
    assert_eq!(row.whole().place().width, 2, "the first of its lines");
    assert!(row.get(3).is_none());
}

#[test]
fn what_is_no_csv_is_reported_at_its_place_and_ends_the_text() {
    assert_eq!(mistake("a\nb, \"c\nd,e\n"), ("the quote is left open".to_owned(), 2, 4, 1));
    let behind = "something follows the closing quote".to_owned();
    assert_eq!(mistake("\"a\nb\" c,d"), (behind, 2, 4, 1));
    let mut reader = Reader::new("\"a\nb\nc\n");
    let mut row = Row::default();
    assert!(reader.read(&mut row).is_err());
    assert_eq!(reader.read(&mut row), Ok(false));
    for long in ["x".repeat(LONGEST_LINE + 1), format!("\"{}\"", "x,".repeat(LONGEST_LINE / 2))] {
        let (message, line, column, _) = mistake(&format!("a\n{long}\nb"));
        assert!(message == "a line is longer than 4 MiB" || message == "the quote is left open");
        assert_eq!((line, column), (2, 1));
    }
    assert_eq!(mistake(&",".repeat(MOST_CELLS)).0, "a line has more than 1048576 cells");
}

#[test]
fn columns_are_found_by_name_and_a_missing_one_with_the_nearest() {
    let table = |text: &'static str| Table::new(Reader::new(text)).expect("CSV").expect("a head");
    assert_eq!(table("to, why,\"from\"\n").columns(["from", "to"]), Ok([2, 0]));
    assert_eq!(table("TO,from").column("to"), Ok(Some(0)));
    assert_eq!(table("a").column("to"), Ok(None));
    let problems = |text: &'static str| -> Vec<(String, usize, String)> {
        let all = table(text).columns(["node", "from", "to"]).expect_err(text);
        all.into_iter().map(|one| (one.message, one.place.column, one.help)).collect()
    };
    let missing = "the first line names no column `from`".to_owned();
    let write = "write: node,from,to";
    assert_eq!(problems("node,to,form"), [(missing.clone(), 9, format!("is it `form`? {write}"))]);
    assert_eq!(problems("node,to"), [(missing, 1, write.to_owned())]);
    let commas = "no commas stand between the columns of the first line";
    assert_eq!(problems("node;from;to"), [(commas.to_owned(), 1, write.to_owned())]);
    let twice = problems("node,from,to,node");
    assert_eq!((&*twice[0].0, twice[0].1), ("two columns are called `node`", 14));
    assert!(table("a,A").column("a").is_err());
}

proptest! {
    #[test]
    fn what_is_written_in_quotes_is_read_back(
        table in prop::collection::vec(prop::collection::vec("[a-z,\"\r\n #é]{0,6}", 1..5), 0..6),
        ends in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let all = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let text: String =
            table.iter().map(|row| row.iter().map(all).collect::<Vec<_>>().join(",") + ends).collect();
        let read: Vec<Vec<String>> =
            rows(Reader::new(&text)).expect("CSV").into_iter().map(|(_, row)| row).collect();
        prop_assert_eq!(&read, &table);
        // quotes where they are needed, of texts without blanks at their ends
        let table: Vec<Vec<String>> =
            table.iter().map(|row| row.iter().map(|cell| cell.trim().to_owned()).collect()).collect();
        let some = |row: &Vec<String>| row.iter().map(|cell| quote(cell)).collect::<Vec<_>>().join(",");
        let text: String = table.iter().map(|row| some(row) + ends).collect();
        let read: Vec<Vec<String>> =
            rows(Reader::new(&text)).expect("CSV").into_iter().map(|(_, row)| row).collect();
        prop_assert_eq!(&read, &table);
    }

    #[test]
    fn any_text_gives_rows_whose_cells_lie_in_their_lines(text in "[a\",\n\r #é]{0,40}") {
        let mut reader = Reader::new(&text).with_comments();
        let mut row = Row::default();
        let mut last = 0;
        while let Ok(true) = reader.read(&mut row) {
            prop_assert!(row.line() > last && !row.is_empty());
            last = row.line();
            for cell in row.cells() {
                let place = cell.place();
                let line = text.split('\n').nth(place.line as usize - 1).expect("a line");
                prop_assert!(line.get(place.column - 1..place.column - 1 + place.width).is_some());
                prop_assert!(line[place.column - 1..].starts_with(cell.raw().split('\n').next().expect("one")));
            }
        }
    }
}
