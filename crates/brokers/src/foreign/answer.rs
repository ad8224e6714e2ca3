//! Answers of a foreign program: their keys, and what must hold for their values.
//!
//! Values are finite; the bounds are those of what can be measured.

use crate::dialogue::answer::{ReadAnswer, count, flag, given, is_ok, members, number, object, put};
use crate::dialogue::{hello, in_short};
use crate::foreign::VERSION;
use crate::text::json::{Mistake, Reader};

/// The largest value that is taken: more bytes per second, operations per second, seconds or tasks
/// than there can be.
const MOST: f64 = 1e18;
/// The least bandwidth \[B/s\] and performance \[op/s\], below which nothing ever ends.
const LEAST_RATE: f64 = 1e-6;

/// The answer to the first question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Greeting {
    /// Name that the program gives itself.
    pub name: String,
    /// True if what it predicts of a path or server holds until the next measurement there, so that
    /// it need not be asked again.
    pub is_lasting: bool,
}

/// Forecast of a series by a program, as its answer to a measurement has it.
#[derive(Clone, PartialEq, Debug)]
pub struct StatedForecast {
    /// The next value.
    pub value: f64,
    /// Name of the forecaster.
    pub by: String,
    /// The mean of its squared errors so far.
    pub mse: f64,
    /// The mean of its absolute errors so far.
    pub mae: f64,
}

/// The answer to a measurement: forecasts of the two series that it belongs to, if the program says
/// any.
///
/// Of a path these are bandwidth and latency, of a server load and availability.
pub type ForecastPair = [Option<StatedForecast>; 2];

/// Values that a program gives of a path: bytes per second, and seconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatedNetwork {
    /// Instant at which it was measured \[s\]; 0 in a prediction.
    pub time: f64,
    /// Bytes per second.
    pub bandwidth: f64,
    /// Seconds.
    pub latency: f64,
}

/// Values that a program gives of a server.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatedServer {
    /// Instant at which it was measured \[s\]; 0 in a prediction.
    pub time: f64,
    /// Operations per second of a processor that does nothing else.
    pub performance: f64,
    /// Tasks in its queue and in service.
    pub load: f64,
    /// The share of a processor that one more task gets.
    pub availability: f64,
    /// True if it works.
    pub is_up: bool,
}

/// The last measurements, and the number of all so far.
#[derive(Clone, PartialEq, Debug)]
pub struct History<T> {
    /// Number of measurements so far.
    pub count: u64,
    /// The last of them.
    pub measurements: Vec<T>,
}

/// Reads the answer to the first question.
///
/// # Errors
/// What is wrong with it.
pub fn greeting(line: &str) -> Result<Greeting, String> {
    let mut lasting = None;
    let name = hello::greeting(line, VERSION, |reader, key| match key {
        "lasting" => put(&mut lasting, flag(reader)),
        _ => Ok(false),
    })?;
    Ok(Greeting { name, is_lasting: lasting.unwrap_or(false) })
}

/// Reads the answer to a measurement of a path.
///
/// # Errors
/// What is wrong with it.
pub fn taken_network(line: &str) -> Result<ForecastPair, String> {
    taken(line, ["bandwidth", "latency"])
}

/// Reads the answer to a measurement of a server.
///
/// # Errors
/// What is wrong with it.
pub fn taken_server(line: &str) -> Result<ForecastPair, String> {
    taken(line, ["load", "availability"])
}

fn taken(line: &str, series: [&str; 2]) -> Result<ForecastPair, String> {
    let (mut ok, mut forecasts) = (None, [None, None]);
    object(line, |reader, key| match key {
        "ok" => put(&mut ok, flag(reader)),
        "forecasts" => {
            members(reader, &mut |reader, key| {
                let place = series.iter().position(|name| *name == key);
                place.map_or(Ok(false), |place| put(&mut forecasts[place], forecast(reader)))
            })?;
            Ok(true)
        }
        _ => Ok(false),
    })?;
    is_ok(ok)?;
    Ok(forecasts)
}

fn forecast(reader: &mut Reader<'_>) -> ReadAnswer<StatedForecast> {
    let (mut value, mut by, mut mse, mut mae) = (None, None, None, None);
    let at = reader.place();
    members(reader, &mut |reader, key| match key {
        // forecasts of an autoregression may lead below 0
        "value" => put(&mut value, number(reader, -MOST, MOST)),
        "by" => put(&mut by, reader.string()),
        "mse" => put(&mut mse, number(reader, 0.0, MOST * MOST)),
        "mae" => put(&mut mae, number(reader, 0.0, MOST)),
        _ => Ok(false),
    })?;
    let missing = |key| Mistake::new(at, 1, format!("`{key}` is missing in this forecast"));
    Ok(StatedForecast {
        value: value.ok_or_else(|| missing("value"))?,
        by: in_short(&by.ok_or_else(|| missing("by"))?),
        mse: mse.ok_or_else(|| missing("mse"))?,
        mae: mae.ok_or_else(|| missing("mae"))?,
    })
}

/// Values read so far of one path or server.
#[derive(Default)]
struct Values {
    time: Option<f64>,
    rate: Option<f64>,
    latency: Option<f64>,
    load: Option<f64>,
    availability: Option<f64>,
    is_up: Option<bool>,
}

impl Values {
    fn network(&mut self, reader: &mut Reader<'_>, key: &str) -> ReadAnswer<bool> {
        match key {
            "bandwidth" => put(&mut self.rate, number(reader, LEAST_RATE, MOST)),
            "latency" => put(&mut self.latency, number(reader, 0.0, MOST)),
            _ => Ok(false),
        }
    }

    fn server(&mut self, reader: &mut Reader<'_>, key: &str) -> ReadAnswer<bool> {
        match key {
            "performance" => put(&mut self.rate, number(reader, LEAST_RATE, MOST)),
            "load" => put(&mut self.load, number(reader, 0.0, MOST)),
            "availability" => put(&mut self.availability, number(reader, 0.0, 1.0)),
            "up" => put(&mut self.is_up, flag(reader)),
            _ => Ok(false),
        }
    }

    fn as_network(&self) -> Result<StatedNetwork, String> {
        Ok(StatedNetwork {
            time: self.time.unwrap_or(0.0),
            bandwidth: given(self.rate, "bandwidth")?,
            latency: given(self.latency, "latency")?,
        })
    }

    fn as_server(&self) -> Result<StatedServer, String> {
        Ok(StatedServer {
            time: self.time.unwrap_or(0.0),
            performance: given(self.rate, "performance")?,
            load: given(self.load, "load")?,
            availability: given(self.availability, "availability")?,
            is_up: given(self.is_up, "up")?,
        })
    }
}

/// Reader of one value of a path or server, by its key.
type ReadValue = fn(&mut Values, &mut Reader<'_>, &str) -> ReadAnswer<bool>;
/// Maker of the answer from the values, if none is missing.
type MakeValue<T> = fn(&Values) -> Result<T, String>;

/// Reads what is predicted of a path; nothing if the program says `{"unknown":true}`.
///
/// # Errors
/// What is wrong with it.
pub fn network(line: &str) -> Result<Option<StatedNetwork>, String> {
    predicted(line, Values::network)?.map(|values| values.as_network()).transpose()
}

/// Reads what is predicted of a server; nothing if the program says `{"unknown":true}`.
///
/// # Errors
/// What is wrong with it.
pub fn server(line: &str) -> Result<Option<StatedServer>, String> {
    predicted(line, Values::server)?.map(|values| values.as_server()).transpose()
}

fn predicted(line: &str, read: ReadValue) -> Result<Option<Values>, String> {
    let (mut values, mut unknown, mut known) = (Values::default(), None, 0);
    object(line, |reader, key| {
        if key == "unknown" {
            return put(&mut unknown, flag(reader));
        }
        known += 1;
        read(&mut values, reader, key)
    })?;
    match (unknown, known) {
        (Some(true), 0) => Ok(None),
        (Some(true), _) => Err("`unknown` is there with values".to_owned()),
        _ => Ok(Some(values)),
    }
}

/// Reads measurements of a path.
///
/// # Errors
/// What is wrong with them.
pub fn network_history(line: &str) -> Result<History<StatedNetwork>, String> {
    history(line, (Values::network, Values::as_network))
}

/// Reads measurements of a server.
///
/// # Errors
/// What is wrong with them.
pub fn server_history(line: &str) -> Result<History<StatedServer>, String> {
    history(line, (Values::server, Values::as_server))
}

fn history<T>(line: &str, (read, made): (ReadValue, MakeValue<T>)) -> Result<History<T>, String> {
    let (mut total, mut measurements) = (None, None);
    object(line, |reader, key| match key {
        "count" => put(&mut total, count(reader)),
        "measurements" => {
            let all = measurements.insert(Vec::new());
            reader.array(|reader| {
                let (at, mut values) = (reader.place(), Values::default());
                members(reader, &mut |reader, key| match key {
                    "time" => put(&mut values.time, number(reader, 0.0, MOST)),
                    _ => read(&mut values, reader, key),
                })?;
                let wrong = |why: String| Mistake::new(at, 1, format!("in this measurement {why}"));
                given(values.time, "time").map_err(wrong)?;
                all.push(made(&values).map_err(wrong)?);
                Ok(())
            })?;
            Ok(true)
        }
        _ => Ok(false),
    })?;
    let measurements = given(measurements, "measurements")?;
    let count = given(total, "count")?;
    if measurements.len() as u64 > count {
        return Err(format!("there are {} measurements, and `count` is {count}", measurements.len()));
    }
    Ok(History { count, measurements })
}

/// Reads the names of the servers that a task is to go to, the best first.
///
/// # Errors
/// What is wrong with them.
pub fn selection(line: &str) -> Result<Vec<String>, String> {
    let mut servers = None;
    object(line, |reader, key| {
        if key != "servers" {
            return Ok(false);
        }
        let names: &mut Vec<String> = servers.insert(Vec::new());
        reader.array(|reader| {
            let at = reader.place();
            let name = reader.string()?;
            if names.contains(&name) {
                let message = format!("the server `{}` is there twice", in_short(&name));
                return Err(Mistake::new(at, name.len(), message));
            }
            names.push(name);
            Ok(())
        })?;
        Ok(true)
    })?;
    given(servers, "servers")
}

#[cfg(test)]
mod tests {
    use crate::dialogue::answer::done;

    use super::*;

    #[test]
    fn answers_are_read() {
        let hello = greeting(r#"{"hello":"nws","version":1,"lasting":true}"#);
        assert_eq!(hello, Ok(Greeting { name: "nws".to_owned(), is_lasting: true }));
        assert_eq!(done(r#" {"ok": true} "#), Ok(()));
        assert_eq!(network(r#"{"unknown":true}"#), Ok(None));
        let path = StatedNetwork { time: 0.0, bandwidth: 1e5, latency: 0.25 };
        assert_eq!(network(r#"{"latency":0.25,"bandwidth":1e5}"#), Ok(Some(path)));
        let line = r#"{"performance":5,"load":0,"availability":1,"up":false}"#;
        assert_eq!(server(line).map(|server| server.map(|server| server.is_up)), Ok(Some(false)));
        let line = r#"{"count":9,"measurements":[{"time":2.5,"bandwidth":1,"latency":0}]}"#;
        let measured = StatedNetwork { time: 2.5, bandwidth: 1.0, latency: 0.0 };
        assert_eq!(network_history(line), Ok(History { count: 9, measurements: vec![measured] }));
        let names = ["a", "b"].map(str::to_owned).to_vec();
        assert_eq!(selection(r#"{"servers":["a","b"]}"#), Ok(names));
        let line = r#"{"ok":true,"forecasts":{"latency":{"value":-1,"by":"last","mse":2,"mae":1}}}"#;
        let [bandwidth, latency] = taken_network(line).expect("an answer");
        assert!(bandwidth.is_none() && latency.is_some_and(|said| said.by == "last" && said.value < 0.0));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = [
            (network(r#"{"bandwidth":1}"#).err(), "`latency` is missing"),
            (network(r#"{"bandwidth":-1,"latency":0}"#).err(), "byte 14: -1 is out of range, a number above 0 of at most 1e18 should stand here"),
            (network(r#"{"bandwidth":NaN,"latency":0}"#).err(), "byte 14: "),
            (network(r#"{"bandwidth":1e999,"latency":0}"#).err(), "1e999 is out of range"),
            (network(r#"{"bandwidth":1,"latency":0,"speed":2}"#).err(), "byte 28: the key `speed` is not known here"),
            (network(r#"{"bandwidth":1,"bandwidth":2,"latency":0}"#).err(), "the key `bandwidth` is there twice"),
            (network(r#"{"unknown":true,"latency":0}"#).err(), "`unknown` is there with values"),
            (server("hello").err(), "byte 1: "),
            (server(r#"{"performance":1,"load":0,"availability":1.5,"up":true}"#).err(), "a number from 0 to 1e0"),
            (greeting(r#"{"hello":"x","version":2}"#).err(), "it speaks version 2 of the protocol, expected version 1"),
            (greeting(r#"{"error":"no store"}"#).err(), "the program says: no store"),
            (done(r#"{"ok":true}{"ok":true}"#).err(), "byte 12: "),
            (done(r#"{"ok":false}"#).err(), "`ok` is false"),
            (server_history(r#"{"count":0,"measurements":[{"time":0,"performance":1,"load":0,"availability":1,"up":true}]}"#).err(), "there are 1 measurements, and `count` is 0"),
            (server_history(r#"{"count":-1,"measurements":[]}"#).err(), "-1 is no count"),
            (selection(r#"{"servers":["a","a"]}"#).err(), "the server `a` is there twice"),
        ];
        for (said, expected) in wrong {
            let said = said.unwrap_or_else(|| panic!("nothing instead of {expected}"));
            assert!(said.contains(expected), "{said}, expected {expected}");
        }
    }
}
