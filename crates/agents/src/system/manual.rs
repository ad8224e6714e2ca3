//! Sections of the manual on agents: what they can do in the words of SimGrid, and what of its
//! platform files is read.

use crate::names::NAMES;
use crate::platform::simgrid::{ELEMENTS, ElementRow, Need, REFUSED};
use crate::scenario::manual::{Block, Item};

/// The sections.
pub(super) fn sections() -> Vec<Block> {
    let mut blocks = vec![
        Block::Section("Programs of agents".to_owned()),
        Block::Text(
            "Scenarios with `[platform]` and `[[agent]]` simulate programs that compute and exchange tasks. What agents do is a \
             role, of the table `role` above, or of your own: docs/agents.md explains how to write one."
                .to_owned(),
        ),
        Block::Section("Names of MSG and S4U".to_owned()),
        Block::Text("What SimGrid's interfaces call what agents do here (library clustersim::agents):".to_owned()),
    ];
    blocks.extend(NAMES.iter().map(|known| {
        let of = |interface: &str, name: &str| {
            if name.is_empty() { format!("nothing in {interface}") } else { format!("{interface}: `{name}`") }
        };
        let names = format!("{}; {}", of("MSG", known.msg), of("S4U", known.s4u));
        Block::Item(Item::new(known.ours, &names))
    }));
    blocks.push(Block::Section("Elements of SimGrid's files".to_owned()));
    blocks.push(Block::Text(
        "What of platform and deployment files (version 4.1, 4 too) is read, as XML, plain or gzip:"
            .to_owned(),
    ));
    blocks.extend(ELEMENTS.iter().map(|row| Block::Item(element(row))));
    blocks.push(Block::Text("Refused, each at its place in the file:".to_owned()));
    blocks.extend(REFUSED.iter().map(|(name, why)| Block::Item(Item::new(&format!("<{name}>"), why))));
    blocks
}

fn element(row: &ElementRow) -> Item {
    let mut item = Item::new(&format!("<{}>", row.name), row.about);
    if !row.also.is_empty() {
        item = item.labelled("also", &named(row.also));
    }
    if !row.inside.is_empty() {
        item = item.labelled("inside", &named(row.inside));
    }
    for attribute in row.attributes {
        let may = if attribute.need == Need::Optional { " (may be left out)" } else { "" };
        item = item.labelled(&format!("`{}`", attribute.name), &format!("{}{may}", attribute.about));
    }
    item
}

fn named(elements: &[&str]) -> String {
    elements.iter().map(|name| format!("`<{name}>`")).collect::<Vec<_>>().join(", ")
}
