//! Statements of a line beyond size and times: attributes, demands, the queue by its name.

use crate::kernel::SimDuration;
use crate::workload::attributes::{Attribute, Stated};
use crate::workload::estimate::Source;
use crate::workload::marks::WaitMark;
use crate::workload::resources::{Demand, DemandId, NodeUse, perhaps};

use super::error::{Error, ErrorKind};
use super::extended::{self, Extension, FieldForm, Unmet};
use super::read::Reading;
use super::record::Record;
use super::report::Cause;

impl Reading<'_> {
    /// The meaning of the fields behind the eighteenth of a line, if they are read.
    pub(super) fn extension<'r>(&self, record: &'r Record<'_>) -> Result<Option<Extension<'r>>, Error> {
        let form = self.options.fields;
        if !record.extra && matches!(form, FieldForm::Auto | FieldForm::Standard) {
            return Ok(None);
        }
        let count = 18 + record.more().split_ascii_whitespace().count();
        extended::read(record.more(), form).map_err(|Unmet { field, expected }| {
            let kind = if count < 21 && form != FieldForm::Auto {
                ErrorKind::NoExtension(count)
            } else {
                ErrorKind::NotExtended(field, expected)
            };
            record.wrong(field.min(count), kind)
        })
    }

    /// Takes in the attributes of a job.
    pub(super) fn note(
        &mut self,
        record: &Record<'_>,
        extension: Option<&Extension<'_>>,
    ) -> Result<(), Error> {
        let executable = record.whole(14)?.map(|number| number as u32);
        if executable.is_some() {
            self.attributes.keep(Attribute::Executable);
        }
        let mut stated = Stated { executable, ..Stated::default() };
        if let Some(extension) = extension {
            (stated.nodes, stated.gpus) = (extension.nodes, extension.gpus);
            self.attributes.keep(Attribute::Nodes);
            if extension.is_size {
                self.attributes.keep(Attribute::Gpus);
                let nodes = || record.whole(5).map(|nodes| nodes.filter(|&nodes| nodes > 0));
                stated.nodes =
                    if stated.nodes.is_some() { stated.nodes } else { nodes()?.map(|nodes| nodes as u32) };
            }
        }
        if extension.is_some_and(|extension| !self.options.resources && extension.asks_for_more()) {
            self.attributes.keep(Attribute::Hold);
            stated.marks = stated.marks.with(WaitMark::LeftOut, true);
        }
        self.attributes.push(&stated);
        Ok(())
    }

    /// The time that a job requested, or that its user expects: the one that counts first where
    /// both are known.
    pub(super) fn asked(
        &self,
        record: &Record<'_>,
        extension: Option<&Extension<'_>>,
    ) -> Result<Option<SimDuration>, Error> {
        let is_there = |span: &u64| *span > 0;
        let limit = record.nanos(9)?;
        let soft = extension.and_then(Extension::soft_nanos).filter(is_there);
        let asked = match self.options.estimate.source {
            Source::Soft => soft.or(limit),
            _ => limit.filter(is_there).or(soft).or(limit),
        };
        Ok(asked.map(SimDuration::from_nanos))
    }

    /// The number of a queue by its name; `None` if there are too many.
    pub(super) fn queue_of(&mut self, name: &str) -> Option<u16> {
        if let Some(&known) = self.queue_numbers.get(name) {
            return Some(known);
        }
        let number = u16::try_from(self.queues.len() + 1).ok().filter(|&number| number < u16::MAX)?;
        self.queues.push(name.to_owned());
        self.queue_numbers.insert(name.to_owned(), number);
        Some(number)
    }

    /// The demand of a line of 21 fields; memory is of a node where a layout states these.
    pub(super) fn demand_of_nodes(
        &mut self,
        record: &Record<'_>,
        extension: &Extension<'_>,
        procs: u32,
    ) -> Result<DemandId, Error> {
        if !self.options.resources {
            let causes = [
                (Cause::Gres, extension.gpus.is_some_and(|gpus| gpus > 0)),
                (Cause::Features, extension.unread || !extension.features.is_empty()),
            ];
            self.report.count_all(record.line, causes);
            return self.demand(record);
        }
        self.report.count_all(record.line, [(Cause::Features, extension.unread)]);
        let nodes = extension.nodes.filter(|&nodes| nodes <= procs).unwrap_or(1);
        let chunk = extension.per_node.unwrap_or_else(|| procs.div_ceil(nodes)).min(procs);
        let chunks = procs.div_ceil(chunk);
        let plain = self.demand(record)?;
        let memory = self.demands.of(plain).memory;
        let memory = if extension.is_size { memory } else { memory.saturating_mul(chunk.into()) };
        let perhaps = extension.perhaps.map(perhaps);
        let names = extension.features.iter().copied().chain(perhaps.as_deref());
        let features = self.demands.features_mut().take_in_all(names);
        Ok(self.demands.number(Demand {
            procs: chunk,
            memory,
            gpus: extension.gpus.unwrap_or(0).div_ceil(chunks),
            features,
            node_use: if extension.exclusive { NodeUse::Exclusive } else { NodeUse::Shared },
            ..Demand::PLAIN
        }))
    }

    /// The demand of a line's job beyond processors: memory, in kilobytes of 1024 bytes for
    /// each of them.
    pub(super) fn demand(&mut self, record: &Record<'_>) -> Result<DemandId, Error> {
        for &field in self.options.memory.fields() {
            if let Some(kilobytes) = record.whole(field)?.filter(|&kilobytes| kilobytes > 0) {
                let memory = kilobytes.saturating_mul(1024);
                return Ok(self.demands.number(Demand { memory, ..Demand::PLAIN }));
            }
        }
        Ok(DemandId::default())
    }
}

/// Processors by the layout of a line, if it states one.
pub(super) fn size(record: &Record<'_>, extension: &Extension<'_>) -> Result<Option<u64>, Error> {
    let Some((nodes, procs)) = extension.nodes.zip(extension.per_node).filter(|_| extension.is_size) else {
        return Ok(None);
    };
    let (size, most) = (u64::from(nodes) * u64::from(procs), u64::from(u32::MAX));
    if size > most {
        return Err(record.wrong(21, ErrorKind::OutOfRange(21, "layout", most)));
    }
    Ok(Some(size))
}
