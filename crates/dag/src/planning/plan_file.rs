//! Plans in files: which task is computed where, in which order.
//!
//! ```text
//! [
//!   {"task": "t1", "host": "h0", "core": 0, "start": 0.0, "end": 12.5},
//!   {"task": "t2", "host": "h1", "core": 0, "start": 13.0, "end": 20.0, "transfers": [0]}
//! ]
//! ```
//!
//! A core computes its tasks in the order of the list. The core is one of the host's, from 0, and
//! is 0 if it is not given. A task of several cores has the others in a list `further-cores`, as in
//! `"core": 0, "further-cores": [1, 3]`. Start and end, in seconds, are those of the plan that was
//! written; they may be left out, and the order holds without them. `transfers` has a number for
//! each input of the task from the home host and for each of its edges, in the order of the graph,
//! or `null` where nothing is sent: links carry what has the lower number first. If a task has no
//! such list, links go by the planned ends of parents. Plain text or gzip.

use std::io::{Cursor, Read};

use crate::collections::OrderedSet;
use crate::text::json::{self, Mistake, Next, Reader};
use crate::text::{LONGEST_TEXT, Mistakes, Place, Spot, read_whole};

/// A task of a plan file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenTask {
    /// Name of the task; with several workflows the workflow's name and `/` stand before it.
    pub task: String,
    /// Name of its host.
    pub host: String,
    /// Core of the host, from 0.
    pub core: u32,
    /// The other cores of a task of several, in the order of the file; none is there twice.
    pub further: Vec<u32>,
    /// The line of the file.
    pub line: u64,
    /// Of its inputs and edges, the places of their transfers among all; `None` if the file does
    /// not say.
    pub transfers: Option<Vec<Option<u64>>>,
    /// Spots of task, host, core and further cores; a core that is not given stands where the host
    /// does, and so do further cores.
    pub spots: [Spot; 4],
}

/// A plan as it stands in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WrittenPlan {
    /// Tasks, in order.
    pub tasks: Vec<WrittenTask>,
    /// The text that it was read from.
    pub text: String,
}

impl WrittenPlan {
    /// The line and column of a spot of the text.
    pub fn place(&self, spot: Spot) -> Option<Place> {
        json::place(Cursor::new(&self.text), spot.at, spot.width as usize).ok()
    }
}

/// Mistakes of a plan file, and where if it has a place.
#[derive(Clone, Debug)]
pub struct BadPlan {
    /// In one line without a full stop.
    pub message: String,
    /// Place of the mistake.
    pub place: Option<Place>,
}

/// Reads a plan.
///
/// # Errors
/// Everything that is wrong with it, up to where it is no JSON.
pub fn read(input: impl Read) -> Result<WrittenPlan, Mistakes<BadPlan>> {
    let nowhere = |message| BadPlan { message, place: None };
    let text = read_whole(input, LONGEST_TEXT).map_err(|why| nowhere(why.to_string()))?;
    let (mut tasks, mut wrong) = (Vec::new(), Mistakes::new());
    let mut reader = Reader::new(text.as_bytes()).map_err(|why| nowhere(why.to_string()))?;
    let read = reader.array(|reader| {
        tasks.extend(planned(reader, &mut wrong)?);
        Ok(())
    });
    wrong.extend(read.and_then(|()| reader.finish()).err());
    drop(reader);
    let plan = WrittenPlan { tasks, text };
    if wrong.is_empty() {
        return Ok(plan);
    }
    let bad = |mistake: Mistake| BadPlan {
        place: plan.place(Spot::new(mistake.at, mistake.width)),
        message: mistake.sentence(),
    };
    Err(wrong.map(bad))
}

/// A task of the list; `None` if something is missing or wrong, which is then among the mistakes.
fn planned(reader: &mut Reader<'_>, wrong: &mut Mistakes<Mistake>) -> Result<Option<WrittenTask>, Mistake> {
    let before = wrong.count();
    let start = reader.place();
    let (mut task, mut host, mut core, mut line) = (None, None, None, reader.line());
    let (mut transfers, mut further, mut further_at) = (None, Vec::new(), None);
    reader.object(|reader, key| {
        let at = reader.place();
        let is_task = key.name == "task";
        match (&*key.name, reader.next_kind()?) {
            ("task" | "host", Next::Text) => {
                let read_at = reader.line();
                let text = reader.string()?;
                let found = Some((text, spot(at, reader)));
                if is_task {
                    (task, line) = (found, read_at);
                } else {
                    host = found;
                }
            }
            ("core", Next::Number) => {
                let number = number(reader, "a core, from 0", wrong)?;
                core = number.map(|number| (number, spot(at, reader)));
            }
            ("start" | "end", Next::Number) => {
                let _: Option<f64> = number(reader, "a number of seconds", wrong)?;
            }
            ("further-cores", Next::Array) => {
                reader.array(|reader| {
                    further.extend(further_core(reader, wrong)?);
                    Ok(())
                })?;
                further_at = Some(spot(at, reader));
            }
            ("transfers", Next::Array) => {
                let mut places = Vec::new();
                reader.array(|reader| {
                    places.push(place_of_transfer(reader, wrong)?);
                    Ok(())
                })?;
                transfers = Some(places);
            }
            (known @ ("task" | "host" | "core" | "further-cores" | "start" | "end" | "transfers"), _) => {
                reader.skip()?;
                let expected = match known {
                    "task" | "host" => "a text in quotes",
                    "further-cores" | "transfers" => "a list",
                    _ => "a number",
                };
                wrong.push(misfit(at, reader, format!("`{known}` is of another type"), expected));
                // it is there
                let place = spot(at, reader);
                match known {
                    "task" => task = Some((String::new(), place)),
                    "host" => host = Some((String::new(), place)),
                    _ => {}
                }
            }
            _ => {
                reader.skip()?;
                wrong.push(Mistake {
                    expected: "task, host, core, further-cores, start, end or transfers".to_owned(),
                    ..Mistake::new(key.at, key.width, format!("unknown key `{}`", key.name))
                });
            }
        }
        Ok(())
    })?;
    let core_at = core.map(|(_, at)| at);
    let core = core.map_or(0, |(core, _)| core);
    repeated(core, &further, wrong);
    for (what, _) in [("task", &task), ("host", &host)].into_iter().filter(|(_, found)| found.is_none()) {
        wrong.push(Mistake::new(start, 1, format!("this task of the plan has no `{what}`")));
    }
    let (Some((task, task_at)), Some((host, host_at))) = (task, host) else { return Ok(None) };
    let spots = [task_at, host_at, core_at.unwrap_or(host_at), further_at.unwrap_or(host_at)];
    let further = further.into_iter().map(|(core, _)| core).collect();
    let planned = WrittenTask { task, host, core, further, line, transfers, spots };
    Ok((wrong.count() == before).then_some(planned))
}

/// A further core of a task, and its place; `None` if it is none.
fn further_core(
    reader: &mut Reader<'_>,
    wrong: &mut Mistakes<Mistake>,
) -> Result<Option<(u32, Spot)>, Mistake> {
    const WHAT: &str = "a core, from 0";
    let at = reader.place();
    if reader.next_kind()? == Next::Number {
        return Ok(number(reader, WHAT, wrong)?.map(|core| (core, spot(at, reader))));
    }
    reader.skip()?;
    wrong.push(misfit(at, reader, "this is no core".to_owned(), WHAT));
    Ok(None)
}

/// Notes the cores that a task has twice.
fn repeated(core: u32, further: &[(u32, Spot)], wrong: &mut Mistakes<Mistake>) {
    let mut known = OrderedSet::new();
    known.insert(core);
    for (core, at) in further {
        if !known.insert(*core) {
            wrong.push(Mistake::new(at.at, at.width as usize, format!("the task has core {core} twice")));
        }
    }
}

/// The place of a transfer among all; `None` for `null`.
fn place_of_transfer(reader: &mut Reader<'_>, wrong: &mut Mistakes<Mistake>) -> Result<Option<u64>, Mistake> {
    const WHAT: &str = "a place, from 0, or null";
    let at = reader.place();
    match reader.next_kind()? {
        Next::Number => number(reader, WHAT, wrong),
        Next::Word if reader.word()?.is_none() => Ok(None),
        kind => {
            if kind != Next::Word {
                reader.skip()?;
            }
            wrong.push(misfit(at, reader, "this is no place of a transfer".to_owned(), WHAT));
            Ok(None)
        }
    }
}

/// The bytes from `at` to where the reader is.
fn spot(at: u64, reader: &Reader<'_>) -> Spot {
    Spot::new(at, usize::try_from(reader.end() - at).unwrap_or(usize::MAX))
}

fn misfit(at: u64, reader: &Reader<'_>, message: String, expected: &str) -> Mistake {
    Mistake { expected: expected.to_owned(), ..Mistake::new(at, spot(at, reader).width as usize, message) }
}

fn number<T: std::str::FromStr>(
    reader: &mut Reader<'_>,
    what: &str,
    wrong: &mut Mistakes<Mistake>,
) -> Result<Option<T>, Mistake> {
    let at = reader.place();
    let text = reader.number()?;
    let number = text.parse().ok();
    if number.is_none() {
        wrong.push(misfit(at, reader, format!("`{text}` is out of range"), what));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_with_its_lines() {
        let text = "[\n {\"task\": \"a\", \"host\": \"h\", \"core\": 3, \"start\": 0, \"end\": 1.5},\n {\"host\": \"i\", \"task\": \"b\"}]";
        let plan = read(text.as_bytes()).expect("it is right");
        let planned = |task: &WrittenTask| (task.task.clone(), task.host.clone(), task.core, task.line);
        let planned: Vec<_> = plan.tasks.iter().map(planned).collect();
        assert_eq!(planned, [("a".into(), "h".into(), 3, 2), ("b".into(), "i".into(), 0, 3)]);
        let places = plan.tasks.iter().map(|task| task.spots.map(|spot| plan.place(spot)));
        let columns: Vec<_> = places.map(|all| all.map(|place| place.map(|place| place.column))).collect();
        assert_eq!(columns, [[11, 24, 37, 24], [24, 11, 11, 11]].map(|all| all.map(Some)));
        let wide = "[{\"task\": \"a\", \"host\": \"h\", \"further-cores\": [4, 0], \"core\": 3}]";
        let wide = &read(wide.as_bytes()).expect("it is right").tasks[0];
        assert_eq!((wide.core, &wide.further[..], wide.spots[3].at), (3, &[4, 0][..], 45));
        assert_eq!(read("[]".as_bytes()).expect("it is right").tasks, []);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        for (text, message, column) in [
            ("[{\"task\": \"a\"}]", "this task of the plan has no `host`", 2),
            (
                "[{\"tusk\": \"a\"}]",
                "unknown key `tusk`, task, host, core, further-cores, start, end or transfers should stand here",
                3,
            ),
            ("[{\"core\": -1}]", "`-1` is out of range, a core, from 0 should stand here", 11),
            ("[{\"core\": 1", "the text ends", 12),
            (
                "[{\"transfers\": [1, null, true]}]",
                "this is no place of a transfer, a place, from 0, or null should stand here",
                26,
            ),
            ("[{\"further-cores\": 1}]", "`further-cores` is of another type, a list should stand here", 20),
            ("[{\"further-cores\": [1, \"a\"]}]", "this is no core, a core, from 0 should stand here", 24),
            ("[{\"further-cores\": [1, -1]}]", "`-1` is out of range, a core, from 0 should stand here", 24),
            ("[{\"further-cores\": [1, 2, 1]}]", "the task has core 1 twice", 27),
            ("[{\"further-cores\": [2, 1], \"core\": 1}]", "the task has core 1 twice", 24),
            ("[{\"further-cores\": [2, 0]}]", "the task has core 0 twice", 24),
            ("[{\"transfers\": 1}]", "`transfers` is of another type, a list should stand here", 16),
        ] {
            let bad = read(text.as_bytes()).expect_err(text);
            let bad = &bad[0];
            assert!(bad.message.starts_with(message), "{}", bad.message);
            let place = bad.place.as_ref().map(|place| (place.line, place.column));
            assert_eq!(place, Some((1, column)), "{text}");
        }
    }

    #[test]
    fn all_that_is_wrong_is_reported_up_to_where_it_is_no_json() {
        let text = "[{\"task\": 1, \"host\": \"h\", \"cor\": 2},\n{\"host\": \"h\"},\n{\"task\": \"a\", \"core\": 0.5}, {]";
        let bad = read(text.as_bytes()).expect_err("it is wrong");
        let messages: Vec<&str> = bad.iter().map(|bad| bad.message.split(',').next().unwrap_or("")).collect();
        assert_eq!(
            messages,
            [
                "`task` is of another type",
                "unknown key `cor`",
                "this task of the plan has no `task`",
                "`0.5` is out of range",
                "this task of the plan has no `host`",
                "unexpected `]`",
            ]
        );
    }
}
