//! Lists of one entry a job while their number is not known.

/// Entries that a list has room for at first.
const FIRST: usize = 1 << 12;

/// Appends to a list that grows by an eighth of itself, so that at most a ninth of it is empty; a
/// list that doubles may be empty by half, of gigabytes.
pub(crate) fn append<T>(list: &mut Vec<T>, entry: T) {
    if list.len() == list.capacity() {
        list.reserve_exact((list.len() / 8).max(FIRST));
    }
    list.push(entry);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_of_a_long_list_is_empty_and_it_moves_seldom() {
        let (mut list, mut moves) = (Vec::new(), 0);
        for entry in 0..2_000_000_u32 {
            let before = list.capacity();
            append(&mut list, entry);
            moves += u32::from(list.capacity() != before);
            assert!(list.capacity() <= list.len() + (list.len() / 8).max(FIRST));
        }
        assert!(list.iter().copied().eq(0..2_000_000) && moves < 100, "{moves} moves");
    }
}
