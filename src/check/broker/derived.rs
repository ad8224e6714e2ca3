//! The tables and numbers of a run that follow from its other files.

use crate::check::JudgedPromise;
use crate::check::sheet::{Right, Sheet};

use super::facts::WholeRun;
use super::run::Run;
use super::{again, choices, measurements, queues};

/// Judges them.
///
/// # Errors
/// A file that is not what it should be.
pub(super) fn judged(run: &Run<'_>, whole: &WholeRun<'_>) -> Result<Vec<JudgedPromise>, String> {
    let servers = Sheet::of("servers.csv", whole.server_file, again::SERVERS)?;
    let queues = Sheet::of("queues.csv", whole.queue_file, queues::QUEUES)?;
    let jobs = Sheet::of("jobs.csv", whole.jobs, again::JOBS)?;
    let forecasters = Sheet::of("forecasters.csv", whole.forecasters, measurements::FORECASTERS)?;
    let believed = Sheet::of("believed.csv", whole.believed, again::BELIEVED)?;
    let mut all = Vec::new();
    let mut judge = |promise: &str, sheet: &Option<Sheet>, right: &dyn Fn(&Sheet) -> Vec<Vec<Right>>| {
        if let Some(sheet) = sheet {
            all.extend(sheet.judged(promise, &right(sheet)));
        }
    };
    judge("servers.csv has what servers executed", &servers, &|sheet| again::servers(run, whole, sheet));
    judge("queues.csv has what queues carried", &queues, &|sheet| queues::cells(run, whole, sheet));
    judge("jobs.csv has the tasks that were executed", &jobs, &|_| again::jobs(run));
    judge("forecasters.csv has the errors of each, and how often it was believed", &forecasters, &|sheet| {
        measurements::forecasters(run, sheet)
    });
    judge("believed.csv has when each was believed", &believed, &|_| again::believed(run));
    all.push(("packets go through the queues of their routes".to_owned(), again::routes(run, whole)));
    all.push(("manifest.json counts the tasks".to_owned(), Ok(again::counters(run, whole))));
    all.push(("tasks go to the servers of the scheduler's rule".to_owned(), choices::chosen(run, whole)));
    all.extend(again::summary(run, whole, (servers.as_ref(), queues.as_ref())));
    all.extend(again::not_found(run, whole));
    Ok(all)
}
