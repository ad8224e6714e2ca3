//! `usage`: the processors in use, where the other tables do not tell.

use crate::instrument::metrics::{FinishedRun, Window};
use crate::kernel::SimTime;
use crate::output::rows;
use crate::rows::UsageRow;

rows! {
    /// The spans in which processors are in use, which together are all that is in use.
    pub struct UsageRows<'a>(FinishedRun<'a>) of UsageRow;
    from run, used(&run);
    (from, to, processors) => { from, to, processors }
}

fn used<'a>(run: &'a FinishedRun<'a>) -> impl Iterator<Item = (SimTime, SimTime, u32)> + 'a {
    let to = run.until.or_else(|| run.last_end()).unwrap_or(SimTime::ZERO);
    let spans = run.spans_in_use(Window { from: SimTime::ZERO, to });
    spans.filter(|(from, to, processors)| from < to && *processors > 0)
}
