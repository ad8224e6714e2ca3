//! Signatures: the paths that a published item names where a user sees them. Of a struct these are
//! its public fields, of an enum the contents of its variants, of a trait all its items, of a
//! function what stands before its body, and of a type also its public methods.

use super::modules::{Code, Implementation, Item, Module, ModulePath, contents};
use super::resolve::{Found, Sources};
use crate::layers::lexer::Token;

/// The methods of a type or trait, each with its code, and the paths of its other parts.
#[derive(Default)]
pub(super) struct Signature {
    pub(super) methods: Vec<String>,
    pub(super) paths: Vec<Vec<String>>,
}

impl Signature {
    /// Of the item `name` of a module.
    pub(super) fn of(sources: &Sources, module: &ModulePath, name: &str) -> Self {
        let item = &sources.modules[module].items[name];
        let mut signature = Signature::default();
        match &*item.kind {
            "struct" | "union" => signature.paths.extend(of_struct(&item.code)),
            "enum" => signature.paths.extend(of_enum(&item.code)),
            "trait" => {
                let (header, body) = split_at_body(&item.code);
                signature.paths.extend(paths(header));
                signature.take(&contents(body, module), |_| true);
            }
            // of a constant the type is behind the colon, and the value does not count
            "const" | "static" => signature.paths.extend(paths(before(&item.code, '='))),
            _ => signature.paths.extend(paths(&item.code)),
        }
        signature.take_implementations(sources, module, name);
        signature.methods.sort();
        signature.methods.dedup();
        signature
    }

    /// Takes in the functions, constants and types of a body.
    fn take(&mut self, body: &Module, counts: impl Fn(&Item) -> bool) {
        for (name, item) in body.items.iter().filter(|(_, item)| counts(item)) {
            if item.kind == "fn" {
                self.methods.push(name.clone());
            }
            let is_value = item.kind == "const";
            self.paths.extend(paths(if is_value { before(&item.code, '=') } else { &item.code }));
        }
    }

    /// Takes in the public methods of a type, and the types that it gives to traits.
    fn take_implementations(&mut self, sources: &Sources, module: &ModulePath, name: &str) {
        let of_name = sources.implementations.get(name).into_iter().flatten();
        for (path, one) in of_name.filter(|(path, _)| path[0] == module[0]) {
            let found = one.subject().and_then(|subject| sources.resolve_path(path, &subject));
            if found != Some(Found::Item(module.clone(), name.to_owned())) {
                continue;
            }
            let (of_trait, _) = parties(&one.header);
            self.take(&one.body, |item| if of_trait { item.kind == "type" } else { item.public });
        }
    }
}

impl Implementation {
    /// The path of the type that it is of; of `dyn Trait` that of the trait.
    pub(super) fn subject(&self) -> Option<Vec<String>> {
        paths(parties(&self.header).1).into_iter().find(|path| path[0] != "dyn")
    }
}

/// A part of [`Code`].
type Part<'a> = &'a [(Token, usize)];

/// The header and the body of a trait.
fn split_at_body(code: &Code) -> (Part<'_>, Part<'_>) {
    let body = code.iter().position(|(token, _)| *token == Token::Mark('{')).unwrap_or(code.len());
    (&code[..body], code.get(body + 1..code.len() - 1).unwrap_or_default())
}

fn before(code: &[(Token, usize)], mark: char) -> &[(Token, usize)] {
    let end = code.iter().position(|(token, _)| *token == Token::Mark(mark)).unwrap_or(code.len());
    &code[..end]
}

/// The type of an implementation, and true if it is one of a trait.
fn parties(header: &[(Token, usize)]) -> (bool, &[(Token, usize)]) {
    let generics = match header.first() {
        Some((Token::Mark('<'), _)) => behind_generics(header),
        _ => 0,
    };
    let rest = &header[generics..];
    let end = rest.iter().position(|(token, _)| token.is_word("where")).unwrap_or(rest.len());
    // `for` of `for<'a>` stands before `<`
    let of_trait = (0..end).find(|&at| {
        rest[at].0.is_word("for") && rest.get(at + 1).is_none_or(|(token, _)| *token != Token::Mark('<'))
    });
    (of_trait.is_some(), &rest[of_trait.map_or(0, |at| at + 1)..end])
}

/// The place behind the generics that begin a header.
fn behind_generics(header: &[(Token, usize)]) -> usize {
    let mut depth = 0;
    for (at, (token, _)) in header.iter().enumerate() {
        match token {
            Token::Mark('<') => depth += 1,
            // `->` closes nothing
            Token::Mark('>') if header[at - 1].0 != Token::Mark('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    header.len()
}

/// Parts of a list between brackets, apart at commas, without their attributes.
fn parts(code: &[(Token, usize)]) -> Vec<&[(Token, usize)]> {
    let mut found = Vec::new();
    let (mut begin, mut depth, mut angles) = (0, 0, 0);
    for (at, (token, _)) in code.iter().enumerate() {
        match token {
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark('}' | ')' | ']') => depth -= 1,
            Token::Mark('<') => angles += 1,
            Token::Mark('>') if code[at - 1].0 != Token::Mark('-') => angles -= 1,
            Token::Mark(',' | ';') if depth == 0 && angles == 0 => {
                found.push(&code[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(&code[begin..]);
    found.into_iter().map(without_attributes).filter(|part| !part.is_empty()).collect()
}

fn without_attributes(mut part: &[(Token, usize)]) -> &[(Token, usize)] {
    while part.first().is_some_and(|(token, _)| *token == Token::Mark('#')) {
        let mut depth = 0;
        let end = part.iter().position(|(token, _)| {
            depth += i32::from(*token == Token::Mark('[')) - i32::from(*token == Token::Mark(']'));
            depth == 0 && *token == Token::Mark(']')
        });
        part = end.map_or(&[], |end| &part[end + 1..]);
    }
    part
}

fn of_struct(code: &Code) -> Vec<Vec<String>> {
    let body =
        code.iter().position(|(token, _)| matches!(token, Token::Mark('{' | '('))).unwrap_or(code.len());
    let is_public = |part: &&[(Token, usize)]| {
        part[0].0.is_word("pub") && part.get(1).is_none_or(|(token, _)| *token != Token::Mark('('))
    };
    let fields = parts(code.get(body + 1..code.len().saturating_sub(1)).unwrap_or_default());
    let fields = fields.into_iter().filter(is_public).flat_map(paths);
    paths(&code[..body]).into_iter().chain(fields).collect()
}

fn of_enum(code: &Code) -> Vec<Vec<String>> {
    let (header, body) = split_at_body(code);
    let contents = parts(body).into_iter().flat_map(|variant| paths(&variant[1..]));
    paths(header).into_iter().chain(contents).collect()
}

/// The paths in some code.
fn paths(code: &[(Token, usize)]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut goes_on = false;
    for (token, _) in code {
        match token {
            Token::Word(word) if goes_on => {
                found.last_mut().expect("a path begins with a word").push(word.clone());
                goes_on = false;
            }
            Token::Word(word) => found.push(vec![word.clone()]),
            Token::PathSep => goes_on = !found.is_empty(),
            Token::Mark(_) => goes_on = false,
        }
    }
    found
}
