//! Hosts by their names: one by one, or by patterns in which `*` stands for any letters.

use crate::registry::{Complaint, Node, Params, Span, code, suggestion};
use crate::{HostId, Platform};

/// Returns true if `name` is `pattern` with letters in the place of each `*`.
fn matches(pattern: &str, name: &str) -> bool {
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

/// The hosts that each of these names, or patterns, stands for, each host once, but for those that
/// were `seen`; in the order of names, for a pattern in that of the platform. One that stands for
/// none is reported.
pub fn hosts_of(
    named: &[Node],
    platform: &Platform,
    seen: &mut [bool],
    complaints: &mut Vec<Complaint>,
) -> Vec<HostId> {
    let all = || (0..platform.hosts().len() as u32).map(HostId::new);
    let mut found = Vec::new();
    for node in named {
        let Some(pattern) = node.as_text() else { continue };
        let mut any = false;
        let mut take = |id: HostId| {
            any = true;
            if !std::mem::replace(&mut seen[id.index()], true) {
                found.push(id);
            }
        };
        if pattern.contains('*') {
            all().filter(|id| matches(pattern, &platform.host(*id).name)).for_each(&mut take);
        } else {
            platform.host_named(pattern).into_iter().for_each(&mut take);
        }
        if !any {
            complaints.push(unknown(pattern, platform, node.span, complaints.len()));
        }
    }
    found
}

/// The hosts that the list under `key` names; those that no host is called are reported.
pub fn found(
    table: &Params<'_>,
    key: &str,
    platform: &Platform,
    complaints: &mut Vec<Complaint>,
) -> Vec<HostId> {
    hosts_of(table.items(key), platform, &mut vec![false; platform.hosts().len()], complaints)
}

/// Complaint that no host has this name; so many complaints came `before`.
pub fn unknown(name: &str, platform: &Platform, at: Span, before: usize) -> Complaint {
    let complaint = Complaint::new(code::UNKNOWN_NAME, format!("no host is called `{name}`"), at);
    let names = platform.hosts().iter().map(|host| host.name.as_str());
    complaint.label("not known").help_while_few(before, || suggestion(name, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name) in
            [("*", "h"), ("h*", "h"), ("h*", "h-1"), ("*-1", "h-1"), ("h*-*1", "h-a-11"), ("h", "h")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("h*", "g"), ("h", "h1"), ("*-1", "h-2"), ("a*a", "a"), ("h*-*1", "h1")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
