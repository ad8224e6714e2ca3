//! A row of a table as a struct, declared once.
//!
//! One list (field, type, column, unit, meaning) makes the struct, the declaration of the table,
//! the cells that a writer takes, and the reader of its text file by the names in the header. The
//! type of a field is the type of its column. A row borrows from what it is made of, the record of
//! a run or the text of a file, so that none allocates when it is written.
//!
//! Columns that only some runs have belong to a *condition*: `if prices` behind a column, and
//! `prices` among the conditions of the table. Cells of a column that a run does not have are left
//! out; read from its file they are `None`.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::slice;

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::text::csv::Field;
use crate::units::seconds;

use super::row_file::FileLine;
use super::{Cell, CellType, RowSink, RowSource, Table};

/// Any text.
pub type Text<'a> = Cow<'a, str>;

/// Intervals in ascending order.
pub type List<'a> = Cow<'a, [Interval]>;

/// Any text that many rows share.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Category<'a>(pub Text<'a>);

impl<'a> From<Text<'a>> for Category<'a> {
    fn from(text: Text<'a>) -> Self {
        Category(text)
    }
}

impl<'a> From<&'a str> for Category<'a> {
    fn from(text: &'a str) -> Self {
        Category(text.into())
    }
}

impl fmt::Display for Category<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl Deref for Category<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// One of a few words, none of which needs quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'a>(pub &'a str);

/// A whole number that may be below 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Whole(pub i64);

/// So many units of 10^-`DIGITS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FixedPoint<const DIGITS: u8>(pub u128);

/// A decimal that is -1 where it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaybeKnown<const DIGITS: u8>(pub Option<u128>);

/// Conditions of a table that has all its columns in every run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Always;

/// Conditions on which a table has some of its columns.
pub trait Conditions: Copy {
    /// All of them are met.
    const ALL: Self;
}

impl Conditions for Always {
    const ALL: Self = Always;
}

/// A value of a row: its cell, and its reader.
pub trait Value<'a>: Sized {
    /// Type of the column.
    const KIND: CellType;
    /// Noun in messages, as in "`soon` is no time".
    const NOUN: &'static str;

    /// The cell.
    fn cell(&self) -> Cell<'_>;

    /// The value of a cell; `None` if the text is none.
    fn read(field: Field<'a>) -> Option<Self>;

    /// The value under a column that the file does not have, if there is one.
    fn absent() -> Option<Self> {
        None
    }
}

/// A row of a table, as `row!` declares it.
pub trait Row<'a>: Sized {
    /// Name of the table.
    const NAME: &'static str;
    /// Name of its text file.
    const FILE: &'static str;
    /// Conditions on which it has some of its columns.
    type Conditions: Conditions;

    /// The declaration, with the columns of a run.
    fn table(met: Self::Conditions) -> Table;

    /// The declaration, with every column that some run has.
    fn declared() -> Table {
        Self::table(Self::Conditions::ALL)
    }

    /// Conditions that are met if there is a column of each of these names.
    fn met(has: &dyn Fn(&str) -> bool) -> Self::Conditions;

    /// Hands the cells over.
    ///
    /// # Errors
    /// What the sink says.
    fn push(&self, met: Self::Conditions, sink: &mut dyn RowSink) -> io::Result<()>;

    /// Reads a line of a file.
    ///
    /// # Errors
    /// A cell that cannot be read, with its place.
    fn read(line: &FileLine<'a, '_>) -> Result<Self, String>;
}

/// Hands over the cells that are there.
///
/// # Errors
/// What the sink says.
#[doc(hidden)]
pub fn push_present<const N: usize>(
    mut cells: [Cell<'_>; N],
    is_there: [bool; N],
    sink: &mut dyn RowSink,
) -> io::Result<()> {
    let mut count = 0;
    for (place, is_there) in is_there.into_iter().enumerate() {
        if is_there {
            cells[count] = cells[place];
            count += 1;
        }
    }
    sink.row(&cells[..count])
}

impl Deref for Word<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

/// Types of values, a line each: type of the column, noun, cell, reader.
macro_rules! values {
    ($($of:ty: $kind:ident, $noun:literal, $value:ident => $cell:expr, $field:ident => $read:expr;)*) => {
        $(impl<'a> Value<'a> for $of {
            const KIND: CellType = CellType::$kind;
            const NOUN: &'static str = $noun;

            #[inline]
            fn cell(&self) -> Cell<'_> {
                let $value = self;
                $cell
            }

            #[inline]
            fn read($field: Field<'a>) -> Option<Self> {
                $read
            }
        })*
    };
}

values! {
    u64: Count, "count", count => Cell::Count(*count), field => field.raw().parse().ok();
    u32: Count, "count", count => Cell::Count(u64::from(*count)), field => field.raw().parse().ok();
    Whole: Integer, "whole number", whole => Cell::Integer(whole.0), field => field.raw().parse().ok().map(Whole);
    f64: Real, "number", value => Cell::Real(*value), field => finite(field.raw());
    SimTime: Time, "time", at => Cell::at(*at), field => seconds(field.raw()).map(SimTime::from_nanos);
    SimDuration: Time, "time", span => Cell::Time(*span), field => seconds(field.raw()).map(SimDuration::from_nanos);
    Word<'a>: Category, "word", word => Cell::Word(word.0), field => Some(Word(field.raw()));
    Text<'a>: Text, "text", text => Cell::Text(text), field => Some(field.text());
    Category<'a>: Category, "text", category => Cell::Text(&category.0), field => Some(Category(field.text()));
    Interval: Intervals, "interval", one => Cell::Intervals(slice::from_ref(one)), field => Interval::parse(field.raw());
    List<'a>: Intervals, "list of intervals", list => Cell::Intervals(list), field => Interval::parse_all(field.raw()).map(Cow::Owned);
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

impl<'a, const DIGITS: u8> Value<'a> for FixedPoint<DIGITS> {
    const KIND: CellType = CellType::Decimal(DIGITS);
    const NOUN: &'static str = "number";

    #[inline]
    fn cell(&self) -> Cell<'_> {
        Cell::Decimal(self.0, DIGITS)
    }

    fn read(field: Field<'a>) -> Option<Self> {
        let (whole, rest) = field.raw().split_once('.').unwrap_or((field.raw(), ""));
        let is_plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        let places = usize::from(DIGITS);
        if whole.is_empty() || rest.len() > places || !is_plain(whole) || !is_plain(rest) {
            return None;
        }
        format!("{whole}{rest:0<places$}").parse().ok().map(FixedPoint)
    }
}

impl<'a, const DIGITS: u8> Value<'a> for MaybeKnown<DIGITS> {
    const KIND: CellType = CellType::Decimal(DIGITS);
    const NOUN: &'static str = "number";

    #[inline]
    fn cell(&self) -> Cell<'_> {
        self.0.map_or(Cell::Integer(-1), |units| Cell::Decimal(units, DIGITS))
    }

    fn read(field: Field<'a>) -> Option<Self> {
        if field.raw() == "-1" {
            return Some(MaybeKnown(None));
        }
        FixedPoint::<DIGITS>::read(field).map(|decimal| MaybeKnown(Some(decimal.0)))
    }
}

impl<'a, T: Value<'a>> Value<'a> for Option<T> {
    const KIND: CellType = T::KIND;
    const NOUN: &'static str = T::NOUN;

    #[inline]
    fn cell(&self) -> Cell<'_> {
        self.as_ref().map(T::cell).unwrap_or_default()
    }

    #[inline]
    fn read(field: Field<'a>) -> Option<Self> {
        if field.raw().is_empty() { Some(None) } else { T::read(field).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// Rows that are kept, as a table.
#[derive(Clone, Debug)]
pub struct ListedRows<R>(pub Vec<R>);

impl<R: Row<'static, Conditions = Always>> RowSource for ListedRows<R> {
    fn table(&self) -> Table {
        R::declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.0.iter().try_for_each(|row| row.push(Always, sink))
    }
}

/// Declares a row of a table: the struct; the name of the table and what it is about; the columns,
/// a line each, as field, type, name, unit, meaning and, where only some runs have the column, the
/// condition. Behind them may stand the struct of the conditions, and the name of a struct that has
/// any one value for each column, in their order.
///
/// ```
/// use clustersim_kernel::SimTime;
/// use clustersim_experiment::output::{Row, RowFile, Text, row};
///
/// row! {
///     /// A visit of a customer.
///     pub struct VisitRow<'a> = "visits", "a row a visit" {
///         customer: Text<'a> = "customer" "", "the customer";
///         at: SimTime = "at" "s", "when it came";
///         paid: Option<f64> = "paid" "EUR", "what it paid" if prices;
///     }
///     conditions VisitColumns { prices: "Visits have prices." }
/// }
///
/// let visits = RowFile::<VisitRow>::new("customer,at\nAda,1.5\n").and_then(RowFile::all).unwrap();
/// assert_eq!((&*visits[0].customer, visits[0].at.as_secs_f64()), ("Ada", 1.5));
/// assert_eq!(VisitRow::declared().columns.len(), 3);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __row {
    ($(#[$meta:meta])* $vis:vis struct $Row:ident<$a:lifetime> $($rest:tt)*) => {
        $crate::output::row! { @made [$(#[$meta])* $vis] $Row [$a] [<$a>] $($rest)* }
    };
    ($(#[$meta:meta])* $vis:vis struct $Row:ident = $($rest:tt)*) => {
        $crate::output::row! { @made [$(#[$meta])* $vis] $Row ['a] [] = $($rest)* }
    };
    (
        @made [$(#[$meta:meta])* $vis:vis] $Row:ident [$a:lifetime] [$($own:tt)*] = $name:literal, $about:literal {
            $($field:ident: $of:ty = $column:literal $unit:literal, $text:literal $(if $when:ident)?;)*
        }
        $(conditions $Conditions:ident { $($condition:ident: $said:literal),* $(,)? })?
        $(each $Each:ident)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Debug)]
        $vis struct $Row $($own)* {
            $(#[doc = $text] pub $field: $of,)*
        }

        $(
            #[doc = concat!("Conditions on which `", $name, "` has some of its columns.")]
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            $vis struct $Conditions {
                $(#[doc = $said] pub $condition: bool,)*
            }

            impl $crate::output::Conditions for $Conditions {
                const ALL: Self = $Conditions { $($condition: true),* };
            }
        )?

        $crate::output::row! { @each $vis [$name] [$($Conditions)?] [$($Each)?] $($field $text [$($when)?],)* }

        impl<$a> $crate::output::Row<$a> for $Row $($own)* {
            const NAME: &'static str = $name;
            const FILE: &'static str = concat!($name, ".csv");
            type Conditions = $crate::output::row!(@conditions $($Conditions)?);

            #[allow(unused_variables, reason = "some tables have no conditions")]
            fn table(met: Self::Conditions) -> $crate::output::Table {
                let mut columns = Vec::new();
                $(if $crate::output::row!(@met met $($when)?) {
                    let kind = <$of as $crate::output::Value<'_>>::KIND;
                    columns.push($crate::output::Column::new($column, kind, $unit, $text));
                })*
                $crate::output::Table { name: $name, about: $about, columns }
            }

            #[allow(unused_variables, unused_mut, reason = "some tables have no conditions")]
            fn met(has: &dyn Fn(&str) -> bool) -> Self::Conditions {
                let mut met = <Self::Conditions as $crate::output::Conditions>::ALL;
                $($crate::output::row!(@meet met has $column $($when)?);)*
                met
            }

            #[inline]
            #[allow(unused_variables, reason = "some tables have no conditions")]
            fn push(
                &self,
                met: Self::Conditions,
                sink: &mut dyn $crate::output::RowSink,
            ) -> std::io::Result<()> {
                let cells = [$($crate::output::Value::cell(&self.$field)),*];
                $crate::output::push_present(cells, [$($crate::output::row!(@met met $($when)?)),*], sink)
            }

            #[allow(unused_assignments, reason = "the place behind the last column is not used")]
            fn read(line: &$crate::output::FileLine<$a, '_>) -> Result<Self, String> {
                let mut place = 0;
                $(
                    let $field = line.value(place)?;
                    place += 1;
                )*
                Ok($Row { $($field),* })
            }
        }

        $crate::__row_drawn! { $Row [$a] [$($own)*] $($field)* }
    };
    (@conditions) => { $crate::output::Always };
    (@conditions $Conditions:ident) => { $Conditions };
    (@met $met:ident) => { true };
    (@met $met:ident $when:ident) => { $met.$when };
    (@meet $met:ident $has:ident $column:literal) => {};
    (@meet $met:ident $has:ident $column:literal $when:ident) => { $met.$when &= $has($column) };
    (@each $vis:vis [$name:literal] [$($Conditions:ident)?] [] $($rest:tt)*) => {};
    (@each $vis:vis [$name:literal] [$($Conditions:ident)?] [$Each:ident] $($field:ident $text:literal [$($when:ident)?],)*) => {
        #[doc = concat!("One value for each column of `", $name, "`.")]
        #[derive(Clone, PartialEq, Debug)]
        $vis struct $Each<T> {
            $(#[doc = $text] pub $field: T,)*
        }

        impl<T> $Each<T> {
            /// The same value for each column.
            #[allow(dead_code, reason = "most tables are looked at whole")]
            $vis fn all(value: &T) -> Self
            where
                T: Clone,
            {
                $Each { $($field: value.clone()),* }
            }

            /// Values in the order of all columns.
            #[inline]
            $vis fn array(self) -> [T; [$(stringify!($field)),*].len()] {
                [$(self.$field),*]
            }

            /// Values in the order of the columns that a run has.
            #[allow(dead_code, unused_variables, reason = "some tables have no conditions")]
            $vis fn list(self, met: $crate::output::row!(@conditions $($Conditions)?)) -> Vec<T> {
                let is_there = [$($crate::output::row!(@met met $($when)?)),*];
                let values = self.array().into_iter().zip(is_there);
                values.filter_map(|(value, is_there)| is_there.then_some(value)).collect()
            }
        }

        impl $Each<$crate::output::Cell<'_>> {
            /// Hands over the cells of the columns that a run has.
            ///
            /// # Errors
            /// What the sink says.
            #[inline]
            #[allow(dead_code, unused_variables, reason = "most rows hand over their own cells")]
            $vis fn push(
                self,
                met: $crate::output::row!(@conditions $($Conditions)?),
                sink: &mut dyn $crate::output::RowSink,
            ) -> std::io::Result<()> {
                $crate::output::push_present(self.array(), [$($crate::output::row!(@met met $($when)?)),*], sink)
            }
        }
    };
}

/// The rows of a run as a table: the type that is a [`RowSource`](super::RowSource) and what it
/// holds, and the row; `from`, what is held and what the rows are made of, one by one; then the
/// fields of a row.
#[doc(hidden)]
#[macro_export]
macro_rules! __rows {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Rows:ident<$a:lifetime>($Of:ty) of $Row:ident;
        from $of:ident, $rows:expr;
        $row:pat => { $($fields:tt)* }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        $vis struct $Rows<$a>($vis $Of);

        impl $crate::output::RowSource for $Rows<'_> {
            fn table(&self) -> $crate::output::Table {
                <$Row as $crate::output::Row>::declared()
            }

            fn push(&self, sink: &mut dyn $crate::output::RowSink) -> std::io::Result<()> {
                let $of = self.0;
                for $row in $rows {
                    $crate::output::Row::push(&$Row { $($fields)* }, $crate::output::Always, sink)?;
                }
                Ok(())
            }
        }
    };
}

#[doc(inline)]
pub use __row as row;
#[doc(inline)]
pub use __rows as rows;

#[cfg(test)]
mod tests;
