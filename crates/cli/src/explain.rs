//! `explain`: the meaning, unit, default and source of a key; what a component does; what a metric,
//! a warning or another word of the results is; what a code means.

use std::fmt::Write;

use crate::definitions::definitions;
use crate::failure::Failure;
use crate::print;
use crate::registry::topic::{Found, Topic, find, lines, nearest_topic, texts, topics};
use crate::registry::{Complaint, Registry, code};
use crate::scenario::renamed::renamed;
use crate::scenario::root_keys;

pub(super) fn explain(registry: &Registry, asked: &str) -> Result<(), Failure> {
    if let Some(code) = code::find(asked) {
        return print(&format!("{}: {}\n\n    {}\n", code.id, code.title, code.advice));
    }
    let mut topics = topics(registry, root_keys(registry));
    topics.extend(definitions(registry).into_iter().map(Topic::Word));
    let Found { exact, near } = find(&topics, asked);
    if let Some(complaint) = renamed(code::UNKNOWN_NAME, asked).filter(|_| exact.is_empty()) {
        return Err(Failure::usage(complaint));
    }
    match (&exact[..], &near[..]) {
        ([], []) => {
            let complaint = Complaint::nowhere(code::UNKNOWN_NAME, format!("nothing is called `{asked}`"));
            let help = match nearest_topic(&topics, asked) {
                Some(name) => format!("did you mean `{name}`?"),
                None => {
                    "give a key (policy.backfill), a component (easy), a metric (wait-time.mean), a file \
                         (jobs.csv), a column (jobs.csv.stretch), a warning (saturated) or a code (CS0005)"
                        .to_owned()
                }
            };
            Err(Failure::usage(complaint.help(help)))
        }
        ([], several) => match &texts(several)[..] {
            [one] => print(one),
            _ => print(&list(asked, several)),
        },
        (found, others) => {
            let also = if others.is_empty() { String::new() } else { format!("\n{}", list(asked, others)) };
            print(&(texts(found).join("\n") + &also))
        }
    }
}

/// The names of which `asked` is a part, a line each.
fn list(asked: &str, near: &[Topic]) -> String {
    let lines = lines(near);
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = format!("Names with `{asked}`; `clustersim explain NAME` explains one of them:\n\n");
    for (name, about) in lines {
        // writing into a String cannot fail
        let _ = writeln!(text, "  {name:width$}  {about}");
    }
    text
}
