//! What the kernel promises, seen from outside.

mod buffer;
mod combinators;
mod condition;
mod event;
mod facility;
mod mailbox;
mod phases;
mod process;
mod reference;
mod run;
mod storage;
mod support;
