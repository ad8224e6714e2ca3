//! A series as a scenario names it: the file, what its numbers are, and what lies between its
//! points.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::curve::{Curve, Interpolation, LEAST_AVAILABILITY, LEAST_BANDWIDTH, availability};
use crate::registry::{Complaint, Key, Kind, Params, Span, keys};
use crate::series::{MeasuredSeries, SeriesFormat, SeriesOf, read_series_named};

/// The keys of a measured series, `file` first; of a curve where none is written.
const fn keys_of(curve: &'static str) -> [Key; 6] {
    keys! {
        "file" Kind::Path => "the series: lines of a time and a value, or CSV if it is called so";
        "curve" Kind::Component("curve"), or curve => "what lies between its points";
        "unit" Kind::Text, absent "each number has its own" => "the unit of bare numbers, such as kBps";
        "time-unit" Kind::Text, or "s" => "the unit of bare times";
        "time" Kind::Text, absent "`time`" => "of CSV: the column of times";
        "value" Kind::Text, absent "`value`, or the only other column" => "of CSV: the column of values";
    }
}

/// The keys of a bandwidth.
pub const BANDWIDTH: [Key; 6] = keys_of("cubic");

/// The keys of an availability.
pub(crate) const AVAILABILITY: [Key; 7] = {
    const SHARED: [Key; 6] = keys_of("step");
    const OF: Key = Key::new(
        "of",
        Kind::Choice(&[
            ("availability", "shares from 0 to 1"),
            ("load", "tasks that share the server with the next one: availability is 1/(1 + load)"),
        ]),
    )
    .or("availability")
    .about("what its values are");
    Key::joined::<7>(&[&SHARED, &[OF]])
};

/// A series that is yet to be read.
pub(crate) struct SeriesSource {
    named: String,
    path: PathBuf,
    span: Span,
    format: SeriesFormat,
    interpolation: Box<dyn Interpolation>,
}

impl fmt::Debug for SeriesSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SeriesSource").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SeriesSource {
    /// Reads the keys of a bandwidth.
    ///
    /// # Errors
    /// A unit that is none.
    pub(crate) fn bandwidth(params: &Params<'_>) -> Result<Self, Complaint> {
        Self::read(params, SeriesOf::Bandwidth)
    }

    /// Reads the keys of an availability.
    ///
    /// # Errors
    /// A unit that is none.
    pub(crate) fn availability(params: &Params<'_>) -> Result<Self, Complaint> {
        let of = params.pick("of", &[("availability", SeriesOf::Availability), ("load", SeriesOf::Load)])?;
        Self::read(params, of)
    }

    fn read(params: &Params<'_>, of: SeriesOf) -> Result<Self, Complaint> {
        let mut format = SeriesFormat::new(of);
        for (key, what) in [("unit", "bandwidth"), ("time-unit", "time")] {
            if let Some(unit) = params.read::<Option<String>>(key)? {
                let stated = format.units.state(what, &unit);
                stated
                    .map_err(|bad| params.complaint(key, bad.problem).label(bad.expected).help(bad.help))?;
            }
        }
        format.time = params.read("time")?;
        format.value = params.read("value")?;
        Ok(SeriesSource {
            named: params.read("file")?,
            path: params.path("file")?,
            span: params.span("file"),
            format,
            interpolation: params.component("curve", "curve")?,
        })
    }

    /// The file: as the scenario names it, and from where the program runs.
    pub(crate) fn input(&self) -> (&str, &Path) {
        (&self.named, &self.path)
    }

    /// Reads the file: the series as measured, loads as availabilities, and its curve.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn load(&self) -> Result<(MeasuredSeries, Curve), Vec<Complaint>> {
        let mut series = read_series_named(&self.path, (&self.named, self.span), &self.format)?;
        if self.format.of == SeriesOf::Load {
            series = series.map(availability);
        }
        let least = if self.format.of == SeriesOf::Bandwidth { LEAST_BANDWIDTH } else { LEAST_AVAILABILITY };
        let curve = series.curve(&*self.interpolation, least).map_err(|wrong| {
            vec![Complaint::new(
                crate::registry::code::RANGE,
                format!("`{}`: {wrong}", self.named),
                self.span,
            )]
        })?;
        Ok((series, curve))
    }
}
