//! Laws of one formula: how they are declared.

/// Defines a law of one formula: the draw of the next value from a generator, its mean and its
/// variance.
macro_rules! law {
    ($law:ident,
     sample($this:ident, $rng:ident) => $next:expr,
     moments($of:ident) => $moments:expr,) => {
        impl rand::distr::Distribution<f64> for $law {
            fn sample<R: rand::Rng + ?Sized>(&$this, $rng: &mut R) -> f64 {
                $next
            }
        }

        impl super::Moments for $law {
            fn moments(&$of) -> (Option<f64>, Option<f64>) {
                $moments
            }
        }
    };
}
