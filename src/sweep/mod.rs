//! Parameter sweeps: thousands of independent tasks that share input files, on clusters behind one link each.
//!
//! - [`application`]: the tasks and their files; [`grid`]: the clusters, their hosts, links and storages.
//!
//! Source: F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, "Using simulation to evaluate scheduling heuristics for a class of
//! applications in grid environments", LIP RR1999-46, 1999.

pub mod application;
pub mod grid;
