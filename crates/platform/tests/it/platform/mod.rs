//! Platforms: zones, topologies, files, traces, sharing and flows, held to plain readings of their
//! rules.

mod flows;
mod measured;
mod networks;
mod packet_time;
mod processors;
mod progressive_filling;
mod random;
mod sharing;
mod simgrid_files;
mod topologies;
mod traces;
mod zones;
