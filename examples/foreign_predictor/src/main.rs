//! A program in the place of the database and the predictor of clustersim's global computing, as
//! Bricks put the Network Weather Service there: a persistent store, and a forecaster that reads
//! it. It knows nothing of clustersim but the protocol (docs/ global-computing.md), and uses
//! nothing but the standard library.
//!
//! ```sh
//! cargo build --release --manifest-path examples/foreign_predictor/Cargo.toml
//! clustersim run scenarios/global-computing.toml --set 'predictor={ kind = "program", command = ["examples/foreign_predictor/target/release/foreign-predictor", "store"] }'
//! ```
//!
//! The argument is a directory: each run writes its measurements into a file of its own there, a
//! line each, and forecasts from what it reads in that file. Its forecasts are those of `predictor
//! = { kind = "battery", forecasters = ["last", "mean", "sliding-median", "smoothing"] }`. It can
//! also be the database alone, or the scheduler, where it does as `greedy` does.

mod forecast;
mod json;
mod store;

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;

use forecast::Series;
use json::Json;
use store::Store;

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("foreign-predictor: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers each line with a line, until there are no more.
fn serve() -> io::Result<()> {
    let mut program = Program { store: Store::new(std::env::args().nth(1))?, ..Program::default() };
    let mut stdout = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match program.answer(&line) {
            Ok(answer) => answer,
            Err(why) => format!("{{\"error\":{}}}", json::quoted(&why)),
        };
        stdout.write_all(answer.as_bytes())?;
        stdout.write_all(b"\n")?;
        stdout.flush()?;
    }
    Ok(())
}

/// What is known of a path or server.
#[derive(Default)]
struct Known {
    /// Bandwidth and latency, or load and availability.
    series: [Series; 2],
    performance: f64,
    is_up: bool,
    /// Lines of the store that were read.
    read: usize,
}

#[derive(Default)]
struct Program {
    store: Store,
    known: BTreeMap<String, Known>,
    /// Whether forecasts are asked of it.
    predicts: bool,
}

impl Program {
    fn answer(&mut self, line: &str) -> Result<String, String> {
        let question = json::parse(line)?;
        if question.get("hello").is_some() {
            if question.number("version")? != 1.0 {
                return Err("only version 1 is known".to_owned());
            }
            self.predicts = question.text("part")? == "predictor";
            return Ok("{\"hello\":\"foreign-predictor\",\"version\":1,\"lasting\":true}".to_owned());
        }
        if question.get("put").is_some() {
            self.store.put(&key(&question)?, line).map_err(|error| error.to_string())?;
            if self.predicts {
                return self.learn(&question);
            }
            return Ok("{\"ok\":true}".to_owned());
        }
        if let Some(what) = question.get("predict") {
            return self.predict(&key(&question)?, what.as_text() == Some("network"));
        }
        if question.get("get").is_some() {
            return self.get(&question);
        }
        if question.get("select").is_some() {
            return select(&question);
        }
        if question.get("finish").is_some() {
            return Ok("{\"ok\":true}".to_owned());
        }
        Err("this question is not known".to_owned())
    }

    /// Reads what is new in the store; the forecasts after it.
    fn learn(&mut self, question: &Json) -> Result<String, String> {
        let key = key(question)?;
        let is_network = question.text("put")? == "network";
        let names = if is_network { ["bandwidth", "latency"] } else { ["load", "availability"] };
        let known = self.known.entry(key.clone()).or_default();
        let new = self.store.get(&key, known.read).map_err(|error| error.to_string())?;
        for line in &new {
            let measured = json::parse(line)?;
            for (series, name) in known.series.iter_mut().zip(names) {
                series.add(measured.number(name)?);
            }
            if !is_network {
                known.performance = measured.number("performance")?;
                known.is_up = measured.flag("up")?;
            }
        }
        known.read += new.len();
        let said = known.series.iter().zip(names).filter_map(|(series, name)| {
            let best = series.best()?;
            let (value, by) = (best.value, json::quoted(best.by));
            Some(format!(
                "\"{name}\":{{\"value\":{value:?},\"by\":{by},\"mse\":{:?},\"mae\":{:?}}}",
                best.mse, best.mae
            ))
        });
        Ok(format!("{{\"ok\":true,\"forecasts\":{{{}}}}}", said.collect::<Vec<_>>().join(",")))
    }

    fn predict(&self, key: &str, is_network: bool) -> Result<String, String> {
        let unknown = || "{\"unknown\":true}".to_owned();
        let Some(known) = self.known.get(key) else { return Ok(unknown()) };
        let [first, second] = known.series.each_ref().map(Series::expected);
        let (Some(first), Some(second)) = (first, second) else { return Ok(unknown()) };
        if is_network {
            let (bandwidth, latency) = (first.max(1.0), second.max(0.0));
            return Ok(format!("{{\"bandwidth\":{bandwidth:?},\"latency\":{latency:?}}}"));
        }
        let (load, availability) = (first.max(0.0), second.clamp(0.001, 1.0));
        let Known { performance, is_up, .. } = known;
        Ok(format!(
            "{{\"performance\":{performance:?},\"load\":{load:?},\"availability\":{availability:?},\"up\":{is_up}}}"
        ))
    }

    /// Measurements of a path or server: those from a number on, or the last one.
    fn get(&mut self, question: &Json) -> Result<String, String> {
        let key = key(question)?;
        let count = self.store.count(&key);
        let since = match question.get("since") {
            Some(since) => since.as_number().unwrap_or(0.0) as usize,
            None => count.saturating_sub(1),
        };
        let names: &[&str] = match question.text("get")? {
            "network" => &["time", "bandwidth", "latency"],
            _ => &["time", "performance", "load", "availability", "up"],
        };
        let mut measurements = Vec::new();
        for line in self.store.get(&key, since).map_err(|error| error.to_string())? {
            let measured = json::parse(&line)?;
            let values = names.iter().map(|name| {
                let value = measured.get(name).ok_or_else(|| format!("the store has no `{name}`"))?;
                Ok(format!("\"{name}\":{}", value.written()))
            });
            let values: Vec<String> = values.collect::<Result<_, String>>()?;
            measurements.push(format!("{{{}}}", values.join(",")));
        }
        Ok(format!("{{\"count\":{count},\"measurements\":[{}]}}", measurements.join(",")))
    }
}

/// The path or server of a question.
fn key(question: &Json) -> Result<String, String> {
    let parts = ["client", "server", "direction"].map(|name| question.text(name).unwrap_or_default());
    if parts[1].is_empty() {
        return Err("`server` is missing".to_owned());
    }
    Ok(parts.join("\t"))
}

/// The server on which the task is predicted to be back first.
fn select(question: &Json) -> Result<String, String> {
    let mut best: Option<(f64, &str)> = None;
    for candidate in question.get("candidates").map(Json::items).unwrap_or_default() {
        let time = candidate.number("send")? + candidate.number("service")? + candidate.number("receive")?;
        if best.is_none_or(|(least, _)| time < least) {
            best = Some((time, candidate.text("server")?));
        }
    }
    let chosen: Vec<String> = best.iter().map(|(_, server)| json::quoted(server)).collect();
    Ok(format!("{{\"servers\":[{}]}}", chosen.join(",")))
}
