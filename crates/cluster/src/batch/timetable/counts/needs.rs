//! Classes of needs: 1 to 8 processors each by itself, then four to every doubling.

/// Number of classes; the last has no upper bound.
pub(super) const CLASSES: usize = 48;

/// Needs that are a class by themselves, but for the last, with which the doublings begin.
const SINGLE: u64 = 8;

/// The classes of the first needs.
const FIRST: [u8; 256] = {
    let mut first = [0; 256];
    let mut procs = 0;
    while procs < first.len() {
        first[procs] = computed(procs as u64) as u8;
        procs += 1;
    }
    first
};

/// The class of a need.
pub(super) fn class(procs: u64) -> usize {
    match usize::try_from(procs).ok().and_then(|procs| FIRST.get(procs)) {
        Some(&class) => class.into(),
        None => computed(procs),
    }
}

const fn computed(procs: u64) -> usize {
    if procs < SINGLE {
        return (procs as usize).saturating_sub(1);
    }
    let bits = procs.ilog2();
    let quarter = (procs >> (bits - 2)) as usize & 3;
    let class = SINGLE as usize - 1 + 4 * (bits - SINGLE.ilog2()) as usize + quarter;
    if class < CLASSES { class } else { CLASSES - 1 }
}

/// Number of classes whose least need is not above so many free processors.
pub(super) fn classes_within(free: i64) -> usize {
    u64::try_from(free).ok().filter(|&free| free > 0).map_or(0, |free| class(free) + 1)
}

/// The class of the least need that so many free processors are too few for.
pub(super) fn class_above(free: i64) -> usize {
    class(u64::try_from(free.saturating_add(1)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least need of a class.
    fn least(class: usize) -> i64 {
        let Some(above) = class.checked_sub(SINGLE as usize - 1) else { return i64::from(class as u32) + 1 };
        (4 + i64::from(above as u32 % 4)) << (SINGLE.ilog2() as usize - 2 + above / 4)
    }

    #[test]
    fn a_class_begins_with_its_least_need() {
        for one in 0..CLASSES {
            let procs = least(one).unsigned_abs();
            assert_eq!((class(procs), class(procs - 1)), (one, one.saturating_sub(1)));
            assert_eq!(classes_within(least(one)), one + 1);
            assert_eq!(class_above(least(one) - 1), one);
        }
        assert_eq!([0, 7, 8, 11, 14, 47].map(least), [1, 8, 10, 16, 28, 8192]);
        assert_eq!((classes_within(-1), classes_within(0), class(u64::MAX)), (0, 0, CLASSES - 1));
    }
}
