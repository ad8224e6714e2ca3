//! What holds for any bytes read as a trace of failures of nodes.

use clustersim_cluster::batch::machine::read_fault_trace;
use clustersim_language::registry::{Sources, Span};

/// Nodes of the machine that the traces are read for.
const NODES: u32 = 1_000;

/// Reading is total and repeatable. It gives spans in order that do not touch, or mistakes that lie
/// in their lines.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let span = Span::new(Sources::new("").add("scenario.toml", "", ""), 0..0);
    let first = read_fault_trace(text, "nodes.csv", NODES, span);
    assert_eq!(first, read_fault_trace(text, "nodes.csv", NODES, span), "read twice, it differs");
    match first {
        Ok(nodes) => {
            assert!(nodes.len() <= NODES as usize);
            for spans in &nodes {
                assert!(spans.iter().all(|(from, to)| from < to), "{spans:?}");
                assert!(spans.windows(2).all(|pair| pair[0].1 < pair[1].0), "{spans:?}");
            }
        }
        Err(complaints) => {
            assert!(!complaints.is_empty());
            for complaint in complaints {
                assert!(!complaint.message.is_empty());
                if let Some(excerpt) = complaint.excerpt {
                    assert!(
                        excerpt.line > 0 && excerpt.text.get(excerpt.range.clone()).is_some(),
                        "{excerpt:?}"
                    );
                }
            }
        }
    }
}
