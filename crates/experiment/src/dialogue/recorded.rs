//! Recorded dialogues: their lines out of a text, and the place where a run parts from them.
//!
//! Each line is read by itself, and what is wrong with it is reported at its place. Besides,
//! instants never decrease, and the last line is one that ends the dialogue: a text that was cut is
//! no dialogue.

use crate::dialogue::fields::LineFields;
use crate::dialogue::message::Message;
use crate::kernel::SimTime;
use crate::text::{Mistake, Mistakes, Spot, lines};

/// Bytes of a line that a message shows.
const SHOWN: usize = 200;

/// A line of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumberedLine<L> {
    /// From 1.
    pub number: u64,
    /// Instant.
    pub at: SimTime,
    /// The message.
    pub line: L,
}

/// The messages of a dialogue as lines.
pub trait Language {
    /// A message of either side.
    type Line: PartialEq;

    /// The line of a message at an instant.
    fn write(&self, at: SimTime, line: &Self::Line) -> Message;
}

/// Writes the line of a message, with its end.
pub fn write_line<L: Language>(into: &mut String, language: &L, at: SimTime, line: &L::Line) {
    into.push_str(&language.write(at, line).line());
    into.push('\n');
}

/// A reader of the lines that a [`Language`] writes.
pub trait LineReader {
    /// A message of either side.
    type Line;
    /// Name of the last line of a dialogue.
    const END: &'static str;

    /// Reads what a line says besides its instant; names that were meant are suggested if `helps`.
    ///
    /// # Errors
    /// A member is missing or wrong.
    fn line(&mut self, fields: &mut LineFields, helps: bool) -> Result<Self::Line, Mistake>;

    /// Sees a message of an instant behind those that it has seen, the last at `last`.
    ///
    /// # Errors
    /// It may not stand there.
    fn follow(&mut self, line: &Self::Line, at: SimTime, last: SimTime) -> Result<(), &'static str>;

    /// Returns true if nothing follows this message.
    fn is_end(&self, line: &Self::Line) -> bool;
}

/// Reads a dialogue.
///
/// # Errors
/// The mistakes of its lines.
pub fn read<R: LineReader>(
    text: &str,
    mut reader: R,
) -> Result<Vec<NumberedLine<R::Line>>, Mistakes<Mistake>> {
    let (mut last, mut has_ended) = (SimTime::ZERO, false);
    let (mut found, mut wrong) = (Vec::new(), Mistakes::new());
    let mut end = Spot::new(text.len() as u64, 0);
    for (number, line) in (1..).zip(lines(text)).filter(|(_, line)| !line.is_blank()) {
        end = line.end();
        let whole = line.spot();
        let read = LineFields::read(line).and_then(|mut fields| {
            let (at, at_spot) = fields.time("at")?;
            let said = reader.line(&mut fields, wrong.are_few())?;
            fields.finish()?;
            if at < last {
                return Err(Mistake::new(
                    format!("this line is before the last, which is at {last}"),
                    at_spot,
                ));
            }
            if has_ended {
                return Err(Mistake::new("a line after the end of the dialogue", whole));
            }
            reader.follow(&said, at, last).map_err(|why| Mistake::new(why, whole))?;
            (last, has_ended) = (at, reader.is_end(&said));
            Ok(NumberedLine { number, at, line: said })
        });
        match read {
            Ok(line) => found.push(line),
            Err(mistake) => wrong.push(mistake),
        }
    }
    if wrong.is_empty() && !has_ended {
        wrong.at(end, format!("the dialogue has no end: its last line is to be {}", R::END));
    }
    wrong.unless_any(found)
}

/// A recorded dialogue that a run repeats, until they part.
#[derive(Debug)]
pub struct Replay<L: Language> {
    /// Name of the text in messages.
    file: String,
    language: L,
    lines: Vec<NumberedLine<L::Line>>,
    /// The place of the next line.
    next: usize,
    /// The reason why the run cannot go on.
    fault: Option<String>,
}

impl<L: Language> Replay<L> {
    /// Repeats lines from the first; messages call their text `file`.
    pub fn new(file: String, language: L, lines: Vec<NumberedLine<L::Line>>) -> Self {
        Replay { file, language, lines, next: 0, fault: None }
    }

    /// Lines that are to come.
    pub fn rest(&self) -> &[NumberedLine<L::Line>] {
        &self.lines[self.next..]
    }

    /// The next message, if the run has not parted from the dialogue.
    pub fn next_line(&self) -> Option<&L::Line> {
        let next = self.rest().first().filter(|_| self.fault.is_none());
        next.map(|line| &line.line)
    }

    /// Takes the next line as said.
    pub fn step(&mut self) {
        self.next += 1;
    }

    /// Compares what the run says now with the next line, and takes that. Returns true if both are
    /// the same; else they have parted, now or before.
    pub fn says(&mut self, at: SimTime, said: &L::Line) -> bool {
        if self.fault.is_some() {
            return false;
        }
        match self.rest().first() {
            Some(line) if line.at == at && line.line == *said => {
                self.step();
                true
            }
            Some(_) => {
                let said = self.shown(at, said);
                self.part(&format!("and in its place there is {said}"));
                false
            }
            None => {
                let said = self.shown(at, said);
                self.fault = Some(format!("`{}` ends before this run, in which there is {said}", self.file));
                false
            }
        }
    }

    /// The run parts from the dialogue at the next line, if there is one, for this reason.
    pub fn part(&mut self, why: &str) {
        if let Some(NumberedLine { number, at, line }) = self.rest().first() {
            let line = self.shown(*at, line);
            self.fault = Some(format!("line {number} of `{}` is {line}, {why}", self.file));
        }
    }

    /// The reason why the run cannot go on, once it has parted from the dialogue.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// A line for a message, cut where it is long.
    fn shown(&self, at: SimTime, line: &L::Line) -> String {
        let mut text = self.language.write(at, line).line();
        if text.len() > SHOWN {
            text.truncate(text.floor_char_boundary(SHOWN));
            text.push('…');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are said; a 0 is the last.
    #[derive(Debug)]
    struct Numbers;

    impl Language for Numbers {
        type Line = u64;

        fn write(&self, at: SimTime, line: &u64) -> Message {
            Message::at(at).count("say", *line)
        }
    }

    impl LineReader for Numbers {
        type Line = u64;
        const END: &'static str = "a 0";

        fn line(&mut self, fields: &mut LineFields, _: bool) -> Result<u64, Mistake> {
            fields.count("say")
        }

        fn follow(&mut self, line: &u64, at: SimTime, last: SimTime) -> Result<(), &'static str> {
            if *line == 7 && at == last { Err("a 7 has an instant of its own") } else { Ok(()) }
        }

        fn is_end(&self, line: &u64) -> bool {
            *line == 0
        }
    }

    fn text(lines: &[(u64, u64)]) -> String {
        let mut text = String::new();
        lines.iter().for_each(|(at, say)| write_line(&mut text, &Numbers, SimTime::from_nanos(*at), say));
        text
    }

    #[test]
    fn a_dialogue_is_read_in_order_to_its_end() {
        let lines = read(&text(&[(1, 5), (2, 7), (2, 0)]), Numbers).expect("a dialogue");
        assert_eq!(lines[1], NumberedLine { number: 2, at: SimTime::from_nanos(2), line: 7 });
        for (wrong, expected) in [
            (text(&[(2, 5), (1, 0)]), "this line is before the last, which is at 0.000000002 s"),
            (text(&[(2, 0), (2, 5)]), "a line after the end of the dialogue"),
            (text(&[(2, 5), (2, 7), (2, 0)]), "a 7 has an instant of its own"),
            (text(&[(2, 5)]), "the dialogue has no end: its last line is to be a 0"),
            (text(&[(2, 5)]).replace('5', "5,\"to\":1"), "this line has no use for `to`"),
            (String::new(), "the dialogue has no end: its last line is to be a 0"),
        ] {
            let mistakes = read(&wrong, Numbers).expect_err(expected);
            let first = mistakes.iter().next().map(|mistake| mistake.message.as_str());
            assert_eq!(first, Some(expected), "{wrong}");
        }
    }

    #[test]
    fn a_run_parts_from_its_dialogue_once() {
        let at = SimTime::from_nanos;
        let begun = || {
            let lines = read(&text(&[(1_000_000_000, 5), (2_000_000_000, 0)]), Numbers);
            Replay::new("d.jsonl".to_owned(), Numbers, lines.expect("a dialogue"))
        };
        let mut replay = begun();
        assert!(replay.says(at(1_000_000_000), &5) && replay.fault().is_none());
        assert_eq!((replay.next_line(), replay.rest().len()), (Some(&0), 1));
        assert!(!replay.says(at(1_500_000_000), &0));
        let why =
            "line 2 of `d.jsonl` is {\"at\":2,\"say\":0}, and in its place there is {\"at\":1.5,\"say\":0}";
        assert_eq!(replay.fault(), Some(why));
        // the first reason stays
        assert!(!replay.says(at(2_000_000_000), &0) && replay.next_line().is_none());
        assert_eq!(replay.fault(), Some(why));

        let mut replay = begun();
        replay.step();
        replay.part("which no reader sees");
        assert_eq!(replay.fault(), Some("line 2 of `d.jsonl` is {\"at\":2,\"say\":0}, which no reader sees"));

        let mut replay = begun();
        replay.step();
        replay.step();
        replay.part("which is not there");
        assert!(replay.fault().is_none() && !replay.says(at(0), &3));
        assert_eq!(
            replay.fault(),
            Some("`d.jsonl` ends before this run, in which there is {\"at\":0,\"say\":3}")
        );
    }
}
