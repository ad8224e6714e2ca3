//! The peers of one task, one after another, without an allocation.

use std::iter::FusedIterator;
use std::sync::Arc;

/// Most peers that are kept in place.
const FEW: usize = 4;

/// The peers of one task, in order. Cloning copies a few words.
#[derive(Clone, Debug)]
pub struct Peers(Form);

#[derive(Clone, Debug)]
enum Form {
    /// `list[at..end]`
    Few { list: [u32; FEW], at: u8, end: u8 },
    /// `rank + step`, `rank + step + 1`, … up to `rank + tasks - 1`, all modulo `tasks`
    Others { rank: u32, tasks: u32, step: u32 },
    /// `list[at..]`
    Listed { list: Arc<[u32]>, at: u32 },
}

impl Peers {
    /// No peers.
    pub const NONE: Peers = Peers(Form::Few { list: [0; FEW], at: 0, end: 0 });

    /// Up to four candidates, `rank` itself and repetitions left out.
    ///
    /// # Panics
    /// If more than four different ones are given: use [`Peers::listed`] for those.
    pub fn few(rank: u32, candidates: impl IntoIterator<Item = u32>) -> Self {
        let mut list = [0; FEW];
        let mut end = 0;
        for peer in candidates {
            if peer != rank && !list[..end].contains(&peer) {
                assert!(end < FEW, "more than {FEW} peers are listed, not given as few");
                list[end] = peer;
                end += 1;
            }
        }
        Peers(Form::Few { list, at: 0, end: end as u8 })
    }

    /// All `tasks` tasks but `rank`, from the next one on, round to the one before.
    pub fn others(rank: u32, tasks: u32) -> Self {
        Peers(Form::Others { rank, tasks, step: 1 })
    }

    /// The tasks of a list that is kept elsewhere as well.
    pub fn listed(list: Arc<[u32]>) -> Self {
        Peers(Form::Listed { list, at: 0 })
    }
}

impl Iterator for Peers {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match &mut self.0 {
            Form::Few { list, at, end } => {
                let peer = (at < end).then(|| list[usize::from(*at)])?;
                *at += 1;
                Some(peer)
            }
            Form::Others { rank, tasks, step } => {
                let step_now = *step;
                if step_now >= *tasks {
                    return None;
                }
                *step += 1;
                let peer = u64::from(*rank) + u64::from(step_now);
                Some((peer % u64::from(*tasks)) as u32)
            }
            Form::Listed { list, at } => {
                let peer = *list.get(*at as usize)?;
                *at += 1;
                Some(peer)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Form::Few { at, end, .. } => usize::from(end - at),
            Form::Others { tasks, step, .. } => tasks.saturating_sub(*step) as usize,
            Form::Listed { list, at } => list.len() - *at as usize,
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Peers {}
impl FusedIterator for Peers {}
