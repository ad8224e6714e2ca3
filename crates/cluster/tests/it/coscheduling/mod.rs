//! The cluster at detail `task`: worked by hand to the nanosecond, and as published.

mod agreement;
mod exact;
mod gang;
mod measures;
mod network;
mod polled;
mod properties;
mod published;
mod quality;
mod reserved;
mod smp;
mod support;
mod theory;
mod tuning;
