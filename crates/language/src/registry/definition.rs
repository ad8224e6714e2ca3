//! Definitions: what the words mean that results, warnings and files hold.
//!
//! A metric, a warning, a cause, a reason or a state is declared once, by the module that writes
//! it. `explain`, the manual and the schema of `[expect]` are made from these declarations. An
//! enumeration whose words stand in files is declared with `words!`, which gives every word its
//! name and its meaning.

use std::borrow::Cow;
use std::fmt::Write;

/// The word in a name for a part of it that the scenario gives: the class in
/// `class.NAME.wait-time.mean`.
pub const ANY: &str = "NAME";

/// The meaning of a word in results, warnings or files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The word.
    pub name: Cow<'static, str>,
    /// The sort: a metric, a warning, a reason.
    pub sort: &'static str,
    /// Meaning, in one line without a full stop.
    pub about: Cow<'static, str>,
    /// Further facts about it, each behind its label.
    pub facts: Vec<(&'static str, Cow<'static, str>)>,
}

impl Definition {
    /// A word of this sort and its meaning.
    pub fn new(
        sort: &'static str,
        name: impl Into<Cow<'static, str>>,
        about: impl Into<Cow<'static, str>>,
    ) -> Self {
        Definition { name: name.into(), sort, about: about.into(), facts: Vec::new() }
    }

    /// The same with one more fact, unless it is empty.
    #[must_use]
    pub fn fact(mut self, label: &'static str, fact: impl Into<Cow<'static, str>>) -> Self {
        let fact = fact.into();
        if !fact.is_empty() {
            self.facts.push((label, fact));
        }
        self
    }

    /// Returns true if `asked` is its name, in any case; [`ANY`] stands for one or more parts
    /// between dots.
    pub fn is_called(&self, asked: &str) -> bool {
        let Some((before, after)) = self.name.split_once(ANY) else {
            return self.name.eq_ignore_ascii_case(asked);
        };
        let inner = asked.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        inner.is_some_and(|inner| !inner.is_empty())
    }

    /// All that is known of it, as text for a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{} ({})\n    {}\n", self.name, self.sort, self.about);
        for (label, fact) in &self.facts {
            // writing into a String cannot fail
            let _ = writeln!(text, "  {label:<8} {fact}");
        }
        text
    }
}

/// Words of one sort in results and files.
#[derive(Clone, Debug)]
pub struct Words {
    /// The title of them all.
    pub title: &'static str,
    /// The place where they stand, in words.
    pub about: &'static str,
    /// The words.
    pub definitions: Vec<Definition>,
}

impl Words {
    /// Words called `title` together, each of this sort, with where it stands behind a label, its
    /// name and its meaning.
    pub fn new(
        title: &'static str,
        about: &'static str,
        sort: &'static str,
        (label, place): (&'static str, &'static str),
        words: &[(&'static str, &'static str)],
    ) -> Self {
        let define = |&(name, about): &_| Definition::new(sort, name, about).fact(label, place);
        Words { title, about, definitions: words.iter().map(define).collect() }
    }
}

/// Declares an enumeration whose words stand in outputs, each with its name there and its meaning.
#[doc(hidden)]
#[macro_export]
macro_rules! __words {
    ($(#[$meta:meta])* $vis:vis enum $Type:ident {
        $($(#[$of_word:meta])* $Word:ident = $name:literal, $about:literal;)*
        $(_ $Other:ident($Own:ty), $other_about:literal;)?
    }) => {
        $(#[$meta])*
        $vis enum $Type {
            $(#[doc = $about] $(#[$of_word])* $Word,)*
            $(#[doc = $other_about] $Other($Own),)?
        }

        impl $Type {
            /// All that are declared here, in this order.
            pub const ALL: [$Type; [$($name),*].len()] = [$($Type::$Word),*];

            /// Names in outputs and meanings, in the same order.
            pub const WORDS: &[(&str, &str)] = &[$(($name, $about)),*];

            /// Name in outputs.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Type::$Word => $name,)*
                    $($Type::$Other(own) => own.name,)?
                }
            }

            /// Meaning, in one line without a full stop.
            pub const fn about(self) -> &'static str {
                match self {
                    $($Type::$Word => $about,)*
                    $($Type::$Other(own) => own.about,)?
                }
            }
        }
    };
}

/// Declares an enumeration as `words!` does, of variants that may hold values; one behind `_` has
/// no word.
#[doc(hidden)]
#[macro_export]
macro_rules! __words_of {
    ($(#[$meta:meta])* $vis:vis enum $Type:ident {
        $($(#[$of_word:meta])* $Word:ident $(($($part:ty),*))? $({$($field:tt)*})? = $name:literal, $about:literal;)*
        $(_ $Other:ident, $other_about:literal;)?
    }) => {
        $(#[$meta])*
        $vis enum $Type {
            $(#[doc = $other_about] $Other,)?
            $(#[doc = $about] $(#[$of_word])* $Word $(($($part),*))? $({$($field)*})?,)*
        }

        impl $Type {
            /// Names in outputs and meanings, in the order of declaration.
            pub const WORDS: &[(&str, &str)] = &[$(($name, $about)),*];

            /// Name in outputs, if it has one.
            pub const fn name(&self) -> Option<&'static str> {
                match self {
                    $($Type::$Word { .. } => Some($name),)*
                    $($Type::$Other => None,)?
                }
            }
        }
    };
}

#[doc(hidden)]
pub use __words as words;
#[doc(hidden)]
pub use __words_of as words_of;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_called_by_its_name_and_a_pattern_by_what_fits_it() {
        let plain = Definition::new("reason", "head", "it stood first");
        assert!(plain.is_called("head") && plain.is_called("HEAD") && !plain.is_called("heads"));
        let of_class = Definition::new("metric", "class.NAME.pace.mean", "of the jobs of a class");
        assert!(of_class.is_called("class.video.pace.mean") && of_class.is_called("class.v.2.pace.mean"));
        assert!(!of_class.is_called("class..pace.mean") && !of_class.is_called("pace.mean"));
    }

    #[test]
    fn its_text_has_every_fact_that_is_not_empty() {
        let word = Definition::new("metric", "makespan", "the last end").fact("unit", "s").fact("source", "");
        assert_eq!(word.text(), "makespan (metric)\n    the last end\n  unit     s\n");
    }
}
