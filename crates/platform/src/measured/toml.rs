//! A measured platform as TOML, with a trace file for each series.

use crate::kernel::SimTime;
use crate::registry::toml_text;
use crate::{HostId, Trace};

use super::{Measure, Measured};

/// A file that belongs to a platform written as TOML: its name, and its text.
pub type TraceFile = (String, String);

/// A platform in the language of scenarios.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toml {
    /// The tables `[[platform.host]]`, `[[platform.link]]` and `[[platform.route]]`.
    pub text: String,
    /// The files that it names.
    pub traces: Vec<TraceFile>,
}

impl Measured {
    /// The platform as tables of a scenario; traces are in files below the folder `folder`, a path
    /// as the text is to write it.
    pub fn toml(&self, folder: &str) -> Toml {
        let mut toml = Toml { text: String::new(), traces: Vec::new() };
        for host in &self.hosts {
            toml.text += &format!(
                "[[platform.host]]\nname = {}\nspeed = \"{:?}f\"\n",
                toml_text(&host.name),
                host.speed
            );
            if host.cores != 1 {
                toml.text += &format!("cores = {}\n", host.cores);
            }
            if let Some(trace) = &host.availability {
                toml.trace("availability-trace", trace, (folder, &host.name));
            }
            toml.text.push('\n');
        }
        for line in &self.lines {
            toml.text += &format!(
                "[[platform.link]]\nname = {}\nbandwidth = \"{:?}Bps\"\nlatency = \"{:?}s\"\n",
                toml_text(&line.name),
                line.bandwidth,
                line.latency
            );
            for (measure, trace) in &line.over_time {
                let key = match measure {
                    Measure::Latency => "latency-trace",
                    Measure::Bandwidth | Measure::Availability => "bandwidth-trace",
                };
                toml.trace(key, trace, (folder, &line.name));
            }
            toml.text.push('\n');
        }
        toml.text += &self.routes();
        toml
    }

    fn routes(&self) -> String {
        let platform = &self.platform;
        let hosts: Vec<HostId> = (0..platform.hosts().len()).map(|host| HostId::new(host as u32)).collect();
        let (mut there, mut back, mut text) = (Vec::new(), Vec::new(), String::new());
        for &from in &hosts {
            for &to in hosts.iter().filter(|&&to| to != from) {
                if platform.route(from, to, &mut there).is_err() {
                    continue;
                }
                let is_back = platform.route(to, from, &mut back).is_ok();
                back.reverse();
                let is_symmetric = is_back && there == back;
                if is_symmetric && to < from {
                    continue;
                }
                let links: Vec<String> =
                    there.iter().map(|&link| toml_text(&platform.link_name(link))).collect();
                let [from, to] = [from, to].map(|host| toml_text(&platform.host(host).name));
                text += &format!(
                    "[[platform.route]]\nfrom = {from}\nto = {to}\nlinks = [{}]\nsymmetric = {is_symmetric}\n\n",
                    links.join(", ")
                );
            }
        }
        text
    }
}

impl Toml {
    /// Names a trace of `owner` in the text and adds its file.
    fn trace(&mut self, key: &str, trace: &Trace, (folder, owner): (&str, &str)) {
        let safe: String = owner
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '_' })
            .collect();
        // two names may be written alike, so the number of the file stands before them
        let name = format!("{:04}-{safe}.csv", self.traces.len());
        self.text += &format!("{key} = {}\n", toml_text(&format!("{folder}/{name}")));
        let mut text = "time,value\n".to_owned();
        let first = (SimTime::ZERO, trace.value_at(SimTime::ZERO));
        // what held before the first point is written as one of its own, for a file has no fixed
        // value
        let is_late = trace.points().next().is_none_or(|(at, _)| at > SimTime::ZERO);
        for (at, value) in is_late.then_some(first).into_iter().chain(trace.points()) {
            let nanos = at.as_nanos();
            text += &format!("{}.{:09},{value:?}\n", nanos / 1_000_000_000, nanos % 1_000_000_000);
        }
        self.traces.push((name, text));
    }
}
