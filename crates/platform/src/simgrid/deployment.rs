//! Deployment files: which agents run on which hosts.

use crate::kernel::SimDuration;
use crate::registry::{Complaint, Complaints, SourceId, Sources, Span, code, suggestion};
use crate::simgrid::check::{File, check};
use crate::simgrid::{root, value};
use crate::text::xml::Element;

/// An agent that a deployment file starts.
#[derive(Clone, PartialEq, Debug)]
pub struct DeployedActor {
    /// The host that it runs on, and where that is said.
    pub host: (String, Span),
    /// The function that it runs, and where that is said.
    pub function: (String, Span),
    /// Start, as time after the start of the run.
    pub start_time: SimDuration,
    /// Time at which it is killed, if ever.
    pub kill_time: Option<SimDuration>,
    /// Outcome of it when its host fails.
    pub on_failure: OnFailure,
    /// Arguments, and where each is said.
    pub arguments: Vec<(String, Span)>,
    /// Properties, in the order of the file: name, value and where that is said.
    pub properties: Vec<(String, String, Span)>,
    /// The place of the element.
    pub at: Span,
}

/// Outcome of an agent when its host fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFailure {
    /// Gone for good.
    Die,
    /// Starts again when the host works again.
    Restart,
}

/// Reads the agents of a deployment file, in its order.
///
/// # Errors
/// Everything that is wrong with it.
pub fn deployment(source: SourceId, sources: &Sources) -> Result<Vec<DeployedActor>, Vec<Complaint>> {
    let mut complaints = Complaints::new();
    let root = root(sources.text(source), source, &mut complaints);
    let mut actors = Vec::new();
    if let Some(mut root) = root {
        check(&mut root, File::Deployment, &mut complaints);
        actors.extend(root.children("actor").map(|element| actor(element, &mut complaints)));
    }
    Ok(complaints.unless_any(actors)?)
}

fn actor(element: &Element, complaints: &mut Complaints) -> DeployedActor {
    let said = |element: &Element, name: &str| (element.value(name).to_owned(), element.place(name));
    let start_time = instant(element, "start_time", complaints).unwrap_or(SimDuration::ZERO);
    let on_failure = match element.value("on_failure").to_ascii_uppercase().as_str() {
        "" | "DIE" => OnFailure::Die,
        "RESTART" => OnFailure::Restart,
        _ => {
            let what = format!("`{}` is nothing that an agent does on failure", element.value("on_failure"));
            let complaint = Complaint::new(code::UNKNOWN_NAME, what, element.place("on_failure"));
            complaints.push(complaint.help(suggestion(element.value("on_failure"), ["DIE", "RESTART"])));
            OnFailure::Die
        }
    };
    DeployedActor {
        host: said(element, "host"),
        function: said(element, "function"),
        start_time,
        kill_time: instant(element, "kill_time", complaints),
        on_failure,
        arguments: element.children("argument").map(|child| said(child, "value")).collect(),
        properties: element
            .children("prop")
            .map(|child| {
                let (value, at) = said(child, "value");
                (child.value("id").to_owned(), value, at)
            })
            .collect(),
        at: element.at,
    }
}

/// A time from the start of the run; -1 is as good as none.
fn instant(element: &Element, name: &str, complaints: &mut Complaints) -> Option<SimDuration> {
    let attribute = element.get(name)?;
    if attribute.value.trim().parse() == Ok(-1.0) {
        return None;
    }
    match value::seconds(&attribute.value) {
        Ok(seconds) => Some(SimDuration::ceil_secs(seconds)),
        Err((what, expected)) => {
            complaints.push(Complaint::new(code::QUANTITY, what, attribute.value_at).label(expected));
            None
        }
    }
}
