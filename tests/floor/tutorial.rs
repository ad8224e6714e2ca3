//! The tutorial, the page on one's own log and the chapter on agents work: every command of them
//! runs, in the order in which a reader would type it, and prints what is shown.
//!
//! A block's label says what it is:
//!
//! | label | what is done with it |
//! |---|---|
//! | `sh` | run by a shell that stops at the first failing command, in a directory that the whole page shares |
//! | `text` | each line of it must be printed by the commands above it, in this order, between whatever else is printed; `...` stands for anything within a line |
//! | `toml NAME`, `json NAME`, `text NAME` | written to the file NAME |
//! | `sh elsewhere`, `text elsewhere` | not run: needs programs that are not here, or is no output |
//! | `rust` | run by the doc tests, to which `src/lib.rs` gives the page |
//!
//! `sh study`, `text study` and `toml NAME study` are about studies, and run if [`STUDIES`] says
//! that there are such.

use std::fs;
use std::path::Path;
use std::process::Command;

use clustersim_testing::program::{program, repository};

/// Whether the program can run studies: `compare`, `sweep`, `[[vary]]` and `[repeat]`.
const STUDIES: bool = true;

/// A fenced block.
struct Block {
    label: String,
    line: usize,
    text: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (line, words) in (1..).zip(text.lines()) {
        match (&mut open, words.strip_prefix("```")) {
            (None, Some(label)) => open = Some(Block { label: label.to_owned(), line, text: String::new() }),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => block.text += &format!("{words}\n"),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}

/// What the commands print, on either stream; the program is found as a reader would have it, on
/// the path.
fn run(block: &Block, place: &Path) -> String {
    let program = Path::new(program()).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-e", "-c", &format!("exec 2>&1\n{}", block.text)])
        .current_dir(place)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "line {}: {}\n{printed}", block.line, block.text);
    printed
}

/// Whether `shown` is `printed`, `...` standing for anything.
fn is_shown(shown: &str, printed: &str) -> bool {
    let Some((first, others)) = shown.trim().split_once("...") else { return shown.trim() == printed.trim() };
    let (middle, last) = others.rsplit_once("...").unwrap_or(("", others));
    let rest = printed.trim().strip_prefix(first.trim()).and_then(|rest| rest.strip_suffix(last.trim()));
    let Some(mut rest) = rest else { return false };
    middle.split("...").map(str::trim).all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// Runs a page: how many blocks were run, and how many lines of what they print were compared.
fn follow(page: &str) -> (u32, u32) {
    follow_text(page, &fs::read_to_string(repository(page)).unwrap())
}

/// Runs a part of a page, by the same numbers.
fn follow_text(page: &str, text: &str) -> (u32, u32) {
    let place = tempfile::tempdir().unwrap();
    let mut printed = String::new();
    let (mut ran, mut shown) = (0, 0);
    for block in blocks(text) {
        let (label, of_study) = match block.label.strip_suffix(" study") {
            Some(label) => (label, true),
            None => (block.label.as_str(), false),
        };
        if of_study && !STUDIES {
            continue;
        }
        match label.split_once(' ') {
            None if label == "sh" => {
                printed = run(&block, place.path());
                ran += 1;
            }
            None if label == "text" => {
                let mut lines = printed.lines();
                for line in block.text.lines().filter(|line| !line.trim().is_empty()) {
                    let there = lines.any(|printed| is_shown(line, printed));
                    assert!(
                        there,
                        "{page}, line {}: `{line}` is not printed, or not there:\n{printed}",
                        block.line
                    );
                    shown += 1;
                }
            }
            Some(("sh" | "text", "elsewhere")) => {}
            Some(("toml" | "json" | "text", name)) => {
                fs::write(place.path().join(name), &block.text).unwrap();
            }
            None if label == "rust" => {}
            _ => panic!("{page}, line {}: a block is labelled `{label}`", block.line),
        }
    }
    (ran, shown)
}

#[test]
fn every_command_of_the_tutorial_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/tutorial.md");
    assert!(ran >= 8 && shown >= 10, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn every_command_of_the_page_on_logs_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/own-log.md");
    assert!(ran >= 6 && shown >= 12, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn every_command_of_the_page_on_slurm_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/slurm.md");
    assert!(ran >= 6 && shown >= 10, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn the_example_of_a_gres_conf_runs_and_prints_what_is_shown() {
    let guide = fs::read_to_string(repository("docs/guide.md")).unwrap();
    let (_, section) = guide.split_once("\n### The GPUs of a site, by its gres.conf\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    assert_eq!(follow_text("docs/guide.md, section on gres.conf", section), (2, 7));
}

#[test]
fn every_command_of_the_page_on_tables_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/tables.md");
    assert!(ran >= 2 && shown >= 4, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn every_command_of_the_page_on_fidelity_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/fidelity.md");
    assert!(ran >= 3 && shown >= 5, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn every_command_of_the_chapter_on_agents_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/agents.md");
    assert!(ran >= 8 && shown >= 20, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn every_command_of_the_chapter_on_task_graphs_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/dags.md");
    assert!(ran >= 9 && shown >= 30, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn every_command_of_the_chapter_on_parameter_sweeps_runs_and_prints_what_is_shown() {
    let (ran, shown) = follow("docs/parameter-sweeps.md");
    assert!(ran >= 3 && shown >= 18, "only {ran} blocks were run, and {shown} lines compared");
}

#[test]
fn the_programs_of_the_chapter_on_agents_are_doc_tests() {
    let text = fs::read_to_string(repository("docs/agents.md")).unwrap();
    assert!(blocks(&text).iter().filter(|block| block.label == "rust").count() >= 4);
    let library = fs::read_to_string(repository("src/lib.rs")).unwrap();
    assert!(library.contains(
        "#[cfg(all(doctest, feature = \"simulator\"))]\n#[doc = include_str!(\"../docs/agents.md\")]\n"
    ));
    assert!(library.contains("#[cfg(doctest)]\n#[doc = include_str!(\"../docs/kernel.md\")]\n"));
}

#[test]
fn the_commands_of_the_tutorial_are_in_the_program() {
    let text = [
        "docs/tutorial.md",
        "docs/own-log.md",
        "docs/slurm.md",
        "docs/tables.md",
        "docs/fidelity.md",
        "docs/agents.md",
        "docs/dags.md",
        "docs/parameter-sweeps.md",
        "docs/global-computing.md",
    ]
    .map(|page| fs::read_to_string(repository(page)).unwrap())
    .concat();
    let reference = fs::read_to_string(repository("docs/reference.md")).unwrap();
    for block in blocks(&text).iter().filter(|block| block.label == "sh") {
        for line in block.text.lines().filter_map(|line| line.strip_prefix("clustersim ")) {
            let command = line.split(' ').next().unwrap();
            assert!(reference.contains(&format!("### clustersim {command}\n")), "no command `{command}`");
        }
    }
}

#[test]
fn a_line_with_dots_stands_for_what_it_leaves_out() {
    assert!(is_shown("results in out/...", "results in out/a-1234"));
    assert!(is_shown(" wait time   ... h", "wait time   3 h   4 h"));
    assert!(!is_shown("wait time ... s", "wait time   3 h"));
    assert!(!is_shown("wait", "wait time"));
}
