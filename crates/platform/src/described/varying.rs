//! Values of hosts and links that may be drawn again and again, and whether they work.

use crate::kernel::SimDuration;
use crate::kernel::rng::{Sampler, Streams};
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Quantity, code, keys};
use crate::sharing::MOST;
use crate::{Load, Trace, Varying, in_and_out_of_service};

use super::description::TableReader;
use super::traces::trace;

/// Bounds of shares and of bandwidths that are drawn.
pub(super) const SHARES: [f64; 2] = [Varying::LEAST[0], 1.0];
pub(super) const RATES: [f64; 2] = [Varying::LEAST[1], MOST];

/// With a distribution: how often it is drawn from.
pub(super) const EVERY: [Key; 1] = keys! {
    "every" Kind::Duration(Bounds::Positive), absent "it stays as it is drawn at the start" =>
        "after how long it is drawn again, from the start of the run on; 1 ms or more";
};

const SERVICE: &[Key] = &keys! {
    "up" Kind::Distribution(Quantity::Duration) => "how long it works until it fails";
    "down" Kind::Distribution(Quantity::Duration) => "how long it is away once it has failed";
};

/// Failures by law.
pub(super) const FAILURES: Key = Key::new("failures", Kind::Table(SERVICE))
    .absent("as `state-trace` says")
    .about("how long it works, and how long it is away, drawn again and again");

impl TableReader<'_> {
    /// The law of a value that may be drawn again and again within bounds, if the key is written.
    ///
    /// # Errors
    /// What the distribution objects to, an interval that is too short, and a constant beyond the
    /// bounds.
    pub(super) fn varying(
        &mut self,
        table: &Params<'_>,
        key: &str,
        bounds: [f64; 2],
    ) -> Result<Option<Varying>, Complaint> {
        if !table.has(key) {
            return Ok(None);
        }
        let law: Sampler = self.law(table, key)?;
        let value = table.section(key);
        if value.read::<String>("kind")? == "constant" && value.read::<f64>("value")? > bounds[1] {
            let message = format!("`{key}` is above {}", bounds[1]);
            return Err(Complaint::new(code::RANGE, message, table.span(key)).label("expected less"));
        }
        let every: Option<SimDuration> = value.read("every")?;
        if every.is_some_and(|every| every < Load::SHORTEST) {
            let complaint = Complaint::new(code::RANGE, "a value is drawn too often", value.span("every"));
            return Err(complaint.label("expected 1 ms or more"));
        }
        Ok(Some(Varying::new(law, every, bounds)))
    }

    /// Returns true if something works over time: by its trace, or as it is drawn for it.
    ///
    /// # Errors
    /// What is wrong with the trace or the distributions, and both at once.
    pub(super) fn working(
        &mut self,
        table: &Params<'_>,
    ) -> Result<impl Fn(&Streams, u32, &str) -> Trace + use<>, Vec<Complaint>> {
        let given = trace(table, "state-trace")?;
        let drawn = if table.has("failures") {
            if given.is_some() {
                let complaint = table.complaint("failures", "whether it works is given twice");
                return Err(complaint.note("and here", Some(table.span("state-trace"))).into());
            }
            let section = table.section("failures");
            Some([self.law(&section, "up")?, self.law(&section, "down")?])
        } else {
            None
        };
        Ok(move |streams: &Streams, number, name: &str| match (&given, &drawn) {
            (Some(trace), _) => trace.of(number),
            (None, Some([up, down])) => {
                let mut stream = streams.stream(&format!("platform/failures/{name}"));
                in_and_out_of_service(up, down, &mut stream)
            }
            (None, None) => Trace::constant(1.0),
        })
    }
}
