//! Predicates on the features of nodes: `zen3|zen4`, `(a|b)&c`.
//!
//! Jobs ask for sets of features, all of which a node must have. A predicate with alternatives is a
//! feature of its own, named by its text. The kinds of nodes that meet it have it once the nodes of
//! a site are known ([`Nodes::meeting`](super::Nodes::meeting)), and nothing else differs.

use super::FeatureNames;

/// A condition on the features of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeaturePredicate {
    /// The node has the feature of this name.
    Has(String),
    /// The node meets all of these.
    All(Vec<FeaturePredicate>),
    /// The node meets one of these.
    Any(Vec<FeaturePredicate>),
}

/// Deepest nesting of parentheses that is read.
const DEEPEST: usize = 32;
/// Most names of a predicate that is read, far above what sites ask for.
const MOST_NAMES: usize = 256;

impl FeaturePredicate {
    /// Reads names with `&` (or a comma), `|` and parentheses between them, from left to right as
    /// Slurm does (`valid_feature_counts` in its `node_scheduler.c` takes each in by the sign
    /// before it): `a|b&c` is `(a|b)&c`. `None` if it is anything else, or has too many names.
    pub fn parse(text: &str) -> Option<Self> {
        let signs = text.bytes().filter(|byte| b"&|,".contains(byte)).count();
        if signs >= MOST_NAMES {
            return None;
        }
        let mut rest = text;
        let read = chain(&mut rest, 0)?;
        rest.is_empty().then_some(read)
    }

    /// Returns true if nodes that have just the features that `has` holds for meet it.
    pub fn holds(&self, has: &impl Fn(&str) -> bool) -> bool {
        match self {
            FeaturePredicate::Has(name) => has(name),
            FeaturePredicate::All(of) => of.iter().all(|one| one.holds(has)),
            FeaturePredicate::Any(of) => of.iter().any(|one| one.holds(has)),
        }
    }

    /// Names of features that together say the same: each a feature, or a predicate by its text.
    pub fn names(&self) -> Vec<String> {
        match self {
            FeaturePredicate::All(of) => of.iter().flat_map(FeaturePredicate::names).collect(),
            other => vec![other.text()],
        }
    }

    /// The predicate as it is read again.
    fn text(&self) -> String {
        let inner = |of: &[FeaturePredicate], sign: &str| {
            let part = |one: &FeaturePredicate| match one {
                FeaturePredicate::Has(name) => name.clone(),
                other => format!("({})", other.text()),
            };
            of.iter().map(part).collect::<Vec<_>>().join(sign)
        };
        match self {
            FeaturePredicate::Has(name) => name.clone(),
            FeaturePredicate::All(of) => inner(of, "&"),
            FeaturePredicate::Any(of) => inner(of, "|"),
        }
    }
}

/// Terms with signs between them.
fn chain(rest: &mut &str, depth: usize) -> Option<FeaturePredicate> {
    let mut read = term(rest, depth)?;
    loop {
        let is_any = match rest.bytes().next() {
            Some(b'|') => true,
            Some(b'&' | b',') => false,
            _ => return Some(read),
        };
        *rest = &rest[1..];
        let next = term(rest, depth)?;
        read = match (read, is_any) {
            (FeaturePredicate::Any(mut of), true) => {
                of.push(next);
                FeaturePredicate::Any(of)
            }
            (FeaturePredicate::All(mut of), false) => {
                of.push(next);
                FeaturePredicate::All(of)
            }
            (first, true) => FeaturePredicate::Any(vec![first, next]),
            (first, false) => FeaturePredicate::All(vec![first, next]),
        };
    }
}

/// A name, or a chain in parentheses.
fn term(rest: &mut &str, depth: usize) -> Option<FeaturePredicate> {
    if let Some(inner) = rest.strip_prefix('(') {
        if depth == DEEPEST {
            return None;
        }
        *rest = inner;
        let read = chain(rest, depth + 1)?;
        *rest = rest.strip_prefix(')')?;
        return Some(read);
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
    let length = rest.bytes().take_while(|&byte| is_name(byte)).count();
    let (name, behind) = rest.split_at(length);
    *rest = behind;
    (length > 0).then(|| FeaturePredicate::Has(name.to_owned()))
}

/// The predicates among names that jobs ask for, which no node has by itself, in their order.
pub(super) fn among<'n>(
    wanted: &'n FeatureNames,
    had: &FeatureNames,
) -> impl Iterator<Item = (&'n str, FeaturePredicate)> {
    let unmet = wanted.iter().filter(|name| name.contains('|') && had.find(name).is_none());
    // features that no node has cannot be met; the others may be together on one
    let unmet: Vec<_> = unmet.filter_map(|name| Some((name, FeaturePredicate::parse(name)?))).collect();
    let can_be =
        |(_, predicate): &(&str, FeaturePredicate)| predicate.holds(&|name| had.find(name).is_some());
    unmet.into_iter().filter(can_be).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> Option<Vec<String>> {
        FeaturePredicate::parse(text).map(|read| read.names())
    }

    #[test]
    fn features_that_are_all_needed_are_features_and_alternatives_are_one() {
        for (text, parts) in [
            ("zen3", vec!["zen3"]),
            ("zen3|zen4", vec!["zen3|zen4"]),
            ("a&b,c", vec!["a", "b", "c"]),
            ("(a|b)&c", vec!["a|b", "c"]),
            ("a|b&c", vec!["a|b", "c"]),
            ("a&b|c", vec!["(a&b)|c"]),
            ("c&(a|(b&d))", vec!["c", "a|(b&d)"]),
            ("((a))", vec!["a"]),
        ] {
            assert_eq!(names(text), Some(parts.iter().map(ToString::to_string).collect()), "{text}");
        }
        let deep = format!("{}a{}", "(".repeat(40), ")".repeat(40));
        for bad in ["", "a|", "|a", "a||b", "(a", "a)", "[a|b]", "a*2", "[a*2|b*4]", "a b", "!a", "()", &deep]
        {
            assert_eq!(names(bad), None, "{bad}");
        }
    }

    #[test]
    fn predicates_of_any_length_are_read_or_refused_at_once() {
        let of = |signs: usize| "a|b&".repeat(signs / 2) + "a";
        assert!(names(&of(254)).is_some_and(|names| !names.is_empty()));
        for signs in [256, 100_000, 1_000_000] {
            assert_eq!(names(&of(signs)), None, "{signs}");
        }
    }

    /// Predicates over four features, and the nodes that meet them, as sets of the sixteen there
    /// can be.
    fn predicate() -> impl Strategy<Value = (String, u16)> {
        let masks = [0xaaaa_u16, 0xcccc, 0xf0f0, 0xff00];
        let name = (0_usize..4).prop_map(move |place| (["a", "b", "c", "d"][place].to_owned(), masks[place]));
        name.prop_recursive(4, 24, 4, |inner| {
            (prop::collection::vec(inner, 2..4), any::<bool>()).prop_map(|(of, is_any)| {
                let texts: Vec<String> = of.iter().map(|(text, _)| format!("({text})")).collect();
                let masks = of.iter().map(|(_, mask)| *mask);
                if is_any {
                    (texts.join("|"), masks.fold(0, |all, mask| all | mask))
                } else {
                    (texts.join("&"), masks.fold(u16::MAX, |all, mask| all & mask))
                }
            })
        })
    }

    proptest! {
        #[test]
        fn nodes_that_meet_a_predicate_have_all_that_it_is_named_by((text, mask) in predicate()) {
            let read = FeaturePredicate::parse(&text).expect("well formed");
            for node in 0_u16..16 {
                let has = |name: &str| node >> (name.as_bytes()[0] - b'a') & 1 == 1;
                prop_assert_eq!(read.holds(&has), mask >> node & 1 == 1, "{} {}", text, node);
                let by_names = read.names().iter().all(|name| {
                    FeaturePredicate::parse(name).expect("written to be read").holds(&has)
                });
                prop_assert_eq!(by_names, read.holds(&has), "{}", text);
            }
        }
    }
}
