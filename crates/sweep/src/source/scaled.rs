//! Sizes of files scaled to a ratio of communication to computation.
//!
//! The ratio is that of two times. One is how long the links take together if every input is sent
//! once to every cluster and every output comes back once. The other is how long the hosts take
//! together to compute all tasks, each for the mean of its times.
//!
//! ```text
//!         (clusters × bytes of inputs + bytes of outputs) / (mean bandwidth × clusters)
//!  ccr = ──────────────────────────────────────────────────────────────────────────────
//!                       seconds of all tasks / processors available
//! ```

use crate::model::application::{Sweep, SweepTask};
use crate::registry::{Bounds, Complaint, Key, Kind, Span, code};
use crate::source::{GridMeans, SweepRequest};

/// The ratio that a scenario asks for.
pub(crate) const CCR: Key = Key::new("ccr", Kind::Number(Bounds::NotNegative)).absent("sizes as they are").about(
    "ratio that the sizes of all files are scaled to by one factor: the time of the links, if every input is sent once to every \
     cluster, to the time of the hosts",
);

/// The mean over the architectures of how long a task computes, in seconds.
pub fn mean_seconds(task: &SweepTask) -> f64 {
    task.times.iter().map(|time| time.real).sum::<f64>() / task.times.len().max(1) as f64
}

/// The ratio of an application on a grid; 0 where nothing is computed.
pub fn ccr(sweep: &Sweep, grid: GridMeans) -> f64 {
    let clusters = grid.clusters as f64;
    let mut copies = vec![0.0; sweep.files.len()];
    for task in &sweep.tasks {
        task.inputs.iter().for_each(|file| copies[file.index()] = clusters);
        task.outputs.iter().for_each(|file| copies[file.index()] = 1.0);
    }
    let bytes: f64 = sweep.files.iter().zip(copies).map(|(file, copies)| file.bytes as f64 * copies).sum();
    let seconds: f64 = sweep.tasks.iter().map(mean_seconds).sum();
    if seconds > 0.0 { bytes / (grid.bandwidth * clusters) / (seconds / grid.availability) } else { 0.0 }
}

/// The application with all sizes times one factor, so that this is its ratio; `None` if no factor
/// gives it.
fn scaled(mut sweep: Sweep, grid: GridMeans, wanted: f64) -> Option<Sweep> {
    let factor = wanted / ccr(&sweep, grid);
    if !factor.is_finite() {
        return None;
    }
    // beyond 2^64 the cast saturates
    let scale = |bytes: u64| (bytes as f64 * factor).round() as u64;
    for file in &mut sweep.files {
        (file.bytes, file.estimated) = (scale(file.bytes), scale(file.estimated));
    }
    Some(sweep)
}

/// The application scaled to a ratio that a scenario asks for, if it does.
pub(crate) fn to_ratio(
    sweep: Sweep,
    request: &SweepRequest<'_>,
    ccr: Option<(f64, Span)>,
) -> Result<Sweep, Complaint> {
    let Some((ccr, at)) = ccr else { return Ok(sweep) };
    let Some(grid) = request.grid else {
        return Err(Complaint::new(code::CONTRADICTION, "sizes are scaled to a grid, and there is none", at));
    };
    scaled(sweep, grid, ccr).ok_or_else(|| {
        let message = "no factor gives the files this ratio to computations: there are no bytes, or no work";
        Complaint::new(code::CONTRADICTION, message, at)
    })
}
