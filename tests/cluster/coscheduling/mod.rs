//! Scenarios at detail `task`.

mod scenario;
