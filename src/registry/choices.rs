//! Choices: enumerations that keys take by a word.
//!
//! Each variant is declared once, with its word in a scenario and its meaning. The kind of the key and the reading of its value follow.

/// Declares an enumeration whose variants are the words of a key.
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $Type:ident {
        $($Word:ident = $name:literal, $about:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis enum $Type {
            $(#[doc = $about] $Word),*
        }

        impl $Type {
            /// The kind of a key that takes one of them.
            pub(crate) const KIND: $crate::registry::Kind =
                $crate::registry::Kind::Choice(&[$(($name, $about)),*]);

            /// Reads the one that the key `name` names.
            pub(crate) fn read(
                params: &$crate::registry::Params<'_>,
                name: &str,
            ) -> Result<Self, $crate::registry::Complaint> {
                params.pick(name, &[$(($name, $Type::$Word)),*])
            }
        }
    };
}

pub(crate) use choices;
