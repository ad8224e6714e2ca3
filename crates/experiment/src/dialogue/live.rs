//! A live dialogue with its life: read from a scenario, prepared, begun, spoken, and ended.
//!
//! Each run has a peer of its own. Its first mistake ends the run: [`fail`] is called with what was
//! asked and what came, and whatever is asked in what is left of the instant has no answer.

use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::dialogue::answer::done;
use crate::dialogue::message::Message;
#[cfg(not(unix))]
use crate::dialogue::no_process::{Process, can_be_started};
#[cfg(unix)]
use crate::dialogue::process::{Process, can_be_started};
use crate::dialogue::transcript::{self, Transcript};
use crate::dialogue::{DialoguePeer, in_short};
use crate::kernel::{SimDuration, SimTime, fail};
use crate::registry::{Bounds, Complaint, Key, Kind, Params, code};

/// The keys of a part that is a program.
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

/// A mistake of a peer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeerFault {
    /// The part that is a program.
    pub part: &'static str,
    /// The command, or the name of the transcript.
    pub command: String,
    /// Mistake of the program, in words that go on after its name.
    pub what: String,
    /// The question.
    pub asked: String,
    /// Answer of the program, if there was one.
    pub came: Option<String>,
}

impl fmt::Display for PeerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PeerFault { part, command, what, asked, came } = self;
        write!(f, "the program of `{part}` ({command}) {what}\n  asked: {}", in_short(asked))?;
        came.as_ref().map_or(Ok(()), |came| write!(f, "\n  answer: {}", in_short(came)))?;
        f.write_str("\n ")
    }
}

impl std::error::Error for PeerFault {}

/// A live dialogue of a run with the program that is one of its parts.
#[derive(Debug)]
pub struct LiveDialogue {
    part: &'static str,
    command: Vec<String>,
    limit: Duration,
    replay: Option<(String, PathBuf)>,
    /// The other side; `None` before it began, after its mistake, and after the end.
    peer: RefCell<Option<Box<dyn DialoguePeer>>>,
    transcript: RefCell<Option<String>>,
}

impl LiveDialogue {
    /// Reads [`KEYS`] of a part.
    ///
    /// # Errors
    /// The command names no program.
    pub fn read(params: &Params<'_>, part: &'static str) -> Result<Self, Complaint> {
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
        Ok(LiveDialogue {
            part,
            command,
            limit: Duration::from_nanos(limit.as_nanos()),
            replay,
            peer: RefCell::default(),
            transcript: RefCell::default(),
        })
    }

    /// The part that is a program.
    pub fn part(&self) -> &'static str {
        self.part
    }

    /// Prepares a run: opens the transcript, or looks for the program without starting it; `params`
    /// are those of the part.
    ///
    /// # Errors
    /// It cannot be opened or found, or there is neither.
    pub fn prepare(&self, params: &Params<'_>) -> Result<(), Complaint> {
        let unreadable =
            |key, message: String| Complaint { code: code::FILE, ..params.complaint(key, message) };
        if let Some((named, path)) = &self.replay {
            let opened = Transcript::open(path);
            let transcript =
                opened.map_err(|why| unreadable("replay", format!("cannot read `{named}`: {why}")))?;
            self.peer.replace(Some(Box::new(transcript)));
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

    /// Starts the program, says the first line, and reads the answer to it.
    ///
    /// # Errors
    /// The program cannot be started after all, or gives no proper answer.
    pub fn begin<T>(
        &self,
        hello: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Box<PeerFault>> {
        if self.replay.is_none() {
            let process = Process::start(&self.command, self.limit).map_err(|error| {
                self.fault(format!("cannot be started: {}", crate::text::reason(&error)), hello, None)
            })?;
            self.peer.replace(Some(Box::new(process)));
        }
        self.exchange(hello, read)
    }

    /// The answer to a question, as `read` reads it; without one the run fails.
    pub fn ask<T>(&self, question: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        if self.peer.borrow().is_none() {
            return None;
        }
        self.exchange(question, read).map_err(fail).ok()
    }

    /// Says that the run is over at this instant, and ends the peer.
    ///
    /// # Errors
    /// It gives no proper answer, or more than one.
    pub fn finish(&self, at: SimTime) -> Result<(), Box<PeerFault>> {
        let question = Message::new("finish", "run").time("time", at).line();
        self.exchange(&question, done)?;
        let ended = self.peer.take().map_or(Ok(()), super::DialoguePeer::finish);
        ended.map_err(|what| self.fault(what, &question, None).into())
    }

    fn exchange<T>(
        &self,
        question: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Box<PeerFault>> {
        let mut peer = self.peer.borrow_mut();
        let came = match &mut *peer {
            Some(peer) => peer.exchange(question),
            None => Err("is not running".to_owned()),
        };
        if let Some(transcript) = &mut *self.transcript.borrow_mut() {
            transcript::write(transcript, question, came.as_deref().ok());
        }
        let answered = match came {
            Ok(came) => read(&came).map_err(|why| {
                self.fault(format!("gave an answer that cannot be: {why}"), question, Some(came))
            }),
            Err(what) => Err(self.fault(what, question, None)),
        };
        // a process that made a mistake ends here
        answered.map_err(|fault| {
            *peer = None;
            Box::new(fault)
        })
    }

    fn fault(&self, what: String, asked: &str, came: Option<String>) -> PeerFault {
        let command = match &self.replay {
            Some((named, _)) => named.clone(),
            None => self.command.join(" "),
        };
        let (part, asked) = (self.part, asked.to_owned());
        PeerFault { part, command: in_short(&command), what, asked, came }
    }
}
