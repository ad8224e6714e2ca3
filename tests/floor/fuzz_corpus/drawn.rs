//! Scenarios that are drawn from bytes: run twice, and judged by their files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clustersim::system::standard;
use clustersim_experiment::output::manifest::document;
use clustersim_experiment::output::{FileWriter, Files, RowSource, TableFormat, hash};
use clustersim_experiment::report::summary::summary;
use clustersim_experiment::scenario::{
    Ready, Results, RunDirectory, Scenario, Session, check as check_scenario, from_text,
};
use clustersim_kernel::SimError;
use clustersim_language::registry::{Catalogue, Registry};
use serde_json::json;

/// Resumptions after which a run ends, whatever is left of it.
const RESUMPTIONS: u64 = 50_000;

thread_local! {
    static REGISTRY: Registry = standard();
}

/// How a scenario is made of decisions, in a folder for the files that it names.
pub(crate) type Draw = fn(&mut Bytes<'_>, &Path) -> String;

/// Runs the scenario that bytes make: executed to the end, or the reason why not, which is one of
/// the `known`.
///
/// # Panics
/// If it is refused, not repeated, or not judged to be right, and if it ends for another reason.
pub(crate) fn outcome(draw: Draw, bytes: &[u8], known: &[&str]) -> Result<(), String> {
    outcome_and(draw, bytes, known, |_, _| {})
}

/// The same; with the scenario of a run that came to its end, and the folder of its files,
/// something else is done.
pub(crate) fn outcome_and(
    draw: Draw,
    bytes: &[u8],
    known: &[&str],
    and: impl Fn(&str, &Path),
) -> Result<(), String> {
    let thread = std::thread::current().id();
    let folder = std::env::temp_dir().join(format!("clustersim-drawn-{}-{thread:?}", std::process::id()));
    fs::create_dir_all(&folder).expect("a directory for files");
    let text = draw(&mut Bytes(bytes), &folder);
    let done = REGISTRY.with(|registry| run(registry, &text, &folder, known));
    if done.is_ok() {
        and(&text, &folder);
    }
    fs::remove_dir_all(&folder).expect("it is there");
    done
}

/// The tables of a scenario's run, by file: of one that comes to its end.
pub(crate) fn tables(text: &str, folder: &Path) -> BTreeMap<String, Vec<u8>> {
    REGISTRY.with(|registry| {
        let written = from_text("drawn.toml", text.to_owned(), folder, &[]);
        let scenario = check_scenario(registry, written).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
        let ready = scenario.system.assemble(registry, &scenario);
        let ready = ready.unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
        let results = ready.run.run(&Session::default()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
        let bytes = |(table, _): (Box<dyn RowSource + '_>, _)| {
            (TableFormat::Csv.file(&table.table()), TableFormat::Csv.bytes(&*table).unwrap())
        };
        results.tables(&scenario).into_iter().map(bytes).collect()
    })
}

/// The names in a table of the registry, but for these.
pub(crate) fn names(table: &str, except: &[&str]) -> Vec<String> {
    REGISTRY.with(|registry| {
        let rows = registry.find(table).map(Catalogue::rows).expect("there is such a table");
        rows.iter().map(|row| row.name.to_string()).filter(|name| !except.contains(&name.as_str())).collect()
    })
}

/// Decisions from bytes.
pub(crate) struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    /// A number below `count`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % count.max(1)
    }

    /// One of these.
    pub(crate) fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }
}

fn run(registry: &Registry, text: &str, folder: &Path, known: &[&str]) -> Result<(), String> {
    let written = from_text("drawn.toml", text.to_owned(), folder, &[]);
    let scenario = match check_scenario(registry, written) {
        Ok(scenario) => scenario,
        Err(rejected) => panic!("the scenario is right: {rejected}\n{text}"),
    };
    let assemble = || match scenario.system.assemble(registry, &scenario) {
        Ok(Ready { run, .. }) => run,
        Err(rejected) => panic!("the scenario can be assembled: {rejected}\n{text}"),
    };
    let session = || Session { at_most: Some(RESUMPTIONS), ..Session::of(&scenario) };
    match (assemble().run(&session()), assemble().run(&session())) {
        (Ok(results), Ok(again)) => {
            assert_eq!(results.figures().digest, again.figures().digest, "it is not repeated\n{text}");
            judge(registry, &scenario, &*results, folder, text);
            Ok(())
        }
        (Err(error), _) | (_, Err(error)) => Err(reason(&error, text, known)),
    }
}

/// Why a run failed, which is the fault of no scheduler.
fn reason(error: &SimError, text: &str, known: &[&str]) -> String {
    let said = error.to_string();
    assert!(known.iter().any(|known| said.contains(known)), "{said}\n{text}");
    said
}

/// The files of a run, and their names.
struct Written<'a> {
    folder: &'a Path,
    names: Vec<String>,
}

impl Written<'_> {
    fn put(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.names.push(name.to_owned());
        fs::write(self.folder.join(name), bytes)
    }
}

impl Files for Written<'_> {
    fn file(&mut self, name: &str, write: &mut FileWriter<'_>) -> io::Result<()> {
        let mut bytes = Vec::new();
        write(&mut bytes)?;
        self.put(name, &bytes)
    }
}

fn judge(registry: &Registry, scenario: &Scenario, results: &dyn Results, folder: &Path, text: &str) {
    let said = || {
        let rows = |name| fs::read_to_string(folder.join(name)).unwrap_or_default();
        let files = ["graph", "grid.txt", "tasks.csv", "transfers.csv", "plans.csv", "hosts.csv"];
        [text].into_iter().map(str::to_owned).chain(files.map(rows)).collect::<Vec<_>>().join("\n")
    };
    let mut files = Written { folder, names: Vec::new() };
    for (table, _) in results.tables(scenario) {
        let format = TableFormat::Csv;
        files.put(&format.file(&table.table()), &format.bytes(&*table).unwrap()).unwrap();
    }
    results.write_others(scenario, "", &mut files).unwrap();
    let figures = results.figures();
    files.put("summary.json", &document(&summary(scenario, figures))).unwrap();
    let mut manifest = results.manifest();
    let outputs: serde_json::Map<_, _> = files.names.iter().map(|name| (name.clone(), json!(""))).collect();
    manifest.insert("outputs".to_owned(), json!(outputs));
    manifest.insert("title".to_owned(), json!(scenario.title));
    manifest.insert("seed".to_owned(), json!(scenario.seed));
    manifest.insert("digest".to_owned(), json!(figures.digest.to_string()));
    let inputs: Vec<(String, PathBuf)> = scenario.system.inputs(registry, scenario).unwrap();
    let hashes = inputs.iter().map(|(_, path)| json!({ "sha256": hash::of_file(path).unwrap() }));
    manifest.insert("identity".to_owned(), json!({ "inputs": hashes.collect::<Vec<_>>() }));
    let manifest = json!(manifest);
    let directory = RunDirectory { place: folder, manifest: &manifest, scenario, registry, note: &|_| {} };
    let checked = match scenario.system.judge(&directory) {
        Ok(checked) => checked,
        Err(rejected) => panic!("it cannot be judged: {rejected}\n{}", said()),
    };
    for (promise, judgement) in &checked.promises {
        if let Ok(violations) = judgement {
            assert!(violations.is_empty(), "{promise}: {violations:?}\n{}", said());
        }
    }
}
