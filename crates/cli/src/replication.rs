//! Run of a point, as the command line names it.

use std::str::FromStr;

use clustersim_experiment::study::row::RECORDED;

/// A replication of a point: a number from 0, or `None` for the log as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Replication(pub(super) Option<u32>);

impl FromStr for Replication {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == RECORDED {
            return Ok(Replication(None));
        }
        let number = text.parse().map_err(|_| format!("expected a number from 0, or `{RECORDED}`"))?;
        Ok(Replication(Some(number)))
    }
}
