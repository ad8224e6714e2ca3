//! Every relative link of a document leads to a file that is there, and every anchor to a heading.
//! Pictures are light, and each is used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clustersim_testing::program::repository;

/// Files below these are not part of the published package, in which the tests may run too.
const NOT_PACKAGED: [&str; 3] = ["docs/pictures", ".ci", "fuzz"];

/// All Markdown files of the root and below `docs`.
fn documents() -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![repository("docs")]);
    let mut take = |path: PathBuf| {
        if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    };
    for entry in fs::read_dir(repository("")).unwrap() {
        take(entry.unwrap().path());
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { take(path) }
        }
    }
    found.sort();
    found
}

/// The lines of a document outside its fenced blocks.
fn prose(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let outside = text.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    outside.collect()
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().flat_map(char::to_lowercase);
    kept.filter(|&c| c.is_alphanumeric() || "-_ ".contains(c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).into_iter().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// What the links of a document point to, without those to other places of the net.
fn targets(text: &str) -> Vec<String> {
    let lines = prose(text).join("\n");
    let found = lines.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let local = found.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://"));
    local.collect()
}

#[test]
fn every_relative_link_and_anchor_of_a_document_exists() {
    let mut looked_at = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for target in targets(&text) {
            let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
            let folder = document.parent().unwrap();
            let file = if path.is_empty() { document.clone() } else { folder.join(path) };
            let absent = |part: &str| file.starts_with(repository(part)) && !repository(part).exists();
            if NOT_PACKAGED.iter().any(|part| absent(part)) {
                continue;
            }
            let shown = document.strip_prefix(repository("")).unwrap_or(Path::new("")).display();
            assert!(file.exists(), "{shown} links to `{target}`, which is not there");
            let known = || anchors(&fs::read_to_string(&file).unwrap());
            assert!(heading.is_empty() || known().contains(heading), "{shown}: no heading `{target}`");
            looked_at += 1;
        }
    }
    assert!(looked_at > 50, "only {looked_at} links were found");
}

#[test]
fn every_picture_is_light_and_used() {
    let Ok(entries) = fs::read_dir(repository("docs/pictures")) else { return };
    let texts: String = documents().iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut all = 0;
    for entry in entries {
        let entry = entry.unwrap();
        let (name, bytes) = (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len());
        assert!(bytes <= 150_000, "{name} has {bytes} bytes");
        assert!(texts.contains(&format!("pictures/{name})")), "no document shows {name}");
        all += bytes;
    }
    assert!(all <= 500_000, "the pictures have {all} bytes");
}

#[test]
fn anchors_are_made_as_github_makes_them() {
    assert_eq!(
        anchor(" Memory, GPUs, features, and nodes to oneself"),
        "memory-gpus-features-and-nodes-to-oneself"
    );
    assert_eq!(anchor("Clusters at detail `task`"), "clusters-at-detail-task");
    assert_eq!(anchors("# A\n```sh\n# no heading\n```\n## B c?\n"), ["a", "b-c"].map(str::to_owned).into());
}
