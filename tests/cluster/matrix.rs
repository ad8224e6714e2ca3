//! The matrix of features in the manual (`docs/composition.md`): every pair of features under every
//! rule of backfilling, each tried by a small run, which `check` looks at.
//!
//! Where `CLUSTERSIM_WRITE` is set the table is written anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use clustersim_testing::program::{Place, repository};

use super::features::{FEATURES, Feature};

/// Rules of backfilling, and their names in the table.
const RULES: [(&str, &str); 6] = [
    ("none", "backfill = \"none\"\n"),
    ("EASY", "backfill = \"easy\"\n"),
    ("EASY with several promises", "backfill = { kind = \"easy\", reservations = 3 }\n"),
    (
        "EASY by run times that may delay the head",
        "backfill = { kind = \"easy\", extra = \"all\", judged-by = \"run-time\" }\n",
    ),
    ("conservative", "backfill = \"conservative\"\n"),
    ("first fit", "backfill = \"none\"\nqueue = \"first-fit\"\n"),
];

/// Two kinds of nodes, 16 processors.
const GROUPS: &str = "[[cluster.group]]\nnodes = 2\nprocessors = 4\nmemory = \"8GiB\"\n\
    gpus = [{ kind = \"a100\", count = 2 }]\nfeatures = [\"big\"]\n\
    [[cluster.group]]\nnodes = 2\nprocessors = 4\nmemory = \"16GiB\"\n\
    gpus = [{ kind = \"t4\", count = 1, parts = 4 }]\nfeatures = [\"small\"]\n";

/// A scenario with these features under a rule; `None` if they are one key, as checkpoints and the
/// failures that they belong to, or two orders of a queue.
fn scenario(features: &[&Feature], rule: &str) -> Option<String> {
    let all = |part: fn(&Feature) -> &'static str| {
        let mut parts: Vec<&str> = features.iter().map(|one| part(one)).collect();
        parts.dedup();
        parts.concat()
    };
    let nodes = features.iter().any(|one| one.nodes);
    let (machine, groups) = if nodes { ("", GROUPS) } else { ("procs = 16\n", "") };
    let some = if nodes { "features = [\"big\"]\n" } else { "processors = 4\n" };
    let text = format!(
        "title = \"A pair\"\n[run]\nuntil = \"30d\"\n[policy]\nkind = \"space-sharing\"\n{rule}{}\
         [workload]\nkind = \"swf\"\nfile = \"log.swf\"\nestimate-floor = \"none\"\n{}[cluster]\n{machine}{}{}{groups}",
        all(|one| one.policy),
        all(|one| one.workload),
        all(|one| one.cluster),
        all(|one| one.tables).replace("SOME", some),
    );
    // demands of both are one list, and queues too; other keys can be said once
    let text = text.replace("}]\ndemand = [{", "}, {").replace("}]\nqueues = [{", "}, {");
    let (mut keys, mut tables): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with('[') {
            keys.clear();
            if !line.starts_with("[[") && tables.contains(&line) {
                return None;
            }
            tables.push(line);
            continue;
        }
        let key = line.split_once(" = ").map_or(line, |(key, _)| key);
        if keys.contains(&key) {
            return None;
        }
        keys.push(key);
    }
    Some(text)
}

/// Becomes of a pair: nothing if it runs and `check` finds nothing, or the reason of its refusal.
fn tried(text: &str) -> Result<(), String> {
    let place = Place::new();
    let job = |number: u32| {
        let (submit, run) = (number * 17 + number % 5, 30 + number * 37 % 90);
        let (procs, request) = ([1, 2, 4, 7][number as usize % 4], run + number % 3 * 20);
        let (user, partition) = (1 + number % 3, 1 + number % 2);
        format!(
            "{number} {submit} -1 {run} {procs} -1 -1 {procs} {request} -1 1 {user} 1 1 1 {partition} -1 -1\n"
        )
    };
    place.file("log.swf", format!("; MaxProcs: 16\n{}", (1..=40).map(job).collect::<String>()));
    place.file("dependencies.csv", "job,kind,on\n5,after-ok,3\n9,after-any,8\n12,after-ok,5\n");
    place.file("pair.toml", text);
    let ran = place.run(&["run", "pair.toml", "-o", "out", "--no-progress"]);
    if ran.status == 2 {
        let line = ran.stderr.lines().next().unwrap_or_default();
        return Err(line.split_once("]: ").map_or(line, |(_, message)| message).to_owned());
    }
    assert_eq!(ran.status, 0, "{text}\n{}", ran.stderr);
    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{text}\n{}{}", checked.stdout, checked.stderr);
    Ok(())
}

/// The page of the manual after its heading.
fn table(refused: &BTreeMap<(usize, usize), BTreeMap<String, Vec<&'static str>>>) -> String {
    let mut text = String::from("| |");
    for column in 1..FEATURES.len() {
        write!(text, " {column} |").unwrap();
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(FEATURES.len() - 1));
    text.push('\n');
    let mut notes: Vec<String> = Vec::new();
    for (row, feature) in FEATURES.iter().enumerate() {
        write!(text, "| {}. {} |", row + 1, feature.name).unwrap();
        for column in 0..FEATURES.len() - 1 {
            let cell = match refused.get(&(column, row)) {
                _ if column >= row => String::new(),
                None => "+".to_owned(),
                Some(reasons) => {
                    let mut marks = Vec::new();
                    for (why, rules) in reasons {
                        let under = if rules.len() == RULES.len() {
                            String::new()
                        } else {
                            format!(" ({})", rules.join(", "))
                        };
                        let note = format!("{why}{under}");
                        let place = notes.iter().position(|other| *other == note).unwrap_or_else(|| {
                            notes.push(note);
                            notes.len() - 1
                        });
                        marks.push((b'a' + place as u8) as char);
                    }
                    marks.into_iter().collect()
                }
            };
            write!(text, " {cell} |").unwrap();
        }
        text.push('\n');
    }
    for (place, note) in notes.iter().enumerate() {
        write!(text, "\n{}: {note}\n", (b'a' + place as u8) as char).unwrap();
    }
    text
}

#[test]
fn every_pair_of_features_runs_under_every_rule_of_backfilling_or_is_refused_in_the_manual() {
    let mut refused: BTreeMap<(usize, usize), BTreeMap<String, Vec<&'static str>>> = BTreeMap::new();
    let mut cells = Vec::new();
    for (row, one) in FEATURES.iter().enumerate() {
        for (column, other) in FEATURES[..row].iter().enumerate() {
            cells.extend(RULES.map(|(name, rule)| ((column, row), name, scenario(&[other, one], rule))));
        }
    }
    let next = std::sync::Mutex::new(cells.into_iter());
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let cell = next.lock().unwrap().next();
                    let Some((pair, rule, text)) = cell else { return };
                    let result = text.map_or(Ok(()), |text| tried(&text));
                    results.lock().unwrap().push((pair, rule, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort();
    for (pair, rule, result) in results {
        if let Err(why) = result {
            refused.entry(pair).or_default().entry(why).or_default().push(rule);
        }
    }
    let (path, own) = (repository("docs/composition.md"), table(&refused));
    let page = fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once("<!-- matrix -->\n").unwrap();
    let (_, tail) = rest.split_once("<!-- end of matrix -->").unwrap();
    let expected = format!("{head}<!-- matrix -->\n{own}<!-- end of matrix -->{tail}");
    if std::env::var_os("CLUSTERSIM_WRITE").is_some() {
        fs::write(&path, expected).unwrap();
        return;
    }
    assert_eq!(page, expected);
}
