//! Meaning of the states of jobs.

use crate::import::slurm::{State, state};
use crate::registry::{Complaint, Node, Params, Value, code, misfit};

use super::cell::{Cell, Number};

/// Word for every state that is not listed.
const OTHERS: &str = "others";

/// Outcome of a job, as its state says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// Over, with its status in SWF (1 completed, 0 failed, 5 cancelled, -1 not known).
    Over(i8),
    /// Over, and queued again.
    Again,
    /// Did not start.
    Pending,
    /// Not over.
    Running,
    /// Did not start, or is not over: its times say which.
    Dropped,
    /// Not one of those that are known.
    Unknown,
}

/// The states of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct States {
    /// Each state and its meaning; none where the words of Slurm hold.
    listed: Option<Vec<(String, Outcome)>>,
    others: Option<Outcome>,
}

const KEYS: [(&str, Outcome); 5] = [
    ("completed", Outcome::Over(1)),
    ("failed", Outcome::Over(0)),
    ("cancelled", Outcome::Over(5)),
    ("timeout", Outcome::Over(0)),
    ("dropped", Outcome::Dropped),
];

impl States {
    /// Reads the table `states`.
    ///
    /// # Errors
    /// A state is listed twice, or is neither text nor number.
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let mut states = States { listed: Some(Vec::new()), others: None };
        for (key, outcome) in KEYS {
            for node in params.items(key) {
                states.list(node, outcome)?;
            }
        }
        Ok(states)
    }

    fn list(&mut self, node: &Node, outcome: Outcome) -> Result<(), Complaint> {
        let word = match &node.value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            _ => return Err(misfit(node, "a state, a text or a whole number")),
        };
        let twice = |what: String| {
            Complaint::new(code::CONTRADICTION, what, node.span).help("a state has one meaning")
        };
        if word == OTHERS {
            return match self.others.replace(outcome) {
                None => Ok(()),
                Some(_) => Err(twice("the other states are listed twice".to_owned())),
            };
        }
        let listed = self.listed.get_or_insert_default();
        if listed.iter().any(|(known, _)| *known == word) {
            return Err(twice(format!("the state `{word}` is listed twice")));
        }
        listed.push((word, outcome));
        Ok(())
    }

    /// The meaning of a cell; an empty one leaves it to the times.
    pub(super) fn outcome(&self, cell: Cell<'_>) -> Outcome {
        let Some(word) = cell.name() else { return Outcome::Over(-1) };
        let Some(listed) = &self.listed else { return by_slurm(&word) };
        let found = listed.iter().find(|(known, _)| *known == word);
        // a number may be written as `0.0`
        let found = found.or_else(|| match cell.number()? {
            Number::Whole(number) => listed.iter().find(|(known, _)| *known == number.to_string()),
            Number::Real(_) => None,
        });
        let outcome = found.map(|&(_, outcome)| outcome).or(self.others).unwrap_or(Outcome::Unknown);
        match (outcome, by_slurm(&word)) {
            (Outcome::Dropped, known @ (Outcome::Pending | Outcome::Running)) => known,
            _ => outcome,
        }
    }
}

/// The meaning of a word of Slurm.
fn by_slurm(word: &str) -> Outcome {
    match state(word) {
        State::Pending => Outcome::Pending,
        State::Running => Outcome::Running,
        State::Over(status) => Outcome::Over(status),
        State::Again => Outcome::Again,
        State::Unknown => Outcome::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(states: &[(&str, Outcome)], others: Option<Outcome>) -> States {
        let listed = states.iter().map(|&(word, outcome)| (word.to_owned(), outcome)).collect();
        States { listed: Some(listed), others }
    }

    #[test]
    fn without_a_list_the_words_of_slurm_hold() {
        let slurm = States::default();
        let outcome = |word: &str| slurm.outcome(Cell::Text(word.as_bytes()));
        assert_eq!((outcome("COMPLETED"), outcome("NODE_FAIL")), (Outcome::Over(1), Outcome::Again));
        assert_eq!((outcome("PENDING"), outcome("RUNNING")), (Outcome::Pending, Outcome::Running));
        assert_eq!((outcome("Pass"), outcome("")), (Outcome::Unknown, Outcome::Over(-1)));
    }

    #[test]
    fn listed_states_are_texts_or_numbers_and_others_may_be_named() {
        let states =
            listed(&[("0", Outcome::Over(1)), ("PENDING", Outcome::Dropped)], Some(Outcome::Over(0)));
        assert_eq!(states.outcome(Cell::Whole(0)), Outcome::Over(1));
        assert_eq!(states.outcome(Cell::Text(b"0.0")), Outcome::Over(1));
        assert_eq!(states.outcome(Cell::Text(b"271")), Outcome::Over(0));
        assert_eq!(states.outcome(Cell::Text(b"PENDING")), Outcome::Pending);
        assert_eq!(listed(&[], None).outcome(Cell::Text(b"COMPLETED")), Outcome::Unknown);
    }
}
