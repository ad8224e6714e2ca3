//! From the lines of a trace to its jobs, and to every mistake in them.

use std::io::Read;
use std::sync::Arc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::{
    Complaint, Excerpt, Node, Params, Registry, SourceId, Sources, Span, Value, check, code,
};
use crate::text::{Broken, Lines, Mistakes, Place};
use crate::workload::Job;

use super::super::application::{Application, Applications};
use super::job::{self, TraceJob};
use super::{Mistake, Trace, Unreadable, json};

/// Reads a trace, plain or gzip. `registry` has the tables `distribution` and `pattern`; jobs of
/// more tasks than `procs` are refused. `file` is what mistakes call it.
///
/// # Errors
/// Everything that is wrong with it; any bytes give a trace or an error, never a panic.
///
/// # Complexity
/// One pass over the text; memory for what the jobs do and one line.
pub fn read(
    reader: impl Read,
    file: &str,
    registry: &Registry,
    procs: Option<u32>,
) -> Result<Trace, Unreadable> {
    let broken = |broken: Broken| Unreadable::File(broken.into());
    let mut lines = Lines::new(reader).map_err(broken)?;
    let mut sources = Sources::new("");
    let source = sources.add(file, "", "");
    let mut reading = Reading {
        registry,
        sources: &sources,
        source,
        procs,
        line: 0,
        place: 0,
        jobs: Vec::new(),
        classes: OrderedMap::new(),
        numbers: OrderedSet::new(),
        mistakes: Mistakes::new(),
    };
    while let Some(block) = lines.next_block().map_err(broken)? {
        block.split_inclusive(|&byte| byte == b'\n').for_each(|line| reading.line(line));
    }
    reading.finish()
}

/// A trace while it is read.
struct Reading<'a> {
    registry: &'a Registry,
    sources: &'a Sources,
    source: SourceId,
    procs: Option<u32>,
    /// Lines so far.
    line: u64,
    /// Lines so far that are not blank: jobs, whether they were refused or not.
    place: u64,
    jobs: Vec<(Job, Arc<Application>)>,
    classes: OrderedMap<String, u16>,
    numbers: OrderedSet<u64>,
    mistakes: Mistakes<Mistake>,
}

impl Reading<'_> {
    fn line(&mut self, bytes: &[u8]) {
        self.line += 1;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        self.place += 1;
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_end_matches(['\n', '\r']),
            Err(error) => {
                let text = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
                let span = Span::new(self.source, text.len()..text.len());
                let complaint = Complaint::new(code::NOT_JSON, "the line is no text in UTF-8", span);
                return self.mistaken(&text, vec![complaint.label("up to here")]);
            }
        };
        let mut complaints = Vec::new();
        let Some(written) = json::parse(text, self.source, &mut complaints) else {
            return self.mistaken(text, complaints);
        };
        let Value::Table(tree) = &written.value else {
            let message = format!("a job is an object, not {}", written.type_name());
            let complaint = Complaint::new(code::TYPE, message, written.span).label("expected { … }");
            return self.mistaken(text, vec![complaint]);
        };
        let checked = check(self.registry, self.sources, &written, job::keys(tree), &mut complaints);
        match checked {
            Some(checked) if complaints.is_empty() => match self.job(&checked) {
                Ok(job) => self.take(text, job),
                Err(complaints) => self.mistaken(text, complaints),
            },
            _ => self.mistaken(text, complaints),
        }
    }

    fn job(&self, checked: &Node) -> Result<TraceJob, Vec<Complaint>> {
        job::job(&Params::new(self.registry, self.sources, checked), self.place)
    }

    fn take(&mut self, text: &str, job: TraceJob) {
        let TraceJob { job, mut application, class, at_tasks, at_number } = job;
        let mut complaints = Vec::new();
        if let Some(procs) = self.procs.filter(|&procs| job.procs > procs) {
            let message = format!("the job has {} tasks, but the machine has {procs} processors", job.procs);
            complaints.push(Complaint::new(code::CONTRADICTION, message, at_tasks).label("too many"));
        }
        if !self.numbers.insert(job.number) {
            let message = format!("two jobs have the number {}", job.number);
            complaints.push(Complaint::new(code::CONTRADICTION, message, at_number).label("the second"));
        }
        let known = self.classes.len();
        if known > usize::from(u16::MAX) && !self.classes.contains_key(&class) {
            let message = format!("there are more than {known} classes");
            complaints.push(Complaint::new(code::RANGE, message, at_tasks).label("in this job"));
        }
        if self.jobs.len() >= u32::MAX as usize {
            let message = format!("there are more than {} jobs", u32::MAX);
            complaints.push(Complaint::new(code::RANGE, message, at_tasks).label("from here on"));
        }
        if !complaints.is_empty() {
            return self.mistaken(text, complaints);
        }
        application.class = *self.classes.entry(class).or_insert(known as u16);
        self.jobs.push((job, Arc::new(application)));
    }

    fn mistaken(&mut self, text: &str, mut complaints: Vec<Complaint>) {
        complaints.sort_by_key(|complaint| complaint.span);
        for complaint in complaints {
            let range = complaint.span.map_or(0..0, Span::range);
            let place = Place::new(self.line, text.as_bytes(), range.start, range.len());
            let excerpt = Excerpt::at(place, self.sources.name(self.source));
            self.mistakes.push(Mistake { complaint, excerpt });
        }
    }

    fn finish(mut self) -> Result<Trace, Unreadable> {
        if !self.mistakes.is_empty() {
            return Err(Unreadable::Lines(self.mistakes));
        }
        if self.jobs.is_empty() {
            return Err(Unreadable::NoJobs);
        }
        self.jobs.sort_by_key(|(job, _)| job.submit_time);
        let (jobs, of) = self.jobs.into_iter().unzip();
        let mut classes = vec![String::new(); self.classes.len()];
        for (name, number) in self.classes {
            classes[usize::from(number)] = name;
        }
        Ok(Trace { jobs, applications: Applications { classes, of } })
    }
}
