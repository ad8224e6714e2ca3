//! Texts that are kept once each and numbered in the order in which they come up.

use super::OrderedMap;

/// Places for the texts that came up last.
const RECENT: usize = 1024;

/// Texts, numbered from 0.
///
/// # Complexity
/// A text that came up lately is found by some of its bytes, without a search; any other by
/// O(log n) comparisons, so that no choice of texts makes it slow.
#[derive(Clone, Debug, Default)]
pub struct NumberedTexts {
    texts: Vec<String>,
    numbers: OrderedMap<String, u32>,
    /// Numbers of texts that came up lately; none before the first.
    recent: Vec<u32>,
}

impl NumberedTexts {
    /// The texts, in the order of their numbers.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The texts alone.
    pub fn into_texts(self) -> Vec<String> {
        self.texts
    }

    /// The number of a text, which is taken in if it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        let place = place(text);
        if let Some(&number) = self.recent.get(place)
            && self.texts.get(number as usize).is_some_and(|known| known == text)
        {
            return number;
        }
        let number = match self.numbers.get(text) {
            Some(&number) => number,
            None => {
                let number = self.texts.len() as u32;
                self.texts.push(text.to_owned());
                self.numbers.insert(text.to_owned(), number);
                number
            }
        };
        self.recent.resize(RECENT, u32::MAX);
        self.recent[place] = number;
        number
    }
}

/// Place of a text among the recent ones.
fn place(text: &str) -> usize {
    let mixed = text.bytes().fold(0_u32, |mixed, byte| (mixed ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // the upper bits depend on every byte
    (mixed >> 16) as usize % RECENT
}

/// The same texts with the same numbers.
impl PartialEq for NumberedTexts {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Eq for NumberedTexts {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_order_in_which_texts_come_up() {
        let mut texts = NumberedTexts::default();
        // more texts than there are places, so that some take the places of others
        let of = |number: u32| format!("user-{number}");
        for round in 0..3 {
            for number in 0..5_000 {
                assert_eq!(texts.number(&of(number)), number, "round {round}");
            }
        }
        assert_eq!(texts.texts().len(), 5_000);
        let mut others = NumberedTexts::default();
        (0..5_000).for_each(|number| assert_eq!(others.number(&of(number)), number));
        assert_eq!(texts, others);
        assert_eq!(others.number(""), 5_000);
        assert_ne!(texts, others);
    }
}
