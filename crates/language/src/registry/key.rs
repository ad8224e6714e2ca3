//! Keys: what a table may hold, and what each value means.

/// One key of a table, as its model declares it.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The key as written, kebab-case.
    pub name: &'static str,
    /// The kind of its values, with unit and range.
    pub kind: Kind,
    /// The value that holds when it is not written.
    pub default: Absent,
    /// Meaning, in one line without a full stop.
    pub about: &'static str,
    /// The source of the parameter or its default (paper and section); empty when it is the
    /// simulator's own.
    pub source: &'static str,
}

/// A declaration names what a key takes; each of the following words adds one thing to it.
impl Key {
    /// A key that must be written.
    pub const fn new(name: &'static str, kind: Kind) -> Key {
        Key { name, kind, default: Absent::Error, about: "", source: "" }
    }

    /// The keys of these lists, one list after another; `N` is how many there are.
    ///
    /// # Panics
    /// If there are more or fewer.
    pub const fn joined<const N: usize>(lists: &[&[Key]]) -> [Key; N] {
        let mut keys = [Key::new("", Kind::Flag); N];
        let (mut at, mut list) = (0, 0);
        while list < lists.len() {
            let mut place = 0;
            while place < lists[list].len() {
                keys[at] = lists[list][place];
                (at, place) = (at + 1, place + 1);
            }
            list += 1;
        }
        assert!(at == N, "the keys are counted");
        keys
    }

    /// Meaning.
    #[must_use]
    pub const fn about(self, about: &'static str) -> Key {
        Key { about, ..self }
    }

    /// Sets the source of the key, or of its default.
    #[must_use]
    pub const fn source(self, source: &'static str) -> Key {
        Key { source, ..self }
    }

    /// Sets the value that holds when it is not written.
    #[must_use]
    pub const fn otherwise(self, default: Absent) -> Key {
        Key { default, ..self }
    }
}

/// The words for what holds when a key is not written, each for one form of [`Absent`].
macro_rules! words_for_absent {
    ($($(#[$meta:meta])* $word:ident($($value:ident: $Type:ty)?) = $absent:expr;)*) => {
        impl Key {$(
            $(#[$meta])*
            #[must_use]
            pub const fn $word(self $(, $value: $Type)?) -> Key {
                self.otherwise($absent)
            }
        )*}
    };
}

words_for_absent! {
    /// [`Absent::Text`]: a quantity, a choice, or the name of a component.
    or(text: &'static str) = Absent::Text(text);
    /// [`Absent::Count`].
    or_count(count: u64) = Absent::Count(count);
    /// [`Absent::Number`].
    or_number(number: f64) = Absent::Number(number);
    /// [`Absent::Flag`].
    or_flag(flag: bool) = Absent::Flag(flag);
    /// [`Absent::List`].
    or_list(texts: &'static [&'static str]) = Absent::List(texts);
    /// [`Absent::Written`]: this value, as it would be written behind `=`.
    or_written(value: &'static str) = Absent::Written(value);
    /// [`Absent::Table`]: a table in which every key takes its own default.
    or_table() = Absent::Table;
    /// [`Absent::Means`]: it has no value then, which means this.
    absent(means: &'static str) = Absent::Means(means);
}

/// One key: its name and kind, what holds when it is not written, `=>`, its meaning, and where it
/// comes from.
#[doc(hidden)]
#[macro_export]
macro_rules! __key {
    ($name:literal $kind:expr $(, $word:ident $($value:expr)?)* => $about:expr $(, source $source:expr)?) => {
        $crate::registry::Key::new($name, $kind)$(.$word($($value)?))*.about($about)$(.source($source))?
    };
}

/// The keys of a table, a row each: name and kind, what holds when it is not written, `=>`, its
/// meaning, and where it comes from; `..KEY` is one that is declared elsewhere.
///
/// ```
/// use clustersim_language::registry::{Bounds, Key, Kind, keys};
///
/// const SEED: Key = Key::new("seed", Kind::Count { least: 0, most: 9 }).about("a seed");
/// const KEYS: [Key; 3] = keys! {
///     "windows" Kind::Count { least: 1, most: 10 }, or_count 1 => "windows that serve";
///     "patience" Kind::Duration(Bounds::Positive), or "5min" => "longest wait", source "C. Palm";
///     ..SEED;
/// };
/// assert_eq!((KEYS[1].name, KEYS[2].about), ("patience", "a seed"));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __keys {
    ($(
        $(..$own:ident $(::$of:ident)* $(($($argument:tt)*))?)?
        $($name:literal $kind:expr $(, $word:ident $($value:expr)?)* => $about:expr $(, source $source:expr)?)?;
    )*) => {
        [$(
            $($own $(::$of)* $(($($argument)*))?)?
            $($crate::registry::key!($name $kind $(, $word $($value)?)* => $about $(, source $source)?))?
        ),*]
    };
}

/// Keys with a name of their own, for tables that share them; a row each as for `key!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __named_keys {
    ($(
        $(#[$meta:meta])*
        $vis:vis $NAME:ident = $name:literal $kind:expr $(, $word:ident $($value:expr)?)* => $about:expr $(, source $source:expr)?;
    )*) => {$(
        $(#[$meta])*
        $vis const $NAME: $crate::registry::Key =
            $crate::registry::key!($name $kind $(, $word $($value)?)* => $about $(, source $source)?);
    )*};
}

#[doc(hidden)]
pub use __key as key;
#[doc(inline)]
pub use __keys as keys;
#[doc(hidden)]
pub use __named_keys as named_keys;

/// The value that holds when a key is not written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Absent {
    /// The key must be written: no value would be right for most scenarios.
    Error,
    /// The key has no value then, which means what the text says, for example `to the end of the
    /// log`.
    Means(&'static str),
    /// The key means something only where another key of its table has one choice; there it is
    /// missing as by [`Absent::Means`].
    OnlyIf {
        /// The other key, a choice with a default.
        key: &'static str,
        /// Choice.
        is: &'static str,
        /// The meaning then.
        means: &'static str,
    },
    /// This text: a quantity, a choice, or the name of a component.
    Text(&'static str),
    /// This count.
    Count(u64),
    /// This number.
    Number(f64),
    /// This truth value.
    Flag(bool),
    /// These texts.
    List(&'static [&'static str]),
    /// This value, as it would be written behind `=`.
    Written(&'static str),
    /// A table in which every key takes its own default.
    Table,
}

impl Absent {
    /// The value that holds, in words or as it would be written.
    pub fn words(&self) -> String {
        match self {
            Absent::Error => "none: it must be written".to_owned(),
            Absent::Means(text) | Absent::OnlyIf { means: text, .. } | Absent::Written(text) => {
                (*text).to_owned()
            }
            Absent::Text(value) => format!("\"{value}\""),
            Absent::Count(value) => value.to_string(),
            Absent::Number(value) => value.to_string(),
            Absent::Flag(value) => value.to_string(),
            Absent::List(values) => format!("{values:?}"),
            Absent::Table => "every key of the table takes its own".to_owned(),
        }
    }
}

/// The kind of a key's values.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// True or false.
    Flag,
    /// A whole number from `least` to `most`.
    Count {
        /// The least value allowed.
        least: u64,
        /// The largest value allowed.
        most: u64,
    },
    /// A real number without a unit.
    Number(Bounds),
    /// A share: a number, or a string with `%`.
    Share(Bounds),
    /// A span of time, a string with a unit.
    Duration(Bounds),
    /// An instant: a span of time since the start of the run, a date with a time of day, or a
    /// weekday with one.
    Moment(Bounds),
    /// A span of time, a whole number of what the key counts, or one of these words, each with its
    /// meaning.
    DurationOrCount(&'static [(&'static str, &'static str)]),
    /// An amount of data, a string with a unit.
    Bytes,
    /// An amount of computation, a string with a unit.
    Flops,
    /// A data rate, a string with a unit.
    Bandwidth,
    /// A computing speed, a string with a unit.
    Speed,
    /// A power, a string with a unit.
    Power,
    /// A value of what the surrounding distribution is of.
    Quantity(Bounds),
    /// Any text.
    Text,
    /// The path of a file to read, relative to the file it is written in.
    Path,
    /// One of these names, each with its meaning.
    Choice(&'static [(&'static str, &'static str)]),
    /// A component of the registry's table of this name.
    Component(&'static str),
    /// A component of one of these tables: what systems with a key of one name take together.
    ComponentOfAny(&'static [&'static str]),
    /// A component of the registry's table `distribution`, over values of this sort.
    Distribution(Quantity),
    /// The same with these keys besides those of the distribution, each of which may be left out.
    DistributionWith(Quantity, &'static [Key]),
    /// A distribution, or a table with these keys, which has no `kind`.
    DistributionOr(Quantity, &'static [Key]),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table with these keys, or by itself the value of the first of them, which is written as a
    /// string or an array.
    FirstOrTable(&'static [Key]),
    /// Such a value, or a list of them.
    OneOrList(&'static Kind),
    /// A whole number from 0 to this, or such a value.
    CountOr(u64, &'static Kind),
    /// A list of such values.
    List(&'static Kind),
    /// A table with free keys and such values; its reader knows the keys.
    Map(&'static Kind),
    /// Any value; its reader puts it where its kind is known.
    Any,
}

/// The quantity that a distribution is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Spans of time, written with units, drawn in seconds.
    Duration,
    /// Whole numbers from 1; a draw is rounded to the nearest.
    Count,
    /// Real numbers.
    Number,
    /// Computing speeds, written with units, drawn in operations per second.
    Speed,
    /// Data rates, written with units, drawn in bytes per second.
    Bandwidth,
    /// Amounts of data, written with units, drawn in bytes.
    Bytes,
    /// Amounts of computation, written with units, drawn in operations.
    Flops,
}

/// The range of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// Any value.
    Any,
    /// Zero or more.
    NotNegative,
    /// More than zero.
    Positive,
    /// From the first to the second, both allowed.
    Within(f64, f64),
}

impl Bounds {
    /// Returns true if `value` is in the range; not-a-number never is.
    pub fn hold(self, value: f64) -> bool {
        match self {
            Bounds::Any => !value.is_nan(),
            Bounds::NotNegative => value >= 0.0,
            Bounds::Positive => value > 0.0,
            Bounds::Within(least, most) => (least..=most).contains(&value),
        }
    }

    /// The range in words that follow a noun, with a blank before them; empty for [`Bounds::Any`].
    pub fn phrase(self) -> String {
        match self {
            Bounds::Any => String::new(),
            Bounds::NotNegative => " of zero or more".to_owned(),
            Bounds::Positive => " above zero".to_owned(),
            Bounds::Within(least, most) => format!(" from {least} to {most}"),
        }
    }
}

impl Kind {
    /// A whole number of `least` or more.
    pub const fn count_from(least: u64) -> Kind {
        Kind::Count { least, most: UNBOUNDED }
    }

    /// The words that the key takes, each with its meaning; none for most kinds.
    pub fn words(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Kind::Choice(words) | Kind::DurationOrCount(words) => words,
            _ => &[],
        }
    }

    /// The keys that stand below it by themselves; not those of a component, nor those below names
    /// that the author gives.
    pub fn keys(&self) -> &'static [Key] {
        match *self {
            Kind::Table(keys)
            | Kind::FirstOrTable(keys)
            | Kind::DistributionWith(_, keys)
            | Kind::DistributionOr(_, keys)
            | Kind::CountOr(_, &(Kind::Table(keys) | Kind::List(&Kind::Table(keys))))
            | Kind::List(&Kind::Table(keys)) => keys,
            _ => &[],
        }
    }

    /// The unit or type of the values, in a word or two for lists of keys.
    pub fn unit(&self) -> String {
        self.described().0
    }

    /// The look of a value, in words to follow "expected".
    pub fn expected(&self) -> String {
        self.described().1
    }

    /// Unit and look of a value.
    fn described(&self) -> (String, String) {
        let texts = |unit: &str, look: &str| (unit.to_owned(), look.to_owned());
        let with = |unit: &str, look: String| (unit.to_owned(), look);
        // a duration is never below 0
        let range = |bounds: Bounds| match bounds {
            Bounds::Any | Bounds::NotNegative => String::new(),
            Bounds::Positive => bounds.phrase(),
            Bounds::Within(least, most) => format!(" from {least} s to {most} s"),
        };
        match self {
            Kind::Flag => texts("true or false", "true or false"),
            Kind::Count { least, most } => with(
                "count",
                match (*least, *most) {
                    (0, UNBOUNDED) => "a whole number of zero or more".to_owned(),
                    (least, UNBOUNDED) => format!("a whole number of {least} or more"),
                    (least, most) => format!("a whole number from {least} to {most}"),
                },
            ),
            Kind::Number(bounds) => with("number", format!("a number{}", bounds.phrase())),
            Kind::Share(bounds) => {
                with("share", format!("a share{} such as 0.02 or \"2%\"", bounds.phrase()))
            }
            Kind::Duration(bounds) => {
                let range = range(*bounds);
                with(
                    "duration",
                    format!("a duration{range} with its unit, such as \"90s\", \"200us\" or \"2h30m\""),
                )
            }
            Kind::Moment(bounds) => {
                let range = range(*bounds);
                let such = "such as \"36h\", \"2026-03-01T06:00\" or \"sunday 06:00\"";
                with("duration, date or weekday", format!("a duration{range}, a date or a weekday, {such}"))
            }
            Kind::DurationOrCount(words) => {
                let words = or_words(words);
                let look = format!("a duration such as \"2h\", or a whole number{words}");
                (format!("duration or count{words}"), look)
            }
            Kind::Bytes => texts("bytes", "an amount of data with its unit, such as \"64 GiB\""),
            Kind::Flops => texts("flop", "an amount of computation with its unit, such as \"1.5Gf\""),
            Kind::Bandwidth => {
                texts("bytes/s", "a data rate above 0 with its unit, such as \"10Gbps\" or \"1.25GBps\"")
            }
            Kind::Speed => texts("flop/s", "a computing speed with its unit, such as \"1.5Gf\""),
            Kind::Power => texts("W", "a power with its unit, such as \"95 W\" or \"1.2 kW\""),
            Kind::Quantity(bounds) => with("quantity", format!("a value{}", bounds.phrase())),
            Kind::Text => texts("text", "a string"),
            Kind::Path => texts("path", "the path of a file, a string"),
            Kind::Choice(choices) => {
                let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                with("choice", names.join(" or "))
            }
            Kind::Component(table) => with(table, format!("the name of one {table}, or a table with `kind`")),
            Kind::ComponentOfAny(tables) => {
                let tables = tables.join(" or ");
                with(&tables, format!("the name of one {tables}, or a table with `kind`"))
            }
            Kind::DistributionOr(quantity, keys) => {
                let (one, many) = quantity.words();
                let keys: Vec<String> = keys.iter().map(|key| format!("`{}`", key.name)).collect();
                let look = format!("{one}, a distribution, or a table with {}", keys.join(", "));
                (format!("distribution of {many}"), look)
            }
            Kind::Distribution(quantity) | Kind::DistributionWith(quantity, _) => {
                let (one, many) = quantity.words();
                let look = format!("{one}, the name of a distribution, or a table with `kind`");
                (format!("distribution of {many}"), look)
            }
            Kind::List(of) => (format!("list of {}", of.unit()), format!("an array of {}", of.unit())),
            Kind::CountOr(most, of) => {
                let (unit, look) = of.described();
                (format!("count, or {unit}"), format!("a whole number from 0 to {most}, or {look}"))
            }
            Kind::OneOrList(of) => {
                let (unit, look) = of.described();
                (format!("{unit}, or list of {unit}"), format!("{look}, or an array of such"))
            }
            Kind::FirstOrTable([first, ..]) => {
                let (unit, look) = first.kind.described();
                (unit, format!("{look}, or a table with `{}`", first.name))
            }
            Kind::Table(_) | Kind::Map(_) | Kind::FirstOrTable([]) => texts("table", "a table"),
            Kind::Any => texts("value", "any value"),
        }
    }
}

/// The largest number of a count that is not bounded.
const UNBOUNDED: u64 = i64::MAX as u64;

/// The words, each behind an "or".
fn or_words(words: &[(&str, &str)]) -> String {
    let each: Vec<String> = words.iter().map(|(word, _)| format!(" or \"{word}\"")).collect();
    each.concat()
}

impl Quantity {
    /// The kind of one value.
    pub fn kind(self, bounds: Bounds) -> Kind {
        match self {
            Quantity::Duration => Kind::Duration(bounds),
            Quantity::Count | Quantity::Number => Kind::Number(bounds),
            Quantity::Speed => Kind::Speed,
            Quantity::Bandwidth => Kind::Bandwidth,
            Quantity::Bytes => Kind::Bytes,
            Quantity::Flops => Kind::Flops,
        }
    }

    /// The names of one value and of many.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Quantity::Duration => ("a duration", "durations"),
            Quantity::Count => ("a count", "counts"),
            Quantity::Number => ("a number", "numbers"),
            Quantity::Speed => ("a computing speed", "speeds"),
            Quantity::Bandwidth => ("a data rate", "rates"),
            Quantity::Bytes => ("an amount of data", "sizes"),
            Quantity::Flops => ("an amount of computation", "costs"),
        }
    }
}
