//! Pools of the site, and the jobs that can never have what they ask of them.

use tracing::debug;

use crate::batch::pools::Pool;
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::now;
use crate::policy::front_end::{Site, SiteFeature, Submission};

/// Licences of the site.
#[derive(Debug)]
pub(super) struct Licences {
    pools: Vec<Pool>,
    /// Pool of which a job asks for more than there is, and how much it asks for.
    never: OrderedMap<JobId, (usize, u32)>,
}

impl Licences {
    pub(super) fn new(pools: Vec<Pool>) -> Self {
        let mut never = OrderedMap::new();
        for (place, pool) in pools.iter().enumerate() {
            for &(job, amount) in pool.asked.iter().filter(|(_, amount)| *amount > pool.count) {
                never.entry(job).or_insert((place, amount));
            }
        }
        Licences { pools, never }
    }
}

impl SiteFeature for Licences {
    fn pools(&self) -> Vec<Pool> {
        self.pools.clone()
    }

    fn submitted(&mut self, site: &mut Site<'_>, job: JobId) -> Submission {
        let Some(&(place, asked)) = self.never.get(&job) else { return Submission::Considered };
        let Pool { name, count, .. } = &self.pools[place];
        let why = match count {
            0 => format!("it asks for {asked} of pool `{name}`, which the site has not"),
            count => format!("it asks for {asked} of pool `{name}`, of which there are {count}"),
        };
        debug!(at = now().as_secs_f64(), job = site.number(job), "rejected: {why}");
        if let Some(mut explanation) = site.explains(job) {
            explanation.refuse(why);
        }
        Submission::Rejected(Reason::NoSuchPool)
    }
}
