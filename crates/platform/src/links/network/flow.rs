//! The flow model: transfers as flows that share the bandwidth of their links.
//!
//! A transfer waits for the latency of its route and then has the rate that weighted max-min gives
//! it, until all of it has been carried; the rules are those of [`Flows`], the corrections those of
//! [`Model`]. `corrections = "lv08"` sets five keys at once, to what was fitted to TCP; each of
//! them may still be written, and then holds.
//!
//! Sources: as at [`Model`].

use crate::Platform;
use crate::links::{Flows, Model};
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, code, keys};
use crate::sharing::OutOfRange;
use crate::units::Bytes;

use super::links_in_use::LinksInUse;
use super::{Carrier, Transport};

pub(super) const ENTRY: Entry<dyn Transport> = Entry::published(
    "flow",
    "flows share their links by weighted max-min, after the latency of their route",
    "Casanova and Marchal, RR2002-40, LIP, ENS Lyon, 2002",
    &CORRECTIONS,
    |params| Ok(Box::new(Flow::read(params)?)),
);

const AS_CORRECTED: &str = "what `corrections` says";
const FITTED: &str = "Velho and Legrand, SIMUTools 2009";

/// The keys that [`Flow::read`] reads: what is made of latencies and bandwidths.
pub const CORRECTIONS: [Key; 7] = keys! {
    "corrections" Kind::Choice(&[
        ("none", "latencies and bandwidths as they are written"),
        ("lv08", "as fitted to TCP: factors 13.01 and 0.97, weight size 20537 B, acknowledgements of 5 %, \
                  a window of 4 MiB"),
    ]), or "none" => "what the other keys are when they are not written", source FITTED;
    "latency-factor" Kind::Number(Bounds::NotNegative), absent AS_CORRECTED =>
        "a flow waits this many times the latency of its route";
    "bandwidth-factor" Kind::Number(Bounds::Positive), absent AS_CORRECTED =>
        "links carry this share of their bandwidth";
    "weight-size" Kind::Bytes, absent AS_CORRECTED =>
        "for weights: size that, over its bandwidth, each link adds to the round-trip time", source FITTED;
    "cross-traffic" Kind::Share(Bounds::Within(0.0, 1.0)), absent AS_CORRECTED =>
        "what acknowledgements take of the route back, of the flow's rate; 0, or from 0.01 on",
        source "Velho et al., ACM TOMACS 23(4), 2013";
    "tcp-window" Kind::Bytes, absent AS_CORRECTED =>
        "a flow has at most this over its round-trip time, times the bandwidth factor; 0 B: no bound", source FITTED;
    "rtt-floor" Kind::Duration(Bounds::NotNegative),
        absent "none: a flow without latency has the weight that one of a second has" =>
        "the least round-trip time that weights are made of";
};

/// The flow model.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Flow {
    /// The corrections of latencies and bandwidths.
    pub model: Model,
}

impl Flow {
    /// Flows with the corrections fitted to TCP ([`Model::lv08`]).
    pub fn lv08() -> Self {
        Flow { model: Model::lv08() }
    }

    /// Reads the keys of [`CORRECTIONS`].
    ///
    /// # Errors
    /// Cross traffic that is too little to be distinguished from rounding.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let fitted = params.pick("corrections", &[("none", Model::default()), ("lv08", Model::lv08())])?;
        let number = |key: &str, otherwise: f64| -> Result<f64, Complaint> {
            Ok(params.read::<Option<f64>>(key)?.unwrap_or(otherwise))
        };
        let size = |key: &str| -> Result<Option<f64>, Complaint> {
            Ok(params.read::<Option<Bytes>>(key)?.map(|bytes| bytes.get() as f64))
        };
        let cross_traffic = number("cross-traffic", fitted.cross_traffic)?;
        if cross_traffic > 0.0 && cross_traffic < 0.01 {
            let message =
                format!("`cross-traffic` of {cross_traffic} is too little to be distinguished from rounding");
            return Err(Complaint::new(code::RANGE, message, params.span("cross-traffic"))
                .label("expected 0, or from 0.01 to 1"));
        }
        let window = size("tcp-window")?.or(fitted.tcp_window).filter(|&window| window > 0.0);
        let model = Model {
            latency_factor: number("latency-factor", fitted.latency_factor)?,
            bandwidth_factor: number("bandwidth-factor", fitted.bandwidth_factor)?,
            weight_size: size("weight-size")?.unwrap_or(fitted.weight_size),
            cross_traffic,
            tcp_window: window,
            rtt_floor: params.read("rtt-floor")?,
        };
        Ok(Flow { model })
    }
}

impl Transport for Flow {
    fn carrier(&self, platform: &Platform) -> Result<Box<dyn Carrier>, OutOfRange> {
        let mut flows = Flows::new(self.model)?;
        let links = platform.links();
        if links.kinds().count() < links.len() {
            return Ok(Box::new(LinksInUse::new(flows, links)?));
        }
        for link in links.iter() {
            flows.add_link(link.into_owned())?;
        }
        Ok(Box::new(flows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Node, Registry, Sources, Span, Value, check, parse_file};

    const NETWORK: &[Key] = &[Key::new("network", Kind::Component("network")).or("flow").about("")];

    /// The network that `text` describes, or the first mistake in it and its place.
    fn described(text: &str) -> Result<String, String> {
        let mut registry = Registry::new();
        registry.table(super::super::table());
        let mut sources = Sources::new("");
        let id = sources.add("test.toml", text, "");
        let mut complaints = Vec::new();
        let node = Node::new(Value::Table(parse_file(text, id, &mut complaints)), Span::new(id, 0..0));
        let checked = check(&registry, &sources, &node, NETWORK, &mut complaints);
        if let Some(first) = complaints.first() {
            return Err(format!("{} at {}", first.message, &text[first.span.expect("a place").range()]));
        }
        let node = checked.expect("nothing is wrong with it");
        let params = Params::new(&registry, &sources, &node);
        let built = params.component::<dyn Transport>("network", "network").expect("checked");
        Ok(format!("{built:?}"))
    }

    #[test]
    fn corrections_set_what_is_not_written_and_a_key_that_is_written_holds() {
        let plain = described("").expect("the default");
        assert_eq!(plain, format!("{:?}", Flow::default()));
        let fitted = described("network = { kind = \"flow\", corrections = \"lv08\" }").expect("valid");
        assert_eq!(fitted, format!("{:?}", Flow::lv08()));
        let mixed =
            "network = { kind = \"flow\", corrections = \"lv08\", cross-traffic = 0, tcp-window = \"0 B\" }";
        let model = Model { cross_traffic: 0.0, tcp_window: None, ..Model::lv08() };
        assert_eq!(described(mixed).expect("valid"), format!("{:?}", Flow { model }));
    }

    #[test]
    fn the_other_models_are_described_with_packets_and_disciplines() {
        let packets = described("network = { kind = \"packet\", size = \"100kB\", discipline = \"shared\" }");
        assert!(packets.expect("valid").contains("100000"));
        let whole = described("network = \"store-and-forward\"").expect("valid");
        assert!(whole.contains("None") && whole.contains("Frfo"), "{whole}");
        let wrong =
            described("network = { kind = \"flow\", cross-traffic = 0.001 }").expect_err("too little");
        assert!(wrong.ends_with("at 0.001"), "{wrong}");
        let nothing = described("network = { kind = \"packet\", size = \"0 B\" }").expect_err("no packets");
        assert!(nothing.ends_with("\"0 B\""), "{nothing}");
    }
}
