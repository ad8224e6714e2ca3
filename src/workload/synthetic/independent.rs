//! Jobs drawn from distributions, each feature from one of its own: `[workload] kind = "synthetic"`.

use std::path::Path;

use tracing::info;

use crate::kernel::rng::Sampler;
use crate::registry::code;
use crate::registry::{Complaint, Entry, Key, Kind, Params, Quantity, Span};
use crate::workload::cancellation::PATIENCE;
use crate::workload::dependency::table::DEPENDENCIES;
use crate::workload::load;
use crate::workload::moldable::MOLDABLE;
use crate::workload::resources::DEMAND;
use crate::workload::source::{LOAD, Loaded, Request, Source};

use super::model::{ESTIMATES, JOBS, count_of_jobs, drawn_jobs, processors};
use super::{DrawError, Rigid};

const fn drawn(name: &'static str, of: Quantity, about: &'static str) -> Key {
    Key::new(name, Kind::Distribution(of)).about(about)
}

pub(in crate::workload) const SYNTHETIC: Entry<dyn Source> = Entry {
    name: "synthetic",
    about: "rigid jobs whose arrivals, sizes, run times and estimates are drawn from distributions",
    source: "",
    keys: &[
        JOBS,
        drawn("arrivals", Quantity::Duration, "time from one submission to the next"),
        drawn("sizes", Quantity::Count, "processors a job needs"),
        drawn("run-times", Quantity::Duration, "how long a job runs"),
        ESTIMATES,
        LOAD,
        DEMAND,
        DEPENDENCIES,
        PATIENCE,
        MOLDABLE,
    ],
    build: |params| Ok(Box::new(Synthetic::read(params)?)),
};

#[derive(Debug)]
struct Synthetic {
    rigid: Rigid,
    load: Option<f64>,
    at_arrivals: Span,
    at_sizes: Span,
    at_load: Span,
    at_table: Span,
}

impl Synthetic {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let sampler = |name| params.component::<Sampler>(name, "distribution").map(|sampler| *sampler);
        Ok(Synthetic {
            rigid: Rigid {
                jobs: count_of_jobs(params)?,
                arrivals: sampler("arrivals")?,
                sizes: sampler("sizes")?,
                run_times: sampler("run-times")?,
                estimates: Some(sampler("estimates")?),
            },
            load: params.read("load")?,
            at_arrivals: params.span("arrivals"),
            at_sizes: params.span("sizes"),
            at_load: params.span("load"),
            at_table: params.span("kind"),
        })
    }

    fn jobs(&self, request: &Request) -> Result<Loaded, Complaint> {
        let procs = processors(request, self.at_table)?;
        let told = |message: String, span| Complaint::new(code::CONTRADICTION, message, span);
        let (mut jobs, taken) = self.rigid.draw_counted(&request.streams, procs).map_err(|error| {
            let span = match error {
                DrawError::TooLarge { .. } => self.at_sizes,
                DrawError::TooLate { .. } => self.at_arrivals,
            };
            told(error.to_string(), span).label("draws such a value")
        })?;
        if let Some(load) = self.load {
            load::scale(&mut jobs, procs, load).map_err(|error| told(error.to_string(), self.at_load))?;
        }
        info!(jobs = jobs.len(), "workload drawn");
        Ok(drawn_jobs("synthetic", jobs, procs, taken))
    }
}

impl Source for Synthetic {
    fn load(&self, request: &Request) -> Result<Loaded, Vec<Complaint>> {
        self.jobs(request).map_err(|complaint| vec![complaint])
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        Vec::new()
    }
}
