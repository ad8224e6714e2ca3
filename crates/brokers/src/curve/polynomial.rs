//! A polynomial of degree 3 or less, its integral from 0 on, and where that reaches a value.

/// Nanoseconds in a second.
const NANOS: f64 = 1e9;
/// Corrections of a root before it is looked for nanosecond by nanosecond.
const MOST_STEPS: usize = 48;
/// A correction of less needs no further one: in seconds, and as a share.
const FINE: f64 = 1e-10;
const FINE_SHARE: f64 = 1e-15;
/// Nanoseconds next to a root that are tried before all are.
const NEIGHBOURS: u64 = 3;

/// The coefficients of 1, x, x² and x³; x in seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Polynomial(pub(super) [f64; 4]);

/// A span in seconds.
pub(super) fn seconds(nanos: u64) -> f64 {
    nanos as f64 / NANOS
}

impl Polynomial {
    pub(super) fn constant(value: f64) -> Self {
        Polynomial([value, 0.0, 0.0, 0.0])
    }

    pub(super) fn value(&self, x: f64) -> f64 {
        let Polynomial([a, b, c, d]) = self;
        a + x * (b + x * (c + x * d))
    }

    /// The integral from 0 to `x`.
    pub(super) fn integral(&self, x: f64) -> f64 {
        let Polynomial([a, b, c, d]) = self;
        x * (a + x * (b * 0.5 + x * (c / 3.0 + x * (d * 0.25))))
    }

    /// The same polynomial seen from `x`: with `x` as its 0. What is integrated from there is as
    /// exact as what is integrated from 0.
    pub(super) fn from(&self, x: f64) -> Self {
        let Polynomial([_, b, c, d]) = self;
        Polynomial([self.value(x), b + x * (2.0 * c + x * (3.0 * d)), c + x * (3.0 * d), *d])
    }

    /// Zeros of the slope, in order.
    pub(super) fn turns(&self) -> impl Iterator<Item = f64> {
        let Polynomial([_, b, c, d]) = *self;
        // b + 2 c x + 3 d x² = 0, without the difference of two numbers that are nearly equal
        let (half, root) = (-c, (c * c - 3.0 * b * d).sqrt());
        let far = if half < 0.0 { half - root } else { half + root };
        let mut turns = [far / (3.0 * d), b / far];
        turns.sort_unstable_by(f64::total_cmp);
        turns.into_iter().filter(|turn| turn.is_finite())
    }

    /// The least number of nanoseconds from 0 on, at most `longest`, after which the integral has
    /// reached `area`. The integral rises and has reached `area` after `longest`.
    pub(super) fn reach(&self, area: f64, longest: u64) -> u64 {
        if area <= 0.0 {
            return 0;
        }
        let is_reached = |nanos: u64| self.integral(seconds(nanos)) >= area;
        let guess = (self.root(area, seconds(longest)) * NANOS).ceil() as u64;
        let mut at = guess.clamp(1, longest);
        if is_reached(at) {
            for _ in 0..NEIGHBOURS {
                if !is_reached(at - 1) {
                    return at;
                }
                at -= 1;
            }
            return first(0, at, is_reached);
        }
        for _ in 0..NEIGHBOURS {
            at += 1;
            if is_reached(at) {
                return at;
            }
        }
        first(at, longest, is_reached)
    }

    /// Point at which the integral is `area`, nearly: by Newton's corrections, each of which stays
    /// between the bounds known by then.
    fn root(&self, area: f64, longest: f64) -> f64 {
        let (mut low, mut high) = (0.0, longest);
        let mut x = (area / self.0[0]).min(longest);
        for _ in 0..MOST_STEPS {
            let missed = self.integral(x) - area;
            let next = x - missed / self.value(x);
            if (next - x).abs() < FINE.max(x * FINE_SHARE) {
                return next;
            }
            if missed < 0.0 {
                low = x;
            } else {
                high = x;
            }
            x = if low < next && next < high { next } else { f64::midpoint(low, high) };
        }
        x
    }
}

/// The least number above `low`, and not above `high`, for which `holds`; it holds for `high`, not
/// for `low`, and once it does it goes on to do so.
pub(super) fn first(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while high - low > 1 {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
