//! Rows drawn at random: in the tests of its crate, each row that `row!` declares has
//! `goes_there_and_back`, which writes a drawn row and reads it back.
//!
//! A value of one's own that stands in a row implements [`Drawn`].

use std::borrow::Cow;
use std::io;

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::output::row::{Category, FixedPoint, List, MaybeKnown, Text, Whole, Word};
use crate::output::{RowSink, RowSource, Table, TableFormat};

/// Rows that are made when they are asked for.
struct Made<'a>(Table, &'a dyn Fn(&mut dyn RowSink) -> io::Result<()>);

impl RowSource for Made<'_> {
    fn table(&self) -> Table {
        self.0.clone()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        (self.1)(sink)
    }
}

/// The text file of these rows.
///
/// # Panics
/// Rows that cannot be pushed.
pub fn written(table: Table, push: &dyn Fn(&mut dyn RowSink) -> io::Result<()>) -> String {
    let bytes = TableFormat::Csv.bytes(&Made(table, push)).expect("into memory");
    String::from_utf8(bytes).expect("text")
}

/// Numbers drawn one after another.
#[derive(Clone, Debug)]
pub struct RowDraw(u64);

impl RowDraw {
    /// Numbers of a seed.
    pub fn new(seed: u64) -> Self {
        RowDraw(seed)
    }

    /// A number, often a small one.
    #[expect(clippy::should_implement_trait, reason = "its numbers never end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) >> ((self.0 >> 7) % 64)
    }
}

/// Any value of a type that a row may have.
pub trait Drawn {
    /// Draws a value.
    fn drawn(draw: &mut RowDraw) -> Self;
}

/// The types, with a value that is made of a number.
macro_rules! drawn {
    ($($of:ty: $from:expr;)*) => {
        $(impl Drawn for $of {
            fn drawn(draw: &mut RowDraw) -> Self {
                $from(draw)
            }
        })*
    };
}

drawn! {
    u64: |draw: &mut RowDraw| draw.next();
    u32: |draw: &mut RowDraw| draw.next() as u32;
    f64: |draw: &mut RowDraw| (draw.next() as f64 - 1e9) / draw.next().max(1) as f64 + 0.0;
    SimTime: |draw: &mut RowDraw| SimTime::from_nanos(draw.next());
    SimDuration: |draw: &mut RowDraw| SimDuration::from_nanos(draw.next());
    Interval: |draw: &mut RowDraw| Interval::new(draw.next() as u32 >> 1, u32::MAX >> 1);
    Whole: |draw: &mut RowDraw| Whole(draw.next().cast_signed().wrapping_neg());
    Word<'_>: |draw: &mut RowDraw| Word(["done", "failed", "given-up"][draw.next() as usize % 3]);
}

impl<const DIGITS: u8> Drawn for FixedPoint<DIGITS> {
    fn drawn(draw: &mut RowDraw) -> Self {
        FixedPoint(u128::from(draw.next()))
    }
}

impl<const DIGITS: u8> Drawn for MaybeKnown<DIGITS> {
    fn drawn(draw: &mut RowDraw) -> Self {
        MaybeKnown(Option::<FixedPoint<DIGITS>>::drawn(draw).map(|decimal| decimal.0))
    }
}

impl Drawn for Text<'_> {
    fn drawn(draw: &mut RowDraw) -> Self {
        const PARTS: [&str; 8] = ["a", "Ω", ",", "\"", " ", "\n", "7", "#"];
        // never empty: in a text file that is no text at all
        let count = draw.next() % 6;
        Cow::Owned((0..=count).map(|_| PARTS[draw.next() as usize % PARTS.len()]).collect())
    }
}

impl Drawn for Category<'_> {
    fn drawn(draw: &mut RowDraw) -> Self {
        Category(Text::drawn(draw))
    }
}

impl Drawn for List<'_> {
    fn drawn(draw: &mut RowDraw) -> Self {
        let mut first = 0;
        let count = 1 + draw.next() % 4;
        let part = |_| {
            let begin = first + draw.next() as u32 % 9;
            let end = begin + draw.next() as u32 % 3;
            first = end + 2;
            Interval::new(begin, end)
        };
        Cow::Owned((0..count).map(part).collect())
    }
}

impl<T: Drawn> Drawn for Option<T> {
    fn drawn(draw: &mut RowDraw) -> Self {
        (!draw.next().is_multiple_of(3)).then(|| T::drawn(draw))
    }
}

/// A row in the tests of its crate: drawn, written, and read back.
#[doc(hidden)]
#[macro_export]
macro_rules! __row_drawn {
    ($Row:ident [$a:lifetime] [$($own:tt)*] $($field:ident)*) => {
        #[cfg(test)]
        impl<$a> $Row $($own)* {
            /// Writes a drawn row, and reads it back.
            #[allow(dead_code, reason = "rows of a picture are in no file")]
            pub(crate) fn goes_there_and_back(draw: &mut $crate::output::drawn_rows::RowDraw) {
                let row = $Row { $($field: $crate::output::drawn_rows::Drawn::drawn(draw)),* };
                let met = <<$Row as $crate::output::Row>::Conditions as $crate::output::Conditions>::ALL;
                let table = <$Row as $crate::output::Row>::table(met);
                let text = $crate::output::drawn_rows::written(table, &|sink| {
                    $crate::output::Row::push(&row, met, sink)
                });
                let file = $crate::output::RowFile::<$Row>::new(&text).expect("a table");
                assert_eq!(file.all().expect("rows"), [row], "{text}");
            }
        }
    };
}
