//! As much of JSON as the protocol needs.

/// A value. Numbers keep their text.
pub enum Json {
    Word(String),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Json::Text(text) = self { Some(text) } else { None }
    }

    pub fn as_number(&self) -> Option<f64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    pub fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.get(name).and_then(Json::as_text).ok_or_else(|| format!("`{name}` is no text"))
    }

    pub fn number(&self, name: &str) -> Result<f64, String> {
        self.get(name).and_then(Json::as_number).ok_or_else(|| format!("`{name}` is no number"))
    }

    pub fn flag(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            Some(Json::Word(word)) => Ok(word == "true"),
            _ => Err(format!("`{name}` is neither true nor false")),
        }
    }

    /// A word or number as it was written.
    pub fn written(&self) -> &str {
        match self {
            Json::Word(text) | Json::Number(text) | Json::Text(text) => text,
            Json::List(_) | Json::Object(_) => "null",
        }
    }
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter < ' ' => out += &format!("\\u{:04x}", letter as u32),
            letter => out.push(letter),
        }
    }
    out + "\""
}

/// The value that a line is.
pub fn parse(line: &str) -> Result<Json, String> {
    let mut rest = line.trim();
    let value = value(&mut rest)?;
    if rest.trim().is_empty() { Ok(value) } else { Err(format!("`{rest}` follows the value")) }
}

fn value(rest: &mut &str) -> Result<Json, String> {
    *rest = rest.trim_start();
    match rest.chars().next() {
        Some('{') => {
            let mut members = Vec::new();
            list(rest, '}', |rest| {
                *rest = rest.trim_start();
                let name = text(rest)?;
                take(rest, ':')?;
                members.push((name, value(rest)?));
                Ok(())
            })?;
            Ok(Json::Object(members))
        }
        Some('[') => {
            let mut items = Vec::new();
            list(rest, ']', |rest| {
                items.push(value(rest)?);
                Ok(())
            })?;
            Ok(Json::List(items))
        }
        Some('"') => text(rest).map(Json::Text),
        _ => {
            let end =
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
            let (bare, after) = rest.split_at(end);
            *rest = after;
            match bare {
                "true" | "false" | "null" => Ok(Json::Word(bare.to_owned())),
                _ if bare.parse::<f64>().is_ok() => Ok(Json::Number(bare.to_owned())),
                _ => Err(format!("`{bare}` is no value")),
            }
        }
    }
}

/// What is between brackets, with commas.
fn list(
    rest: &mut &str,
    end: char,
    mut each: impl FnMut(&mut &str) -> Result<(), String>,
) -> Result<(), String> {
    *rest = &rest[1..];
    if take(rest, end).is_ok() {
        return Ok(());
    }
    loop {
        each(rest)?;
        if take(rest, end).is_ok() {
            return Ok(());
        }
        take(rest, ',')?;
    }
}

fn take(rest: &mut &str, expected: char) -> Result<(), String> {
    let trimmed = rest.trim_start();
    *rest = trimmed
        .strip_prefix(expected)
        .ok_or_else(|| format!("`{expected}` is missing before `{trimmed}`"))?;
    Ok(())
}

fn text(rest: &mut &str) -> Result<String, String> {
    let mut letters = rest.strip_prefix('"').ok_or("a text is missing")?.chars();
    let mut out = String::new();
    loop {
        match letters.next().ok_or("a text does not end")? {
            '"' => break,
            '\\' => out.push(match letters.next().ok_or("a text does not end")? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => {
                    let digits: String = letters.by_ref().take(4).collect();
                    let number = u32::from_str_radix(&digits, 16).map_err(|error| error.to_string())?;
                    char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
                }
                other => other,
            }),
            letter => out.push(letter),
        }
    }
    *rest = letters.as_str();
    Ok(out)
}
