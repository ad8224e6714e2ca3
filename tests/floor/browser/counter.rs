//! Results of a system that is not the program's: customers at counters. Its page is drawn from
//! tables and lanes alone.

use std::io;

use clustersim_experiment::output::{
    Arrow, Cell, CellType, Column, Counter, Label, LaneSink, LaneSource, Lanes, RowSink, RowSource, Table,
    TableFormat,
};
use clustersim_experiment::report::html::draw_results;
use clustersim_experiment::scenario::{Figures, Results, Scenario, check, load};
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::collections::Interval;
use serde_json::json;

use clustersim_testing::program::repository;

const CUSTOMERS: u64 = 400;

struct Counters;

/// Waits and is served for so long [s].
fn customer(number: u64) -> (u64, u64) {
    (number * 7919 % 53, number * 104_729 % 31 + 30)
}

impl Results for Counters {
    fn figures(&self) -> &Figures {
        unreachable!("the page has its figures from the summary")
    }

    fn tables(&self, _: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        vec![(Box::new(Customers), TableFormat::Csv)]
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(Customers))
    }
}

struct Customers;

impl RowSource for Customers {
    fn table(&self) -> Table {
        let columns = [
            Column::new("customer", CellType::Count, "", "the customer"),
            Column::new("waited", CellType::Time, "s", "how long the customer waited"),
            Column::new("served", CellType::Time, "s", "how long the customer was served"),
        ];
        Table::new("customers", "a row a customer", &columns)
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        (0..CUSTOMERS).try_for_each(|number| {
            let (waited, served) = customer(number);
            let [waited, served] = [waited, served].map(|secs| Cell::Time(SimDuration::from_secs(secs)));
            sink.row(&[Cell::Count(number), waited, served])
        })
    }
}

impl LaneSource for Customers {
    fn lanes(&self) -> Lanes {
        const OPEN: Counter = Counter { number: 2, name: "counters in use", unit: "counters" };
        Lanes { title: "counters", number: 1, counters: &[OPEN], causes: &[] }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        ["north", "south", "east"].into_iter().zip(0..).try_for_each(|(name, lane)| sink.lane(lane, name))?;
        for number in 0..CUSTOMERS {
            let lane = number as u32 % 3;
            let (waited, served) = customer(number);
            let from = SimTime::from_nanos(number * 90_000_000_000);
            let name =
                if number % 5 == 0 { format!("complaint {number}") } else { format!("ticket {number}") };
            let facts = [("wait_ns", waited * 1_000_000_000), ("tickets", number % 4)];
            let label = Label { number: number + 1, name: Some(&name), facts: &facts, cause: "" };
            let on = [Interval::new(lane, lane)];
            sink.begin(from, &on, label)?;
            sink.count(from, 0, 1)?;
            sink.mark(from, (lane + 1) % 3, label, Arrow::Begins(number))?;
            let to = SimTime::from_nanos(from.as_nanos() + served * 1_000_000_000);
            sink.end(to, &on)?;
            sink.count(to, 0, 0)?;
            sink.mark(to, lane, label, Arrow::Ends(number))?;
        }
        Ok(())
    }
}

/// The page of a run.
pub(super) fn page() -> Vec<u8> {
    let registry = clustersim::system::standard();
    let written = load(&repository("scenarios/quickstart.toml"), None, &[]);
    let scenario = check(&registry, written).unwrap();
    let metrics = json!({ "waited.mean": { "value": 21.5, "unit": "s" }, "customers": { "value": CUSTOMERS, "unit": "" } });
    draw_results(&Counters, &json!({ "seed": 1, "digest": "0", "metrics": metrics }), &scenario)
}
