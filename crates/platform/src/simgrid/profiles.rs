//! Profiles of a platform file: traces of hosts and links, in files next to it or in the file
//! itself.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimDuration;
use crate::registry::Problem;
use crate::registry::{Complaint, Span, code};
use crate::simgrid::build::PlatformReader;
use crate::simgrid::value;
use crate::text::xml::Element;
use crate::trace::Trace;
use crate::trace_file::{TraceOf, read_lines, read_trace, read_trace_file};

/// Profiles of the file itself, and the hosts and links that have them.
#[derive(Default)]
pub(super) struct Profiles {
    by_name: OrderedMap<String, Trace>,
    /// By kind and host or link: the profile and where that is said.
    of: OrderedMap<(String, String), (Trace, Span)>,
}

const KINDS: [&str; 5] = ["SPEED", "HOST_AVAIL", "BANDWIDTH", "LATENCY", "LINK_AVAIL"];

/// The attributes that name files with profiles.
const ATTRIBUTES: [&str; 5] =
    ["availability_file", "speed_file", "state_file", "bandwidth_file", "latency_file"];

/// The files that an element and those in it name, as they name them.
pub(super) fn named_in(element: &Element, files: &mut OrderedSet<String>) {
    let own = if element.name == "trace" { &["file"][..] } else { &ATTRIBUTES };
    files.extend(
        own.iter().map(|name| element.value(name)).filter(|file| !file.is_empty()).map(str::to_owned),
    );
    element.children.iter().for_each(|child| named_in(child, files));
}

impl PlatformReader<'_> {
    /// Reads the profiles in the element of the platform, and which hosts and links have them.
    pub(super) fn profiles(&mut self, platform: &Element) {
        for element in platform.children("trace") {
            if let Some(trace) = self.own(element) {
                self.profiles.by_name.insert(element.value("id").to_owned(), trace);
            }
        }
        for element in platform.children("trace_connect") {
            let Some(kind) = self.choice(element, "kind", &KINDS.map(|kind| (kind, kind))) else { continue };
            let Some(trace) = self.profiles.by_name.get(element.value("trace")) else {
                let what = format!("there is no trace `{}`", element.value("trace"));
                self.report(code::UNKNOWN_NAME, what, element.place("trace"), "not in this file, or wrong");
                continue;
            };
            let key = (kind.to_owned(), element.value("element").to_owned());
            self.profiles.of.insert(key, (trace.clone(), element.place("element")));
        }
    }

    /// The profile that the file itself holds.
    fn own(&mut self, element: &Element) -> Option<Trace> {
        let trace = match (element.get("file").filter(|file| !file.value.is_empty()), &element.text) {
            (Some(_), _) => self.in_file(element, "file")?,
            (None, Some((start, text))) => match read_trace(text) {
                Ok(trace) => trace,
                Err(problems) => {
                    let complaint = |problem: Problem| {
                        let at = Span::new(element.at.source, *start..start + text.len());
                        let at = problem.place.as_ref().map_or(at, |place| {
                            let line = usize::try_from(place.line).unwrap_or(1);
                            let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
                            let first = (start + before + place.column - 1).min(start + text.len());
                            Span::new(element.at.source, first..(first + place.width).min(start + text.len()))
                        });
                        Complaint::new(problem.code, problem.message, at)
                    };
                    self.complaints.append(problems.map(complaint));
                    return None;
                }
            },
            (None, None) => {
                let label = "expected lines of a time and a value";
                self.report(code::MISSING_KEY, "this trace is empty", element.at, label);
                return None;
            }
        };
        self.round(element, trace)
    }

    /// The clock of a trace begins again at 0 after its periodicity.
    fn round(&mut self, element: &Element, trace: Trace) -> Option<Trace> {
        let Some(attribute) =
            element.get("periodicity").filter(|periodicity| periodicity.value.trim() != "-1")
        else {
            return Some(trace);
        };
        let period = self.read(element, "periodicity", value::seconds)?;
        let period = SimDuration::ceil_secs(period);
        let (first, last) = trace.first_and_last()?;
        let after = period.as_nanos().saturating_sub((last - first).as_nanos());
        match trace.repeated(Some(SimDuration::from_nanos(after))) {
            Ok(trace) => Some(trace),
            Err(why) => {
                let label = "expected more than its points take";
                self.report(code::RANGE, why.to_string(), attribute.value_at, label);
                None
            }
        }
    }

    /// The profile of a host or link: that which an attribute names a file of, or that of the file
    /// itself.
    pub(super) fn profile(&mut self, element: &Element, file: &str, kind: &str) -> Option<Trace> {
        if element.get(file).is_some_and(|file| !file.value.is_empty()) {
            return self.in_file(element, file);
        }
        let key = (kind.to_owned(), element.value("id").to_owned());
        self.profiles.of.remove(&key).map(|(trace, _)| trace)
    }

    /// Complains about profiles that no host or link has.
    pub(super) fn left(&mut self) {
        for ((kind, name), (_, at)) in std::mem::take(&mut self.profiles.of) {
            let what = if kind.contains("HOST") || kind == "SPEED" { "host" } else { "link" };
            let what = format!("there is no {what} `{name}`");
            self.report(code::UNKNOWN_NAME, what, at, "no host or link has this profile");
        }
    }

    fn in_file(&mut self, element: &Element, name: &str) -> Option<Trace> {
        let (file, at) = (element.value(name), element.place(name));
        let path = self.sources.root().join(self.sources.from_root(at.source, file));
        let of = if name == "state_file" { TraceOf::States } else { TraceOf::Values };
        let read = read_trace_file(&path, (file, at), |text| read_lines(text, of));
        read.map_err(|complaints| self.complaints.take(complaints)).ok()
    }
}
