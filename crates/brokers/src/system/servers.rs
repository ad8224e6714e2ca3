//! Servers of a scenario.

use std::path::PathBuf;
use std::rc::Rc;

use crate::curve::{Curve, CurveCursor};
use crate::environment::BrokerServer;
use crate::info::ServerNumber;
use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::{Moments, Sampler};
use crate::load::ServerLoad;
use crate::outages::ServerFailures;
use crate::platform::described;
use crate::registry::{Complaint, Params, code};
use crate::series::SeriesSource;
use crate::station::served::StationTerms;
use crate::station::{Discipline, Extraneous, ExtraneousStreams, Rate, Served};
use crate::system::named;

/// A server as it is described: its station is made on the kernel of the run.
#[derive(Debug)]
pub(super) struct DescribedServer {
    pub(super) name: String,
    pub(super) performance: f64,
    pub(super) processors: u32,
    pub(super) discipline: Discipline,
    pub(super) load: Option<Rc<dyn ServerLoad>>,
    pub(super) availability: Option<Curve>,
    pub(super) failures: Option<ServerFailures>,
    pub(super) price: Option<f64>,
}

impl DescribedServer {
    /// Service rate of each of its processors.
    pub(super) fn rate(&self) -> Rate {
        match &self.availability {
            Some(curve) => Rate::Measured(CurveCursor::new(curve.scaled(self.performance))),
            None => Rate::Constant(self.performance),
        }
    }

    /// The server, with nothing in it.
    pub(super) fn build(&self, number: ServerNumber, streams: &Streams, warm_up: SimTime) -> BrokerServer {
        let Self { name, performance, processors, discipline, load, availability, price, .. } = self;
        let others = load.as_ref().map(|load| {
            let law = load.law(performance * f64::from(*processors));
            Extraneous::new(law, ExtraneousStreams::new(streams, name))
        });
        let terms = StationTerms {
            discipline: *discipline,
            processors: *processors,
            rate: self.rate(),
            extraneous: others,
            from: warm_up,
        };
        let station = Served::new(("server", number.0), terms);
        BrokerServer {
            name: name.clone(),
            performance: *performance,
            processors: *processors,
            price: *price,
            availability: availability.clone(),
            station,
        }
    }
}

/// Servers as they were read.
#[derive(Debug, Default)]
pub(super) struct DescribedServers {
    pub(super) servers: Vec<DescribedServer>,
    pub(super) draws: bool,
}

/// Reads `[[platform.server]]`, and the series that it names.
///
/// # Errors
/// Everything that is wrong with it.
pub(super) fn read(platform: &Params<'_>, streams: &Streams) -> Result<DescribedServers, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut all = DescribedServers::default();
    for node in platform.items("server") {
        if let Err(wrong) = read_table(&platform.with(node), streams, &mut all) {
            complaints.extend(wrong);
        }
    }
    if complaints.is_empty() { Ok(all) } else { Err(complaints) }
}

fn read_table(
    table: &Params<'_>,
    streams: &Streams,
    all: &mut DescribedServers,
) -> Result<(), Vec<Complaint>> {
    let performance: Sampler = *table.component("performance", "distribution")?;
    let load = table.component_if_any::<dyn ServerLoad>("load", "server-load")?.map(Rc::from);
    let mut availability = None;
    if table.has("availability") {
        availability = Some(SeriesSource::availability(&table.section("availability"))?.load()?.1);
    }
    let mut failures = None;
    if table.has("failures") {
        let section = table.section("failures");
        let law = |key: &str| section.component::<Sampler>(key, "distribution");
        failures = Some(ServerFailures::Drawn { after: *law("after")?, repair: *law("repair")? });
    }
    let names = named::names(table)?;
    let states = described::states(table, names.len() as u32)?;
    if states.is_some() && failures.is_some() {
        let message = "a state trace says when the server fails, and so do `failures`";
        let complaint = Complaint { code: code::CONTRADICTION, ..table.complaint("state-trace", message) };
        return Err(complaint.note("and here", Some(table.span("failures"))).into());
    }
    let (discipline, processors) = (table.read("discipline")?, table.read("procs")?);
    let price = table.read("price")?;
    all.draws |= load.is_some() || failures.is_some() || performance.variance() != Some(0.0);
    let mut states = states.into_iter().flatten().map(ServerFailures::Traced);
    for name in names {
        let drawn = performance.draw(&mut streams.stream(&format!("server/{name}/performance")));
        if !(drawn.is_finite() && drawn > 0.0) {
            let message = format!("the performance of `{name}` is {drawn}");
            return Err(table.complaint("performance", message).label("expected more than 0").into());
        }
        all.servers.push(DescribedServer {
            name,
            performance: drawn,
            processors,
            discipline,
            load: load.clone(),
            availability: availability.clone(),
            failures: states.next().or_else(|| failures.clone()),
            price,
        });
    }
    Ok(())
}

/// The series and traces that servers name.
pub(super) fn inputs(platform: &Params<'_>) -> Vec<(String, PathBuf)> {
    let tables = platform.items("server").iter().map(|node| platform.with(node));
    let of_table = |table: Params<'_>| {
        let sections = ["availability", "state-trace"]
            .into_iter()
            .filter(|key| table.has(key))
            .map(|key| table.section(key));
        sections
            .filter_map(|section| Some((section.read::<String>("file").ok()?, section.path("file").ok()?)))
            .collect::<Vec<_>>()
    };
    tables.flat_map(of_table).collect()
}
