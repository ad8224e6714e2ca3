//! Names of clients and servers, of which several alike may be written as one, and patterns of
//! them.

use crate::collections::OrderedSet;
use crate::registry::{Complaint, Params, code, suggestion};

/// The names that a table with `name` and `count` stands for.
pub(super) fn names(table: &Params<'_>) -> Result<Vec<String>, Complaint> {
    let name: String = table.read("name")?;
    let count: Option<u64> = table.read("count")?;
    Ok(match count {
        None => vec![name],
        Some(count) => (0..count).map(|number| format!("{name}-{number}")).collect(),
    })
}

/// Reports each name that is given twice.
pub(super) fn report_twice<'a>(
    named: impl Iterator<Item = (&'a str, Complaint)>,
    complaints: &mut Vec<Complaint>,
) {
    let mut seen = OrderedSet::new();
    for (name, complaint) in named {
        if !seen.insert(name) {
            complaints.push(complaint);
        }
    }
}

/// Returns true if a name is a pattern with any letters in the place of each `*`.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The places of all names that a pattern fits; that none does is a complaint.
pub(super) fn fitting(table: &Params<'_>, key: &str, names: &[String]) -> Result<Vec<usize>, Complaint> {
    let pattern: String = table.read(key)?;
    let found: Vec<usize> = (0..names.len()).filter(|place| matches(&pattern, &names[*place])).collect();
    if found.is_empty() {
        let complaint = table.complaint(key, format!("no {key} is called `{pattern}`"));
        let complaint = Complaint { code: code::UNKNOWN_NAME, ..complaint };
        return Err(complaint.help(suggestion(&pattern, names.iter().map(String::as_str))));
    }
    Ok(found)
}
