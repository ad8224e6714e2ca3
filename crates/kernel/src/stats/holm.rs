//! Many tests at once: Holm's adjustment of p-values.
//!
//! Of twenty comparisons without any difference one is found "significant at 5 %" by chance. Holm's
//! method keeps the probability of even one false finding among all below the level, whatever the
//! tests have to do with each other, and finds at least what Bonferroni's does. The k-th smallest
//! of m p-values is multiplied by m - k + 1, and an adjusted value is never below the adjusted one
//! of a smaller p-value. Source: S. Holm, "A simple sequentially rejective multiple test
//! procedure", *Scandinavian Journal of Statistics* 6(2), 1979.

/// The adjusted p-values, in the order given: at most 1, and a hypothesis is rejected where its
/// value is at most the level.
///
/// A p-value that is not a number stays one, comes last and counts as a test.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].abs().total_cmp(&p_values[b].abs()));
    let mut adjusted = vec![f64::NAN; p_values.len()];
    let mut least = 0.0_f64;
    for (rank, &place) in order.iter().enumerate() {
        let p = p_values[place];
        if !p.is_nan() {
            least = least.max((p * (p_values.len() - rank) as f64).min(1.0));
            adjusted[place] = least;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, proptest};

    fn bits(values: &[f64]) -> Vec<u64> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn an_adjustment_worked_by_hand() {
        // sorted 1/64 1/32 1/8 1/4, times 4 3 2 1: 1/16 3/32 1/4 1/4
        let adjusted = holm(&[0.25, 1.0 / 64.0, 0.125, 1.0 / 32.0]);
        assert_eq!(bits(&adjusted), bits(&[0.25, 0.0625, 0.25, 0.09375]));
    }

    #[test]
    fn a_smaller_product_is_lifted_to_the_one_before_it() {
        // 3/16 × 3 = 9/16, 1/4 × 2 = 1/2 lifted to 9/16, 3/4
        assert_eq!(bits(&holm(&[0.1875, 0.25, 0.75])), bits(&[0.5625, 0.5625, 0.75]));
        assert_eq!(bits(&holm(&[0.5, 0.5])), bits(&[1.0, 1.0]));
    }

    #[test]
    fn one_test_is_left_alone_and_none_gives_none() {
        assert_eq!(bits(&holm(&[0.03125])), bits(&[0.03125]));
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn what_is_not_a_number_counts_and_stays() {
        let adjusted = holm(&[f64::NAN, 0.25, -f64::NAN]);
        assert!(adjusted[0].is_nan() && adjusted[2].is_nan());
        assert_eq!(adjusted[1].to_bits(), 0.75_f64.to_bits());
    }

    proptest! {
        #[test]
        fn the_order_is_kept_and_no_value_falls(p_values in vec(0.0..=1.0, 0..40)) {
            let adjusted = holm(&p_values);
            for (i, &p) in p_values.iter().enumerate() {
                prop_assert!((p..=1.0).contains(&adjusted[i]));
                prop_assert!(adjusted[i] <= p * p_values.len() as f64, "Bonferroni's is the larger");
                for (j, &q) in p_values.iter().enumerate() {
                    prop_assert!(p > q || adjusted[i] <= adjusted[j]);
                }
            }
        }

        #[test]
        fn one_more_test_never_lowers_a_value(p_values in vec(0.0..=1.0, 0..20), more in 0.0..=1.0) {
            let (few, many) = (holm(&p_values), holm(&[&p_values[..], &[more]].concat()));
            for (before, after) in few.iter().zip(&many) {
                prop_assert!(before <= after);
            }
        }
    }
}
