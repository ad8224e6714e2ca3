//! Jobs drawn from distributions, each feature from one of its own: `[workload] kind =
//! "synthetic"`.

use crate::kernel::rng::{Sampler, Streams};
use crate::registry::{Complaint, Entry, Kind, Params, Quantity, Span, code, keys};
use crate::workload::Job;
use crate::workload::cancellation::PATIENCE;
use crate::workload::dependency::table::DEPENDENCIES;
use crate::workload::moldable::MOLDABLE;
use crate::workload::resources::DEMAND;
use crate::workload::source::{LOAD, Source};

use super::model::{Drawn, ESTIMATES, JOBS, Model, count_of_jobs};
use super::{DrawError, Rigid};

pub(in crate::workload) const SYNTHETIC: Entry<dyn Source> = Entry::new(
    "synthetic",
    "rigid jobs whose arrivals, sizes, run times and estimates are drawn from distributions",
    &keys! {
        ..JOBS;
        "arrivals" Kind::Distribution(Quantity::Duration) => "time from one submission to the next";
        "sizes" Kind::Distribution(Quantity::Count) => "processors a job needs";
        "run-times" Kind::Distribution(Quantity::Duration) => "how long a job runs";
        ..ESTIMATES;
        ..LOAD;
        ..DEMAND;
        ..DEPENDENCIES;
        ..PATIENCE;
        ..MOLDABLE;
    },
    |params| Ok(Box::new(Drawn::read(params, Independent::read(params)?)?)),
);

#[derive(Debug)]
struct Independent {
    rigid: Rigid,
    at_arrivals: Span,
    at_sizes: Span,
}

impl Independent {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let sampler = |name| params.component::<Sampler>(name, "distribution").map(|sampler| *sampler);
        let rigid = Rigid {
            jobs: count_of_jobs(params)?,
            arrivals: sampler("arrivals")?,
            sizes: sampler("sizes")?,
            run_times: sampler("run-times")?,
            estimates: None,
        };
        Ok(Independent { rigid, at_arrivals: params.span("arrivals"), at_sizes: params.span("sizes") })
    }
}

impl Model for Independent {
    const NAME: &'static str = "synthetic";

    fn draw(&self, _: u32, streams: &Streams, procs: u32) -> Result<(Vec<Job>, u64), Complaint> {
        self.rigid.draw_counted(streams, procs).map_err(|error| {
            let span = match error {
                DrawError::TooLarge { .. } => self.at_sizes,
                DrawError::TooLate { .. } => self.at_arrivals,
            };
            Complaint::new(code::CONTRADICTION, error.to_string(), span).label("draws such a value")
        })
    }
}
