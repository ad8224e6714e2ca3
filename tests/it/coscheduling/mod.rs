//! The cluster at detail `task`: worked by hand to the nanosecond, and as published.

mod exact;
mod published;
mod support;
