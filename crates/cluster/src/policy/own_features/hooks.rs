//! The features of another crate as one feature of the site.

use std::cell::RefCell;
use std::iter;
use std::rc::Rc;

use tracing::debug;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::instrument::{FeatureAct, Reason};
use crate::kernel::now;
use crate::measure::family;
use crate::measure::metric::{Metric, Value};
use crate::policy::front_end::{FrontEnd, Run, Site, SiteFeature, Submission};

use super::access::Known;
use super::passing::{Passage, Passages};
use super::{FeatureAccess, FeatureRun, FeatureSite, FeatureVerdict, OwnFeature};

/// Features of another crate, in order.
#[derive(Debug)]
struct OwnFeatures {
    all: Vec<(Known, Box<dyn OwnFeature>)>,
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
    let all = all.into_iter().enumerate().map(known).collect();
    Some(Box::new(OwnFeatures { all, passages }))
}

/// The metrics of features with the names that they have in results: with their values, at the end
/// of a run.
pub(crate) fn metrics_of<'a>(all: impl Iterator<Item = &'a dyn OwnFeature>, ended: bool) -> Vec<Metric> {
    let (mut metrics, mut seen): (Vec<Metric>, OrderedMap<&str, u32>) = (Vec::new(), OrderedMap::new());
    for feature in all {
        let count = seen.entry(feature.name()).or_default();
        *count += 1;
        let own = match *count {
            1 => feature.name().to_owned(),
            further => format!("{}-{further}", feature.name()),
        };
        let values = if ended { feature.values() } else { Vec::new() };
        let values = values.into_iter().chain(iter::repeat(Value::Nothing));
        let named = |metric: Metric| Metric { name: format!("{own}.{}", metric.name), ..metric };
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
        let Passage { next, again, .. } = self.passages.borrow().of(job);
        for (known, feature) in self.all.iter_mut().skip(next) {
            let own = &mut FeatureSite { site: site.reborrowed(), known };
            let verdict = if again { feature.waits_again(own, job) } else { feature.considers(own, job) };
            match verdict {
                FeatureVerdict::LetIn => {}
                FeatureVerdict::Hold => {
                    let place = site.record_mut().steps_mut().add(known.step(job, FeatureAct::Held));
                    let passage = Passage { next: known.place, again, held: Some((known.place, place)) };
                    self.passages.borrow_mut().put(job, passage);
                    self.explain(site);
                    return Submission::Held;
                }
                FeatureVerdict::Reject(reason) => {
                    Self::rejected(site, known, job);
                    return Submission::Rejected(Reason::Own(reason));
                }
            }
        }
        self.passages.borrow_mut().remove(job);
        Submission::Considered
    }

    fn run(&mut self, run: &mut Run) {
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
        if let Some((_, place)) = self.passages.borrow_mut().remove(job).held {
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
}
