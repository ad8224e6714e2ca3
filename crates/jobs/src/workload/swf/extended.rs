//! Fields 19 to 21, which two families of logs have behind the eighteen of the standard.
//!
//! | field | AleaNG and Frontier | CERIT-SC |
//! |---|---|---|
//! | 19 | GPUs on all nodes, -1 unknown | `{1241,1241,1242}`: the node of each processor |
//! | 20 | soft wall time: the run time that its user expects, and that it may outlive | queue |
//! | 21 | `queue:excl:NxP`: N nodes with P processors, to itself | `N:ppn=P:property#excl` |
//!
//! Field 19 says which: a number or a brace. Of AleaNG's the layout counts, as fields 5 and 8
//! are nodes in some of its logs, and any of either in Frontier's; where it states none, field 5 is
//! nodes of one processor each. Of CERIT-SC's field 5 counts. A queue without a number (field 15)
//! is numbered by its name. A name in AleaNG's layout is a property that nodes must have only where
//! some node has it, and the name of a queue else. Requests of CERIT-SC with several parts, with
//! nodes by name or with bounds (`mem=`) are not read, but their nodes are.
//!
//! Source: aleasimulator/AleaNG, `SWFLoader.java` and its examples; the log CERIT-SC-2013 of
//! aleasimulator/alea.

use crate::registry::{Key, choices};

use super::record::{MOST_SECS, Number, number};

choices! {
    /// Fields of a log that are read.
    #[derive(Default)]
    pub enum FieldForm {
        #[default]
        Auto = "auto", "the 18 of the standard, and 19 to 21 of a line that has them in one of these forms";
        Standard = "standard", "the 18 of the standard; others are left unread";
        Alea = "alea", "21 as logs of AleaNG and Frontier have them: GPUs, soft wall time, `queue:excl:NxP`";
        Cerit = "cerit", "21 as the log of CERIT-SC has them: nodes, queue, `N:ppn=P:property#excl`";
    }
}

/// The key under which a scenario states them.
pub const FIELDS_KEY: Key = Key::new("fields", FieldForm::CHOICES)
    .or("auto")
    .about("which fields a line of the log has")
    .source("aleasimulator/AleaNG, SWFLoader.java; CERIT-SC-2013");

/// The meaning of fields 19 to 21 of a line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Extension<'a> {
    /// GPUs on all nodes.
    pub(super) gpus: Option<u32>,
    /// Run time that its user expects.
    pub(super) soft: Option<Number>,
    /// Name of its queue.
    pub(super) queue: Option<&'a str>,
    /// Nodes that it had.
    pub(super) nodes: Option<u32>,
    /// Processors on each, where that is stated.
    pub(super) per_node: Option<u32>,
    /// True if the layout gives the size of the job.
    pub(super) is_size: bool,
    /// True if it had its nodes to itself.
    pub(super) exclusive: bool,
    /// Properties that its nodes must have.
    pub(super) features: Vec<&'a str>,
    /// Name that is a property if some node has it.
    pub(super) perhaps: Option<&'a str>,
    /// True if its request says what cannot be read.
    pub(super) unread: bool,
}

impl Extension<'_> {
    /// Returns true if a field is known.
    fn states_something(&self) -> bool {
        self.gpus.is_some() || self.soft.is_some() || self.queue.is_some() || self.nodes.is_some()
    }

    /// Returns true if the job asks of its nodes for more than processors.
    pub(super) fn asks_for_more(&self) -> bool {
        self.gpus.is_some_and(|gpus| gpus > 0) || self.exclusive || self.unread || !self.features.is_empty()
    }

    /// Run time that its user expects \[ns\], if it is known.
    pub(super) fn soft_nanos(&self) -> Option<u64> {
        let soft = self.soft.filter(|soft| soft.whole <= MOST_SECS)?;
        Some(soft.whole * 1_000_000_000 + u64::from(soft.nanos))
    }
}

/// Expectation that a field does not meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unmet {
    /// Field, counted from 1.
    pub(super) field: usize,
    /// Contents that it should have.
    pub(super) expected: &'static str,
}

/// Reads the text behind field 18; `None` if there is nothing that this form has.
///
/// # Errors
/// The field that is not of the form, where a scenario states the form.
pub(super) fn read(text: &str, form: FieldForm) -> Result<Option<Extension<'_>>, Unmet> {
    let fields: Vec<&str> = text.split_ascii_whitespace().take(4).collect();
    match (form, fields.first().is_some_and(|first| first.starts_with('{'))) {
        (FieldForm::Standard, _) => Ok(None),
        (FieldForm::Auto, true) => Ok(of_cerit(&fields).ok()),
        (FieldForm::Auto, false) => Ok(of_alea(&fields).ok().filter(Extension::states_something)),
        (FieldForm::Alea, _) => of_alea(&fields).map(Some),
        (FieldForm::Cerit, _) => of_cerit(&fields).map(Some),
    }
}

/// The three fields, or the one that is missing.
fn three<'a>(fields: &[&'a str]) -> Result<[&'a str; 3], Unmet> {
    let wrong = Unmet { field: 19 + fields.len().min(3), expected: "as a line of 21 fields has it" };
    fields.try_into().map_err(|_| wrong)
}

fn of_alea<'a>(fields: &[&'a str]) -> Result<Extension<'a>, Unmet> {
    let [gpus, soft, layout] = three(fields)?;
    let amount =
        |field, text: &str| number(text.as_bytes()).ok_or(Unmet { field, expected: "a number" }).map(Some);
    let gpus = amount(19, gpus)?.filter(|gpus| !gpus.negative);
    let whole = |gpus: Number| u32::try_from(gpus.whole).ok().filter(|_| gpus.nanos == 0);
    let gpus = match gpus.map(whole) {
        Some(None) => return Err(Unmet { field: 19, expected: "a whole number of GPUs" }),
        known => known.flatten(),
    };
    let soft = amount(20, soft)?.filter(|soft| !soft.negative);
    let mut read = Extension { gpus, soft, is_size: true, ..Extension::default() };
    let wrong = Unmet { field: 21, expected: "a layout such as `normal:excl:2x24`" };
    for word in layout.split(':') {
        let is_name = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.@+".contains(&byte));
        match word.split_once('x').map(|(nodes, procs)| (nodes.parse::<u32>(), procs.parse::<u32>())) {
            Some((Ok(nodes @ 1..), Ok(procs @ 1..))) if read.nodes.is_none() => {
                (read.nodes, read.per_node) = (Some(nodes), Some(procs));
            }
            Some((Ok(_), Ok(_))) => return Err(wrong),
            _ if word == "excl" => read.exclusive = true,
            _ if word == "shared" || word == "-1" => {}
            _ if word.is_empty() || !is_name => return Err(wrong),
            _ if read.queue.is_none() => read.queue = Some(word),
            _ => read.features.push(word),
        }
    }
    read.perhaps = read.queue.filter(|&name| name != "all");
    Ok(read)
}

fn of_cerit<'a>(fields: &[&'a str]) -> Result<Extension<'a>, Unmet> {
    let [nodes, queue, request] = three(fields)?;
    let numbers = nodes.strip_prefix('{').and_then(|nodes| nodes.strip_suffix('}'));
    let numbers: Option<Vec<u64>> =
        numbers.and_then(|numbers| numbers.split(',').map(|number| number.parse().ok()).collect());
    let Some(mut numbers) = numbers else {
        return Err(Unmet { field: 19, expected: "numbers of nodes such as `{12,12,13}`" });
    };
    numbers.sort_unstable();
    numbers.dedup();
    let mut read =
        Extension { queue: Some(queue), nodes: u32::try_from(numbers.len()).ok(), ..Extension::default() };
    let (request, exclusive) = match request.strip_suffix("#excl") {
        Some(request) => (request, true),
        None => (request, false),
    };
    read.exclusive = exclusive;
    let mut words = request.split(':');
    read.unread = words.next().is_none_or(|count| count.parse::<u32>().is_err());
    for word in words {
        match word.strip_prefix("ppn=").map(str::parse::<u32>) {
            Some(Ok(procs @ 1..)) => read.per_node = Some(procs),
            Some(_) => read.unread = true,
            None if word.contains(['=', '^', '+', '#']) || word.is_empty() => read.unread = true,
            None => read.features.push(word),
        }
    }
    if read.unread {
        (read.per_node, read.features) = (None, Vec::new());
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_differ_by_field_nineteen() {
        let read = |text| read(text, FieldForm::Auto).expect("no form is demanded").expect("one is there");
        let alea = read(" 16 1914 frontier:excl:2x112");
        assert_eq!((alea.gpus, alea.soft.map(|soft| soft.whole)), (Some(16), Some(1914)));
        assert_eq!(
            (alea.nodes, alea.per_node, alea.exclusive, alea.is_size),
            (Some(2), Some(112), true, true)
        );
        assert_eq!((alea.queue, alea.perhaps), (Some("frontier"), Some("frontier")));
        let plain = read("-1 -1 all");
        assert_eq!((plain.gpus, plain.soft, plain.nodes, plain.perhaps), (None, None, None, None));
        let cerit = read("{7,7,7,9} q_2w 2:ppn=2:x86_64:cl_zewura#excl");
        assert_eq!(
            (cerit.gpus, cerit.nodes, cerit.per_node, cerit.exclusive),
            (None, Some(2), Some(2), true)
        );
        assert_eq!((cerit.queue, cerit.is_size), (Some("q_2w"), false));
        assert_eq!(cerit.features, ["x86_64", "cl_zewura"]);
        for odd in ["1:ppn=2+2:ppn=4", "1:ppn=2:mem=4gb", "zewura1:ppn=3", "1:ppn=x", "1:ppn=4:^zewura1"] {
            let text = format!("{{3}} q {odd}");
            let found = self::read(&text, FieldForm::Cerit).expect("of the form").expect("there");
            assert!(found.unread && found.features.is_empty(), "{odd}");
        }
    }

    #[test]
    fn fields_of_no_form_are_left_and_named_where_a_form_is_demanded() {
        for (text, field) in [
            ("1 2", 21),
            ("", 19),
            ("x 2 all", 19),
            ("1.5 2 all", 19),
            ("1 two all", 20),
            ("1 2 all:0x4", 21),
            ("1 2 a:1x2:3x4", 21),
            ("1 2 a=b", 21),
            ("{3} 2 all", 19),
        ] {
            let wrong = read(text, FieldForm::Alea).expect_err(text);
            assert_eq!(wrong.field, field, "{text}");
            assert_eq!(read(text, FieldForm::Standard), Ok(None));
        }
        for text in ["1 2", "x 2 all", "{x} q 1", "{3 q 1"] {
            assert_eq!(read(text, FieldForm::Auto), Ok(None), "{text}");
        }
        assert_eq!(read("3 q 1", FieldForm::Cerit).map_err(|wrong| wrong.field), Err(19));
    }
}
