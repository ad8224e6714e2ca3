//! Predictions that are wrong by a known law.
//!
//! A scheduler asks how long a task will take somewhere; the answer is the right one times a
//! factor. The factor belongs to the question, which is a few numbers: a task and what it would run
//! on, and whatever else separates questions, such as the re-planning that they belong to. Equal
//! questions have equal answers, in whatever order they come, and another scheduler that asks the
//! same is answered the same. A factor costs tens of nanoseconds: nothing is formatted, looked up
//! or stored.
//!
//! Source: H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid
//! 2001 (predictions with perfect, bounded random and user-given errors). That equal questions have
//! equal answers is a choice of ours, as are the laws besides the uniform one.

use std::fmt;
use std::rc::Rc;

use crate::kernel::rng::distribution::{LogNormal, Normal, TruncatedNormal};
use crate::kernel::rng::math::ln_1p;
use crate::kernel::rng::{KeyedStreams, Sampler, Streams};

/// The factor of a question, or what it is worked out from.
pub type Law = Rc<dyn Fn(&[u64]) -> f64>;

/// The errors of predictions. Bounds and deviations that are no numbers of 0 or more count as 0.
#[derive(Clone, Default)]
pub enum Errors {
    /// No errors: predictions are right.
    #[default]
    None,
    /// The factor is uniform in [1 - bound, 1 + bound], the bound being from 0 to 1.
    Uniform {
        /// The greatest relative error.
        bound: f64,
    },
    /// The logarithm of the factor is normal around 0: as often half as twice.
    LogNormal {
        /// Coefficient of variation, standard deviation / mean.
        cv: f64,
    },
    /// The factor is normal around 1, and never less than [`Errors::LEAST`].
    Gaussian {
        /// Standard deviation, before it is cut.
        deviation: f64,
    },
    /// The factor is always the same for each number at one place of the question: a host, a task,
    /// or what stands for its class.
    Biased {
        /// Place of the number in the question, from 0.
        place: usize,
        /// The factor by that number; 1 for what is not there.
        factors: Rc<[f64]>,
    },
    /// The factor is what this gives for the question.
    By(Law),
}

impl Errors {
    /// The least factor of [`Errors::Gaussian`].
    pub const LEAST: f64 = 0.05;

    /// The factors of these errors, drawn from `streams`.
    pub fn factors(&self, streams: &Streams) -> Factors {
        let drawn = match self {
            Errors::LogNormal { cv } => LogNormal::new(0.0, ln_1p(cv * cv).sqrt()).map(Sampler::new).ok(),
            Errors::Gaussian { deviation } => {
                let cut = |whole| TruncatedNormal::new(whole, Errors::LEAST, f64::INFINITY);
                Normal::new(1.0, *deviation).and_then(cut).map(Sampler::new).ok()
            }
            _ => None,
        };
        Factors { errors: self.clone(), drawn, streams: streams.keyed("prediction") }
    }
}

/// The factors of [`Errors`], ready to be asked for.
#[derive(Clone)]
pub struct Factors {
    errors: Errors,
    /// The distribution that they are drawn from, for the errors that have one.
    drawn: Option<Sampler>,
    streams: KeyedStreams,
}

impl Factors {
    /// The factor of the answer to `question`; at least 0.
    pub fn of(&self, question: &[u64]) -> f64 {
        let or_right = |factor: f64| if factor.is_finite() { factor.max(0.0) } else { 1.0 };
        match &self.errors {
            Errors::None => 1.0,
            Errors::Uniform { bound } => {
                let bound = if *bound > 0.0 { bound.min(1.0) } else { 0.0 };
                1.0 - bound + 2.0 * bound * self.streams.of(question).uniform01()
            }
            Errors::LogNormal { .. } | Errors::Gaussian { .. } => {
                self.drawn.as_ref().map_or(1.0, |law| law.draw(&mut self.streams.of(question)))
            }
            Errors::Biased { place, factors } => {
                let number = question.get(*place).and_then(|&number| usize::try_from(number).ok());
                number.and_then(|number| factors.get(number)).map_or(1.0, |&factor| or_right(factor))
            }
            Errors::By(law) => or_right(law(question)),
        }
    }
}

impl fmt::Debug for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Errors::None => f.write_str("None"),
            Errors::Uniform { bound } => write!(f, "Uniform({bound})"),
            Errors::LogNormal { cv } => write!(f, "LogNormal({cv})"),
            Errors::Gaussian { deviation } => write!(f, "Gaussian({deviation})"),
            Errors::Biased { place, factors } => write!(f, "Biased({place}, {factors:?})"),
            Errors::By(_) => f.write_str("By(..)"),
        }
    }
}

impl fmt::Debug for Factors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Factors(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors_of(errors: &Errors) -> Vec<f64> {
        let factors = errors.factors(&Streams::new(7, 0));
        (0..200).map(|number| factors.of(&[number, 3])).collect()
    }

    fn mean(numbers: &[f64]) -> f64 {
        numbers.iter().sum::<f64>() / numbers.len() as f64
    }

    #[test]
    fn the_same_question_has_the_same_answer_and_others_have_others() {
        let errors = Errors::Uniform { bound: 0.25 };
        let factors = factors_of(&errors);
        assert!(factors.iter().all(|factor| (0.75..=1.25).contains(factor)));
        assert!(factors.iter().any(|factor| *factor < 0.85) && factors.iter().any(|factor| *factor > 1.15));
        let asked = errors.factors(&Streams::new(7, 0));
        let again: Vec<f64> = (0..200).rev().map(|number| asked.of(&[number, 3])).collect();
        assert!(again.iter().rev().zip(&factors).all(|(one, other)| one.to_bits() == other.to_bits()));
        assert!((mean(&factors) - 1.0).abs() < 0.04, "{}", mean(&factors));
        let others = [asked.of(&[5, 4]), asked.of(&[3, 5]), errors.factors(&Streams::new(7, 1)).of(&[5, 3])];
        assert!(others.iter().all(|other| other.to_bits() != factors[5].to_bits()));
    }

    #[test]
    fn factors_follow_their_laws() {
        let log_normal = factors_of(&Errors::LogNormal { cv: 0.5 });
        let above = log_normal.iter().filter(|factor| **factor > 1.0).count();
        assert!((80..=120).contains(&above), "the median is 1: {above} of 200 are above");
        // the mean is the square root of 1 + cv², the standard error 0.04
        assert!((mean(&log_normal) - 1.25_f64.sqrt()).abs() < 0.16, "{}", mean(&log_normal));
        let gaussian = factors_of(&Errors::Gaussian { deviation: 0.2 });
        assert!((mean(&gaussian) - 1.0).abs() < 0.06, "{}", mean(&gaussian));
        let wide = factors_of(&Errors::Gaussian { deviation: 5.0 });
        assert!(
            wide.iter().all(|factor| *factor >= Errors::LEAST) && wide.iter().any(|factor| *factor > 5.0)
        );
    }

    #[test]
    fn right_answers_stay_right_and_a_law_of_ones_own_is_asked() {
        let right = [
            Errors::None,
            Errors::Uniform { bound: f64::NAN },
            Errors::LogNormal { cv: 0.0 },
            Errors::Gaussian { deviation: -1.0 },
        ];
        assert!(
            right.iter().all(|errors| factors_of(errors).iter().all(|factor| (factor - 1.0).abs() <= 0.0))
        );
        let factor =
            |errors: &Errors, question: &[u64]| errors.factors(&Streams::new(7, 0)).of(question).to_bits();
        let longer = Errors::By(Rc::new(|question| if question[1] == 2 { 2.0 } else { f64::NAN }));
        assert_eq!([factor(&longer, &[0, 2]), factor(&longer, &[0, 1])], [2.0_f64, 1.0].map(f64::to_bits));
        let biased = Errors::Biased { place: 1, factors: [1.0, 0.5, -3.0].into() };
        let asked = [[9, 0], [9, 1], [9, 2], [9, 3]].map(|question| factor(&biased, &question));
        assert_eq!(asked, [1.0_f64, 0.5, 0.0, 1.0].map(f64::to_bits));
        assert_eq!(factor(&biased, &[9]), 1.0_f64.to_bits());
        assert_eq!(format!("{longer:?} {:?}", Errors::Uniform { bound: 0.5 }), "By(..) Uniform(0.5)");
    }
}
