//! Clusters whose jobs are customers of queueing theory.

#[path = "../../../../kernel/tests/it/analytic/agreement.rs"]
mod agreement;
mod batch;
mod patience;

use agreement::{agree, exponential, secs};
