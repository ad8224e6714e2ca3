//! A queue that carries nothing but what is simulated.

use crate::queue::{LoadedModel, QueueModel};
use crate::registry::{Complaint, Entry, entry};
use crate::station::Rate;

pub(super) const ENTRY: Entry<dyn QueueModel> =
    entry!("ideal" => "nothing but what clients, servers and monitors send is in the queue", builds Ideal);

#[derive(Clone, Copy, Debug)]
struct Ideal;

impl QueueModel for Ideal {
    fn load(&self, bandwidth: Option<f64>) -> Result<LoadedModel, Vec<Complaint>> {
        let capacity = bandwidth.unwrap_or(f64::INFINITY);
        Ok(LoadedModel { rate: Rate::Constant(capacity), others: None, nominal: capacity, series: None })
    }
}
