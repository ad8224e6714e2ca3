//! Every job gets the processors that it asks for, as if it were rigid.

use crate::registry::Entry;

use super::{CandidateSizes, Molding, When};

pub(super) const ENTRY: Entry<dyn Molding> =
    Entry::new("as-requested", "every job gets the processors that it asks for", &[], |_| {
        Ok(Box::new(AsRequested))
    });

#[derive(Debug)]
pub(crate) struct AsRequested;

impl Molding for AsRequested {
    fn when(&self) -> When {
        When::Never
    }

    fn choose(&self, _: &CandidateSizes<'_>) -> Option<u32> {
        None
    }

    fn why(&self) -> &'static str {
        "it asked for them"
    }
}
