//! The tables and numbers of a run that follow from its other files.

use crate::check::JudgedPromise;
use crate::check::sheet::Sheet;
use crate::output::Always;
use crate::rows::{BelievedRow, ForecasterRow, QueueRow, ServerRow};
use clustersim_experiment::rows::jobs::{JobColumns, JobRow};

use super::facts::WholeRun;
use super::run::Run;
use super::{again, choices, measurements, queues};

/// Judges them.
///
/// # Errors
/// A file that is not what it should be.
pub(super) fn judged(run: &Run<'_>, whole: &WholeRun<'_>) -> Result<Vec<JudgedPromise>, String> {
    let servers = Sheet::<ServerRow<'_>>::of(whole.server_file, Always)?;
    let queues = Sheet::<QueueRow<'_>>::of(whole.queue_file, Always)?;
    let jobs = Sheet::<JobRow<'_>>::of(whole.jobs, JobColumns::OF_TASKS)?;
    let forecasters = Sheet::<ForecasterRow<'_>>::of(whole.forecasters, Always)?;
    let believed = Sheet::<BelievedRow<'_>>::of(whole.believed, Always)?;
    let mut all = Vec::new();
    if let Some(sheet) = &servers {
        all.extend(sheet.judged("servers.csv has what servers executed", &again::servers(run, whole, sheet)));
    }
    if let Some(sheet) = &queues {
        all.extend(sheet.judged("queues.csv has what queues carried", &queues::cells(run, whole, sheet)));
    }
    if let Some(sheet) = &jobs {
        all.extend(sheet.judged("jobs.csv has the tasks that were executed", &again::jobs(run)));
    }
    if let Some(sheet) = &forecasters {
        let promise = "forecasters.csv has the errors of each, and how often it was believed";
        all.extend(sheet.judged(promise, &measurements::forecasters(run, sheet)));
    }
    if let Some(sheet) = &believed {
        all.extend(sheet.judged("believed.csv has when each was believed", &again::believed(run)));
    }
    all.push(("packets go through the queues of their routes".to_owned(), again::routes(run, whole)));
    all.push(("manifest.json counts the tasks".to_owned(), Ok(again::counters(run, whole))));
    all.push(("tasks go to the servers of the scheduler's rule".to_owned(), choices::chosen(run, whole)));
    all.extend(again::summary(run, whole, (servers.as_ref(), queues.as_ref())));
    all.extend(again::not_found(run, whole));
    Ok(all)
}
