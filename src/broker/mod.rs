//! Global computing as Bricks models it: clients call servers over networks that are queues, and a scheduling unit decides which.
//!
//! A client that has a task asks the scheduling unit for a server. It sends the arguments of the task there in packets, one after
//! another, through the queues of the network. The task waits for the server, is executed, and its results come back in packets.
//! The scheduling unit has four parts, each of which can be replaced. Monitors measure networks and servers. A database keeps what
//! they measured. A predictor says from it what will be, and a scheduler chooses a server by that.
//!
//! A network or a server may behave as a real one did that was measured. A measurement is a series of points in time:
//!
//! - [`series`]: series in files, as monitoring tools write them.
//! - [`curve`]: what such a series is between its points, and when work under it ends.
//!
//! Source: A. Takefusa, S. Matsuoka, H. Nakada, K. Aida, U. Nagashima, "Overview of a Performance Evaluation System for Global
//! Computing Scheduling Algorithms", HPDC 1999.

pub mod curve;
pub mod series;
