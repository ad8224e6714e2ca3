//! Enumerations that a key chooses from, each declared once: variants, what a scenario writes for
//! them, and their meanings.

/// Declares an enumeration, what a key takes that chooses from it (`CHOICES`), and how a choice is
/// read.
#[doc(hidden)]
#[macro_export]
macro_rules! __choices {
    ($(#[$meta:meta])* $vis:vis enum $Type:ident {
        $($(#[$of_choice:meta])* $Choice:ident = $name:literal, $about:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis enum $Type {
            $(#[doc = $about] $(#[$of_choice])* $Choice,)*
        }

        impl $Type {
            /// The kind of a key that chooses one of them.
            $vis const CHOICES: $crate::registry::Kind = $crate::registry::Kind::Choice(&[$(($name, $about)),*]);
        }

        impl $crate::registry::Parameter for $Type {
            fn from_node(node: &$crate::registry::Node) -> Result<Self, $crate::registry::Complaint> {
                match node.as_text() {
                    $(Some($name) => Ok($Type::$Choice),)*
                    _ => Err($crate::registry::misfit(node, "one of the choices")),
                }
            }
        }
    };
}

#[doc(hidden)]
pub use __choices as choices;
