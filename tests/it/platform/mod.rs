//! Platforms: traces, sharing and flows, held to plain readings of their rules.

mod flows;
mod networks;
mod processors;
mod measured;
mod random;
mod sharing;
mod traces;
mod zones;
