//! Plans in files: which task is computed where, in which order.
//!
//! ```text
//! [
//!   {"task": "t1", "host": "h0", "core": 0, "start": 0.0, "end": 12.5},
//!   {"task": "t2", "host": "h1", "core": 0, "start": 13.0, "end": 20.0}
//! ]
//! ```
//!
//! A core computes its tasks in the order of the list. The core is one of the host's, from 0, and is 0 if it is not given. Start and end, in
//! seconds, are those of the plan that was written; they may be left out, and the order holds without them. Plain text or gzip.

use std::io::{Cursor, Read};

use crate::text::json::{self, Mistake, ObjectKey, Reader};
use crate::text::{LONGEST_TEXT, Place, read_whole};

/// A task of a plan file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenTask {
    /// What the task is called; with several workflows the workflow's name and `/` stand before it.
    pub task: String,
    /// What its host is called.
    pub host: String,
    /// Which of the host's cores, from 0.
    pub core: u32,
    /// The line of the file.
    pub line: u64,
}

/// What is wrong with a plan file, and where if it has a place.
#[derive(Clone, Debug)]
pub struct BadPlan {
    /// In one line without a full stop.
    pub message: String,
    /// Where.
    pub place: Option<Place>,
}

/// Reads a plan.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read(input: impl Read) -> Result<Vec<WrittenTask>, BadPlan> {
    let text =
        read_whole(input, LONGEST_TEXT).map_err(|why| BadPlan { message: why.to_string(), place: None })?;
    let mut tasks = Vec::new();
    let mut reader =
        Reader::new(text.as_bytes()).map_err(|why| BadPlan { message: why.to_string(), place: None })?;
    let read = reader.array(|reader| {
        tasks.push(planned(reader)?);
        Ok(())
    });
    let read = read.and_then(|()| reader.finish());
    drop(reader);
    match read {
        Ok(()) => Ok(tasks),
        Err(mistake) => {
            let place = json::place(Cursor::new(&text), mistake.at, mistake.width).ok();
            Err(BadPlan { message: mistake.sentence(), place: place.map(|(place, _)| place) })
        }
    }
}

fn planned(reader: &mut Reader<'_>) -> Result<WrittenTask, Mistake> {
    let at = reader.place();
    let (mut task, mut host, mut core, mut line) = (None, None, 0, reader.line());
    reader.object(|reader, key| {
        match &*key.name {
            "task" => {
                line = reader.line();
                task = Some(reader.string()?);
            }
            "host" => host = Some(reader.string()?),
            "core" => core = number(reader, "a core, from 0")?,
            "start" | "end" => {
                let _: f64 = number(reader, "a number of seconds")?;
            }
            _ => return Err(unknown(&key)),
        }
        Ok(())
    })?;
    let lacks = |what| Mistake::new(at, 1, format!("this task of the plan has no `{what}`"));
    Ok(WrittenTask {
        task: task.ok_or_else(|| lacks("task"))?,
        host: host.ok_or_else(|| lacks("host"))?,
        core,
        line,
    })
}

fn unknown(key: &ObjectKey) -> Mistake {
    let message = format!("unknown key `{}`", key.name);
    Mistake {
        expected: "task, host, core, start or end".to_owned(),
        ..Mistake::new(key.at, key.width, message)
    }
}

fn number<T: std::str::FromStr>(reader: &mut Reader<'_>, what: &str) -> Result<T, Mistake> {
    let at = reader.place();
    let text = reader.number()?;
    let width = usize::try_from(reader.end() - at).unwrap_or(usize::MAX);
    text.parse().map_err(|_| Mistake {
        expected: what.to_owned(),
        ..Mistake::new(at, width, format!("`{text}` is out of range"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_with_its_lines() {
        let text = "[\n {\"task\": \"a\", \"host\": \"h\", \"core\": 3, \"start\": 0, \"end\": 1.5},\n {\"host\": \"i\", \"task\": \"b\"}]";
        let planned = |task: &str, host: &str, core, line| WrittenTask {
            task: task.into(),
            host: host.into(),
            core,
            line,
        };
        assert_eq!(
            read(text.as_bytes()).expect("it is right"),
            [planned("a", "h", 3, 2), planned("b", "i", 0, 3)]
        );
        assert_eq!(read("[]".as_bytes()).expect("it is right"), []);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, message, column) in [
            ("[{\"task\": \"a\"}]", "this task of the plan has no `host`", 2),
            (
                "[{\"tusk\": \"a\"}]",
                "unknown key `tusk`, task, host, core, start or end should stand here",
                3,
            ),
            ("[{\"core\": -1}]", "`-1` is out of range, a core, from 0 should stand here", 11),
            ("[{\"core\": 1", "the text ends", 12),
        ] {
            let bad = read(text.as_bytes()).expect_err(text);
            assert!(bad.message.starts_with(message), "{}", bad.message);
            assert_eq!(bad.place.map(|place| (place.line, place.column)), Some((1, column)), "{text}");
        }
    }
}
