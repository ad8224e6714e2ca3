//! The page of a finished run once more: from `summary.json`, `jobs.csv`, the resolved scenario, and the tables of
//! reservations and outages where there are any.

use crate::scenario::{Rejected, RunDirectory};
use crate::system::cluster::description::Cluster;
use crate::system::cluster::page::{About, Rows, draw};
use crate::system::cluster::workload_again::{jobs, submitted};

/// Draws the page.
pub(super) fn redraw(run: &RunDirectory<'_>) -> Result<Vec<u8>, Box<Rejected>> {
    let summary = run.json("summary.json")?;
    let csv = run.text("jobs.csv")?;
    let warm_up = run.scenario.own::<Cluster>().expect("what the system read of its scenario").warm_up;
    // the workload may have moved or changed since: then the page is drawn from what is in the directory
    let whole = jobs(run)
        .and_then(|workload| submitted(workload.work, run.manifest, &csv))
        .and_then(|work| Rows::of_csv(&csv, warm_up, Some(&work.jobs)));
    let rows = match whole {
        Ok(rows) => rows,
        Err(why) => {
            let rows = Rows::of_csv(&csv, warm_up, None)
                .map_err(|message| run.not_understood("jobs.csv", "drawn", &message))?;
            (run.note)(&format!("the users of the jobs are left out: {why}"));
            rows
        }
    };
    let text = |name: &str| run.has(name).then(|| run.text(name)).transpose();
    let (reservations, outages) = (text("reservations.csv")?, text("outages.csv")?);
    let rows = rows
        .with_behind(reservations.as_deref(), outages.as_deref())
        .map_err(|(name, message)| run.not_understood(name, "drawn", &message))?;
    let procs = run.manifest["processors"].as_u64().and_then(|procs| u32::try_from(procs).ok());
    let about = About {
        summary: &summary,
        workload: run.manifest["workload"]["name"].as_str().unwrap_or_default(),
        procs: procs.unwrap_or(1).max(1),
        resolved: &run.scenario.resolved(),
    };
    Ok(draw(&about, &rows))
}
