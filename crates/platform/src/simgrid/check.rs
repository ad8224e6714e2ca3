//! Elements and attributes held to the table of what is read.

use crate::registry::{Complaint, Complaints, code, suggestion};
use crate::simgrid::table::{ELEMENTS, ElementRow, Need, REFUSED};
use crate::text::xml::Element;

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    Platform,
    Deployment,
}

/// Complains about everything that no element and no attribute may be, and takes it out; other
/// names become the ones of the table.
pub(super) fn check(root: &mut Element, file: File, complaints: &mut Complaints) {
    if root.name != "platform" {
        let what = format!("`<{}>` is no platform", root.name);
        let complaint = Complaint::new(code::PLATFORM, what, root.at);
        complaints.push(complaint.label("expected `<platform version=\"4.1\">`"));
        return;
    }
    attributes(root, &ELEMENTS[0], complaints);
    version(root, complaints);
    inside(root, file, complaints);
}

fn version(root: &Element, complaints: &mut Complaints) {
    let version = root.value("version");
    if root.get("version").is_some() && !["4", "4.0", "4.1"].contains(&version) {
        let what = format!("version `{version}` of platform files is not read");
        let complaint = Complaint::new(code::PLATFORM, what, root.place("version"));
        complaints.push(
            complaint
                .label("expected 4 or 4.1")
                .help("`simgrid_update_xml` of SimGrid brings older files up to date"),
        );
    }
}

/// The row of an element by any of its names.
fn row(name: &str) -> Option<&'static ElementRow> {
    ELEMENTS.iter().find(|row| row.name == name || row.also.contains(&name))
}

fn inside(parent: &mut Element, file: File, complaints: &mut Complaints) {
    let parent_name = parent.name.clone();
    parent.children.retain_mut(|child| {
        let Some(row) = row(&child.name) else {
            complaints.push(unknown(child, &parent_name));
            return false;
        };
        row.name.clone_into(&mut child.name);
        if let Some(complaint) = misplaced(child, row, &parent_name, file) {
            complaints.push(complaint);
            return false;
        }
        attributes(child, row, complaints);
        inside(child, file, complaints);
        true
    });
}

fn unknown(element: &Element, parent: &str) -> Complaint {
    let what = format!("`<{}>` is no element that is read", element.name);
    let complaint = Complaint::new(code::PLATFORM, what, element.at);
    if let Some((_, why)) = REFUSED.iter().find(|(name, _)| *name == element.name) {
        return complaint.label("not supported").help(*why);
    }
    let names = ELEMENTS.iter().filter(|row| row.inside.contains(&parent)).map(|row| row.name);
    complaint.label(format!("in `<{parent}>`")).help(suggestion(&element.name, names))
}

/// Mistakes of the place of an element, in the file and in the element around it.
fn misplaced(element: &Element, row: &ElementRow, parent: &str, file: File) -> Option<Complaint> {
    let of = |what: String| Complaint::new(code::PLATFORM, what, element.at);
    match (row.name, file) {
        ("actor", File::Platform) => {
            let complaint = of(format!("`<{}>` belongs into a deployment file", element.name));
            Some(
                complaint
                    .label("not in a platform file")
                    .help("a platform file describes hosts and links, a deployment file the agents on them"),
            )
        }
        ("actor" | "argument" | "prop" | "config", _) | (_, File::Platform) => {
            let here = row.inside.contains(&parent);
            let places: Vec<String> = row.inside.iter().map(|name| format!("`<{name}>`")).collect();
            let elsewhere = || of(format!("`<{}>` does not belong into `<{parent}>`", element.name));
            (!here).then(|| elsewhere().label(format!("expected in {}", places.join(" or "))))
        }
        _ => Some(
            of(format!("`<{}>` belongs into a platform file", element.name))
                .label("not in a deployment file"),
        ),
    }
}

fn attributes(element: &mut Element, row: &ElementRow, complaints: &mut Complaints) {
    let (name, at) = (element.name.clone(), element.at);
    element.attributes.retain(|attribute| {
        let known = row.attributes.iter().any(|row| row.name == attribute.name);
        if !known {
            let what = format!("`<{name}>` has no attribute `{}`", attribute.name);
            let names = row.attributes.iter().map(|row| row.name);
            let complaint = Complaint::new(code::UNKNOWN_KEY, what, attribute.at);
            complaints.push(complaint.help(suggestion(&attribute.name, names)));
        }
        known
    });
    for row in row.attributes.iter().filter(|row| row.need == Need::Required) {
        if element.get(row.name).is_none() {
            let what = format!("this `<{name}>` lacks `{}`", row.name);
            complaints
                .push(Complaint::new(code::MISSING_KEY, what, at).help(format!("expected: {}", row.about)));
        }
    }
}
