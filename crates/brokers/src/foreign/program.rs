//! A foreign program as a part of the scheduling unit: a live dialogue about the clients and
//! servers of a run.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use crate::dialogue::live::{LiveDialogue, PeerFault};
use crate::environment::Environment;
use crate::foreign::answer::{self, Greeting};
use crate::foreign::message::hello;
use crate::registry::{Complaint, Params};

pub use crate::dialogue::live::KEYS;

/// A foreign program.
#[derive(Debug)]
pub struct ForeignProgram {
    dialogue: LiveDialogue,
    /// A key that only this part has, with its value: the first question has it.
    of_part: Option<(&'static str, bool)>,
    environment: OnceCell<Rc<Environment>>,
    /// The seed and the replication.
    run: Cell<(u64, u64)>,
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
        Ok(Rc::new(ForeignProgram {
            dialogue: LiveDialogue::read(params, part)?,
            of_part,
            environment: OnceCell::new(),
            run: Cell::default(),
            is_lasting: Cell::default(),
        }))
    }

    /// The dialogue with it.
    pub fn dialogue(&self) -> &LiveDialogue {
        &self.dialogue
    }

    /// Prepares a run of this seed and replication; `params` are those of the part.
    ///
    /// # Errors
    /// The program cannot be found, or its transcript not be read.
    pub fn prepare(&self, params: &Params<'_>, run: (u64, u64)) -> Result<(), Complaint> {
        self.run.set(run);
        self.dialogue.prepare(params)
    }

    /// The run begins: the program is started, and gets to know what it is of what.
    ///
    /// # Errors
    /// It cannot be started after all, or gives no proper answer.
    pub fn begin(&self, environment: &Rc<Environment>) -> Result<(), Box<PeerFault>> {
        let hello = hello(self.dialogue.part(), self.of_part, self.run.get(), environment);
        self.environment.set(Rc::clone(environment)).ok();
        let Greeting { is_lasting, .. } = self.dialogue.begin(&hello, answer::greeting)?;
        self.is_lasting.set(is_lasting);
        Ok(())
    }

    /// Clients and servers of the run.
    ///
    /// # Panics
    /// Before `ForeignProgram::begin`: a mistake of the simulator.
    pub fn environment(&self) -> &Rc<Environment> {
        self.environment.get().expect("a program is asked after the run began")
    }

    /// Returns true if its predictions hold until the next measurement.
    pub fn is_lasting(&self) -> bool {
        self.is_lasting.get()
    }

    /// The answer to a question, as `read` reads it; without one the run fails.
    pub fn ask<T>(&self, question: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Option<T> {
        self.dialogue.ask(question, read)
    }
}
