//! The column against a plain scan of all spans.

use proptest::prelude::*;

use super::*;

/// The same, span by span.
#[derive(Default)]
struct Plain(Vec<BusySpan>);

impl Plain {
    fn earliest(&self, ready: u64, length: u64) -> u64 {
        let starts = std::iter::once(ready).chain(self.0.iter().map(|span| span.end.max(ready)));
        let free = |start: &u64| self.0.iter().all(|span| span.start >= start + length || span.end <= *start);
        starts.into_iter().find(free).expect("it is free after the last")
    }

    fn insert(&mut self, start: u64, end: u64, item: u32) {
        self.0.push(BusySpan { start, end, item });
        self.0.sort_by_key(BusySpan::key);
    }

    fn remove(&mut self, start: u64, item: u32) -> Option<BusySpan> {
        let place = self.0.iter().position(|span| span.start == start && span.item == item)?;
        Some(self.0.remove(place))
    }
}

fn check(column: &BusySpans, plain: &Plain) {
    assert!(column.iter().eq(plain.0.iter()));
    assert_eq!(column.len(), plain.0.len());
    assert_eq!(column.is_empty(), plain.0.is_empty());
    assert_eq!(column.end(), plain.0.last().map_or(0, |span| span.end));
    assert!(column.blocks.iter().all(|spans| !spans.is_empty() && spans.len() <= FULL));
}

#[derive(Clone, Debug)]
enum Step {
    /// Inserts something of this length at the earliest instant from that one on.
    Insert(u64, u64),
    /// Removes the span of this rank, modulo their number.
    Remove(usize),
    ClearFrom(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let insert = || (0_u64..3000, 0_u64..12).prop_map(|(ready, length)| Step::Insert(ready, length));
    let step = prop_oneof![
        60 => insert(),
        12 => any::<usize>().prop_map(Step::Remove),
        1 => (0_u64..4000).prop_map(Step::ClearFrom),
    ];
    (prop::collection::vec(insert(), 0..400), prop::collection::vec(step, 0..300))
        .prop_map(|(first, then)| [first, then].concat())
}

proptest! {
    #[test]
    fn a_column_answers_as_a_scan_of_all_spans_does(
        steps in steps(),
        questions in prop::collection::vec((0_u64..4000, 0_u64..40), 50),
    ) {
        let (mut column, mut plain) = (BusySpans::new(), Plain::default());
        for (item, step) in (0_u32..).zip(steps) {
            match step {
                Step::Insert(ready, length) => {
                    let start = plain.earliest(ready, length);
                    prop_assert_eq!(column.earliest(ready, length), start);
                    prop_assert!(column.is_free(start, start + length));
                    column.insert(start, start + length, item);
                    plain.insert(start, start + length, item);
                }
                Step::Remove(rank) if !plain.0.is_empty() => {
                    let BusySpan { start, item, .. } = plain.0[rank % plain.0.len()];
                    prop_assert_eq!(column.remove(start, |&other| other == item), plain.remove(start, item));
                    prop_assert_eq!(column.remove(start, |&other| other == item), None);
                }
                Step::Remove(_) => {}
                Step::ClearFrom(instant) => {
                    column.clear_from(instant);
                    plain.0.retain(|span| span.start < instant);
                }
            }
        }
        check(&column, &plain);
        for (ready, length) in questions {
            prop_assert_eq!(column.earliest(ready, length), plain.earliest(ready, length));
        }
    }

    #[test]
    fn a_packed_column_has_its_few_gaps_found(
        lengths in prop::collection::vec(1_u64..5, 1..600),
        gaps in prop::collection::btree_map(0_usize..600, 1_u64..9, 0..6),
        questions in prop::collection::vec((0_u64..2000, 0_u64..9), 20),
    ) {
        let (mut column, mut plain, mut now) = (BusySpans::new(), Plain::default(), 0);
        for (place, length) in lengths.into_iter().enumerate() {
            now += gaps.get(&place).copied().unwrap_or(0);
            column.insert(now, now + length, 0);
            plain.0.push(BusySpan { start: now, end: now + length, item: 0 });
            now += length;
        }
        check(&column, &plain);
        for (ready, length) in questions {
            prop_assert_eq!(column.earliest(ready, length), plain.earliest(ready, length));
        }
    }
}

#[test]
fn a_gap_serves_from_the_ready_instant_on_and_may_be_filled_exactly() {
    let mut column = BusySpans::new();
    assert_eq!((column.earliest(7, 3), column.end()), (7, 0));
    column.insert(10, 20, 1_u32);
    column.insert(25, 30, 2);
    let asked = [(0, 10), (1, 10), (12, 5), (21, 4), (22, 4), (22, 3), (40, 1)];
    assert_eq!(asked.map(|(ready, length)| column.earliest(ready, length)), [0, 30, 20, 21, 30, 22, 40]);
    column.insert(20, 25, 3);
    assert_eq!(column.earliest(12, 1), 30);
    assert_eq!(column.earliest(u64::MAX, u64::MAX), u64::MAX);
    assert_eq!(column.iter().map(|span| span.item).collect::<Vec<u32>>(), [1, 3, 2]);
    column.clear_from(20);
    assert_eq!((column.len(), column.end()), (1, 20));
    column.clear_from(0);
    assert!(column.is_empty() && column.earliest(3, 9) == 3);
}

#[test]
fn a_span_of_no_length_parts_a_gap_and_is_put_before_what_starts_with_it() {
    let mut column = BusySpans::new();
    column.insert(5, 9, 'c');
    column.insert(5, 5, 'a');
    column.insert(5, 5, 'b');
    column.insert(2, 2, 'z');
    assert_eq!(column.iter().map(|span| span.item).collect::<String>(), "zabc");
    assert_eq!([column.earliest(0, 2), column.earliest(0, 3), column.earliest(0, 4)], [0, 2, 9]);
    assert_eq!([column.earliest(1, 0), column.earliest(5, 0), column.earliest(6, 0)], [1, 5, 9]);
    assert_eq!(column.remove(5, |&item| item == 'b').map(|span| span.end), Some(5));
    assert_eq!(column.remove(5, |&item| item == 'z'), None);
}

#[test]
#[should_panic(expected = "do not overlap")]
fn spans_that_overlap_are_refused() {
    let mut column = BusySpans::new();
    column.insert(0, 10, 0_u32);
    column.insert(9, 9, 1);
}
