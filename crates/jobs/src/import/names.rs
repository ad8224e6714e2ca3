//! Names of users, queues and the like, numbered in the order in which they come up.

use crate::collections::NumberedTexts;
use crate::workload::swf::Header;

/// Names, numbered from 1.
#[derive(Debug, Default)]
pub(super) struct Names(NumberedTexts);

impl Names {
    /// The names, in the order of their numbers.
    pub(super) fn all(self) -> Vec<String> {
        self.0.into_texts()
    }

    /// The number of a name, which is taken in if it is new.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        self.0.number(name) + 1
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
            for (name, number) in names.0.texts().iter().zip(1..) {
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
