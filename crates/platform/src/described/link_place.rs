//! Place where a description of a platform takes a link to a cluster.

use crate::registry::in_text;
use crate::registry::{Complaint, Node, Params, code};
use crate::text::{LONGEST_TEXT, Mistake, Spot, read_file};

/// A complaint about a link that leads to a cluster: at the route that takes it there, else at the
/// last that takes it, else at the link; in a file at the last line that names it.
pub(super) fn link_place(params: &Params<'_>, link: &str, cluster: &str, message: &str) -> Option<Complaint> {
    if params.has("file") {
        let (name, path) = (params.read::<String>("file").ok()?, params.path("file").ok()?);
        let text = read_file(&path, LONGEST_TEXT).ok()?;
        let is_part = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        // files name both directions of a link alike
        let named = [link, link.trim_end_matches("_UP").trim_end_matches("_DOWN")];
        let (at, found) = named.iter().find_map(|named| {
            text.rmatch_indices(named).find(|(at, _)| {
                !text[..*at].ends_with(is_part) && !text[at + named.len()..].starts_with(is_part)
            })
        })?;
        let spot = Spot::new(at as u64, found.len());
        let mistake = Mistake { message: message.to_owned(), help: None, spot };
        let complaint = in_text(mistake.into(), &text, &name, code::PLATFORM).pop()?;
        return Some(Complaint { span: Some(params.span("file")), ..complaint });
    }
    let takes = |links: &Node| links.items().iter().any(|node| node.as_text() == Some(link));
    let taken = |route: &&Node| route.at("links").is_some_and(takes);
    let routes: Vec<&Node> = params.items("route").iter().filter(taken).collect();
    let leads = |route: &&&Node| ["from", "to"].iter().any(|end| route.text_at(end) == Some(cluster));
    let route = routes.iter().find(leads).or(routes.last()).and_then(|route| route.at("links"));
    let described = || params.items("link").iter().find(|node| node.text_at("name") == Some(link));
    let at = route.or_else(described)?;
    Some(Complaint::new(code::PLATFORM, message, at.span))
}
