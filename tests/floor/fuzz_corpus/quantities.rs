//! What holds for any text read as a quantity, a value of an override, or one behind `=`.

use clustersim_language::registry::{Sources, parse_value, to_inline};
use clustersim_language::units::{
    BadQuantity, Bandwidth, Bytes, Decimal, Flops, Power, Speed, duration, share,
};

/// Reading is total. Quantities are finite and not negative, what is refused has a reason, and a
/// value is read back as it was written.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    text.lines().for_each(line);
}

fn line(text: &str) {
    refused(duration(text).map(|_| 0.0));
    refused(Bytes::parse(text).map(|bytes| bytes.get() as f64));
    refused(Bandwidth::parse(text).map(Bandwidth::bytes_per_sec));
    refused(Speed::parse(text).map(Speed::flops_per_sec));
    refused(Flops::parse(text).map(Flops::get));
    refused(Power::parse(text).map(|power| power.milliwatts() as f64));
    refused(share(text));
    if let Some((number, rest)) = Decimal::take(text) {
        assert!(text.ends_with(rest) && rest.len() < text.len());
        let _ = number.ceil_times(1_000_000_000);
        assert!(!number.to_f64(0).is_nan());
    }
    let source = Sources::new("").add("value", text, "");
    let Ok(Some(node)) = parse_value(text, source, 0) else { return };
    let written = to_inline(&node);
    let again = parse_value(&written, source, 0);
    assert!(
        again.ok().flatten().is_some_and(|again| to_inline(&again) == written),
        "`{written}` is not read back"
    );
}

fn refused(read: Result<f64, BadQuantity>) {
    match read {
        Ok(value) => assert!(value.is_finite() && value >= 0.0),
        Err(bad) => assert!(!bad.problem.is_empty() && !bad.expected.is_empty()),
    }
}
