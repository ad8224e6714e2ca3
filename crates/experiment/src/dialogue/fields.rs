//! The members of the JSON object that a line of a recorded dialogue is, with their places.

use crate::kernel::SimTime;
use crate::text::json::{Mistake as JsonMistake, Next, Reader};
use crate::text::{Mistake, Spot, TextLine, suggestion};
use crate::units::seconds;

/// A value of a member.
#[derive(Debug)]
enum FieldValue {
    Text(String),
    Number(String),
    Flag(bool),
    Texts(Vec<(String, Spot)>),
    Other,
}

/// A member.
#[derive(Debug)]
struct Field {
    key: String,
    key_spot: Spot,
    value: FieldValue,
    spot: Spot,
    is_read: bool,
}

/// The members of a line; each is to be read.
#[derive(Debug)]
pub struct LineFields {
    fields: Vec<Field>,
    whole: Spot,
}

impl LineFields {
    /// The members of a line.
    pub(super) fn read(line: TextLine<'_>) -> Result<Self, Mistake> {
        let whole = line.spot();
        let mut reader = Reader::of_line(line.text);
        let mut fields: Vec<Field> = Vec::new();
        let read = reader.object(|reader, key| {
            let key_spot = Spot::new(whole.at + key.at, key.width);
            let at = reader.place();
            let value = value(reader, whole.at)?;
            let spot = Spot::new(whole.at + at, (reader.end() - at) as usize);
            if fields.iter().any(|field| field.key == key.name) {
                return Err(JsonMistake::new(key.at, key.width, format!("`{}` is there twice", key.name)));
            }
            fields.push(Field { key: key.name, key_spot, value, spot, is_read: false });
            Ok(())
        });
        match read.and_then(|()| reader.finish()) {
            Ok(()) => Ok(LineFields { fields, whole }),
            Err(wrong) => Err(Mistake::new(wrong.sentence(), Spot::new(whole.at + wrong.at, wrong.width))),
        }
    }

    /// The member of this name, if there is one.
    fn find(&mut self, key: &str) -> Option<(&FieldValue, Spot)> {
        let field = self.fields.iter_mut().find(|field| field.key == key)?;
        field.is_read = true;
        Some((&field.value, field.spot))
    }

    fn needed(&mut self, key: &str) -> Result<(&FieldValue, Spot), Mistake> {
        let whole = self.whole;
        self.find(key).ok_or_else(|| Mistake::new(format!("this line has no `{key}`"), whole))
    }

    /// Returns the one of these members that the line has, and its word.
    pub fn kind<'k>(&mut self, kinds: &[(&'k str, &'k [&'k str])]) -> Result<(&'k str, &'k str), Mistake> {
        let has = |key: &str| self.fields.iter().any(|field| field.key == key);
        let Some((kind, words)) = kinds.iter().find(|(kind, _)| has(kind)) else {
            let kinds: Vec<String> = kinds.iter().map(|(kind, _)| format!("`{kind}`")).collect();
            return Err(Mistake::new(format!("this line has none of {}", kinds.join(", ")), self.whole));
        };
        Ok((kind, self.one_of(kind, words)?))
    }

    /// One of these words.
    pub fn one_of<'k>(&mut self, key: &str, words: &[&'k str]) -> Result<&'k str, Mistake> {
        let (text, spot) = self.text(key)?;
        words.iter().find(|word| **word == text).copied().ok_or_else(|| Mistake {
            message: format!("`{key}` cannot be `{text}`"),
            help: Some(suggestion(text, words.iter().copied())),
            spot,
        })
    }

    /// A text.
    pub fn text(&mut self, key: &str) -> Result<(&str, Spot), Mistake> {
        match self.needed(key)? {
            (FieldValue::Text(text), spot) => Ok((text, spot)),
            (_, spot) => Err(Mistake::new(format!("`{key}` is to be a text in quotes"), spot)),
        }
    }

    /// A list of texts.
    pub fn texts(&mut self, key: &str) -> Result<&[(String, Spot)], Mistake> {
        match self.needed(key)? {
            (FieldValue::Texts(texts), _) => Ok(texts),
            (_, spot) => Err(Mistake::new(format!("`{key}` is to be a list of texts"), spot)),
        }
    }

    /// True or false.
    pub fn flag(&mut self, key: &str) -> Result<bool, Mistake> {
        match self.needed(key)? {
            (FieldValue::Flag(flag), _) => Ok(*flag),
            (_, spot) => Err(Mistake::new(format!("`{key}` is to be true or false"), spot)),
        }
    }

    /// A whole number from 0.
    pub fn count(&mut self, key: &str) -> Result<u64, Mistake> {
        let (value, spot) = self.needed(key)?;
        let count = if let FieldValue::Number(text) = value { text.parse().ok() } else { None };
        count.ok_or_else(|| Mistake::new(format!("`{key}` is to be a whole number from 0"), spot))
    }

    /// An instant.
    pub fn time(&mut self, key: &str) -> Result<(SimTime, Spot), Mistake> {
        let (value, spot) = self.needed(key)?;
        let nanos = if let FieldValue::Number(text) = value { seconds(text) } else { None };
        let time = nanos.map(|nanos| (SimTime::from_nanos(nanos), spot));
        time.ok_or_else(|| {
            Mistake::new(format!("`{key}` is to be seconds from 0, with up to nine decimals"), spot)
        })
    }

    /// An instant, if it is there.
    pub fn optional_time(&mut self, key: &str) -> Result<Option<SimTime>, Mistake> {
        if self.find(key).is_none() {
            return Ok(None);
        }
        self.time(key).map(|(time, _)| Some(time))
    }

    /// Checks that all members have been read.
    pub fn finish(&self) -> Result<(), Mistake> {
        match self.fields.iter().find(|field| !field.is_read) {
            None => Ok(()),
            Some(field) => {
                Err(Mistake::new(format!("this line has no use for `{}`", field.key), field.key_spot))
            }
        }
    }
}

/// The next value of a line that begins at `from`.
fn value(reader: &mut Reader<'_>, from: u64) -> Result<FieldValue, JsonMistake> {
    Ok(match reader.next_kind()? {
        Next::Text => FieldValue::Text(reader.string()?),
        Next::Number => FieldValue::Number(reader.number()?),
        Next::Word => reader.word()?.map_or(FieldValue::Other, FieldValue::Flag),
        Next::Array => {
            let mut texts = Vec::new();
            reader.array(|reader| {
                let at = reader.place();
                let text = reader.string()?;
                texts.push((text, Spot::new(from + at, (reader.end() - at) as usize)));
                Ok(())
            })?;
            FieldValue::Texts(texts)
        }
        Next::Object => {
            reader.skip()?;
            FieldValue::Other
        }
    })
}
