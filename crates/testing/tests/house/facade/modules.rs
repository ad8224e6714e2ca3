//! Modules as the sources state them: items, imports, child modules and implementations. A parser
//! of just enough Rust, lenient where macros declare items: `words! { pub enum … }` declares an enum.

use std::collections::BTreeMap;

use clustersim_testing::sources::SourceFile;

use crate::layers::lexer::{Token, tokens};

/// Tokens with their lines.
pub(super) type Code = Vec<(Token, usize)>;

/// A module: the package's name, then the names below its root.
pub(super) type ModulePath = Vec<String>;

/// An item, as far as it is looked at.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) kind: String,
    pub(super) public: bool,
    /// The tokens behind the name; of a function those before its body.
    pub(super) code: Code,
    pub(super) features: Vec<String>,
}

/// A name that a module takes from elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    pub(super) public: bool,
    pub(super) features: Vec<String>,
}

/// An implementation: the tokens between `impl` and the body, and the items of the body.
#[derive(Clone, Debug)]
pub(super) struct Implementation {
    pub(super) header: Code,
    pub(super) body: Module,
}

/// The contents of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    pub(super) items: BTreeMap<String, Item>,
    pub(super) imports: BTreeMap<String, Import>,
    /// Paths of imports that end in `*`.
    pub(super) globs: Vec<Vec<String>>,
    /// Child modules that are public, with their features.
    pub(super) children: BTreeMap<String, Vec<String>>,
    pub(super) implementations: Vec<Implementation>,
}

/// All modules of all crates.
pub(super) fn modules(files: &[SourceFile]) -> BTreeMap<ModulePath, Module> {
    let mut found = BTreeMap::new();
    for file in files.iter().filter(|file| file.below() != "main.rs") {
        let code = tokens(&file.text);
        let mut parser = Parser { lines: file.text.lines().collect(), code: &code, at: 0, found: &mut found };
        let module = file.module();
        let contents = parser.contents(&module);
        parser.found.insert(module, contents);
    }
    found
}

/// The items of a body, as of a module.
pub(super) fn contents(code: &[(Token, usize)], module: &[String]) -> Module {
    Parser { lines: Vec::new(), code, at: 0, found: &mut BTreeMap::new() }.contents(module)
}

/// What stands before an item.
#[derive(Default)]
struct Outer {
    public: bool,
    hidden: bool,
    test: bool,
    features: Vec<String>,
}

struct Parser<'p> {
    lines: Vec<&'p str>,
    code: &'p [(Token, usize)],
    at: usize,
    found: &'p mut BTreeMap<ModulePath, Module>,
}

impl<'p> Parser<'p> {
    fn token(&self, ahead: usize) -> Option<&'p Token> {
        self.code.get(self.at + ahead).map(|(token, _)| token)
    }

    fn word(&self, ahead: usize) -> Option<&'p str> {
        self.token(ahead).and_then(word)
    }

    fn is_mark(&self, ahead: usize, mark: char) -> bool {
        self.token(ahead) == Some(&Token::Mark(mark))
    }

    /// Reads to the end of the tokens: the body of one module.
    fn contents(&mut self, path: &[String]) -> Module {
        let mut module = Module::default();
        let mut outer = Outer::default();
        while let Some(token) = self.token(0) {
            if *token == Token::Mark('#') {
                self.attribute(&mut outer);
                continue;
            }
            match word(token) {
                Some("pub") => {
                    self.at += 1;
                    outer.public = !self.is_mark(0, '(');
                    if !outer.public {
                        self.group();
                    }
                }
                // `const fn`, and words that stand before `fn`, `impl` or `trait`
                Some("async" | "unsafe" | "extern" | "auto") => self.at += 1,
                Some("const") if self.word(1) == Some("fn") => self.at += 1,
                Some("macro_rules") => {
                    let name = self.word(2).unwrap_or_default().to_owned();
                    self.at += 3;
                    self.group();
                    let item = Item {
                        kind: "macro".to_owned(),
                        public: true,
                        code: Vec::new(),
                        features: Vec::new(),
                    };
                    module.items.insert(name, item);
                    outer = Outer::default();
                }
                Some("impl") => {
                    let item = self.implementation(path);
                    module.implementations.extend(item.filter(|_| !outer.test));
                    outer = Outer::default();
                }
                Some(
                    "mod" | "use" | "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const"
                    | "static",
                ) => {
                    self.declared(&mut module, path, std::mem::take(&mut outer));
                }
                Some(_) if self.is_mark(1, '!') => {
                    self.at += 2;
                    let inside = self.group();
                    let declared = self.inside(inside, path);
                    module.items.extend(declared.items);
                    module.implementations.extend(declared.implementations);
                    outer = Outer::default();
                }
                _ if matches!(token, Token::Mark('{' | '(' | '[')) => {
                    self.group();
                }
                _ => self.at += 1,
            }
        }
        module
    }

    /// The same of a part of the tokens.
    fn inside(&mut self, code: &[(Token, usize)], path: &[String]) -> Module {
        Parser { lines: self.lines.clone(), code, at: 0, found: &mut *self.found }.contents(path)
    }

    /// Moves behind the group of brackets that begins here, and gives what is in it.
    fn group(&mut self) -> &'p [(Token, usize)] {
        let begin = self.at;
        let mut depth = 0;
        while let Some(token) = self.token(0) {
            self.at += 1;
            match token {
                Token::Mark('{' | '(' | '[') => depth += 1,
                Token::Mark('}' | ')' | ']') => depth -= 1,
                _ => {}
            }
            if depth <= 0 {
                break;
            }
        }
        self.code.get(begin + 1..self.at.saturating_sub(1)).unwrap_or_default()
    }

    fn attribute(&mut self, outer: &mut Outer) {
        let begin = self.code[self.at].1;
        self.at += if self.is_mark(1, '!') { 2 } else { 1 };
        let inside = self.group();
        let has = |text: &str| inside.iter().any(|(token, _)| token.is_word(text));
        let end = inside.last().map_or(begin, |(_, line)| *line);
        outer.hidden |= has("doc") && has("hidden");
        outer.test |= has("cfg") && (has("test") || has("doctest"));
        if has("cfg") && has("feature") {
            let text = self.lines.get(begin - 1..end).unwrap_or_default().join(" ");
            outer.features = text.split('"').skip(1).step_by(2).map(str::to_owned).collect();
        }
    }

    /// A module, an import or an item, of which the keyword comes next.
    fn declared(&mut self, module: &mut Module, path: &[String], outer: Outer) {
        let keyword = self.word(0).unwrap_or_default().to_owned();
        self.at += 1;
        if keyword == "use" {
            let imported = self.until_end(&[]);
            if !outer.hidden && !outer.test {
                take_imports(imported, &outer, module);
            }
            return;
        }
        // a name such as `$Name` in a macro is none
        let Some(name) = self.word(0).map(str::to_owned) else { return };
        self.at += 1;
        if keyword == "mod" {
            if self.is_mark(0, '{') {
                let code = self.group();
                let below: ModulePath = path.iter().cloned().chain([name.clone()]).collect();
                if !outer.test {
                    let contents = self.inside(code, &below);
                    self.found.insert(below, contents);
                }
            }
            if outer.public && !outer.hidden && !outer.test {
                module.children.insert(name, outer.features);
            }
            return;
        }
        let code = match &*keyword {
            "fn" => {
                let signature = self.until_end(&['{']);
                if self.is_mark(0, '{') {
                    self.group();
                }
                signature
            }
            "struct" | "enum" | "union" | "trait" => self.until_end(&['}']),
            _ => self.until_end(&[]),
        };
        if !outer.hidden && !outer.test {
            let item =
                Item { kind: keyword, public: outer.public, code: code.to_vec(), features: outer.features };
            module.items.insert(name, item);
        }
    }

    /// The tokens to the end of an item: a semicolon, or one of these marks. The end is before an
    /// opening brace, and behind a closing one.
    fn until_end(&mut self, ends: &[char]) -> &'p [(Token, usize)] {
        let begin = self.at;
        while let Some(token) = self.token(0) {
            match token {
                Token::Mark('{') if ends.contains(&'{') => break,
                Token::Mark('{') if ends.contains(&'}') => {
                    self.group();
                    break;
                }
                Token::Mark('{' | '(' | '[') => {
                    self.group();
                }
                Token::Mark(';') => {
                    self.at += 1;
                    break;
                }
                _ => self.at += 1,
            }
        }
        &self.code[begin..self.at]
    }

    fn implementation(&mut self, path: &[String]) -> Option<Implementation> {
        self.at += 1;
        let header = self.until_end(&['{']).to_vec();
        if !self.is_mark(0, '{') {
            return None;
        }
        let body = self.group();
        Some(Implementation { header, body: self.inside(body, path) })
    }
}

fn word(token: &Token) -> Option<&str> {
    if let Token::Word(word) = token { Some(word) } else { None }
}

/// Takes in the names of a tree of imports.
fn take_imports(tree: &[(Token, usize)], outer: &Outer, module: &mut Module) {
    let mut open: Vec<Vec<String>> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut alias = None;
    let mut renames = false;
    let mut end = |path: &mut Vec<String>, alias: &mut Option<String>| {
        if path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        // `as _` is no name
        let name = alias.take().or_else(|| path.last().cloned()).filter(|name| name != "_");
        if let Some(name) =
            name.filter(|_| path.len() > 1 || path.first().is_some_and(|first| first != "crate"))
        {
            let import =
                Import { path: path.clone(), public: outer.public, features: outer.features.clone() };
            module.imports.insert(name, import);
        }
    };
    for (token, _) in tree {
        match token {
            Token::Word(word) if word == "as" => renames = true,
            Token::Word(word) if renames => {
                alias = Some(word.clone());
                renames = false;
            }
            Token::Word(word) => path.push(word.clone()),
            Token::Mark('{') => open.push(path.clone()),
            Token::Mark('*') => module.globs.push(std::mem::take(&mut path)),
            Token::Mark(mark @ (',' | '}' | ';')) => {
                if path.len() > open.last().map_or(0, Vec::len) {
                    end(&mut path, &mut alias);
                }
                if *mark == '}' {
                    open.pop();
                }
                path = open.last().cloned().unwrap_or_default();
            }
            _ => {}
        }
    }
}
