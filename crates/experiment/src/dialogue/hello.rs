//! First lines of both sides of a live dialogue: who they are, and the version of what they speak.

use crate::dialogue::answer::{ReadAnswer, count, given, object, put};
use crate::dialogue::in_short;
use crate::dialogue::message::Message;
use crate::text::json::Reader;

/// The first line of the simulation: the version of the protocol, and the part that the peer is.
pub fn hello(version: u64, part: &str) -> Message {
    Message::new("hello", "clustersim").count("version", version).text("part", part)
}

/// Reads the first line of a peer, which says the same version, and returns its name; `own` reads
/// the keys that a greeting of this protocol has besides.
///
/// # Errors
/// Something is wrong with the line, or the version is another one.
pub fn greeting(
    line: &str,
    version: u64,
    mut own: impl FnMut(&mut Reader<'_>, &str) -> ReadAnswer<bool>,
) -> Result<String, String> {
    let (mut name, mut spoken) = (None, None);
    object(line, |reader, key| match key {
        "hello" => put(&mut name, reader.string()),
        "version" => put(&mut spoken, count(reader)),
        _ => own(reader, key),
    })?;
    let name = in_short(&given(name, "hello")?);
    let spoken = given(spoken, "version")?;
    if spoken == version {
        Ok(name)
    } else {
        Err(format!("it speaks version {spoken} of the protocol, expected version {version}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_say_the_same_version() {
        assert_eq!(hello(3, "planner").line(), r#"{"hello":"clustersim","version":3,"part":"planner"}"#);
        let nothing_else = |line: &str| greeting(line, 3, |_, _| Ok(false));
        assert_eq!(nothing_else(r#"{"hello":"mine","version":3}"#), Ok("mine".to_owned()));
        let older = nothing_else(r#"{"version":2,"hello":"mine"}"#).expect_err("another version");
        assert_eq!(older, "it speaks version 2 of the protocol, expected version 3");
        let more = nothing_else(r#"{"hello":"mine","version":3,"fast":true}"#).expect_err("a key");
        assert_eq!(more, "byte 29: the key `fast` is not known here");
        assert_eq!(nothing_else(r#"{"hello":"mine"}"#), Err("`version` is missing".to_owned()));
        let mut fast = None;
        let line = r#"{"hello":"mine","fast":4,"version":3}"#;
        let read = greeting(
            line,
            3,
            |reader, key| if key == "fast" { put(&mut fast, count(reader)) } else { Ok(false) },
        );
        assert_eq!((read, fast), (Ok("mine".to_owned()), Some(4)));
    }
}
