//! Distributions as a scenario writes them: `{ kind = "exponential", mean = "1h" }`, or a bare
//! value for a constant.
//!
//! The same names serve for times and for counts: values of the quantity a distribution is of
//! (`mean`, `low`, …) carry its unit, shapes and coefficients of variation have none. Times are
//! drawn in seconds. The samplers, with their sources and limits, are in
//! [`crate::kernel::rng::distribution`]; here they get their names and keys. A value that no law of
//! that kind can have is reported at the key that has it.
//!
//! Left out: the untruncated normal law, because neither times nor counts are negative.

use crate::kernel::rng::distribution::{
    BoundedPareto, Constant, Discrete, Empirical, Erlang, Exponential, Gamma, Geometric, Hyperexponential,
    InvalidParameter, Law, LogNormal, LogUniform, Normal, Pareto, Poisson, Sampler, Triangular,
    TruncatedNormal, Uniform, Weibull, Zipf,
};
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, Table, code, keys};

/// The distributions by name.
pub fn table() -> Table<Sampler> {
    Table::new("distribution", "how a value is drawn", ENTRIES).bare("constant", "value")
}

const fn quantity(name: &'static str, bounds: Bounds, about: &'static str) -> Key {
    Key::new(name, Kind::Quantity(bounds)).about(about)
}

const fn number(name: &'static str, bounds: Bounds, about: &'static str) -> Key {
    Key::new(name, Kind::Number(bounds)).about(about)
}

const MEAN: Key = quantity("mean", Bounds::Positive, "the mean");
const LOW: Key = quantity("low", Bounds::NotNegative, "the least value");
const LOW_ABOVE_ZERO: Key = quantity("low", Bounds::Positive, "the least value");
const HIGH: Key = quantity("high", Bounds::Positive, "the largest value");
const CV: Key = number("cv", Bounds::Positive, "coefficient of variation, standard deviation / mean");
const SHAPE: Key = number("shape", Bounds::Positive, "the shape parameter");
const VALUES: Key = Key::new("values", Kind::List(&Kind::Quantity(Bounds::NotNegative))).about("the values");

const CONSTANT: Entry<Sampler> = Entry::new(
    "constant",
    "always the same value",
    &[quantity("value", Bounds::NotNegative, "the value")],
    |params| law(params, Constant::new(params.read("value")?)),
);

const ENTRIES: &[Entry<Sampler>] = &[
    CONSTANT,
    Entry::new(
        "uniform",
        "equally likely everywhere between two values",
        // a load of nothing at all is one, as it is where it is constant
        &[LOW, quantity("high", Bounds::NotNegative, "the largest value")],
        |params| law(params, Uniform::new(params.read("low")?, params.read("high")?)),
    ),
    Entry::new(
        "log-uniform",
        "the logarithm is equally likely everywhere between two values",
        &[LOW_ABOVE_ZERO, HIGH],
        |params| law(params, LogUniform::new(params.read("low")?, params.read("high")?)),
    ),
    Entry::new(
        "triangular",
        "rises to its mode and falls again",
        &[LOW, quantity("mode", Bounds::NotNegative, "the most likely value"), HIGH],
        |params| {
            law(params, Triangular::new(params.read("low")?, params.read("mode")?, params.read("high")?))
        },
    ),
    Entry::new("exponential", "times without memory", &[MEAN], |params| {
        law(params, Exponential::new(params.read("mean")?))
    }),
    Entry::new(
        "erlang",
        "the sum of equal exponential stages; coefficient of variation 1/sqrt(stages)",
        &keys! {
            ..MEAN;
            "stages" Kind::Count { least: 1, most: Erlang::MAX_STAGES as u64 } => "how many stages";
        },
        |params| law(params, Erlang::new(params.read("stages")?, params.read("mean")?)),
    ),
    Entry::published(
        "hyperexponential",
        "one of two exponentials with balanced means; for coefficients of variation above 1",
        "A. O. Allen, Probability, Statistics, and Queueing Theory, 2nd ed., 1990",
        &[MEAN, number("cv", Bounds::Within(1.0, 1e6), "coefficient of variation, 1 or more")],
        |params| law(params, Hyperexponential::balanced(params.read("mean")?, params.read("cv")?)),
    ),
    Entry::published(
        "gamma",
        "the gamma law",
        "G. Marsaglia and W. W. Tsang, ACM TOMS 26(3), 2000",
        &[MEAN, CV],
        |params| law(params, Gamma::with_mean_cv(params.read("mean")?, params.read("cv")?)),
    ),
    Entry::new(
        "weibull",
        "scale × (-ln u)^(1/shape); a shape below 1 has many short and few very long values",
        &[SHAPE, quantity("scale", Bounds::Positive, "the value that 63.2 % do not exceed")],
        |params| law(params, Weibull::new(params.read("shape")?, params.read("scale")?)),
    ),
    Entry::new("lognormal", "the logarithm is normal", &[MEAN, CV], |params| {
        law(params, LogNormal::with_mean_cv(params.read("mean")?, params.read("cv")?))
    }),
    Entry::new(
        "truncated-normal",
        "a normal law cut at two values; its mean is that before the cut",
        &[MEAN, CV, LOW, HIGH],
        |params| {
            let mean: f64 = params.read("mean")?;
            let cv: f64 = params.read("cv")?;
            let whole = Normal::new(mean, mean * cv).map_err(|bad| refused(params, &bad))?;
            law(params, TruncatedNormal::new(whole, params.read("low")?, params.read("high")?))
        },
    ),
    Entry::new(
        "pareto",
        "a power-law tail; the mean is infinite up to shape 1",
        &[LOW_ABOVE_ZERO, SHAPE],
        |params| law(params, Pareto::new(params.read("low")?, params.read("shape")?)),
    ),
    Entry::new("bounded-pareto", "a power-law tail, cut", &[LOW_ABOVE_ZERO, HIGH, SHAPE], |params| {
        law(params, BoundedPareto::new(params.read("low")?, params.read("high")?, params.read("shape")?))
    }),
    Entry::new("geometric", "whole values: trials up to the first success", &[MEAN], |params| {
        law(params, Geometric::new(params.read("mean")?))
    }),
    Entry::new("poisson", "whole values: occurrences without memory", &[MEAN], |params| {
        law(params, Poisson::new(params.read("mean")?))
    }),
    Entry::published(
        "zipf",
        "ranks from 1, each as likely as rank^-exponent",
        "W. Hörmann and G. Derflinger, ACM TOMACS 6(3), 1996",
        &keys! {
            "ranks" Kind::Count { least: 1, most: 1_000_000_000_000_000 } => "the largest rank";
            ..number("exponent", Bounds::Within(0.0, 50.0), "how fast the likelihood falls");
        },
        |params| law(params, Zipf::new(params.read("ranks")?, params.read("exponent")?)),
    ),
    Entry::new(
        "discrete",
        "given values with given weights",
        &[
            VALUES,
            Key {
                name: "weights",
                kind: Kind::List(&Kind::Number(Bounds::NotNegative)),
                about: "the weight of each value; they need not sum to 1",
                ..VALUES
            },
        ],
        |params| {
            let values: Vec<f64> = params.read("values")?;
            let weights: Vec<f64> = params.read("weights")?;
            if values.len() != weights.len() {
                let message = format!("{} values, but {} weights", values.len(), weights.len());
                return Err(params.complaint("weights", message).label("expected one for each value"));
            }
            let pairs: Vec<(f64, f64)> = values.into_iter().zip(weights).collect();
            law(params, Discrete::new(&pairs))
        },
    ),
    Entry::new("empirical", "one of the given values, each equally likely", &[VALUES], |params| {
        law(params, Empirical::new(params.read("values")?))
    }),
];

fn law(
    params: &Params<'_>,
    law: Result<impl Law + 'static, InvalidParameter>,
) -> Result<Box<Sampler>, Complaint> {
    law.map(|law| Box::new(Sampler::new(law))).map_err(|bad| refused(params, &bad))
}

/// Complaint of a law, at the key that has the value.
fn refused(params: &Params<'_>, bad: &InvalidParameter) -> Complaint {
    let key = match bad.parameter {
        "standard_deviation" => "cv",
        other => other,
    };
    Complaint::new(code::RANGE, format!("`{key}` {}", bad.rule), params.span(key))
        .label("not with this value")
}

#[cfg(test)]
mod tests {
    use crate::registry::Absent;

    use super::*;
    use crate::kernel::rng::Moments;
    use crate::kernel::rng::Streams;
    use crate::registry::{Node, Quantity, Registry, Sources, Span, Value, check, parse_file};

    const SPAN: &[Key] = &[Key {
        name: "span",
        kind: Kind::Distribution(Quantity::Duration),
        default: Absent::Error,
        ..VALUES
    }];

    fn sampler(text: &str) -> Result<Sampler, Vec<Complaint>> {
        let mut registry = Registry::new();
        registry.table(table());
        let mut sources = Sources::new("");
        let id = sources.add("test.toml", text, "");
        let mut complaints = Vec::new();
        let tree = parse_file(text, id, &mut complaints);
        let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
        match check(&registry, &sources, &node, SPAN, &mut complaints) {
            Some(node) if complaints.is_empty() => {
                let params = Params::new(&registry, &sources, &node);
                Ok(*params.component::<Sampler>("span", "distribution").expect("checked"))
            }
            _ => Err(complaints),
        }
    }

    #[test]
    fn a_bare_value_is_a_constant_in_seconds() {
        let mut stream = Streams::new(1, 0).stream("test");
        let drawn = sampler("span = \"90min\"").expect("valid").draw(&mut stream);
        assert_eq!(drawn.to_bits(), 5400.0_f64.to_bits());
    }

    #[test]
    fn every_distribution_can_be_written() {
        for (keys, mean) in [
            ("kind = \"uniform\", low = \"1s\", high = \"3s\"", 2.0),
            ("kind = \"exponential\", mean = \"1h\"", 3600.0),
            ("kind = \"erlang\", mean = \"1h\", stages = 4", 3600.0),
            ("kind = \"hyperexponential\", mean = \"1h\", cv = 3", 3600.0),
            ("kind = \"gamma\", mean = \"1h\", cv = 3", 3600.0),
            ("kind = \"lognormal\", mean = \"1h\", cv = 3", 3600.0),
            ("kind = \"triangular\", low = \"0s\", mode = \"1s\", high = \"2s\"", 1.0),
            ("kind = \"pareto\", low = \"1s\", shape = 2", 2.0),
            ("kind = \"discrete\", values = [\"1s\", \"3s\"], weights = [1, 1]", 2.0),
            ("kind = \"empirical\", values = [\"1s\", \"3s\"]", 2.0),
            ("kind = \"weibull\", shape = 1, scale = \"1s\"", 1.0),
        ] {
            let sampler = sampler(&format!("span = {{ {keys} }}")).expect("valid");
            let found = sampler.mean().expect("finite");
            assert!((found - mean).abs() < 1e-9 * mean, "{keys}: {found}");
        }
    }

    #[test]
    fn a_uniform_law_may_be_nothing_at_all_as_a_constant_may() {
        for keys in ["kind = \"uniform\", low = \"0s\", high = \"0s\"", "kind = \"constant\", value = \"0s\""]
        {
            let sampler = sampler(&format!("span = {{ {keys} }}")).expect("valid");
            let drawn = sampler.draw(&mut Streams::new(1, 0).stream("nothing"));
            assert!(drawn.abs() <= 0.0, "{keys}: {drawn}");
        }
    }

    #[test]
    fn a_value_no_law_can_have_is_reported_at_its_key() {
        let text = "span = { kind = \"uniform\", low = \"3s\", high = \"1s\" }";
        let complaints = sampler(text).expect_err("high is below low");
        assert_eq!(complaints[0].message, "`high` must be finite and not below `low`");
        assert_eq!(&text[complaints[0].span.expect("a place").range()], "\"1s\"");
        let complaints =
            sampler("span = { kind = \"discrete\", values = [\"1s\"], weights = [] }").expect_err("short");
        assert_eq!(complaints[0].message, "1 values, but 0 weights");
    }
}
