//! The promises of a run, gone through one by one.

use super::{JudgedPromise, Judgement};

/// Judges each promise of a run that could be read; of another all are unjudged for one reason.
pub fn judge_each<R, J: Copy>(
    promises: &[(&str, J)],
    run: &Result<R, &'static str>,
    judge: impl Fn(J, &R) -> Judgement,
) -> Vec<JudgedPromise> {
    let judged = |with| run.as_ref().map_err(|why| *why).and_then(|run| judge(with, run));
    promises.iter().map(|(promise, with)| ((*promise).to_owned(), judged(*with))).collect()
}
