//! The exit statuses, for the help text, the manual and `explain`.

use std::fmt::Write;

/// The exit statuses and their meanings; a line of the help text each, or more.
pub(super) const EXIT_STATUSES: [(u8, &str); 8] = [
    (0, "done"),
    (1, "the simulation failed (deadlock, policy error, I/O)"),
    (2, "bad usage or invalid input"),
    (3, "an [expect] bound is broken"),
    (4, "a study is complete, but runs of it failed; or shards of a sweep are missing"),
    (75, "another process works on the directory, or a shard could not be written: try again"),
    (101, "a mistake of the simulator: please report it"),
    (
        130,
        "interrupted (by SIGTERM: 143, by SIGHUP: 129), after a line that says what is kept;\na run that was not over leaves \
         DIR.partial, which the next one into DIR clears,\nor continues if it is a study",
    ),
];

/// The table of exit statuses, with its heading.
pub(super) fn exit_status() -> String {
    let mut text = "Exit status:".to_owned();
    for (status, about) in EXIT_STATUSES {
        // writing into a String cannot fail
        let _ = write!(text, "\n  {status:<4} {}", about.replace('\n', "\n       "));
    }
    text
}
