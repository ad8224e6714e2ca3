//! What the kernel promises, seen from outside.

mod combinators;
