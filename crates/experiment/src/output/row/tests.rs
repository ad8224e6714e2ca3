//! Rows that are drawn, written and read back, and rows by hand.

use crate::output::drawn_rows::{RowDraw, written};

use super::super::{Cell, RowFile};
use super::*;

row! {
    /// A parcel.
    struct ParcelRow<'a> = "parcels", "a row a parcel" {
        name: Text<'a> = "name" "", "its name";
        state: Word<'a> = "state" "", "its state";
        sent: SimTime = "sent-at" "s", "when it was sent";
        stamp: Option<u32> = "stamp" "", "its stamp" if stamps;
        weight: Option<f64> = "weight" "kg", "its weight";
        paid: Option<FixedPoint<2>> = "paid" "", "what it cost" if prices;
        shelves: List<'a> = "shelves" "", "where it lies";
    }
    conditions ParcelColumns { stamps: "There are stamps.", prices: "There are prices." }
    each ParcelCells
}

row! {
    /// A shelf.
    struct ShelfRow = "shelves", "a row a shelf" {
        number: u64 = "number" "", "its number";
        depth: Whole = "depth" "", "how far above the ground it is";
        span: Option<SimDuration> = "span" "s", "for how long it stands";
    }
}

#[test]
fn a_row_that_is_written_and_read_back_is_the_same() {
    for seed in 0..200 {
        ParcelRow::goes_there_and_back(&mut RowDraw::new(seed));
        ShelfRow::goes_there_and_back(&mut RowDraw::new(seed));
    }
}

fn parcel() -> ParcelRow<'static> {
    ParcelRow {
        name: "a, b".into(),
        state: Word("sent"),
        sent: SimTime::from_nanos(1_500_000_000),
        stamp: Some(7),
        weight: None,
        paid: Some(FixedPoint(250)),
        shelves: vec![Interval::new(0, 2), Interval::new(5, 5)].into(),
    }
}

#[test]
fn columns_are_there_where_their_condition_is_met() {
    let of = |stamps, prices| {
        let met = ParcelColumns { stamps, prices };
        written(ParcelRow::table(met), &|sink| parcel().push(met, sink))
    };
    assert_eq!(
        of(true, true),
        "name,state,sent-at,stamp,weight,paid,shelves\n\"a, b\",sent,1.5,7,,2.5,0-2 5\n"
    );
    assert_eq!(of(false, true), "name,state,sent-at,weight,paid,shelves\n\"a, b\",sent,1.5,,2.5,0-2 5\n");
    assert_eq!(of(false, false), "name,state,sent-at,weight,shelves\n\"a, b\",sent,1.5,,0-2 5\n");
    let without = of(false, true);
    let file = RowFile::<ParcelRow<'_>>::new(&without).expect("a table");
    assert_eq!(file.met(), ParcelColumns { stamps: false, prices: true });
    assert_eq!(file.all().expect("rows"), [ParcelRow { stamp: None, ..parcel() }]);
}

#[test]
fn a_row_is_read_by_the_names_of_its_columns() {
    let text = "shelves,sent-at,weight,other,state,name\n4,2,0.5,x,kept,n\n";
    let rows = RowFile::<ParcelRow<'_>>::new(text).and_then(RowFile::all).expect("rows");
    let right = ParcelRow {
        name: "n".into(),
        state: Word("kept"),
        sent: SimTime::from_nanos(2_000_000_000),
        stamp: None,
        weight: Some(0.5),
        paid: None,
        shelves: vec![Interval::new(4, 4)].into(),
    };
    assert_eq!(rows, [right]);
}

#[test]
fn a_cell_that_cannot_be_read_has_its_file_line_and_column() {
    let read = |text| RowFile::<ShelfRow>::new(text).and_then(RowFile::all);
    let wrong = |text| read(text).expect_err("a mistake");
    assert_eq!(
        wrong("number,depth,span\n1,2,\n3,-4,soon\n"),
        "shelves.csv, line 3, column 6: `soon` is no time"
    );
    assert_eq!(wrong("number,depth,span\nx,2,\n"), "shelves.csv, line 2, column 1: `x` is no count");
    assert_eq!(wrong("number,depth,span\n,2,\n"), "shelves.csv, line 2, column 1: `` is no count");
    assert_eq!(wrong(""), "shelves.csv is empty");
    assert!(wrong("number,depth\n1,2\n").starts_with("shelves.csv, line 1, column "));
    assert!(wrong("number,depth,span\n1,2\n").ends_with("as many cells as there are columns"));
}

#[test]
fn decimals_are_read_exactly() {
    fn read<'a, T: Value<'a>>(text: &'a str) -> Option<T> {
        T::read(Field::piece(text, 1, text))
    }
    assert_eq!(read::<FixedPoint<6>>("2.166667"), Some(FixedPoint(2_166_667)));
    assert_eq!(read::<FixedPoint<6>>("13"), Some(FixedPoint(13_000_000)));
    assert_eq!(["1.0000001", "-1", "", "1e3"].map(read::<FixedPoint<6>>), [None; 4]);
    assert_eq!(read::<MaybeKnown<2>>("-1"), Some(MaybeKnown(None)));
    assert_eq!(read::<MaybeKnown<2>>("1.5"), Some(MaybeKnown(Some(150))));
}

#[test]
fn a_text_that_names_nothing_has_the_place_of_its_cell() {
    let text = "name,state,sent-at,weight,shelves\nsent,sent,1,,\n";
    let file = RowFile::<ParcelRow<'_>>::new(text).expect("a table");
    let none = |_: &str| None::<u8>;
    let wrong = file.each(|row, line| line.find(&row.state, "state", none).map(|_| ()));
    assert_eq!(wrong, Err("parcels.csv, line 2, column 6: `sent` is no state".to_owned()));
}

#[test]
fn one_value_for_each_column_is_in_their_order() {
    let each = ParcelCells { paid: 6, shelves: 7, name: 1, state: 2, sent: 3, stamp: 4, weight: 5 };
    let met = ParcelColumns { stamps: false, prices: true };
    assert_eq!(each.clone().list(ParcelColumns::ALL), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(each.list(met), [1, 2, 3, 5, 6, 7]);
    assert_eq!(ParcelRow::table(met).columns.len(), 6);
    assert_eq!(Cell::Word("kept"), Word("kept").cell());
}
