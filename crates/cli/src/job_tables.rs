//! `convert` of a table of jobs: a scenario that reads it by a guess at its columns.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::convert_args::{Convert, Foreign};
use crate::describe::{is_archive, survey};
use crate::failure::Failure;
use crate::import::table::{ACCOUNTING, NodeGroup, TableSurvey, source_machine, sum_of};
use crate::platform::measured;
use crate::print;
use crate::registry::{Problem, Registry, toml_text};
use crate::render::Renderer;
use crate::request::utf8;
use crate::scenario::recognition::{JSON, PARQUET, TABLE, recognize};
use crate::workload::LogSummary;
use crate::written::{path_as_written, printable, refused, write};
use clustersim_experiment::output::number::counted;

/// Endings of names of tables that nothing else has, compression aside.
const ENDINGS: [&str; 3] = [".tsv", ".jsonl", ".parquet"];
/// Endings of names of files with readers of their own.
const OTHERS: [&str; 3] = [".swf", ".conf", ".json"];
/// Names of several columns that a message lists.
const MOST_NAMED: usize = 8;
/// Advice on a table of which nothing is known.
const KINDS: &str = "a table of jobs names a time of submission and an end or a run time; one of measurements names host,speed or \
                     from,to,bandwidth,latency or time,host,availability or time,link,bandwidth, or a time for each column behind host";

/// Tables that are converted.
pub(super) enum Tables {
    /// A table of jobs, and one of the nodes that they ran on.
    Jobs(PathBuf, Box<TableSurvey>, Option<Nodes>),
    /// A table of nodes.
    Nodes(Nodes),
}

/// A table of nodes.
pub(super) struct Nodes {
    file: PathBuf,
    about: &'static str,
    groups: Vec<NodeGroup>,
}

/// The tables that are to be converted, if the inputs are some: one of jobs, one of nodes, or one
/// of each.
///
/// # Errors
/// A file that is stated to be a table, or can be nothing else, and is none.
pub(super) fn tables_in(registry: &Registry, args: &Convert) -> Result<Option<Tables>, Failure> {
    if args.from.as_ref().is_some_and(|stated| stated != "table") {
        return Ok(None);
    }
    let is_stated = args.from.is_some();
    let mut found = Vec::new();
    for file in &args.inputs {
        match table_in(registry, file, is_stated)? {
            None => return Ok(None),
            Some(table) => found.push(table),
        }
    }
    let mut found = found.into_iter();
    match (found.next(), found.next(), found.next()) {
        (Some(one), None, _) => Ok(Some(one)),
        (Some(Tables::Jobs(file, jobs, _)), Some(Tables::Nodes(nodes)), None)
        | (Some(Tables::Nodes(nodes)), Some(Tables::Jobs(file, jobs, _)), None) => {
            Ok(Some(Tables::Jobs(file, jobs, Some(nodes))))
        }
        _ => Err(refused(
            "several tables are converted together if one is of jobs and one of the nodes they ran on",
            "convert the others one by one",
        )),
    }
}

/// The table in a file, if that is one.
fn table_in(registry: &Registry, input: &Path, is_stated: bool) -> Result<Option<Tables>, Failure> {
    let name = input.to_string_lossy().to_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let mut is_only = is_stated || ends(&ENDINGS);
    match recognize(registry, input) {
        _ if is_stated => {}
        Some(mark) if *mark == PARQUET || *mark == ACCOUNTING => is_only = true,
        Some(mark) if *mark == TABLE || *mark == JSON => {}
        None if !ends(&OTHERS) => {}
        Some(_) | None => return Ok(None),
    }
    let is_measured = !is_only && measured::MARK.is_of(input);
    let is_separated = ends(&[".csv"]);
    let survey = match survey(input) {
        Ok(survey) => survey,
        Err(why) if is_only || is_archive(input) || (is_separated && !is_measured) => return Err(why),
        // the reader of its format says what is wrong
        Err(_) => return Ok(None),
    };
    let written = input.display().to_string();
    if survey.is_of_jobs() {
        return Ok(Some(Tables::Jobs(input.to_owned(), Box::new(survey), None)));
    }
    if is_measured {
        return Ok(None);
    }
    match (survey.foreign, survey.nodes) {
        (Some((about, _)), Some(groups)) => {
            let groups = groups.map_err(|mistakes| Failure::of_file(mistakes, &written))?;
            Ok(Some(Tables::Nodes(Nodes { file: input.to_owned(), about, groups })))
        }
        (Some((about, help)), None) => Err(refused(
            &format!("cannot convert {written}: it is {about}"),
            &help.replace("{file}", &written),
        )),
        (None, nodes) => {
            let survey = TableSurvey { nodes, ..survey };
            if !is_only && !is_separated && !survey.is_like_jobs() {
                return Ok(None);
            }
            Err(not_of_jobs(survey, &written, is_only))
        }
    }
}

/// Refuses a table whose columns are not all that a job needs, or that is damaged; `is_only` is
/// true if no other kind of table has its form.
fn not_of_jobs(survey: TableSurvey, written: &str, is_only: bool) -> Failure {
    let is_like_jobs = survey.is_like_jobs();
    let help = format!("`clustersim describe {written}` shows its columns");
    if survey.guess.has("header") {
        let message =
            format!("cannot convert {written}: its first line is a row already and names no columns");
        let keys = "write a scenario with `header = false` and `names = […]`, and say which column is which";
        return refused(&message, &format!("{help}; {keys}"));
    }
    if !survey.damage.is_empty() {
        return Failure::of_file(survey.into_damage(), written);
    }
    if is_only || is_like_jobs {
        return incomplete(survey, written);
    }
    let message =
        format!("cannot convert {written}: its columns are neither those of jobs nor those of measurements");
    refused(&message, &format!("{help}; {KINDS}"))
}

/// Refuses a table whose columns are not all that a job needs.
fn incomplete(survey: TableSurvey, written: &str) -> Failure {
    let twice = twice(&survey);
    let more = format!("{twice}`clustersim describe {written}` shows its columns");
    let mistakes = survey.jobs.err().unwrap_or_default();
    Failure::of_file(mistakes.map(|problem| with_help(problem, &more)), written)
}

/// The same problem with more advice.
fn with_help(mut problem: Problem, more: &str) -> Problem {
    problem.help = Some(problem.help.map_or(more.to_owned(), |help| format!("{help}; {more}")));
    problem
}

/// Advice on names that several columns have, if there are any; a semicolon ends it.
fn twice(survey: &TableSurvey) -> String {
    let name = |name: &String| format!("several columns are called `{name}`, rename them; ");
    survey.twice.iter().take(MOST_NAMED).map(name).collect()
}

/// Writes the scenario of jobs, or the cluster of nodes.
pub(super) fn convert(args: &Convert, tables: Tables, renderer: &Renderer) -> Result<(), Failure> {
    crate::written::refuse_idle_flags(args, Some(Foreign::Table))?;
    let is_scenario = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    match &tables {
        Tables::Nodes(_) if !is_scenario => {
            return Err(refused("a table of nodes holds no jobs", "write the nodes to a .toml file"));
        }
        Tables::Jobs(..) if !is_scenario => {
            let message = "what the columns of a table mean is a guess, and a log does not say so";
            return Err(refused(message, "write a scenario (.toml), and look at its [workload.columns]"));
        }
        _ => {}
    }
    Failure::if_there(&args.output, args.force)?;
    match tables {
        Tables::Nodes(nodes) => {
            let text = format!(
                "{}# To be taken into a scenario by `include = [\"…\"]`; with resources = \"allocated\" in [workload] jobs \
                 ask for what they had of nodes.\n\n[cluster]\n{}",
                nodes.comment(),
                nodes.toml()
            );
            write(&args.output, |out| out.write_all(text.as_bytes()))?;
            print(&format!("{}: {}\n", args.output.display(), extent(&nodes.groups)))
        }
        Tables::Jobs(file, survey, nodes) => convert_jobs(args, &file, &survey, nodes.as_ref(), renderer),
    }
}

impl Nodes {
    /// Comment that says whose nodes these are.
    fn comment(&self) -> String {
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        format!("# {}: {}, {}.\n", printable(&name), self.about, extent(&self.groups))
    }

    fn toml(&self) -> String {
        self.groups.iter().flat_map(|group| ["\n".to_owned(), group.toml()]).collect()
    }
}

/// The extent of some nodes, in words.
pub(super) fn extent(groups: &[NodeGroup]) -> String {
    let mut words = format!(
        "{} of {}, {}",
        counted(sum_of(groups, |_| 1), "node"),
        counted(groups.len() as u64, "kind"),
        counted(sum_of(groups, |group| group.processors), "processor")
    );
    let gpus = sum_of(groups, |group| group.gpus);
    if gpus > 0 {
        words += &format!(", {}", counted(gpus, "GPU"));
    }
    words
}

/// The size of the machine of some jobs: that of the source, or else a guess.
fn machine(survey: &TableSurvey, summary: &LogSummary) -> String {
    let peak = summary.processors();
    let known = survey.guess.like.and_then(source_machine);
    match known {
        Some(known) if u64::from(known.procs) >= peak => {
            format!("# {}; the table itself does not state it\nprocs = {}\n", known.about, known.procs)
        }
        Some(known) => format!("# {}; but so many were in use at once\nprocs = {peak}\n", known.about),
        None => guessed_machine("table", peak),
    }
}

/// The size of a machine that an input does not state: the most processors that were in use at
/// once.
pub(super) fn guessed_machine(input: &str, peak: u64) -> String {
    format!(
        "# a guess: the {input} does not state the size of its machine; so many were in use at once at most\n\
         procs = {peak}\n"
    )
}

fn convert_jobs(
    args: &Convert,
    input: &Path,
    survey: &TableSurvey,
    nodes: Option<&Nodes>,
    renderer: &Renderer,
) -> Result<(), Failure> {
    utf8(input)?;
    let log = match &survey.jobs {
        Ok((log, _)) => log,
        Err(mistakes) => {
            let file = input.display().to_string();
            let twice = twice(survey);
            let described = |problem: Problem| match twice.trim_end_matches("; ") {
                "" => problem,
                twice => with_help(problem, twice),
            };
            return Err(Failure::of_file(mistakes.clone().map(described), &file));
        }
    };
    let summary = LogSummary::of(log);
    let title = input.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut text = format!("title = {}\n\n", toml_text(&title));
    text += &match nodes {
        Some(nodes) => format!("{}[cluster]\n{}\n", nodes.comment(), nodes.toml()),
        None => format!("[cluster]\n{}\n", machine(survey, &summary)),
    };
    text += &survey.guess.workload(&path_as_written(&args.output, input), nodes.is_some());
    let report = log.report.long();
    if !report.is_empty() {
        text += &format!("\n# Of {} rows {} are jobs here:\n", log.report.jobs, summary.jobs);
        report.iter().for_each(|line| text += &format!("# {line}\n"));
    }
    text += "\n[policy]\nkind = \"easy\"\n";
    write(&args.output, |out| out.write_all(text.as_bytes()))?;
    report.iter().for_each(|line| renderer.note(line));
    for own in &survey.guess.columns {
        if let Some(doubt) = &own.doubt {
            renderer.note(&format!("{} = {} is a guess: {doubt}", own.key, own.value));
        }
    }
    for name in &survey.twice {
        renderer.note(&format!("several columns are called `{name}`: no key can mean one of them"));
    }
    let (jobs, rows) = (counted(summary.jobs, "job"), counted(log.report.jobs, "row"));
    let on = nodes.map(|nodes| format!(" on {}", extent(&nodes.groups))).unwrap_or_default();
    print(&format!("{}: {jobs} of {rows}{on}\n", args.output.display()))
}
