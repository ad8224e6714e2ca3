//! Strategies by which a master chooses the waiting worker that it serves next.
//!
//! A strategy says how good it is to serve a worker next; of the pool of those that wait the best
//! is served, of several the one that asked first.
//!
//! Source: "Scheduling Distributed Applications: the SimGrid Simulation Framework", 2003, section
//! V.

mod by_merit;

use std::fmt;

use crate::registry::Table;

/// A worker that waits for a task, as far as its master knows it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waiting {
    /// Work per second of its host.
    pub speed: f64,
    /// Seconds that a task takes to be computed there.
    pub process: f64,
    /// Seconds that a task takes to arrive there.
    pub receive: f64,
}

/// The whole of a strategy.
pub trait Strategy: fmt::Debug {
    /// Merit of serving a worker next: the highest is served. `None` if the strategy does not
    /// distinguish them.
    fn merit(&self, waiting: &Waiting) -> Option<f64>;

    /// Returns [`Chooses::AmongAPool`] if the strategy distinguishes workers.
    fn chooses(&self) -> Chooses {
        let any = Waiting { speed: 1.0, process: 1.0, receive: 1.0 };
        if self.merit(&any).is_some() { Chooses::AmongAPool } else { Chooses::Never }
    }
}

/// True if a strategy wants a pool of requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chooses {
    /// Among those that wait.
    AmongAPool,
    /// The worker that asked first is served.
    Never,
}

/// The strategies.
pub fn table() -> Table<dyn Strategy> {
    Table::new("strategy", "Which of the workers that wait a master serves next", by_merit::ENTRIES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Node, Params, Registry, Sources, Span, Tree, Value};

    fn best(name: &str, pool: &[Waiting]) -> usize {
        let mut registry = Registry::new();
        registry.table(table());
        let mut sources = Sources::new("");
        let span = Span::new(sources.add("test.toml", "", ""), 0..0);
        let root = Node::new(Value::Table(Tree::default()), span);
        let params = Params::new(&registry, &sources, &root);
        let built = (table().find(name).expect("a strategy").build)(&params);
        let strategy = built.unwrap_or_else(|_| panic!("{name} has no keys"));
        let merits = pool.iter().map(|waiting| strategy.merit(waiting).unwrap_or(0.0));
        let best = merits.enumerate().fold((0, f64::NEG_INFINITY), |best, (place, merit)| {
            if merit > best.1 { (place, merit) } else { best }
        });
        best.0
    }

    /// A near slow one, a far fast one, and one in between that computes for as long as it
    /// receives.
    #[test]
    fn each_strategy_serves_the_worker_it_is_named_after() {
        let waiting = |speed: f64, receive: f64| Waiting { speed, process: 120.0 / speed, receive };
        let pool = [waiting(10.0, 1.0), waiting(60.0, 10.0), waiting(30.0, 4.0)];
        assert_eq!(best("workqueue", &pool), 0);
        assert_eq!(best("cpu", &pool), 1);
        assert_eq!(best("bandwidth", &pool), 0);
        // receiving over both: 1/13, 10/12, 4/8; computing over both is the rest of 1
        assert_eq!(best("throughput-literal", &pool), 1);
        assert_eq!(best("throughput-swapped", &pool), 0);
        // the smaller part may be the larger share: 4 of 16 and 3 of 5, 12 of 42 and 2 of 3
        assert_eq!(best("throughput-literal", &[waiting(10.0, 4.0), waiting(60.0, 3.0)]), 1);
        assert_eq!(best("throughput-swapped", &[waiting(10.0, 30.0), waiting(60.0, 1.0)]), 1);
        assert_eq!(best("cpu", &pool[1..]), 0);
        assert_eq!(best("bandwidth", &[pool[2], pool[2]]), 0, "the one that asked first");
    }
}
