//! Platforms: traces, sharing and flows, held to plain readings of their rules.

mod flows;
mod measured;
mod networks;
mod processors;
mod random;
mod sharing;
mod traces;
mod zones;
