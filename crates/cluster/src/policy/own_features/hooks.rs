//! The features of another crate as one feature of the site.

use std::cell::RefCell;
use std::iter;
use std::rc::Rc;

use tracing::debug;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::instrument::{FeatureAct, FeatureCell, OwnCells, Reason};
use crate::kernel::{fail, now};
use crate::measure::family;
use crate::measure::metric::{Metric, Value};
use crate::output::Column;
use crate::policy::front_end::{FrontEnd, Run, Site, SiteFeature, Submission};
use crate::scenario::{own_columns, own_name};

use super::access::Known;
use super::passing::{Passage, Passages};
use super::{FeatureAccess, FeatureRun, FeatureSite, FeatureVerdict, OwnFeature};

/// Features of another crate, in order.
#[derive(Debug)]
struct OwnFeatures {
    all: Vec<(Known, Box<dyn OwnFeature>)>,
    /// Places in the order in which they are asked whether they let a job in: those that take jobs
    /// over are the last, so that a job that is handed back has been let in by all others.
    turns: Vec<usize>,
    passages: Rc<RefCell<Passages>>,
}

/// The feature, if the site has any of another crate.
pub(in crate::policy) fn feature(all: Vec<Box<dyn OwnFeature>>) -> Option<Box<dyn SiteFeature>> {
    if all.is_empty() {
        return None;
    }
    let passages: Rc<RefCell<Passages>> = Rc::default();
    let known = |(place, feature): (usize, Box<dyn OwnFeature>)| {
        (Known { place, name: feature.name(), passages: Rc::clone(&passages) }, feature)
    };
    let all: Vec<(Known, Box<dyn OwnFeature>)> = all.into_iter().enumerate().map(known).collect();
    let mut turns: Vec<usize> = (0..all.len()).collect();
    turns.sort_by_key(|&place| all[place].1.takes_over());
    Some(Box::new(OwnFeatures { all, turns, passages }))
}

/// The features with the names that they have in results: the second of a name has its number.
fn named<'a>(
    all: impl Iterator<Item = &'a dyn OwnFeature>,
) -> impl Iterator<Item = (String, &'a dyn OwnFeature)> {
    let mut seen: OrderedMap<&str, u32> = OrderedMap::new();
    all.map(move |feature| {
        let count = seen.entry(feature.name()).or_default();
        *count += 1;
        let own = match *count {
            1 => feature.name().to_owned(),
            further => format!("{}-{further}", feature.name()),
        };
        (own, feature)
    })
}

/// The metrics of features with the names that they have in results: with their values, at the end
/// of a run.
pub(crate) fn metrics_of<'a>(all: impl Iterator<Item = &'a dyn OwnFeature>, ended: bool) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for (own, feature) in named(all) {
        let values = if ended { feature.values() } else { Vec::new() };
        let values = values.into_iter().chain(iter::repeat(Value::Nothing));
        let named = |metric: Metric| Metric { name: own_name(&own, &metric.name), ..metric };
        metrics.extend(family::metrics_of(feature.families(), values).into_iter().map(named));
    }
    metrics
}

impl OwnFeatures {
    /// Calls a hook of each feature, in order.
    fn each(&mut self, site: &mut Site<'_>, mut hook: impl FnMut(&mut dyn OwnFeature, &mut FeatureSite<'_>)) {
        for (known, feature) in &mut self.all {
            hook(&mut **feature, &mut FeatureSite { site: site.reborrowed(), known });
        }
        self.explain(site);
    }

    /// Reports what holds the job that is asked about, if a feature does.
    fn explain(&self, site: &Site<'_>) {
        let Some(mut explanation) = site.explanation() else { return };
        let job = explanation.job();
        if let Some((by, _)) = self.passages.borrow().of(job).held {
            explanation.note(WaitCause::Feature(self.all[by].1.holding(job)), now());
        }
    }

    /// A job that a feature took over is another's concern: the first holds it no longer.
    fn goes_on(site: &mut Site<'_>, passage: &mut Passage) {
        let held = passage.due.as_mut().and_then(|(_, held)| held.take());
        held.into_iter().for_each(|held| site.record_mut().steps_mut().close(held, now()));
    }

    /// A feature rejects a job that comes to it.
    fn rejected(site: &mut Site<'_>, known: &Known, job: JobId) {
        debug!(at = now().as_secs_f64(), job = site.number(job), by = known.name, "rejected");
        site.record_mut().steps_mut().add(known.step(job, FeatureAct::Rejected));
    }
}

impl SiteFeature for OwnFeatures {
    fn begins(&mut self, front: &FrontEnd) {
        front.with_site(|site| {
            site.record_mut().steps_mut();
        });
        for (known, feature) in &mut self.all {
            feature.begins(&FeatureAccess::new(known.clone(), front));
        }
    }

    fn gates(&self) -> bool {
        true
    }

    fn submitted(&mut self, site: &mut Site<'_>, job: JobId) -> Submission {
        self.each(site, |feature, site| feature.submitted(site, job));
        Submission::Considered
    }

    fn lets_in(&mut self, site: &mut Site<'_>, job: JobId) -> Submission {
        let mut passage = self.passages.borrow().of(job);
        for (turn, &place) in self.turns.iter().enumerate().skip(passage.next) {
            let (known, feature) = &mut self.all[place];
            let own = &mut FeatureSite { site: site.reborrowed(), known };
            let verdict =
                if passage.again { feature.waits_again(own, job) } else { feature.considers(own, job) };
            match verdict {
                FeatureVerdict::LetIn => {}
                FeatureVerdict::Hold => {
                    Self::goes_on(site, &mut passage);
                    let place = site.record_mut().steps_mut().add(known.step(job, FeatureAct::Held));
                    let held = Some((known.place, place));
                    self.passages.borrow_mut().put(job, Passage { next: turn, held, ..passage });
                    self.explain(site);
                    return Submission::Held;
                }
                FeatureVerdict::TakeOver => {
                    if !feature.takes_over() {
                        let (name, number) = (known.name, site.number(job));
                        fail(format!(
                            "feature `{name}` takes job {number} over, and says that it takes none"
                        ));
                    }
                    Self::goes_on(site, &mut passage);
                    self.passages.borrow().takes_over(&mut passage, known.place, None);
                }
                FeatureVerdict::Reject(reason) => {
                    Self::rejected(site, known, job);
                    return Submission::Rejected(Reason::Own(reason));
                }
            }
        }
        if passage.due.is_some() {
            // features that have let it in are not asked again
            passage.next = self.turns.len();
            self.passages.borrow_mut().put(job, passage);
        } else {
            self.passages.borrow_mut().remove(job);
        }
        Submission::Considered
    }

    fn hastens(&self) -> bool {
        self.all.iter().any(|(_, feature)| feature.takes_over())
    }

    fn is_due(&self, job: JobId) -> bool {
        self.passages.borrow().of(job).due.is_some()
    }

    fn handed_back(&mut self, site: &mut Site<'_>, job: JobId) {
        let mut passage = self.passages.borrow().of(job);
        let Some((by, held)) = passage.due.take() else { return };
        let Some((known, feature)) = self.all.get_mut(by) else { return };
        let mut hold = || site.record_mut().steps_mut().add(known.step(job, FeatureAct::Held));
        passage.held = Some((by, held.unwrap_or_else(&mut hold)));
        self.passages.borrow_mut().put(job, passage);
        feature.not_started(&mut FeatureSite { site: site.reborrowed(), known }, job);
        self.explain(site);
    }

    fn run(&mut self, site: &mut Site<'_>, run: &mut Run) {
        let due = self.passages.borrow().of(run.id).due;
        if let Some((by, held)) = due {
            self.passages.borrow_mut().remove(run.id);
            let steps = site.record_mut().steps_mut();
            held.into_iter().for_each(|held| steps.close(held, now()));
            steps.add(self.all[by].0.step(run.id, FeatureAct::Started));
        }
        for (known, feature) in &mut self.all {
            feature.starts(&mut FeatureRun { run, number: known.number() });
        }
    }

    fn waits_again(&mut self, site: &mut Site<'_>, job: JobId) {
        self.passages.borrow_mut().put(job, Passage { again: true, ..Passage::default() });
        self.each(site, |feature, site| feature.interrupted(site, job));
    }

    fn capacity_changed(&mut self, site: &mut Site<'_>) {
        self.each(site, |feature, site| feature.capacity_changed(site));
    }

    fn left(&mut self, site: &mut Site<'_>, job: JobId) {
        let passage = self.passages.borrow_mut().leaves(job);
        let held = passage.held.map(|(_, place)| place).or(passage.due.and_then(|(_, held)| held));
        if let Some(place) = held {
            site.record_mut().steps_mut().close(place, now());
        }
        if let Some(by) = site.take_ended_by(job) {
            let (known, _) = &self.all[by as usize - 1];
            site.record_mut().steps_mut().add(known.step(job, FeatureAct::Ended));
        }
        self.each(site, |feature, site| feature.left(site, job));
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics_of(self.all.iter().map(|(_, feature)| &**feature), true)
    }

    fn cells(&self, jobs: u32) -> Result<Option<OwnCells>, String> {
        let with_columns = |one: &(String, &dyn OwnFeature)| !one.1.columns().is_empty();
        let all: Vec<(String, &dyn OwnFeature)> =
            named(self.all.iter().map(|(_, feature)| &**feature)).filter(with_columns).collect();
        let columns: Vec<Column> =
            all.iter().flat_map(|(own, feature)| own_columns(own, feature.columns())).collect();
        if columns.is_empty() {
            return Ok(None);
        }
        let of =
            |job: JobId| all.iter().map(move |(own, feature)| (own, feature.columns(), feature.cells(job)));
        let mut cells = Vec::new();
        for job in (0..jobs).map(JobId) {
            let mut row = Vec::with_capacity(columns.len());
            for (own, columns, mut cells) in of(job) {
                if cells.len() > columns.len() {
                    return Err(format!(
                        "feature `{own}` has {} cells for {} columns",
                        cells.len(),
                        columns.len()
                    ));
                }
                cells.resize(columns.len(), FeatureCell::Empty);
                row.append(&mut cells);
            }
            cells.push(row);
        }
        OwnCells::new(columns, cells).map(Some)
    }
}
