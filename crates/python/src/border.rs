//! The border between interpreter and simulator: threads, the interpreter's lock, signals, panics.
//!
//! Work goes to a thread of its own, and the thread that called waits without the lock. It takes
//! the lock back each [`BETWEEN`] to let the interpreter look at its signals, and to call what
//! shows the progress. If either raises, the work is told to stop, and its thread is waited for: a
//! thread that is left behind would run into the end of the interpreter.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use clustersim_experiment::study::run::BrokenOff;
use clustersim_language::text::stop_reading_when;

use crate::problem::Problem;

/// Time between two looks at signals.
const BETWEEN: Duration = Duration::from_millis(50);
/// Stack of a thread that makes runs, as much as a program's first thread has \[bytes\].
const STACK: usize = 8 << 20;

thread_local! {
    /// Place of the last panic of this thread.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on a panic prints nothing: it becomes an exception, which names its place.
pub(crate) fn keep_panics() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        PLACE.with_borrow_mut(|last| *last = place);
    }));
}

/// The outcome of some work, a panic included.
fn caught<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(panic.as_ref())))
}

fn of_panic(panic: &(dyn Any + Send)) -> Problem {
    if panic.is::<BrokenOff>() {
        return Problem::Failed("interrupted".to_owned());
    }
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let place = PLACE.with_borrow(Clone::clone);
    Problem::Internal(format!("{} ({place})", text.unwrap_or_else(|| "a panic without words".to_owned())))
}

/// Work on this thread, with the interpreter's lock: its problem or panic as an exception.
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(|| Ok(work())).unwrap_or_else(|problem| Err(problem.raised(py)))
}

/// Work on a thread of its own, without the interpreter's lock. `look` is called with the lock each
/// [`BETWEEN`]; `work` is to break off when the flag is set that it is given, and reads no further.
///
/// # Errors
/// The problem of the work, or what a handler of a signal or `look` raised.
pub(crate) fn apart<T: Send>(
    py: Python<'_>,
    look: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Problem> + Send,
) -> PyResult<T> {
    match apart_to_its_end(py, look, work) {
        (_, Some(error)) => Err(error),
        (made, None) => made.map_err(|problem| problem.raised(py)),
    }
}

/// The same, with what the work made although a handler of a signal or `look` raised something.
pub(crate) fn apart_to_its_end<T: Send>(
    py: Python<'_>,
    mut look: impl FnMut(Python<'_>) -> PyResult<()> + Send,
    work: impl FnOnce(&Arc<AtomicBool>) -> Result<T, Problem> + Send,
) -> (Result<T, Problem>, Option<PyErr>) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut raised = None;
    let made = py.detach(|| {
        let (over, wait) = channel();
        thread::scope(|scope| {
            let thread = thread::Builder::new().name("clustersim".to_owned()).stack_size(STACK);
            let begun = thread.spawn_scoped(scope, || {
                stop_reading_when(&stop);
                let made = caught(|| work(&stop));
                // the other end is there until this is received
                let _ = over.send(made);
            });
            if let Err(error) = begun {
                return Err(Problem::Failed(format!("cannot begin a thread: {error}")));
            }
            loop {
                match wait.recv_timeout(BETWEEN) {
                    Ok(made) => return made,
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        raised = Python::attach(|py| py.check_signals().and_then(|()| look(py))).err();
                        stop.store(raised.is_some(), Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(Problem::Internal("a thread ended without a word".to_owned()));
                    }
                }
            }
        })
    });
    (made, raised)
}
