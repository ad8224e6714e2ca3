//! Names of users, queues and the like, numbered in the order in which they come up.

use crate::collections::OrderedMap;
use crate::workload::swf::Header;

/// Names, numbered from 1.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: OrderedMap<String, u32>,
    names: Vec<String>,
}

impl Names {
    /// The names, in the order of their numbers.
    pub(super) fn all(self) -> Vec<String> {
        self.names
    }

    /// The number of a name, which is taken in if it is new.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32 + 1;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }
}

/// The names of a log.
#[derive(Debug, Default)]
pub(super) struct AllNames {
    pub(super) users: Names,
    pub(super) groups: Names,
    pub(super) executables: Names,
    pub(super) queues: Names,
    pub(super) partitions: Names,
    /// Qualities of service, where they are not the queues.
    pub(super) qos: Names,
}

impl AllNames {
    /// Writes the names of queues, partitions and qualities of service into a header.
    pub(super) fn describe(&self, header: &mut Header) {
        for (key, names) in [("Queue", &self.queues), ("Partition", &self.partitions), ("QOS", &self.qos)] {
            for (name, number) in names.names.iter().zip(1..) {
                header
                    .push(key, format!("{number} {}", name.replace(|letter: char| letter.is_control(), " ")));
            }
        }
    }
}

/// The number of a queue or partition, if it has a name, and a number is left for it.
pub(super) fn queue(names: &mut Names, name: Option<&str>) -> Option<u16> {
    let number = name.map(|name| names.number(name))?;
    // the last two numbers mean something else in a log
    u16::try_from(number).ok().filter(|&number| number < u16::MAX - 1)
}
