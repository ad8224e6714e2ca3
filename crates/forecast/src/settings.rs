//! Settings of forecasts in a scenario: the forecasters, and the choice among them.

use crate::registry::{Complaint, Key, Kind, Params};
use crate::{Battery, Forecaster, Select, ahead};

const WOLSKI: &str = "R. Wolski, Cluster Computing 1(1), 1998";

/// The keys of whatever forecasts.
pub const KEYS: [Key; 4] = [
    Key::new("forecasters", Kind::List(&Kind::Component("forecaster")))
        .absent("the 24 forecasters of the Network Weather Service")
        .about("what forecasts: of several the one that has erred least")
        .source(WOLSKI),
    Key::new(
        "select",
        Kind::Choice(&[("mse", "the mean of squared errors"), ("mae", "the mean of absolute errors")]),
    )
    .or("mse")
    .about("which error of a forecaster is to be least")
    .source(WOLSKI),
    Key::new("window", Kind::Count { least: 1, most: 1 << 20 })
        .absent("all of its errors count")
        .about("how many of the last errors of a forecaster count"),
    Key::new("horizon", Kind::Count { least: 1, most: 1_000 })
        .or_count(1)
        .about("how many samples ahead the mean is taken of"),
];

/// Forecasts as a scenario describes them.
#[derive(Clone, Debug)]
pub struct ForecastSettings {
    /// The forecasters, which have seen nothing.
    pub battery: Battery,
    /// Error by which the forecaster that is believed is chosen.
    pub select: Select,
    /// Number of samples ahead.
    pub horizon: u32,
}

impl ForecastSettings {
    /// Reads [`KEYS`].
    ///
    /// # Errors
    /// There is no forecaster, or one objects to its values.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let mut battery = Battery::new();
        if params.has("window") {
            battery = battery.over_last(params.read("window")?);
        }
        if params.has("forecasters") {
            let forecasters = params.components::<dyn Forecaster>("forecasters", "forecaster")?;
            if forecasters.is_empty() {
                return Err(params.complaint("forecasters", "nothing forecasts"));
            }
            for (place, forecaster) in forecasters.into_iter().enumerate() {
                let kind: String = params.with(&params.items("forecasters")[place]).read("kind")?;
                battery.push(format!("{kind} {place}"), forecaster);
            }
        } else {
            battery = battery.with_standard();
        }
        let select = params.pick("select", &[("mse", Select::Mse), ("mae", Select::Mae)])?;
        Ok(ForecastSettings { battery, select, horizon: params.read("horizon")? })
    }

    /// Forecast of a battery that began as this one; as long as none of its forecasters can be
    /// believed, the last value.
    pub fn forecast(&self, battery: &Battery) -> Option<f64> {
        let chosen = battery.chosen(self.select);
        chosen.and_then(|chosen| ahead(chosen, self.horizon)).or(battery.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Autoregression;

    #[test]
    fn what_was_measured_is_believed_until_errors_are_known() {
        let alone = Battery::new().with("ar-5", Autoregression::new(5, 128));
        for battery in [Battery::standard(), alone] {
            let mut settings = ForecastSettings { battery, select: Select::Mse, horizon: 3 };
            assert_eq!(settings.forecast(&settings.battery), None);
            for value in [10.0, 7.0] {
                settings.battery.add(value);
                assert_eq!(settings.forecast(&settings.battery), Some(value));
            }
        }
    }
}
