//! The only door to logarithms, exponentials, powers and trigonometry.
//!
//! `f64::ln` and its kin call the C library of the machine, and two C libraries disagree in the
//! last bit; one bit in one service time is enough to reorder two events. Every such function used
//! anywhere in this crate, in models, samplers, statistics and reports alike, therefore comes from
//! the `libm` crate, which computes with IEEE additions and multiplications alone and so gives the
//! same bits under every target, optimisation level and set of features. `clippy.toml` forbids the
//! methods of `f64`. Left out: `sqrt`, `floor`, `ceil` and `abs`, which IEEE 754 defines to the
//! last bit and which may be called on `f64` directly. (`libm` has faster forms of just those for
//! some targets; being exact they are equal.)

/// Natural logarithm.
pub use libm::log as ln;

/// Natural logarithm of `1 + x`, precise for small `x`.
pub use libm::log1p as ln_1p;

/// Logarithm to base 2.
pub use libm::log2;

/// Logarithm to base 10.
pub use libm::log10;

/// `e` to the power of `x`.
pub use libm::exp;

/// `exp(x) - 1`, precise for small `x`.
pub use libm::expm1 as exp_m1;

/// 2 to the power of `x`.
pub use libm::exp2;

/// `base` to the power of `exponent`.
pub use libm::pow;

/// `base` to a whole power, by squaring: only multiplications (and one division), in a fixed order.
pub fn powi(base: f64, exponent: i32) -> f64 {
    let mut left = exponent.unsigned_abs();
    let mut square = base;
    let mut power = 1.0;
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square *= square;
        left >>= 1;
    }
    if exponent < 0 { 1.0 / power } else { power }
}

/// Sine of an angle in radians.
pub use libm::sin;

/// Cosine of an angle in radians.
pub use libm::cos;

/// Tangent of an angle in radians.
pub use libm::tan;

/// The angle, in radians, whose tangent is `y / x`, in the quadrant of the point `(x, y)`.
pub use libm::atan2;

/// Hyperbolic tangent.
pub use libm::tanh;

/// Cube root.
pub use libm::cbrt;

/// Length of the vector `(x, y)`, without overflow on the way.
pub use libm::hypot;

/// Complementary error function, `1 - erf(x)`, precise in the upper tail.
pub use libm::erfc;

/// The gamma function; `gamma(n) = (n - 1)!` for whole `n`.
pub use libm::tgamma as gamma;

/// Natural logarithm of the absolute value of the gamma function.
pub use libm::lgamma as ln_gamma;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_a_few_values_never_move() {
        // exact values rounded to nearest, from a 50-digit computation
        assert_eq!(ln(2.0).to_bits(), 0x3fe6_2e42_fefa_39ef);
        assert_eq!(exp(1.0).to_bits(), 0x4005_bf0a_8b14_576a); // one unit above e rounded: libm's own value
        assert_eq!(pow(10.0, -3.0).to_bits(), 0.001_f64.to_bits());
        assert_eq!(sin(1.0).to_bits(), 0x3fea_ed54_8f09_0cee);
    }

    #[test]
    fn whole_powers_multiply() {
        assert_eq!(powi(3.0, 4).to_bits(), 81.0_f64.to_bits());
        assert_eq!(powi(2.0, -2).to_bits(), 0.25_f64.to_bits());
        assert_eq!(powi(7.0, 0).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn small_arguments_keep_their_digits() {
        assert!((ln_1p(1e-12) / 1e-12 - 1.0).abs() < 1e-11);
        assert!((exp_m1(1e-12) / 1e-12 - 1.0).abs() < 1e-11);
        assert!((gamma(5.0) - 24.0).abs() < 1e-12);
        assert!((ln_gamma(101.0) - 363.739_375_555_563_5).abs() < 1e-10);
    }
}
