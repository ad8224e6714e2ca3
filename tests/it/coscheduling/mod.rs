//! The cluster at detail `task`: worked by hand to the nanosecond, and as published.

mod agreement;
mod exact;
mod gang;
mod measures;
mod network;
mod published;
mod support;
mod tuning;
