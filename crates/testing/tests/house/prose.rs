//! Comments name the thing they are about: few open with a relative word, and none is wider than
//! 100 columns.
//!
//! Both bounds may only shrink: a test fails, too, where far fewer are left than its bound allows.

use clustersim_testing::sources::sources;

/// Words that stand for a noun or a verb that is not there.
const RELATIVE: [&str; 18] = [
    "What", "Whether", "How", "When", "Where", "Those", "It", "Its", "Which", "Why", "That", "Who", "Whose",
    "Whom", "Whatever", "They", "Their", "There",
];

/// Comments of a thousand that open so, at most.
const MOST_OPENINGS: usize = 2;
/// Comment lines of more than [`WIDTH`] columns, at most: a picture.
const MOST_WIDE: usize = 1;
/// Columns of a comment line.
const WIDTH: usize = 100;

/// Counts of the comments of sources.
#[derive(Default)]
struct Comments {
    blocks: usize,
    openings: usize,
    wide: usize,
}

impl Comments {
    /// Adds the comments of a file.
    fn add(&mut self, text: &str) {
        let mut is_inside = false;
        for line in text.lines() {
            let code = line.trim_start();
            self.wide += usize::from(code.starts_with("//") && line.chars().count() > WIDTH);
            let documented = code.strip_prefix("///").or_else(|| code.strip_prefix("//!")).map(str::trim);
            let first = documented.and_then(|text| text.split_whitespace().next());
            if let Some(word) = first.filter(|_| !is_inside) {
                self.blocks += 1;
                self.openings +=
                    usize::from(RELATIVE.contains(&word.trim_matches([',', '.', ':', '`', '*'])));
            }
            is_inside = documented.is_some() && (is_inside || first.is_some());
        }
    }
}

#[test]
fn comments_open_with_the_thing_they_are_about() {
    let mut all = Comments::default();
    sources().iter().for_each(|file| all.add(&file.text));
    let Comments { blocks, openings, wide } = all;
    let share = openings * 1000 / blocks;
    assert!(share <= MOST_OPENINGS, "{openings} of {blocks} comments open with one of {RELATIVE:?}");
    assert!(share + 10 > MOST_OPENINGS, "only {share} of a thousand: lower MOST_OPENINGS");
    assert!(wide <= MOST_WIDE, "{wide} comment lines are wider than {WIDTH} columns");
    assert!(wide + 20 > MOST_WIDE, "only {wide} comment lines are wide: lower MOST_WIDE");
}

#[test]
fn openings_and_wide_lines_are_counted() {
    let mut all = Comments::default();
    let wide = "x".repeat(98);
    all.add(&format!("//! Rooms.\n//!\n//! What follows.\nfn a() {{}}\n/// What it is.\n/// How.\nfn b() {{}}\n    // {wide}\n/// Its, too\n"));
    assert_eq!((all.blocks, all.openings, all.wide), (3, 2, 1));
}
