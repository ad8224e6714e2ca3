//! Workloads of clusters against closed forms.

#[path = "../../../crates/kernel/tests/it/analytic/agreement.rs"]
#[expect(dead_code, reason = "shared with simulated systems, which use more of it")]
mod agreement;
mod workloads;

use agreement::agree;
