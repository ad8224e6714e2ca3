//! `show`: what a file describes, to be looked at.

use std::path::Path;

use crate::cli::args::{Show, ShowPlatform};
use crate::cli::convert::write;
use crate::cli::failure::Failure;
use crate::cli::render::Renderer;
use crate::cli::request::not_for;
use crate::cli::{print, print_json};
use crate::import::{Recognized, recognize_file};
use crate::kernel::rng::Streams;
use crate::platform::{Platform, simgrid};
use crate::registry::{Complaint, Node, Params, Registry, Sources, Span, Tree, Value, check, code};
use crate::report::drawing::svg;
use crate::report::platform::{drawing, json};
use crate::scenario::platform::{self, PLATFORM};
use crate::scenario::{Override, Rejected, from_text, load};

/// The seed of a scenario that has none.
const SEED: u64 = 1;

pub(super) fn show(registry: &Registry, what: &Show, renderer: &Renderer) -> Result<(), Failure> {
    match what {
        Show::Platform(args) => show_platform(registry, args, renderer),
    }
}

fn show_platform(registry: &Registry, args: &ShowPlatform, renderer: &Renderer) -> Result<(), Failure> {
    use Recognized::{DagGrid, Scenario, SimgridDeployment, SimgridPlatform, Xml};
    let name = args.file.to_string_lossy().to_lowercase();
    let plain = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    let kind = recognize_file(&args.file);
    let is_xml = match kind {
        Some(SimgridPlatform | SimgridDeployment | Xml) => true,
        Some(Scenario | DagGrid) => false,
        Some(other) => return Err(not_for("show", &args.file, other)),
        None => plain.extension().is_some_and(|ending| ending == "xml"),
    };
    let Shown { title, platform, rejected } =
        if is_xml { of_simgrid(&args.file)? } else { of_scenario(registry, args, kind == Some(DagGrid))? };
    if !rejected.complaints.is_empty() {
        rejected.complaints.iter().for_each(|warning| renderer.note(&warning.message));
    }
    let text =
        if args.json { format!("{:#}\n", json(&title, &platform)) } else { svg(&title, &drawing(&platform)) };
    let Some(output) = &args.output else {
        return if args.json { print_json(&json(&title, &platform)) } else { print(&text) };
    };
    Failure::if_there(output, args.force)?;
    write(output, |out| std::io::Write::write_all(out, text.as_bytes()))
}

/// A platform, what it is called, and what is worth a second look.
struct Shown {
    title: String,
    platform: Platform,
    rejected: Rejected,
}

/// The name of a file without its folder.
fn title_of(file: &Path) -> String {
    file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn of_simgrid(file: &Path) -> Result<Shown, Failure> {
    let mut sources = Sources::new("");
    match simgrid::read_file(file, &mut sources) {
        Ok(loaded) => {
            let rejected = Rejected { sources, complaints: loaded.warnings };
            Ok(Shown { title: title_of(file), platform: loaded.platform, rejected })
        }
        Err(complaints) => Err(Failure::Invalid(vec![Rejected { sources, complaints }])),
    }
}

/// The platform of a scenario. The rest of it is not looked at but for its title and seed, so that a file with no more than a
/// platform can be shown.
fn of_scenario(registry: &Registry, args: &ShowPlatform, is_grid: bool) -> Result<Shown, Failure> {
    let named = Override::text("show platform", "platform.file", &args.file.to_string_lossy());
    let mut written = if is_grid {
        from_text("command line", String::new(), Path::new(""), &[named])
    } else {
        load(&args.file, None, &[])
    };
    let tree = written.root.as_table().cloned().unwrap_or_default();
    let title =
        tree.get("title").and_then(Node::as_text).map_or_else(|| title_of(&args.file), ToOwned::to_owned);
    let seed = match tree.get("seed").map(|node| &node.value) {
        Some(Value::Integer(seed)) => u64::try_from(*seed).unwrap_or(SEED),
        _ => SEED,
    };
    let streams = Streams::new(args.seed.unwrap_or(seed), 0);
    let mut complaints = std::mem::take(&mut written.complaints);
    let Some(slot) = tree.slot(PLATFORM.name).cloned() else {
        if complaints.is_empty() {
            let message = format!("{} declares no platform", args.file.display());
            let complaint = Complaint::nowhere(code::MISSING_KEY, message);
            complaints.push(
                complaint.help("expected tables such as [[platform.host]]; `clustersim explain platform`"),
            );
        }
        return Err(Failure::Invalid(vec![Rejected { sources: written.sources, complaints }]));
    };
    let mut alone = Tree::default();
    let at: Span = slot.span;
    alone.put(slot);
    let node = Node::new(Value::Table(alone), at);
    let checked = check(registry, &written.sources, &node, &[PLATFORM], &mut complaints);
    let read = match checked {
        Some(node) if complaints.is_empty() => {
            let params = Params::new(registry, &written.sources, &node).section(PLATFORM.name);
            platform::read(&params, &streams)
        }
        _ => Err(complaints),
    };
    match read {
        Ok(described) => {
            let rejected = Rejected { sources: written.sources, complaints: described.warnings };
            Ok(Shown { title, platform: described.platform, rejected })
        }
        Err(complaints) => Err(Failure::Invalid(vec![Rejected { sources: written.sources, complaints }])),
    }
}
