//! `explain`: the meaning, unit, default and source of a key; what a component does; what a code means.

use crate::cli::failure::Failure;
use crate::cli::print;
use crate::registry::code;
use crate::registry::topic::{Topic, find, nearest_topic, topics};
use crate::registry::{Complaint, Registry};
use crate::scenario::schema::ROOT;

pub(super) fn explain(registry: &Registry, asked: &str) -> Result<(), Failure> {
    if let Some(code) = code::find(asked) {
        return print(&format!("{}: {}\n\n    {}\n", code.id, code.title, code.advice));
    }
    let topics = topics(registry, ROOT);
    let found = find(&topics, asked);
    if found.is_empty() {
        let complaint = Complaint::nowhere(code::UNKNOWN_NAME, format!("nothing is called `{asked}`"));
        let help = match nearest_topic(&topics, asked) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "give a key (policy.backfill), a component (easy) or a code (CS0005)".to_owned(),
        };
        return Err(Failure::usage(complaint.help(help)));
    }
    let texts: Vec<String> = found.iter().map(Topic::text).collect();
    print(&texts.join("\n"))
}
