//! Threads that share the runs of a study.

use std::sync::{Mutex, PoisonError};
use std::{io, thread};

/// Calls `work` on as many threads at once, and returns when all have returned. Where the system
/// grants fewer threads, the others do the work: results do not depend on their number.
///
/// # Errors
/// Not one thread can be begun.
pub(super) fn on_each(threads: usize, work: impl Fn() + Sync) -> io::Result<()> {
    thread::scope(|scope| {
        for number in 0..threads.max(1) {
            match thread::Builder::new().spawn_scoped(scope, &work) {
                Err(error) if number == 0 => return Err(error),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        Ok(())
    })
}

/// The results of `of` for every item, in the order of the items; the items are taken in turn by as
/// many threads.
///
/// # Errors
/// Not one thread can be begun.
pub fn map<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    of: impl Fn(usize, &T) -> R + Sync,
) -> io::Result<Vec<R>> {
    let waiting = Mutex::new(items.iter().enumerate());
    let done = Mutex::new(items.iter().map(|_| None).collect::<Vec<Option<R>>>());
    on_each(threads.min(items.len()), || {
        loop {
            let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((number, item)) = next else { break };
            let result = of(number, item);
            done.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(result);
        }
    })?;
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(done.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items_whatever_the_threads() {
        let items: Vec<u64> = (0..100).collect();
        for threads in [0, 1, 3, 200] {
            let squares = map(threads, &items, |number, item| number as u64 * item).expect("a thread begins");
            assert_eq!(
                squares,
                items.iter().map(|item| item * item).collect::<Vec<_>>(),
                "{threads} threads"
            );
        }
        assert!(map(4, &[] as &[u64], |_, item| *item).expect("no thread is needed").is_empty());
    }
}
