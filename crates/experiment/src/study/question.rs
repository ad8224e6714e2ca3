//! The question of a study: the axis along which its points are compared, and in which metrics.
//!
//! The question decides which comparison `study.json` lists first, what the report opens on, and
//! what `compare` prints. It changes no run, so it is no part of the identity of a study: the same
//! runs answer another question. It is checked before the first run.

use serde::{Deserialize, Serialize};

use crate::measure::class;
use crate::registry::{Complaint, code, suggestion};
use crate::scenario::{ALL, Axis, Study, all_among_others, default_axis, unknown_metric};

/// The question of a study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// A key of the axis along which points are compared; `None`: the default axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<String>,
    /// The value of that axis which the others are compared with, as it is labelled, or [`ALL`]:
    /// each is compared with each; `None`: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The metrics they are compared in: the first is primary, the others are judged together;
    /// [`ALL`]: every metric with an aim; none: the headline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// The change that is to be found, as a share; `None`:
    /// [`DETECT`](crate::study::verdict::DETECT).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detect: Option<f64>,
    /// True if it was asked after the runs were made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub afterwards: bool,
}

impl Question {
    /// The question that `study` states itself.
    ///
    /// # Errors
    /// The baseline is no value of the compared axis.
    pub fn stated(study: &Study) -> Result<Self, Complaint> {
        let asked = &study.asked;
        let question = Self::of(study, asked.axis.as_deref(), asked.baseline.as_deref(), &asked.metrics)?;
        Ok(Question { detect: asked.detect, ..question })
    }

    /// The question about `study` along the axis that varies the key `axis`, against `baseline`, in
    /// `metrics`. The default axis and repeated names are left out, so that equal questions are
    /// equal values.
    ///
    /// # Errors
    /// No axis varies the key, the axis has no such value and the study no point of this number, or
    /// a metric is unknown.
    pub fn of(
        study: &Study,
        axis: Option<&str>,
        baseline: Option<&str>,
        metrics: &[String],
    ) -> Result<Self, Complaint> {
        let varied: Vec<&[String]> = study.axes.iter().map(|axis| axis.keys.as_slice()).collect();
        let place = match axis {
            None => None,
            Some(key) => {
                let place = varied.iter().position(|keys| keys.iter().any(|known| known == key));
                Some(place.ok_or_else(|| {
                    let complaint = Complaint::nowhere(code::POINT, format!("no axis varies `{key}`"));
                    complaint.help(suggestion(key, varied.iter().copied().flatten().map(String::as_str)))
                })?)
            }
        };
        let known = study.metrics();
        let is_known = |name: &str| {
            let name = class::metric(name).unwrap_or(name);
            name == ALL || known.iter().any(|metric| metric.name == name)
        };
        if let Some(unknown) = metrics.iter().find(|name| !is_known(name)) {
            return Err(unknown_metric(code::BOUND, unknown, None, &known));
        }
        if metrics.len() > 1 && metrics.iter().any(|name| name == ALL) {
            return Err(all_among_others(None));
        }
        let usual =
            default_axis(study.axes.iter().map(|Axis { keys, labels, .. }| (keys.as_slice(), labels.len())));
        let mut named: Vec<String> = Vec::new();
        for name in metrics {
            if !named.contains(name) {
                named.push(name.clone());
            }
        }
        let value = |asked: &str| match asked {
            ALL => Ok(ALL.to_owned()),
            asked => value_of(study, place.or(usual), asked),
        };
        let baseline = baseline.map(value).transpose()?;
        let axis = place.filter(|place| Some(*place) != usual).and_then(|_| axis.map(ToOwned::to_owned));
        Ok(Question { axis, baseline, metrics: named, ..Question::default() })
    }

    /// The same question with parts that are asked now: a part that is not given stays, and the
    /// baseline only on its own axis.
    ///
    /// # Errors
    /// As those of [`Question::of`].
    pub fn with(
        &self,
        study: &Study,
        axis: Option<&str>,
        baseline: Option<&str>,
        metrics: &[String],
    ) -> Result<Self, Complaint> {
        let own = self.axis.as_deref();
        let is_own = axis.is_none() || Self::of(study, axis, None, &[])?.axis == self.axis;
        let baseline = baseline.or(self.baseline.as_deref().filter(|_| is_own));
        let metrics = if metrics.is_empty() { &self.metrics } else { metrics };
        Self::of(study, axis.or(own), baseline, metrics)
    }

    /// Returns true if nothing was asked: then the defaults are answered.
    pub fn is_default(&self) -> bool {
        *self == Question::default()
    }

    /// The metrics that are asked for, the primary one first; `headline` are those of a study that
    /// names none.
    pub fn asked<'a>(&'a self, headline: &'a [String]) -> &'a [String] {
        match self.metrics.as_slice() {
            [] => headline,
            names if names.iter().any(|name| name == ALL) => &[],
            names => names,
        }
    }
}

/// The label of the value of an axis that `asked` is: the label itself, or the number of a point
/// that has it.
fn value_of(study: &Study, axis: Option<usize>, asked: &str) -> Result<String, Complaint> {
    let place = axis.ok_or_else(|| {
        Complaint::nowhere(code::POINT, format!("no axis has the value `{asked}`, as nothing is varied"))
    })?;
    let labels = &study.axes[place].labels;
    let point = || asked.parse::<usize>().ok().and_then(|number| study.points.get(number));
    let value =
        labels.iter().position(|label| label == asked).or_else(|| point().map(|point| point.at[place]));
    value.map(|value| labels[value].clone()).ok_or_else(|| {
        let keys = study.axes[place].keys.join(", ");
        let message = format!("`{asked}` is no value of `{keys}` and no number of a point");
        Complaint::nowhere(code::POINT, message).help(suggestion(asked, labels.iter().map(String::as_str)))
    })
}
