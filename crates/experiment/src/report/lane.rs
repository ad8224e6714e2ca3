//! The explanation of a lane: what a processor, host, link, server or queue did from the beginning
//! of the run to its end.
//!
//! It is read off the timeline of the run ([`LaneSource`]), whatever the system, so that the
//! Perfetto file and the explanation say one thing. A name means the lane of that name and its
//! parts: of a host the lanes of its cores (`h core 0`), of a lane on which spans overlap the
//! further ones (`link a (2)`). Spans of one lane that overlap share what it is; the sums count
//! each of them.

use serde_json::{Map, Value as Json, json};

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::output::number::lasting;
use crate::output::{ExplainedSpan, Explanation, LaneCause, LaneSource, Paragraph};
use crate::scenario::Results;

use super::lane_spans::LaneSpans;

/// The cause of a span in which nothing is done.
const IDLE: &str = "idle";

/// A span of an activity, with its cause.
struct Done {
    from: SimTime,
    to: SimTime,
    cause: &'static str,
    name: String,
}

/// The spans of lanes that a name means, by the names of the lanes; and the end of the timeline.
fn done_by(source: &dyn LaneSource, asked: &str) -> (OrderedMap<String, Vec<Done>>, SimTime) {
    let is_meant =
        |name: &str| name.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let all = LaneSpans::of(source, &is_meant);
    let mut done: OrderedMap<String, Vec<Done>> =
        all.names.iter().map(|name| (name.clone(), Vec::new())).collect();
    for span in &all.spans {
        let one = Done { from: span.from, to: span.to, cause: span.cause, name: all.name(span).to_owned() };
        done.entry(all.names[span.lane].clone()).or_default().push(one);
    }
    if done.is_empty() {
        // a lane that does nothing has none in the timeline
        done.insert(asked.to_owned(), Vec::new());
    }
    (done, all.last)
}

/// The explanation that a run was asked for, as [`Ready::explain`] took it: of a lane by its name,
/// or else of a subject.
///
/// [`Ready::explain`]: crate::scenario::Ready::explain
pub fn asked(over: &dyn Results, lane: Option<&str>) -> Option<Explanation> {
    let Some(lane) = lane else { return over.explanation() };
    Some(explanation(&*over.explained_lanes()?, lane, over.figures().ended))
}

/// The explanation of the lane `asked` of a run that ended at an instant, if that is stated.
pub fn explanation(source: &dyn LaneSource, asked: &str, ended: Option<SimTime>) -> Explanation {
    let (done, last) = done_by(source, asked);
    let until = ended.map_or(last, |ended| ended.max(last));
    let several = done.len() > 1;
    let mut sums = Sums::of(source.lanes().causes);
    let mut spans = Vec::new();
    for (name, mut all) in done {
        all.stable_sort_by_key(|span| (span.from, span.to));
        let mut busy = SimTime::ZERO;
        for span in all {
            sums.idle(&mut spans, &name, (busy, span.from));
            busy = busy.max(span.to);
            sums.add(&span);
            spans.push((name.clone(), span));
        }
        sums.idle(&mut spans, &name, (busy, until));
    }
    let mut members = Map::new();
    members.insert("lane".to_owned(), json!(asked));
    members.insert("seconds".to_owned(), sums.to_json());
    let mut paragraphs = vec![Paragraph { text: sums.text(), span: None }];
    paragraphs.extend(spans.into_iter().map(|(lane, span)| paragraph(&lane, several, span)));
    Explanation { title: format!("`{asked}`"), members, paragraphs }
}

fn paragraph(lane: &str, several: bool, span: Done) -> Paragraph {
    let Done { from, to, cause, name } = span;
    let said = match (cause, name.contains(cause)) {
        (IDLE, _) => "nothing".to_owned(),
        (_, true) => format!("`{name}`"),
        (_, false) => format!("{cause} `{name}`"),
    };
    let mut members = Map::new();
    members.insert("lane".to_owned(), json!(lane));
    members.insert("cause".to_owned(), json!(cause));
    members.insert("name".to_owned(), if cause == IDLE { Json::Null } else { json!(name) });
    Paragraph {
        text: if several { format!("{lane}: {said}") } else { said },
        span: Some(ExplainedSpan { from, to, members, points_are: ("", "points"), points: Vec::new() }),
    }
}

/// Nanoseconds by cause, the last of them idle.
struct Sums(Vec<(&'static str, u64)>);

impl Sums {
    fn of(causes: &[LaneCause]) -> Self {
        let others = causes.iter().map(|(cause, _)| *cause).filter(|cause| *cause != IDLE);
        Sums(others.chain([IDLE]).map(|cause| (cause, 0)).collect())
    }

    fn add(&mut self, span: &Done) {
        let sum = self.0.iter_mut().find(|(cause, _)| *cause == span.cause);
        let (_, sum) = sum.unwrap_or_else(|| panic!("`{}` is no cause of these lanes", span.cause));
        *sum = sum.saturating_add(span.to.since(span.from).as_nanos());
    }

    /// Adds a span without work, if there is one between these instants.
    fn idle(&mut self, spans: &mut Vec<(String, Done)>, lane: &str, (from, to): (SimTime, SimTime)) {
        if from < to {
            let span = Done { from, to, cause: IDLE, name: String::new() };
            self.add(&span);
            spans.push((lane.to_owned(), span));
        }
    }

    fn text(&self) -> String {
        let parts = self.0.iter().filter(|(_, nanos)| *nanos > 0);
        let parts: Vec<String> = parts
            .map(|(cause, nanos)| format!("{cause} {}", lasting(SimDuration::from_nanos(*nanos))))
            .collect();
        parts.join(", ")
    }

    fn to_json(&self) -> Json {
        let seconds = |nanos: u64| json!(SimDuration::from_nanos(nanos).as_secs_f64());
        Json::Object(self.0.iter().map(|(cause, nanos)| ((*cause).to_owned(), seconds(*nanos))).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::output::{LaneSink, Lanes, NamedSpan, push_spans};

    const CAUSES: &[LaneCause] = &[("computes", "a task"), ("lost", "a task that was lost")];

    struct Cores(Vec<NamedSpan<'static>>);

    impl LaneSource for Cores {
        fn lanes(&self) -> Lanes {
            Lanes { title: "cores", number: 1, counters: &[], causes: CAUSES }
        }

        fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
            push_spans(&["h core 0".to_owned(), "h core 1".to_owned(), "h2".to_owned()], &self.0, sink)
        }
    }

    fn at(seconds: u64) -> SimTime {
        SimTime::from_nanos(seconds * 1_000_000_000)
    }

    fn explained(asked: &str) -> Explanation {
        let span =
            |lane, name, cause, start, end| NamedSpan { lane, name, cause, start: at(start), end: at(end) };
        let spans = vec![
            span(0, "a", "computes", 2, 5),
            span(1, "b", "lost", 0, 4),
            span(2, "c", "computes", 0, 3),
            span(2, "d", "computes", 1, 4),
        ];
        explanation(&Cores(spans), asked, Some(at(10)))
    }

    #[test]
    fn a_host_is_its_cores_and_what_they_do_not_do_is_idle() {
        let found = explained("h");
        let seconds = json!({ "computes": 3.0, "lost": 4.0, "idle": 13.0 });
        assert_eq!(found.members["seconds"], seconds);
        let texts: Vec<&str> = found.paragraphs.iter().map(|paragraph| &*paragraph.text).collect();
        let expected = [
            "computes 3 s, lost 4 s, idle 13 s",
            "h core 0: nothing",
            "h core 0: computes `a`",
            "h core 0: nothing",
            "h core 1: lost `b`",
            "h core 1: nothing",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn spans_that_overlap_are_of_one_lane() {
        let found = explained("h2");
        assert_eq!(found.members["seconds"], json!({ "computes": 6.0, "lost": 0.0, "idle": 6.0 }));
        let spans = found.paragraphs.iter().filter_map(|paragraph| paragraph.span.as_ref());
        let spans: Vec<_> = spans.map(|span| (span.from, span.to)).collect();
        assert_eq!(spans, [(at(0), at(3)), (at(1), at(4)), (at(4), at(10))]);
        assert_eq!(explained("h core 7").members["seconds"]["idle"], 10.0);
    }
}
