//! The words and signs of DOT, each with its place.

use crate::text::{Mistake, Spot};

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or value, and whether it is quoted.
    Word(String, bool),
    /// `->`
    Arrow,
    /// One of `{}[];,=:` or a character that has no meaning.
    Mark(char),
    End,
}

/// A text, and how far it is read.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

pub(super) type Parsed<T> = Result<T, Mistake>;

pub(super) fn wrong<T>(message: impl Into<String>, spot: Spot) -> Parsed<T> {
    Err(Mistake { message: message.into(), help: None, spot })
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) -> Parsed<()> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = self.rest();
            let begins_line = || {
                let before = self.text[..self.at].rsplit('\n').next().unwrap_or_default();
                before.trim().is_empty()
            };
            let length = if rest.starts_with("//") || (rest.starts_with('#') && begins_line()) {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(end) => end + 2,
                    None => return wrong("the comment has no end", Spot::new(self.at as u64, 2)),
                }
            } else {
                return Ok(());
            };
            self.at += length;
        }
    }

    pub(super) fn next(&mut self) -> Parsed<(Token, Spot)> {
        self.skip_blanks()?;
        let (start, rest) = (self.at, &self.text[self.at..]);
        let Some(first) = rest.chars().next() else { return Ok((Token::End, Spot::new(start as u64, 0))) };
        let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let token = if rest.starts_with("->") {
            self.at += 2;
            Token::Arrow
        } else if first == '"' {
            return self.concatenated();
        } else if first == '<' {
            return self.html();
        } else if is_letter(first)
            || first == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
        {
            // an exponent may have a sign
            let mut before = ' ';
            let is_number = first.is_ascii_digit() || first == '-' || first == '.';
            let end = rest.char_indices().find(|(place, letter)| {
                let belongs = is_letter(*letter)
                    || *place == 0
                    || (is_number
                        && matches!(letter, '+' | '-')
                        && matches!(before, 'e' | 'E')
                        && !rest[*place..].starts_with("->"));
                before = *letter;
                !belongs
            });
            let length = end.map_or(rest.len(), |(place, _)| place);
            self.at += length;
            Token::Word(rest[..length].to_owned(), false)
        } else {
            self.at += first.len_utf8();
            Token::Mark(first)
        };
        Ok((token, Spot::new(start as u64, self.at - start)))
    }

    /// `"a" + "b"` is one text.
    fn concatenated(&mut self) -> Parsed<(Token, Spot)> {
        let (mut word, spot) = self.quoted()?;
        loop {
            let (before, end) = (self.at, Spot::new(spot.at, self.at - spot.at as usize));
            self.skip_blanks()?;
            if !self.rest().starts_with('+') {
                self.at = before;
                return Ok((Token::Word(word, true), end));
            }
            self.at += 1;
            self.skip_blanks()?;
            if !self.rest().starts_with('"') {
                return wrong("a quoted text should follow `+`", Spot::new(self.at as u64, 0));
            }
            word.push_str(&self.quoted()?.0);
        }
    }

    /// `<text>`, which may have pairs of such brackets in it.
    fn html(&mut self) -> Parsed<(Token, Spot)> {
        let (start, mut depth) = (self.at, 0_usize);
        for (place, letter) in self.text[start..].char_indices() {
            match letter {
                '<' => depth += 1,
                '>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + place + 1;
                let word = self.text[start + 1..start + place].to_owned();
                return Ok((Token::Word(word, true), Spot::new(start as u64, self.at - start)));
            }
        }
        wrong("the text has no closing `>`", Spot::new(start as u64, 1))
    }

    fn quoted(&mut self) -> Parsed<(String, Spot)> {
        let start = self.at;
        let mut word = String::new();
        let mut letters = self.text[start + 1..].char_indices();
        while let Some((place, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at = start + 1 + place + 1;
                    return Ok((word, Spot::new(start as u64, self.at - start)));
                }
                '\\' => match letters.next() {
                    Some((_, '"')) => word.push('"'),
                    Some((_, '\n')) => {}
                    Some((_, other)) => word.extend(['\\', other]),
                    None => break,
                },
                _ => word.push(letter),
            }
        }
        wrong("the text has no closing quote", Spot::new(start as u64, 1))
    }
}
