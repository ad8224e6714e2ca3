//! What holds for any few jobs on any small cluster, under any policy with failures and estimates,
//! run and judged.
//!
//! The bytes are decisions, one after another; behind the last all are 0.

use std::fmt::Write;
use std::path::Path;

use super::drawn::{self, Bytes};

/// Why a run does not come to its end: nodes fail sooner than a large job ends, and that is seen
/// late.
const REASONS: &[&str] = &["the run is too large", "nodes fail sooner than jobs end"];

/// How it went: to the end, or the reason why not.
pub(crate) fn outcome(bytes: &[u8]) -> Result<(), String> {
    drawn::outcome(scenario, bytes, REASONS)
}

// writing into a String cannot fail

fn scenario(bytes: &mut Bytes<'_>, _: &Path) -> String {
    let nodes = 1 + bytes.below(16);
    let seed = bytes.below(256);
    let mut text = format!("title = 'Drawn'\nseed = {seed}\n[cluster]\nnodes = {nodes}\n");
    let policy = bytes.pick(&["easy", "space-sharing", "conservative", "fcfs", "gang"]);
    if policy != "gang" && bytes.below(3) == 2 {
        let (up, down) = (1 + bytes.below(20), 1 + bytes.below(60));
        let _ = writeln!(
            text,
            "[cluster.failures]\nprocessors-per-node = 1\nup = {{ kind = 'exponential', mean = '{up}h' }}\ndown = '{down}min'"
        );
        if bytes.below(2) == 1 {
            let _ = writeln!(text, "checkpoint = {{ interval = '{}min', cost = '1s' }}", 1 + bytes.below(30));
        }
    }
    let (jobs, gap) = (1 + bytes.below(40), bytes.below(120));
    let _ = writeln!(
        text,
        "[workload]\nkind = 'synthetic'\njobs = {jobs}\narrivals = {{ kind = 'exponential', mean = '{}s' }}\n\
         sizes = {{ kind = 'uniform', low = 1, high = {nodes} }}\nrun-times = {{ kind = 'exponential', mean = '{}min' }}",
        gap + 1,
        1 + bytes.below(90)
    );
    if bytes.below(2) == 1 {
        text.push_str("estimates = { kind = 'uniform', low = 1, high = 4 }\n");
    }
    text.push_str("[policy]\n");
    let _ = match policy {
        "gang" => writeln!(text, "kind = 'gang'\nquantum = '{}min'", 1 + bytes.below(100)),
        "space-sharing" => {
            let queue = bytes.pick(&["fcfs", "sjf", "largest"]);
            let backfill = bytes.pick(&["none", "easy", "conservative"]);
            writeln!(text, "kind = 'space-sharing'\nqueue = '{queue}'\nbackfill = '{backfill}'")
        }
        other => writeln!(text, "kind = '{other}'"),
    };
    if bytes.below(6) == 5 {
        text.push_str("[run]\nuntil = '2h'\n");
    }
    text
}
