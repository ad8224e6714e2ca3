//! A lexer for just enough Rust to find paths: words, `::` and punctuation with their lines, while
//! comments, strings and character literals are skipped (a path in a comment or a string imports
//! nothing).

/// What a scan of source text sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// An identifier, keyword or number.
    Word(String),
    /// `::`
    PathSep,
    /// Any other character that is not white space.
    Mark(char),
}

impl Token {
    pub(crate) fn is_word(&self, text: &str) -> bool {
        matches!(self, Token::Word(word) if word == text)
    }
}

/// The tokens of `source`, each with its line (the first is 1).
pub(crate) fn tokens(source: &str) -> Vec<(Token, usize)> {
    let mut lexer = Lexer { rest: source, line: 1 };
    let mut found = Vec::new();
    while let Some(first) = lexer.rest.chars().next() {
        let line = lexer.line;
        let token = if lexer.rest.starts_with("//") {
            lexer.skip_to("\n");
            continue;
        } else if lexer.rest.starts_with("/*") {
            lexer.skip_block_comment();
            continue;
        } else if lexer.skip_raw_string() {
            continue;
        } else if first == '"' {
            lexer.skip_quoted('"');
            continue;
        } else if first == '\'' {
            lexer.skip_character_or_lifetime();
            continue;
        } else if first.is_whitespace() {
            lexer.advance(first.len_utf8());
            continue;
        } else if first.is_alphanumeric() || first == '_' {
            Token::Word(lexer.word())
        } else if lexer.rest.starts_with("::") {
            lexer.advance(2);
            Token::PathSep
        } else {
            lexer.advance(first.len_utf8());
            Token::Mark(first)
        };
        found.push((token, line));
    }
    found
}

struct Lexer<'s> {
    rest: &'s str,
    line: usize,
}

impl Lexer<'_> {
    fn advance(&mut self, bytes: usize) {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += taken.matches('\n').count();
        self.rest = rest;
    }

    /// Moves behind the next `end`, or to the end of the text.
    fn skip_to(&mut self, end: &str) {
        let bytes = self.rest.find(end).map_or(self.rest.len(), |at| at + end.len());
        self.advance(bytes);
    }

    fn word(&mut self) -> String {
        let bytes = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let word = self.rest[..bytes].to_owned();
        self.advance(bytes);
        word
    }

    /// Block comments nest in Rust.
    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        loop {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.advance(2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.advance(2);
            } else if let Some(c) = self.rest.chars().next() {
                self.advance(c.len_utf8());
            }
            if depth == 0 || self.rest.is_empty() {
                return;
            }
        }
    }

    /// Skips `r"…"`, `r#"…"#`, `br"…"` and `cr"…"`; false if none stands here.
    fn skip_raw_string(&mut self) -> bool {
        let Some(body) = ["r", "br", "cr"].iter().find_map(|prefix| self.rest.strip_prefix(prefix)) else {
            return false;
        };
        let hashes = body.len() - body.trim_start_matches('#').len();
        if !body[hashes..].starts_with('"') {
            return false;
        }
        self.advance(self.rest.len() - body.len() + hashes + 1);
        self.skip_to(&format!("\"{}", "#".repeat(hashes)));
        true
    }

    /// Skips a literal with escapes, the opening quote included.
    fn skip_quoted(&mut self, quote: char) {
        self.advance(1);
        while let Some(c) = self.rest.chars().next() {
            self.advance(c.len_utf8());
            if c == '\\' {
                self.advance(self.rest.chars().next().map_or(0, char::len_utf8));
            } else if c == quote {
                return;
            }
        }
    }

    /// `'x'` and `'\n'` are skipped whole, of a lifetime `'a` only the quote.
    fn skip_character_or_lifetime(&mut self) {
        let mut ahead = self.rest.chars().skip(1);
        match (ahead.next(), ahead.next()) {
            (Some('\\'), _) | (Some(_), Some('\'')) => self.skip_quoted('\''),
            _ => self.advance(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    fn words(source: &str) -> Vec<String> {
        let word = |token| if let Token::Word(word) = token { Some(word) } else { None };
        tokens(source).into_iter().filter_map(|(token, _)| word(token)).collect()
    }

    #[test]
    fn comments_strings_and_characters_are_not_code() {
        assert_eq!(words("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
        assert_eq!(words(r#"a "b \" c" d"#), ["a", "d"]);
        assert_eq!(words("a r#\"b \" c\"# d br\"e\" f"), ["a", "d", "f"]);
        assert_eq!(words(r"a 'b' c '\'' d '\u{1F600}' e"), ["a", "c", "d", "e"]);
    }

    #[test]
    fn lifetimes_and_raw_identifiers_do_not_swallow_code() {
        assert_eq!(words("fn f<'a>(x: &'a str, c: char) -> bool { c == 'x' }").last().unwrap(), "c");
        assert_eq!(words("r#type r#\"string\"# rest"), ["r", "type", "rest"]);
    }

    #[test]
    fn lines_are_counted_through_everything_skipped() {
        let source = "/* 1\n 2 */ \"3\n\" a\n\n// 5\nb::c";
        let lines: Vec<usize> = tokens(source).iter().map(|(_, line)| *line).collect();
        assert_eq!(lines, [3, 6, 6, 6]);
    }
}
