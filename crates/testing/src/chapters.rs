//! Chapters of the documentation that name things of the sources: words of their tables, and their
//! example programs.

use std::fs;

use crate::program::repository;

/// The text of a file of the repository.
pub fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap()
}

/// The words in backticks in the first column of the table below this header, in order.
pub fn column(chapter: &str, header: &str) -> Vec<String> {
    let (_, below) =
        chapter.split_once(&format!("{header}\n")).unwrap_or_else(|| panic!("no table `{header}`"));
    let rows = below.lines().skip(1).take_while(|line| line.starts_with('|'));
    let first = rows.filter_map(|row| row.split('|').nth(1)).collect::<Vec<_>>().join(",");
    first.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// A chapter names each of these examples with its number of lines, none needs another crate, and
/// what the chapter has of Rust is compiled.
pub fn leads_to(chapter: &str, examples: &[&str]) {
    let text = read(chapter);
    for name in examples {
        let program = read(&format!("examples/{name}.rs"));
        for used in program.lines().filter_map(|line| line.strip_prefix("use ")) {
            let of = used.split("::").next().unwrap();
            assert!(["std", "clustersim"].contains(&of), "`{of}` is no dependency of such a crate");
        }
        let lines = program.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        let row = format!("(../examples/{name}.rs) | {} |", lines.count());
        assert!(text.contains(&row), "{chapter} leads to {name}: {row}");
    }
    is_compiled(chapter);
}

/// What a chapter has of Rust is compiled by the tests of the documentation.
fn is_compiled(chapter: &str) {
    let lines =
        format!("#[cfg(all(doctest, feature = \"simulator\"))]\n#[doc = include_str!(\"../{chapter}\")]\n");
    assert!(read("src/lib.rs").contains(&lines), "{chapter}");
}
