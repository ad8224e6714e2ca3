//! Lines of the text of a grid: what happens, to which cluster or host, and when.

use crate::clustered::read::behaviour::BehaviourOf;
use crate::clustered::read::fields::{Fields, instant, spoken};
use crate::collections::OrderedSet;
use crate::kernel::SimTime;
use crate::text::{Mistake, Spot, TextLine, nearest};

/// The first word of such a text.
pub const HEADING: &str = "GridDescription";

/// Events, with the number of fields of each and which of them names a behaviour.
const EVENTS: [(&str, &[&str]); 6] = [
    ("ADD_CLUSTER", &["the cluster", BEHAVIOUR, OFFSET]),
    ("ADD_HOST", &["the cluster", "the host", BEHAVIOUR, OFFSET, "the architecture"]),
    ("CHANGE_CLUSTER_BEHAVIOR", &["the cluster", BEHAVIOUR, OFFSET]),
    ("CHANGE_HOST_BEHAVIOR", &["the host", BEHAVIOUR, OFFSET]),
    ("REMOVE_CLUSTER", &["the cluster"]),
    ("REMOVE_HOST", &["the host"]),
];
const BEHAVIOUR: &str = "the behaviour";
const OFFSET: &str = "the offset";

/// An event: its word, its fields, and when it happens.
pub(super) struct Event<'a> {
    pub(super) word: &'static str,
    pub(super) at: SimTime,
    pub(super) fields: Vec<TextLine<'a>>,
    pub(super) spot: Spot,
}

impl<'a> Event<'a> {
    /// The cluster or host that it adds or removes.
    pub(super) fn comes_or_leaves(&self) -> Option<(BehaviourOf, &'a str)> {
        match self.word {
            "ADD_CLUSTER" | "REMOVE_CLUSTER" => Some((BehaviourOf::Link, self.fields[0].text)),
            "ADD_HOST" => Some((BehaviourOf::Host, self.fields[1].text)),
            "REMOVE_HOST" => Some((BehaviourOf::Host, self.fields[0].text)),
            _ => None,
        }
    }

    pub(super) fn removes(&self) -> bool {
        self.word.starts_with("REMOVE")
    }
}

/// The names of behaviours in a text, each with what it is of; mistakes are left to the reading.
pub fn behaviours_of(text: &str) -> OrderedSet<(String, BehaviourOf)> {
    let mut names = OrderedSet::new();
    for line in spoken(text).skip(1) {
        let Ok(event) = event(line) else { continue };
        let (_, fields) = EVENTS.iter().find(|(word, _)| *word == event.word).expect("a known event");
        let of = if event.word.contains("HOST") { BehaviourOf::Host } else { BehaviourOf::Link };
        if let Some(place) = fields.iter().position(|field| *field == BEHAVIOUR) {
            names.insert((event.fields[place].text.to_owned(), of));
        }
    }
    names
}

/// The place of the architecture that a text gives a host, the first time it adds it.
pub fn architecture_of(text: &str, host: &str) -> Option<Spot> {
    let events = spoken(text).skip(1).filter_map(|line| event(line).ok());
    let mut added = events.filter(|event| event.word == "ADD_HOST" && event.fields[1].text == host);
    Some(added.next()?.fields[4].spot())
}

/// Reads a line.
pub(super) fn event(line: TextLine<'_>) -> Result<Event<'_>, Mistake> {
    let mut fields = Fields::new(line);
    let (at, word) = fields.instant_and_word()?;
    let mistake = |message: String, spot| Mistake { message, help: None, spot };
    let Some((known, expected)) = EVENTS.iter().find(|(known, _)| *known == word.text) else {
        if at.is_none() && fields.sign(':') {
            return Err(mistake(format!("`{}` is no time in seconds", word.text), word.spot()));
        }
        let names = EVENTS.map(|(name, _)| name);
        let near = nearest(word.text, names).map(|near| format!("did you mean `{near}`? "));
        let help = Some(format!("{}known: {}", near.unwrap_or_default(), names.join(", ")));
        return Err(Mistake { help, ..mistake(format!("unknown event `{}`", word.text), word.spot()) });
    };
    let form = || {
        let names = expected.iter().map(|name| format!(" <{}>", name.trim_start_matches("the ")));
        format!("write `<time>:{known}{}`, the time without signs", names.collect::<String>())
    };
    let helped = |mistake: Mistake| Mistake { help: Some(form()), ..mistake };
    let Some(at) = at else { return Err(helped(mistake("the time is missing".to_owned(), word.spot()))) };
    let Some(instant) = instant(at.text) else {
        return Err(helped(mistake(format!("`{}` is no time in seconds", at.text), at.spot())));
    };
    let read = expected.iter().map(|what| fields.word(what)).collect::<Result<Vec<_>, _>>();
    let found = read.map_err(helped)?;
    fields.end().map_err(helped)?;
    Ok(Event { word: known, at: instant, fields: found, spot: at.spot() })
}
