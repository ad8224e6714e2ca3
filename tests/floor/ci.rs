//! Tests that lack a program say so and pass.

use std::env;
use std::process::Command;

use clustersim_testing::program::Place;

/// Runs one of these tests where no other program can be found.
fn without_programs(test: &str) -> String {
    let place = Place::new();
    place.file("empty/nothing", "");
    let output = place.wait(
        Command::new(env::current_exe().unwrap())
            .args([test, "--exact"])
            .env("PATH", place.path("empty"))
            .env("CI", "true")
            .env_remove("CLUSTERSIM_BROWSER"),
    );
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("1 passed"), "{test} is not there: {}", output.stdout);
    output.stderr
}

#[test]
fn a_test_that_lacks_its_program_says_that_it_is_skipped() {
    let told = without_programs("sweep::a_real_slurm_loses_a_task_and_a_node_and_the_bytes_are_the_same");
    assert!(told.contains("SKIPPED: Slurm is not installed; `.ci/full slurm` installs it"), "{told}");
    for kind in ["run", "study"] {
        let test = format!("browser::the_report_of_a_{kind}_is_drawn_and_used_in_a_browser");
        let told = without_programs(&test);
        assert!(told.contains("SKIPPED: no Chromium to open report.html with"), "{told}");
    }
}
