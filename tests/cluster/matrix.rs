//! The matrices of features in the manual (`docs/composition.md`): every pair of features under every
//! rule of backfilling, and under gang scheduling, each tried by a small run, which `check` looks at.
//!
//! Where `CLUSTERSIM_WRITE` is set the table is written anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use clustersim_testing::program::{Place, repository};

use super::features::{FEATURES, Feature};

/// A rule: its name in the table, keys of the policy, and of the machine.
type Rule = (&'static str, &'static str, &'static str);

/// Rules of backfilling under space sharing.
const RULES: [Rule; 6] = [
    ("none", "kind = \"space-sharing\"\nbackfill = \"none\"\n", ""),
    ("EASY", "kind = \"space-sharing\"\nbackfill = \"easy\"\n", ""),
    (
        "EASY with several promises",
        "kind = \"space-sharing\"\nbackfill = { kind = \"easy\", reservations = 3 }\n",
        "",
    ),
    (
        "EASY by run times that may delay the head",
        "kind = \"space-sharing\"\nbackfill = { kind = \"easy\", extra = \"all\", judged-by = \"run-time\" }\n",
        "",
    ),
    ("conservative", "kind = \"space-sharing\"\nbackfill = \"conservative\"\n", ""),
    ("first fit", "kind = \"space-sharing\"\nbackfill = \"none\"\nqueue = \"first-fit\"\n", ""),
];

/// Kinds of gang scheduling, on a machine of three rows.
const SLICES: [Rule; 4] = [
    ("gs", "kind = \"gs\"\nquantum = \"20s\"\nswitch = \"1s\"\n", "mpl = 3\n"),
    ("bgs", "kind = \"bgs\"\nquantum = \"20s\"\nswitch = \"1s\"\n", "mpl = 3\n"),
    ("bmgs", "kind = \"bmgs\"\nquantum = \"20s\"\nswitch = \"1s\"\nmigration-cost = \"5s\"\n", "mpl = 3\n"),
    ("first fit", "kind = \"gs\"\nquantum = \"20s\"\nswitch = \"1s\"\nqueue = \"first-fit\"\n", "mpl = 3\n"),
];

/// Two kinds of nodes, 16 processors.
const GROUPS: &str = "[[cluster.group]]\nnodes = 2\nprocessors = 4\nmemory = \"8GiB\"\n\
    gpus = [{ kind = \"a100\", count = 2 }]\nfeatures = [\"big\"]\n\
    [[cluster.group]]\nnodes = 2\nprocessors = 4\nmemory = \"16GiB\"\n\
    gpus = [{ kind = \"t4\", count = 1, parts = 4 }]\nfeatures = [\"small\"]\n";

/// A scenario with these features under a rule; `None` if they are one key, as checkpoints and the
/// failures that they belong to, or two orders of a queue.
fn scenario(features: &[&Feature], (_, rule, rows): Rule) -> Option<String> {
    let all = |part: fn(&Feature) -> &'static str| {
        let mut parts: Vec<&str> = features.iter().map(|one| part(one)).collect();
        parts.dedup();
        parts.concat()
    };
    let nodes = features.iter().any(|one| one.nodes);
    let (machine, groups) = if nodes { ("", GROUPS) } else { ("procs = 16\n", "") };
    let some = if nodes { "features = [\"big\"]\n" } else { "processors = 4\n" };
    let text = format!(
        "title = \"A pair\"\n[run]\nuntil = \"30d\"\n[policy]\n{rule}{}\
         [workload]\nkind = \"swf\"\nfile = \"log.swf\"\nestimate-floor = \"none\"\n{}[cluster]\n{machine}{rows}{}{}{groups}",
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

/// Reasons of refusals, with the rules under which they are given, by pairs of features.
type Refused = BTreeMap<(usize, usize), BTreeMap<String, Vec<&'static str>>>;

/// The table of the pairs of these features, and its notes.
fn table(features: &[&Feature], rules: usize, refused: &Refused) -> String {
    let mut text = String::from("| |");
    for column in 1..features.len() {
        write!(text, " {column} |").unwrap();
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(features.len() - 1));
    text.push('\n');
    let mut notes: Vec<String> = Vec::new();
    for (row, feature) in features.iter().enumerate() {
        write!(text, "| {}. {} |", row + 1, feature.name).unwrap();
        for column in 0..features.len() - 1 {
            let cell = match refused.get(&(column, row)) {
                _ if column >= row => String::new(),
                None => "+".to_owned(),
                Some(reasons) => {
                    let mut marks = Vec::new();
                    for (why, under) in reasons {
                        let under = if under.len() == rules {
                            String::new()
                        } else {
                            format!(" ({})", under.join(", "))
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

/// Results of all scenarios, tried by two threads, in order.
fn tried_all<K: Ord + Send>(cells: Vec<(K, Option<String>)>) -> Vec<(K, Result<(), String>)> {
    let next = std::sync::Mutex::new(cells.into_iter());
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let cell = next.lock().unwrap().next();
                    let Some((key, text)) = cell else { return };
                    let result = text.map_or(Ok(()), |text| tried(&text));
                    results.lock().unwrap().push((key, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort();
    results
}

/// Refusals of the pairs of these features under these rules.
fn refusals(features: &[&Feature], rules: &[Rule]) -> Refused {
    let mut cells = Vec::new();
    for (row, one) in features.iter().enumerate() {
        for (column, other) in features[..row].iter().enumerate() {
            cells.extend(rules.iter().map(|&rule| (((column, row), rule.0), scenario(&[other, one], rule))));
        }
    }
    let mut refused = Refused::new();
    for ((pair, rule), result) in tried_all(cells) {
        if let Err(why) = result {
            refused.entry(pair).or_default().entry(why).or_default().push(rule);
        }
    }
    refused
}

/// Holds what stands between two marks of the page against this, or writes it there.
fn holds(mark: &str, own: &str) {
    let path = repository("docs/composition.md");
    let page = fs::read_to_string(&path).unwrap();
    let (first, last) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->"));
    let (head, rest) = page.split_once(&first).unwrap();
    let (_, tail) = rest.split_once(&last).unwrap();
    let expected = format!("{head}{first}{own}{last}{tail}");
    if std::env::var_os("CLUSTERSIM_WRITE").is_some() {
        fs::write(&path, expected).unwrap();
        return;
    }
    assert_eq!(page, expected);
}

#[test]
fn every_pair_of_features_runs_under_every_rule_of_backfilling_or_is_refused_in_the_manual() {
    let features: Vec<&Feature> = FEATURES.iter().collect();
    let refused = refusals(&features, &RULES);
    holds("matrix", &table(&features, RULES.len(), &refused));
}

#[test]
fn every_pair_of_features_that_gang_scheduling_takes_runs_under_it() {
    let alone = FEATURES.iter().enumerate();
    let cells = alone.map(|(place, one)| (place, scenario(&[one], SLICES[0]))).collect();
    let (mut features, mut refused) = (Vec::new(), String::new());
    for (place, result) in tried_all(cells) {
        let one = &FEATURES[place];
        match result {
            Ok(()) => features.push(one),
            Err(why) => writeln!(refused, "- {}: {why}", one.name).unwrap(),
        }
    }
    let pairs = table(&features, SLICES.len(), &refusals(&features, &SLICES));
    holds("gang", &format!("{pairs}\nRefused under gang scheduling, alone and with others:\n\n{refused}"));
}
