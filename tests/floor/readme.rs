//! The README and the guide are true: what they show is what the program does, and the files they
//! name exist.

use std::fs;
use std::process::Command;

use clustersim_testing::program::{program, repository};

/// The pages held here.
const PAGES: [&str; 2] = ["README.md", "docs/guide.md"];

fn page(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap()
}

fn readme() -> String {
    page("README.md")
}

/// The fenced blocks of `text` in this language, in order.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(opening)) => open = Some((opening == language, String::new())),
            (Some(_), Some(_)) => {
                found.extend(open.take().filter(|(wanted, _)| *wanted).map(|(_, block)| block));
            }
            (Some((_, block)), None) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// What the program prints on standard output, run at the root of the repository.
fn stdout(args: &[&str]) -> String {
    let output = Command::new(program()).args(args).current_dir(repository("")).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_jobs_whose_waits_are_explained_waited_so() {
    let folder = tempfile::tempdir().unwrap();
    for path in PAGES {
        let shown = blocks(&page(path), "console");
        let job = shown[0].strip_prefix("Job ").and_then(|text| text.split_once(',')).expect("a job").0;
        assert!(page(path).contains(&format!("--explain {job}`")), "{path} lacks the command");
        let out = folder.path().join(job);
        let printed =
            stdout(&["run", "scenarios/quickstart.toml", "--explain", job, "-o", out.to_str().unwrap()]);
        assert!(printed.ends_with(&format!("\n{}", shown[0])), "{path} shows another output than\n{printed}");
    }
}

#[test]
fn the_first_scenario_is_the_shipped_one_and_its_output_is_real() {
    let readme = readme();
    let scenario = fs::read_to_string(repository("scenarios/quickstart.toml")).unwrap();
    assert_eq!(blocks(&readme, "toml").first(), Some(&scenario), "the README shows another quickstart");

    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let printed = stdout(&["run", "scenarios/quickstart.toml", "-o", out.to_str().unwrap()]);
    let shown = blocks(&readme, "text");
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(
        shown.first().map(|block| trimmed(block)),
        Some(trimmed(&printed)),
        "the README shows another output than\n{printed}"
    );
}

/// The second scenario is no log: it is run as it stands, and its output has the lines that are
/// shown, in their order.
#[test]
fn the_task_graph_is_run_as_it_stands_and_its_output_is_real() {
    let readme = readme();
    let scenario = &blocks(&readme, "toml")[1];
    assert_eq!(scenario.lines().count(), 8, "eight lines are said to be enough");
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("graph.toml"), folder.path().join("run"));
    fs::write(&file, scenario).unwrap();
    let printed = stdout(&["run", file.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    let shown = &blocks(&readme, "text")[1];
    assert!(shown.lines().count() >= 5, "{shown}");
    let mut lines = printed.lines();
    for line in shown.lines() {
        assert!(lines.any(|told| told.trim_end() == line), "the README shows `{line}`, not in\n{printed}");
    }
}

/// The tests take long, so nobody who pastes the first block starts them.
#[test]
fn the_first_commands_run_the_first_scenario_and_no_tests() {
    let commands = blocks(&readme(), "sh");
    let first: Vec<&str> = commands[0].lines().map(|line| line.split("  #").next().unwrap()).collect();
    let with_wheel = "pip install clustersim-*.whl && clustersim run scenarios/quickstart.toml";
    assert_eq!(first, [with_wheel, "cargo run --release -- run scenarios/quickstart.toml"]);
    assert!(commands[1..].iter().any(|block| block.starts_with("cargo test ")));
}

#[test]
fn the_comparison_of_schemes_is_real() {
    let guide = page("docs/guide.md");
    let commands = blocks(&guide, "sh").concat();
    let prefix = "cargo run --release -- ";
    let command = commands.lines().find(|line| line.contains("coscheduling.toml")).expect("it is shown");
    let arguments: Vec<&str> = command.strip_prefix(prefix).expect("the program's").split(' ').collect();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("study");
    let printed = stdout(&[&arguments[..], &["-o", out.to_str().unwrap()]].concat());
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let shown: Vec<String> = blocks(&guide, "text").iter().map(|block| trimmed(block)).collect();
    assert!(shown.contains(&trimmed(&printed)), "the guide shows another output than\n{printed}");
}

#[test]
fn every_other_scenario_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    let scenarios = PAGES.map(|path| blocks(&page(path), "toml")).concat();
    for (index, scenario) in scenarios.iter().enumerate().skip(1) {
        let file = folder.path().join(format!("{index}.toml"));
        fs::write(&file, scenario).unwrap();
        stdout(&["validate", file.to_str().unwrap()]);
    }
}

#[test]
fn the_two_commands_are_there_and_every_path_named_exists() {
    let readme = readme();
    let commands = blocks(&readme, "sh").concat();
    for command in ["cargo run --release -- run scenarios/quickstart.toml", "cargo test --tests"] {
        assert!(commands.lines().any(|line| line == command), "the README lacks `{command}`");
    }
    for path in PAGES {
        let text = page(path);
        let spans = text.split('`').skip(1).step_by(2);
        let named = spans.filter(|span| {
            ["src/", "tests/", "scenarios/", "benches/", "examples/", "fuzz/", ".ci/"]
                .iter()
                .any(|root| span.starts_with(root))
        });
        for file in named {
            assert!(repository(file).exists(), "{path} names `{file}`, which is not there");
        }
    }
}

#[test]
fn the_readme_is_short_and_its_program_is_a_doc_test() {
    let lines = readme().lines().count();
    assert!(lines <= 190, "the README has {lines} lines: 190 are enough");
    assert_eq!(blocks(&readme(), "rust").len(), 1);
    let library = page("src/lib.rs");
    assert!(library.contains("#[cfg(doctest)]\n#[doc = include_str!(\"../README.md\")]\n"));
}
