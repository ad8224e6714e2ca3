//! Foreign programs in the place of parts of the scheduling unit: the database, the predictor, the
//! scheduler.
//!
//! A program in any language reads questions from its standard input and writes one line to its
//! standard output for each. Both are JSON, an object a line. It works in virtual time: each
//! question has the time of the simulation \[s\], and the simulation waits until the answer is
//! there. The clock on the wall only decides how long an answer may take, so it changes no result.
//!
//! ```text
//! simulator                                                      program
//!   {"hello":"clustersim","version":1,"part":"predictor",…}  ──▶
//!                                   ◀──  {"hello":"my predictor","version":1}
//!   {"put":"server","time":10,"server":"s",…}                ──▶
//!                                   ◀──  {"ok":true}
//!   {"predict":"server","time":12.5,"server":"s"}            ──▶
//!                                   ◀──  {"performance":1e8,"load":2,"availability":0.5,"up":true}
//!   {"finish":"run","time":3600}                             ──▶
//!                                   ◀──  {"ok":true}
//! ```
//!
//! - [`program`]: a program, with which a part has a [live dialogue](crate::dialogue::live).
//! - [`message`]: questions; [`answer`]: keys of answers, and what must hold for their values.
//! - [`store`]: a program as the database. As the predictor and as the scheduler it is with the
//!   others of these.
//!
//! Source: A. Takefusa and others, HPDC 1999, section 4, which puts the Network Weather Service in
//! the place of the database and the predictor. The protocol is ours.

pub mod answer;
pub mod message;
pub mod program;
pub mod store;

/// The version of the protocol.
pub const VERSION: u64 = 1;
