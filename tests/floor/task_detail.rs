//! Studies of all systems are valid, and told of.

use std::fs;

use clustersim_testing::program::{Place, repository};

#[test]
fn every_study_is_valid() {
    let folder = repository("scenarios/studies");
    let mut studies: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    studies.sort();
    assert!(studies.len() >= 11, "{studies:?}");
    let files: Vec<&str> = studies.iter().map(|path| path.to_str().unwrap()).collect();
    let output = Place::new().run(&[&["validate"], &files[..]].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let chapters = [
        "docs/agents.md",
        "docs/batch.md",
        "docs/broker-studies.md",
        "docs/coscheduling.md",
        "docs/dags.md",
        "docs/dag-studies.md",
        "docs/parameter-sweeps.md",
        "docs/sweep-studies.md",
    ];
    let manual: String = chapters.iter().map(|path| fs::read_to_string(repository(path)).unwrap()).collect();
    for study in &studies {
        let name = study.file_name().unwrap().to_str().unwrap();
        assert!(manual.contains(name), "none of {chapters:?} tells of {name}");
    }
}
