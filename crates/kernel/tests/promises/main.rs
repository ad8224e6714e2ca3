//! What the kernel promises, seen from outside: needs no feature of the crate.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod buffer;
mod combinators;
mod condition;
mod deadlock;
mod event;
mod facility;
mod kill;
mod livelock;
mod mailbox;
mod moving;
mod phases;
mod process;
mod reference;
mod run;
mod sameness;
mod signal;
mod storage;
mod support;
mod work;
