//! A foreign program with its life: read from a scenario, found, started, greeted, asked, and
//! ended.
//!
//! Each run has a process of its own. The first mistake of a program ends the run: [`fail`] is
//! called with what was asked and what came, and whatever is asked in what is left of the instant
//! has no answer.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use crate::broker::environment::Environment;
use crate::broker::foreign::answer::{self, Greeting, in_short};
use crate::broker::foreign::carrier::{Child, can_be_started};
use crate::broker::foreign::message::{Message, hello};
use crate::broker::foreign::transcript::{self, Transcript};
use crate::kernel::{SimDuration, SimTime, fail};
use crate::registry::{Bounds, Complaint, Key, Kind, Params, code};

/// The keys of whatever is a foreign program.
pub const KEYS: [Key; 3] = [
    Key::new("command", Kind::List(&Kind::Text))
        .absent("must be written, unless `replay` is")
        .about("the program and its arguments: without a `/` it is looked for in PATH, else from where the simulator runs"),
    Key::new("timeout", Kind::Duration(Bounds::Within(0.001, 86_400.0)))
        .or("10s")
        .about("how long an answer may take by the clock on the wall, after which the run fails: it changes no result"),
    Key::new("replay", Kind::Path)
        .absent("the program is run")
        .about("a transcript of an earlier run that answers in the place of the program"),
];

/// Mistakes of a program: what it was asked, and what came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignFault {
    /// The part that the program replaces.
    pub part: &'static str,
    /// Command line of the program.
    pub command: String,
    /// Mistake of the program.
    pub what: String,
    /// The question.
    pub asked: String,
    /// Answer of the program, if there was one.
    pub came: Option<String>,
}

impl fmt::Display for ForeignFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ForeignFault { part, command, what, asked, came } = self;
        write!(f, "the program of `{part}` ({command}) {what}\n  asked: {}", in_short(asked))?;
        came.as_ref().map_or(Ok(()), |came| write!(f, "\n  answer: {}", in_short(came)))?;
        f.write_str("\n ")
    }
}

impl std::error::Error for ForeignFault {}

/// Source of the answers.
#[derive(Debug)]
enum Carrier {
    /// Nothing has been started yet.
    Nothing,
    /// A process.
    Child(Child),
    /// A transcript.
    Transcript(Transcript),
    /// A program that made a mistake, or has finished.
    Over,
}

/// A foreign program.
#[derive(Debug)]
pub struct ForeignProgram {
    part: &'static str,
    /// A key that only this part has, with its value: the first question has it.
    of_part: Option<(&'static str, bool)>,
    command: Vec<String>,
    limit: Duration,
    replay: Option<(String, PathBuf)>,
    environment: OnceCell<Rc<Environment>>,
    /// The seed and the replication.
    run: Cell<(u64, u64)>,
    carrier: RefCell<Carrier>,
    transcript: RefCell<Option<String>>,
    is_lasting: Cell<bool>,
}

impl ForeignProgram {
    /// Reads [`KEYS`] of a part. The first question has `of_part`, a key that only this part has,
    /// with its value.
    ///
    /// # Errors
    /// The command names no program.
    pub fn read(
        params: &Params<'_>,
        part: &'static str,
        of_part: Option<(&'static str, bool)>,
    ) -> Result<Rc<Self>, Complaint> {
        let mut command: Vec<String> = Vec::new();
        if params.has("command") {
            command = params.read("command")?;
            if command.first().is_none_or(String::is_empty) {
                return Err(params
                    .complaint("command", "this command names no program")
                    .label("expected a program and its arguments"));
            }
        }
        let replay =
            params.has("replay").then(|| Ok((params.read("replay")?, params.path("replay")?))).transpose()?;
        let limit: SimDuration = params.read("timeout")?;
        Ok(Rc::new(ForeignProgram {
            part,
            of_part,
            command,
            limit: Duration::from_nanos(limit.as_nanos()),
            replay,
            environment: OnceCell::new(),
            run: Cell::default(),
            carrier: RefCell::new(Carrier::Nothing),
            transcript: RefCell::default(),
            is_lasting: Cell::default(),
        }))
    }

    /// The part that it replaces.
    pub fn part(&self) -> &'static str {
        self.part
    }

    /// Prepares a run of this seed and replication: opens the transcript, or looks for the program
    /// without starting it; `params` are those of the part.
    ///
    /// # Errors
    /// It cannot be opened or found, or there is neither.
    pub fn prepare(&self, params: &Params<'_>, run: (u64, u64)) -> Result<(), Complaint> {
        self.run.set(run);
        let unreadable =
            |key, message: String| Complaint { code: code::FILE, ..params.complaint(key, message) };
        if let Some((named, path)) = &self.replay {
            let opened = Transcript::open(path);
            let transcript =
                opened.map_err(|why| unreadable("replay", format!("cannot read `{named}`: {why}")))?;
            *self.carrier.borrow_mut() = Carrier::Transcript(transcript);
            return Ok(());
        }
        let Some(program) = self.command.first() else {
            let complaint = params.complaint("kind", "nothing says which program");
            let complaint = Complaint { code: code::MISSING_KEY, ..complaint };
            return Err(complaint.help("write `command`, or `replay` of a transcript"));
        };
        can_be_started(program).map_err(|why| {
            let complaint = unreadable("command", format!("cannot start `{program}`: {why}"));
            complaint
                .help("paths with a `/` begin where the simulator runs; other names are looked for in PATH")
        })
    }

    /// Keeps what is asked and answered from now on.
    pub fn record(&self) {
        self.transcript.borrow_mut().get_or_insert_default();
    }

    /// Questions and answers so far, if they are kept.
    pub fn transcript(&self) -> Option<String> {
        self.transcript.take()
    }

    /// The run begins: the program is started, and gets to know what it is of what.
    ///
    /// # Errors
    /// It cannot be started after all, or gives no proper answer.
    pub fn begin(&self, environment: &Rc<Environment>) -> Result<(), Box<ForeignFault>> {
        let question = hello(self.part, self.of_part, self.run.get(), environment);
        self.environment.set(Rc::clone(environment)).ok();
        if self.replay.is_none() {
            let child = Child::start(&self.command, self.limit).map_err(|error| {
                self.fault(format!("cannot be started: {}", crate::text::reason(&error)), &question, None)
            })?;
            *self.carrier.borrow_mut() = Carrier::Child(child);
        }
        let Greeting { is_lasting, .. } = self.exchange(&question, answer::greeting)?;
        self.is_lasting.set(is_lasting);
        Ok(())
    }

    /// Clients and servers of the run.
    ///
    /// # Panics
    /// Before [`ForeignProgram::begin`]: a mistake of the simulator.
    pub fn environment(&self) -> &Rc<Environment> {
        self.environment.get().expect("a program is asked after the run began")
    }

    /// Returns true if its predictions hold until the next measurement.
    pub fn is_lasting(&self) -> bool {
        self.is_lasting.get()
    }

    /// The answer to a question, as `read` reads it; without one the run fails.
    pub fn ask<T>(&self, question: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        if matches!(*self.carrier.borrow(), Carrier::Over | Carrier::Nothing) {
            return None;
        }
        match self.exchange(question, read) {
            Ok(answer) => Some(answer),
            Err(fault) => {
                fail(fault);
                None
            }
        }
    }

    /// The run is over at this instant: the program finishes and ends.
    ///
    /// # Errors
    /// It gives no proper answer, or more than one.
    pub fn finish(&self, at: SimTime) -> Result<(), Box<ForeignFault>> {
        let question = Message::new("finish", "run").time("time", at).line();
        self.exchange(&question, answer::done)?;
        match self.carrier.replace(Carrier::Over) {
            Carrier::Child(child) => {
                let ended = child.finish();
                ended.map_err(|silence| self.fault(silence.words(self.limit), &question, None).into())
            }
            _ => Ok(()),
        }
    }

    fn exchange<T>(
        &self,
        question: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Box<ForeignFault>> {
        let carrier = &mut *self.carrier.borrow_mut();
        let came = match carrier {
            Carrier::Child(child) => child.exchange(question).map_err(|silence| silence.words(self.limit)),
            Carrier::Transcript(transcript) => {
                transcript.answer(question).map_err(|why| format!("cannot be replayed: {why}"))
            }
            Carrier::Nothing | Carrier::Over => Err("is not running".to_owned()),
        };
        if let Some(transcript) = &mut *self.transcript.borrow_mut() {
            transcript::write(transcript, question, came.as_deref().ok());
        }
        let answered = match came {
            Ok(came) => match read(&came) {
                Ok(answer) => Ok(answer),
                Err(why) => {
                    Err(self.fault(format!("gave an answer that cannot be: {why}"), question, Some(came)))
                }
            },
            Err(what) => Err(self.fault(what, question, None)),
        };
        // a process that made a mistake ends here
        answered.map_err(|fault| {
            *carrier = Carrier::Over;
            Box::new(fault)
        })
    }

    fn fault(&self, what: String, asked: &str, came: Option<String>) -> ForeignFault {
        let command = match &self.replay {
            Some((named, _)) => named.clone(),
            None => self.command.join(" "),
        };
        let (part, asked) = (self.part, asked.to_owned());
        ForeignFault { part, command: in_short(&command), what, asked, came }
    }
}
