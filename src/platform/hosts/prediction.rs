//! Predictions that are wrong by a known law.
//!
//! A scheduler asks how long a task will take somewhere; the answer is the right one times a factor. The factor belongs to
//! the question: equal questions have equal answers, in whatever order they come. It is drawn from a
//! stream of the question's name.
//!
//! Source: H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid 2001 (predictions with perfect,
//! bounded random and user-given errors). That equal questions have equal answers is a choice of ours.

use std::fmt;
use std::rc::Rc;

use crate::kernel::rng::Streams;

/// The factor of a question's name, or what it is worked out from.
pub type Law = Rc<dyn Fn(&str) -> f64>;

/// How wrong predictions are.
#[derive(Clone, Default)]
pub enum Errors {
    /// They are right.
    #[default]
    None,
    /// The factor is uniform in [1 - bound, 1 + bound], the bound being from 0 to 1.
    Uniform {
        /// The greatest relative error.
        bound: f64,
    },
    /// The factor is what this gives for the question.
    By(Law),
}

impl Errors {
    /// The factor of the answer to `question`; at least 0.
    pub fn factor(&self, streams: Streams, question: &str) -> f64 {
        match self {
            Errors::None => 1.0,
            Errors::Uniform { bound } => {
                let bound = bound.clamp(0.0, 1.0);
                let place = streams.stream(&format!("prediction/{question}")).uniform01();
                1.0 - bound + 2.0 * bound * place
            }
            Errors::By(law) => {
                Some(law(question)).filter(|factor| factor.is_finite()).unwrap_or(1.0).max(0.0)
            }
        }
    }
}

impl fmt::Debug for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Errors::None => f.write_str("None"),
            Errors::Uniform { bound } => write!(f, "Uniform({bound})"),
            Errors::By(_) => f.write_str("By(..)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_has_the_same_answer_and_others_have_others() {
        let streams = Streams::new(7, 0);
        let errors = Errors::Uniform { bound: 0.25 };
        let factors: Vec<f64> =
            (0..200).map(|number| errors.factor(streams, &format!("task {number} on host a"))).collect();
        assert!(factors.iter().all(|factor| (0.75..=1.25).contains(factor)));
        assert!(factors.iter().any(|factor| *factor < 0.85) && factors.iter().any(|factor| *factor > 1.15));
        let again: Vec<f64> = (0..200)
            .rev()
            .map(|number| errors.factor(streams, &format!("task {number} on host a")))
            .collect();
        assert!(again.iter().rev().zip(&factors).all(|(one, other)| one.to_bits() == other.to_bits()));
        let mean = factors.iter().sum::<f64>() / 200.0;
        assert!((mean - 1.0).abs() < 0.04, "{mean}");
    }

    #[test]
    fn right_answers_stay_right_and_a_law_of_ones_own_is_asked() {
        let streams = Streams::new(7, 0);
        assert_eq!(Errors::None.factor(streams, "any").to_bits(), 1.0_f64.to_bits());
        let longer = Errors::By(Rc::new(|question| if question.contains("host b") { 2.0 } else { f64::NAN }));
        assert_eq!(longer.factor(streams, "t on host b").to_bits(), 2.0_f64.to_bits());
        assert_eq!(longer.factor(streams, "t on host a").to_bits(), 1.0_f64.to_bits());
        assert_eq!(format!("{longer:?} {:?}", Errors::Uniform { bound: 0.5 }), "By(..) Uniform(0.5)");
    }
}
