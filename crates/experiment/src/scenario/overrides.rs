//! Keys set from the command line, `--set KEY=VALUE` and the flags that are short for one.
//!
//! Each override is a text of its own among the sources, so that a complaint about its value points
//! into the command line. VALUE is a TOML value, else a string: `--set policy.backfill=easy` needs
//! no quotes.

use crate::registry::{
    Complaint, KeyValue, Node, SourceId, Sources, Span, Tree, Value, code, element, parse_value,
};
use crate::scenario::axis::axis_of;

/// Name of the command line in messages.
const COMMAND_LINE: &str = "command line";

/// One key to set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Name of the text in messages.
    source: &'static str,
    /// As typed, for messages.
    text: String,
    /// The path of keys; `None` if it stands in the text, before `=`.
    key: Option<String>,
    /// Start of the value, or of the path, in the text.
    start: usize,
    /// A path that is taken out, because it says the same in another form.
    replaces: Option<&'static str>,
    /// True if it is an axis of a study rather than a value.
    axis: bool,
    /// True if the value is a text, whatever it looks like.
    is_text: bool,
}

impl Override {
    /// `--set assignment`, with `assignment` of the form `KEY=VALUE`.
    pub fn set(assignment: &str) -> Self {
        let flag = "--set ";
        let text = format!("{flag}{assignment}");
        Override {
            source: COMMAND_LINE,
            text,
            key: None,
            start: flag.len(),
            replaces: None,
            axis: false,
            is_text: false,
        }
    }

    /// `--vary assignment`, with `assignment` of the form `KEY=VALUE,VALUE`: an axis of a study, in
    /// place of one of the same key or behind the others.
    pub fn vary(assignment: &str) -> Self {
        let flag = "--vary ";
        let text = format!("{flag}{assignment}");
        Override { text, start: flag.len(), axis: true, ..Self::set("") }
    }

    /// An argument of a function, `KEY=VALUE`, where `value` is one of TOML; `source` is what
    /// messages call the arguments.
    pub fn argument(source: &'static str, key: &str, value: &str) -> Self {
        Override { source, text: format!("{key}={value}"), start: 0, ..Self::set("") }
    }

    /// A flag that is short for one key: `--policy easy` sets `policy`.
    pub fn flag(flag: &str, key: &str, value: &str) -> Self {
        let (text, start) = (format!("{flag} {value}"), flag.len() + 1);
        Override { text, key: Some(key.to_owned()), start, ..Self::set("") }
    }

    /// A flag or an argument that is a text for one key, such as a path: it is not read as TOML.
    pub fn text(flag: &str, key: &str, value: &str) -> Self {
        Override { is_text: true, ..Self::flag(flag, key, value) }
    }

    /// The same, and the key at `path` (a table's name and a key) is taken out.
    #[must_use]
    pub fn replacing(self, path: &'static str) -> Self {
        Override { replaces: Some(path), ..self }
    }

    /// Sets the key in `tree`.
    pub(super) fn apply(&self, tree: &mut Tree, sources: &mut Sources) -> Result<(), Complaint> {
        let source = sources.add(self.source, self.text.as_str(), "");
        if self.axis {
            vary(tree, axis_of(&self.text, source, self.start)?);
            return Ok(());
        }
        let (path, value_start) = if let Some(key) = &self.key {
            (segments(key, source, None), self.start)
        } else {
            let assignment = &self.text[self.start..];
            let Some(equals) = unquoted(assignment, '=').next() else {
                let span = Span::new(source, self.start..self.text.len());
                let complaint = Complaint::new(code::OVERRIDE, "`--set` needs KEY=VALUE", span);
                return Err(complaint.label("no `=` here"));
            };
            (segments(&assignment[..equals], source, Some(self.start)), self.start + equals + 1)
        };
        let span = Span::new(source, value_start..self.text.len());
        let text = || Node::new(Value::String(self.text[value_start..].to_owned()), span);
        let read = if self.is_text { None } else { parse_value(&self.text, source, value_start)? };
        let node = read.unwrap_or_else(text);
        if let Some((name, _)) = path.iter().find(|(name, _)| name.is_empty()) {
            let complaint = Complaint::new(code::OVERRIDE, format!("a key is empty: `{name}`"), span);
            return Err(complaint.help("write KEY=VALUE, with points between the keys of a path"));
        }
        if let Some((table, name)) = self.replaces.and_then(|path| path.split_once('.'))
            && let Some(inner) = tree.table_mut(table)
        {
            inner.take(name);
        }
        put(tree, &path, node)
    }
}

/// Adds an axis of one key, in place of one of the same key alone.
fn vary(tree: &mut Tree, slot: KeyValue) {
    let span = slot.span;
    if tree.slot("vary").is_none() {
        tree.set("vary", span, Value::Array(Vec::new()));
    }
    // if `vary` is no array, checking the study says so
    let Some(Value::Array(axes)) = tree.slot_mut("vary").map(|vary| &mut vary.node.value) else { return };
    let alike = |axis: &&mut Node| {
        axis.as_table().is_some_and(|axis| axis.slots().len() == 1 && axis.slots()[0].name == slot.name)
    };
    let mut table = Tree::default();
    let old = axes.iter_mut().find(alike);
    table.put(slot);
    let axis = Node::new(Value::Table(table), span);
    match old {
        Some(old) => *old = axis,
        None => axes.push(axis),
    }
}

/// Sets the value at a path, making the tables on its path; a component written as a name becomes a
/// table first.
pub(super) fn put(tree: &mut Tree, path: &[(String, Span)], node: Node) -> Result<(), Complaint> {
    let Some(((name, span), rest)) = path.split_first() else { return Ok(()) };
    if rest.is_empty() {
        tree.put(KeyValue { name: name.clone(), span: *span, node });
        return Ok(());
    }
    if tree.slot(name).is_none() {
        tree.set(name, *span, Value::Table(Tree::default()));
    }
    let slot = tree.slot_mut(name).expect("the slot was made if it was not there");
    if let Value::String(_) = &slot.node.value {
        let kind = slot.node.clone();
        let mut table = Tree::default();
        table.set("kind", kind.span, kind.value);
        slot.node.value = Value::Table(table);
    }
    let (inner, rest) = match &mut slot.node.value {
        Value::Array(list) if list.iter().any(|node| node.as_table().is_some()) => {
            let (name, span) = &rest[0];
            let Some(place) = element(list, name) else {
                let message =
                    format!("there is no `{name}` among the {} tables of `{}`", list.len(), slot.name);
                let complaint = Complaint::new(code::OVERRIDE, message, *span).label("cannot be set");
                return Err(complaint.help("write the name of a table of the list, or its number from 0"));
            };
            (&mut list[place], &rest[1..])
        }
        _ => (&mut slot.node, rest),
    };
    let found = inner.type_name();
    match &mut inner.value {
        Value::Table(inner) if !rest.is_empty() => put(inner, rest, node),
        _ if rest.is_empty() => {
            *inner = node;
            Ok(())
        }
        _ => {
            let message = format!("`{name}` is {found}: there is no `{}` in it", rest[0].0);
            Err(Complaint::new(code::OVERRIDE, message, rest[0].1).label("cannot be set"))
        }
    }
}

/// The keys of a path and their places; `start` is where the path stands, or `None` if it is not in
/// the text.
pub(super) fn segments(path: &str, source: SourceId, start: Option<usize>) -> Vec<(String, Span)> {
    let mut parts = Vec::new();
    let mut from = 0;
    for to in unquoted(path, '.').chain([path.len()]) {
        let name = path[from..to].trim().trim_matches(['"', '\'']).to_owned();
        let span = match start {
            Some(start) => Span::new(source, start + from..start + to),
            None => Span::new(source, 0..0),
        };
        parts.push((name, span));
        from = to + 1;
    }
    parts
}

/// Positions of `wanted` in `text` outside quotes.
pub(super) fn unquoted(text: &str, wanted: char) -> impl Iterator<Item = usize> {
    let mut quote = None;
    text.char_indices().filter_map(move |(index, letter)| {
        match quote {
            Some(open) if open == letter => quote = None,
            Some(_) => {}
            None if letter == '"' || letter == '\'' => quote = Some(letter),
            None => return (letter == wanted).then_some(index),
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{parse_file, to_toml};

    fn set(text: &str, overrides: &[Override]) -> Result<String, Vec<String>> {
        let mut sources = Sources::new("");
        let id = sources.add("test.toml", text, "");
        let mut complaints = Vec::new();
        let mut tree = parse_file(text, id, &mut complaints);
        for one in overrides {
            complaints.extend(one.apply(&mut tree, &mut sources).err());
        }
        let messages: Vec<String> = complaints.into_iter().map(|complaint| complaint.message).collect();
        if messages.is_empty() { Ok(to_toml(&tree)) } else { Err(messages) }
    }

    #[test]
    fn a_value_is_toml_or_else_a_string() {
        let all = ["a=1", "b=easy", "c=\"1h\"", "d=[1, 2]", "e=1h"].map(Override::set);
        assert_eq!(set("", &all), Ok("a = 1\nb = \"easy\"\nc = \"1h\"\nd = [1, 2]\ne = \"1h\"\n".to_owned()));
    }

    #[test]
    fn a_path_makes_its_tables_and_a_named_component_becomes_one() {
        let text =
            set("policy = \"easy\"\n", &[Override::set("policy.queue=sjf"), Override::set("run.until=1h")]);
        assert_eq!(
            text,
            Ok("[policy]\nkind = \"easy\"\nqueue = \"sjf\"\n\n[run]\nuntil = \"1h\"\n".to_owned())
        );
        let text = set("", &[Override::set("expect.\"wait-time.mean\"=< 60")]);
        assert_eq!(text, Ok("[expect]\n\"wait-time.mean\" = \"< 60\"\n".to_owned()));
    }

    #[test]
    fn tables_of_a_list_are_called_by_name_role_or_number() {
        let list = "[[agent]]\nrole = \"master\"\n[[agent]]\nname = \"w\"\nrole = { kind = \"worker\" }\n";
        let sets =
            ["agent.master.role.tasks=3", "agent.w.each=2", "agent.worker.start=1s", "agent.1.kill=5s"];
        let text = set(list, &sets.map(Override::set)).expect("all are there");
        let expected = "agent = [{ role = { kind = \"master\", tasks = 3 } }, \
                        { name = \"w\", role = { kind = \"worker\" }, each = 2, start = \"1s\", kill = \"5s\" }]\n";
        assert_eq!(text, expected);
        let error = Err(vec!["there is no `wroker` among the 2 tables of `agent`".to_owned()]);
        assert_eq!(set(list, &[Override::set("agent.wroker.each=2")]), error);
    }

    #[test]
    fn a_short_flag_sets_its_key() {
        assert_eq!(
            set("", &[Override::flag("--policy", "policy", "easy")]),
            Ok("policy = \"easy\"\n".to_owned())
        );
    }

    #[test]
    fn an_argument_of_a_function_sets_its_key_and_is_called_so() {
        let argument = Override::argument("set", "policy.backfill", "\"easy\"");
        assert_eq!(set("", &[argument]), Ok("[policy]\nbackfill = \"easy\"\n".to_owned()));
        let mut sources = Sources::new("");
        let wrong = Override::argument("set", "seed", "nan").apply(&mut Tree::default(), &mut sources);
        let span = wrong.expect_err("no value of a scenario").span.expect("a place");
        assert_eq!(sources.name(span.source), "set");
    }

    #[test]
    fn what_cannot_be_set_is_reported() {
        assert_eq!(set("", &[Override::set("seed")]), Err(vec!["`--set` needs KEY=VALUE".to_owned()]));
        assert_eq!(set("", &[Override::set(".a=1")]), Err(vec!["a key is empty: ``".to_owned()]));
        let error = Err(vec!["`seed` is an integer: there is no `x` in it".to_owned()]);
        assert_eq!(set("seed = 1", &[Override::set("seed.x=1")]), error);
    }
}
