//! `usage`: the processors in use, where the other tables do not tell.

use crate::instrument::metrics::{FinishedRun, Window};
use crate::kernel::SimTime;
use crate::output::rows;

rows! {
    /// The spans in which processors are in use, which together are all that is in use.
    pub struct UsageRows<'a>(FinishedRun<'a>) = "usage",
        "where jobs share processors or the run was stopped, so that jobs.csv does not tell: rows whose processors add up to those in use at each instant, a shared one once. Key: record.jobs";
    from run, used(&run);
    (from, to, processors) => {
        "from" Time "s", "since when" => from;
        "to" Time "s", "until when" => to;
        "processors" Count "", "how many are in use" => processors;
    }
}

fn used<'a>(run: &'a FinishedRun<'a>) -> impl Iterator<Item = (SimTime, SimTime, u32)> + 'a {
    let to = run.until.or_else(|| run.last_end()).unwrap_or(SimTime::ZERO);
    let spans = run.spans_in_use(Window { from: SimTime::ZERO, to });
    spans.filter(|(from, to, processors)| from < to && *processors > 0)
}
