//! The house itself: layers, names, prose, links, and what stands in two places; the sources are
//! read, and nothing of them is compiled.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod ci;
mod evidence;
mod facade;
mod house;
mod layers;
mod links;
mod policies_chapter;
mod prose;
mod stream_names;
mod words;
