//! Values one after another, and the places of mistakes.

use std::io::{self, Read};

use crate::text::{Broken, LONGEST_LINE};

use super::*;

#[test]
fn values_are_read_one_after_another() {
    let mut reader =
        Reader::new(&br#" {"a" : [1, -2.5e3 , "x\u0041\n\ud83d\ude00"], "b": {"c": null}} "#[..])
            .expect("a stream");
    let mut seen = Vec::new();
    let read = reader.object(|reader, key| match reader.next_kind()? {
        Next::Array => reader.array(|reader| {
            seen.push(match reader.next_kind()? {
                Next::Number => reader.number()?,
                _ => reader.string()?,
            });
            Ok(())
        }),
        _ => {
            seen.push(key.name);
            reader.skip()
        }
    });
    assert_eq!((read, reader.finish()), (Ok(()), Ok(())));
    assert_eq!(seen, ["1", "-2.5e3", "xA\n😀", "b"]);
}

#[test]
fn mistakes_have_their_places() {
    let place = |text: &str| {
        let mut reader = Reader::new(text.as_bytes()).expect("a stream");
        reader.skip().and_then(|()| reader.finish()).expect_err(text).at
    };
    assert_eq!(place("[1, 2"), 5);
    assert_eq!(place("[1 2]"), 3);
    assert_eq!(place("{\"a\" 1}"), 5);
    assert_eq!(place("[01]"), 1);
    assert_eq!(place("[1] x"), 4);
    assert_eq!(place("\"a\\x\""), 3);
    assert_eq!(place("nul"), 0);
    assert_eq!(place("\"a"), 2);
    assert_eq!(place(&"[".repeat(100)), DEEPEST as u64 + 1);
}

#[test]
fn one_line_of_any_length_is_read_and_a_token_without_end_is_not() {
    let values = 3 * LONGEST_LINE / 4;
    let text = io::Cursor::new(b"[1").chain(io::Cursor::new(b",  1").chain(io::empty()));
    assert!(Reader::new(text).expect("a stream").skip().is_err());
    let long = "[1".to_owned() + &",  1".repeat(values) + "]";
    let mut reader = Reader::new(long.as_bytes()).expect("a stream");
    assert_eq!(reader.skip().and_then(|()| reader.finish()), Ok(()));
    for (byte, what) in [(b'1', "this number"), (b'a', "this text")] {
        let start: &[u8] = if byte == b'a' { b"[\"" } else { b"[" };
        let mut reader = Reader::new(start.chain(io::repeat(byte).take(1 << 30))).expect("a stream");
        let bad = reader.skip().expect_err("without end");
        assert_eq!((bad.at, bad.message), (1, format!("{what} is longer than 4 MiB")));
        assert!(reader.held() < 2 * LONGEST_LINE);
    }
    let mut reader = Reader::new(io::repeat(b' ').take(1 << 30)).expect("a stream");
    assert!(reader.skip().is_err());
    assert_eq!(reader.failed(), Some(Broken::LongBlanks));
}

#[test]
fn keys_and_mistakes_are_reported_with_what_was_expected() {
    let mut reader = Reader::of_line(r#"{ "a": 1, "bc": true} x"#);
    let mut keys = Vec::new();
    let read = reader.object(|reader, key| {
        keys.push((key.name, key.at, key.width));
        reader.skip()
    });
    assert_eq!((read, keys), (Ok(()), vec![("a".to_owned(), 2, 3), ("bc".to_owned(), 10, 4)]));
    let sentence = |text: &'static str| {
        let mut reader = Reader::of_line(text);
        reader.skip().and_then(|()| reader.finish()).expect_err(text).sentence()
    };
    assert_eq!(
        reader.finish().expect_err("more").sentence(),
        "something follows the value, the end of the line should stand here"
    );
    assert_eq!(sentence("[1 2]"), "unexpected `2`, `,` or `]` should stand here");
    assert_eq!(sentence("[1"), "the line ends too early, `,` or `]` should follow");
    assert_eq!(sentence("01"), "`01` is no number");
}

#[test]
fn a_byte_of_a_stream_is_found_in_its_line() {
    let text = format!("{{\n\"a\": {},\n é}}", "1".repeat(3 * Place::SHOWN));
    let found = |at: usize| {
        let place = place(io::Cursor::new(&text), at as u64, 1).expect("memory");
        (place.line, place.text[place.range.clone()].to_owned(), place.column, place.is_cut)
    };
    assert_eq!(found(2), (2, "\"".to_owned(), 1, false));
    assert_eq!(found(text.rfind('}').expect("one")), (3, "}".to_owned(), 4, false));
    assert_eq!(found(400), (2, "1".to_owned(), 399, true));
    // a long line is cut as one that is held, between two letters
    let long = format!("{}ab", "é".repeat(300));
    for at in [100, 150, 200, 239, 240, 601] {
        let place = place(io::Cursor::new(&long), at as u64, 1).expect("memory");
        let held = Place::new(1, long.as_bytes(), at, 1);
        assert_eq!(
            (place.column, place.letter, place.is_cut),
            (held.column, held.letter, held.is_cut),
            "{at}"
        );
        assert_eq!(place.text[..place.range.end], held.text[..held.range.end], "{at}");
        assert!(!place.text.contains('·'), "{at}: {}", place.text);
    }
    // all at once, in any order, several in a line and one behind the end
    let wanted: Vec<usize> = (0..text.len() + 3).step_by(7).rev().collect();
    let widths: Vec<(u64, usize)> = wanted.iter().map(|&at| (at as u64, at % 5)).collect();
    let all = places(io::Cursor::new(&text), &widths).expect("memory");
    let one_by_one = widths.iter().map(|&(at, width)| place(io::Cursor::new(&text), at, width));
    assert_eq!(all, one_by_one.collect::<Result<Vec<_>, _>>().expect("memory"));
    for (at, found) in wanted.iter().zip(all).filter(|(at, _)| **at < text.len()) {
        let before = &text.as_bytes()[..*at];
        let line = before.split(|&byte| byte == b'\n');
        let column = line.clone().next_back().map_or(0, <[u8]>::len) + 1;
        assert_eq!((found.line, found.column), (line.count() as u64, column), "{at}");
    }
}
