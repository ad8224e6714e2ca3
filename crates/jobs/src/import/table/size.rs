//! How large a job is: processors, nodes, GPUs and memory, from its row.

use crate::import::slurm::{gpus_in_tres, memory, resource_text};

use super::bounds::{LARGEST, MOST, TOLERANCE};
use super::cell::{Cell, Number};
use super::mapping::{Mapping, Per, Role};
use super::row::{Row, WrongCell, WrongCells};

/// Size of a job as its row states it; `None` where that is not known.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Size {
    pub(super) procs: Option<u32>,
    pub(super) nodes: Option<u32>,
    pub(super) gpus: u32,
    /// [bytes]
    pub(super) memory: u64,
    /// True if an amount was rounded up to a whole one.
    pub(super) is_rounded: bool,
    /// True if it had a part of a GPU.
    pub(super) is_share: bool,
    /// [mJ]
    pub(super) energy: Option<u64>,
    /// [mW]
    pub(super) power: Option<u64>,
    /// Processors, nodes and GPUs before they are whole, parts of GPUs as parts.
    pub(super) exact: [f64; 3],
}

/// Amounts of a row while they are read; each may be of each unit of another.
struct Amounts<'a> {
    mapping: &'a Mapping,
    row: &'a dyn Row,
    list: Option<String>,
    is_rounded: bool,
}

impl Size {
    /// The size that a row states; amounts that are none, or not whole, are noted as wrong.
    pub(super) fn of(mapping: &Mapping, row: &dyn Row, wrong: &mut WrongCells) -> Size {
        let mut amounts = Amounts { mapping, row, list: None, is_rounded: false };
        amounts.list = amounts.list();
        let nodes = wrong.right(amounts.whole(Role::Nodes)).flatten();
        let procs = wrong.right(amounts.whole(Role::Procs)).flatten();
        let gpus = wrong.right(amounts.whole(Role::Gpus)).flatten().unwrap_or_default();
        let [memory, energy, power] =
            [Role::Memory, Role::Energy, Role::Power].map(|role| wrong.right(amounts.large(role)).flatten());
        let share = if gpus.0 > 0 { wrong.right(amounts.share()).flatten() } else { None };
        let is_share = share.is_some_and(|share| share < 1.0);
        let exact = |amount: Option<(u32, f64)>| amount.map_or(0.0, |(_, exact)| exact);
        Size {
            exact: [exact(procs), exact(nodes), gpus.1 * share.unwrap_or(1.0)],
            procs: procs.map(|(whole, _)| whole).filter(|&procs| procs > 0),
            nodes: nodes.map(|(whole, _)| whole).filter(|&nodes| nodes > 0),
            gpus: gpus.0,
            memory: memory.map_or(0, |bytes| bytes.ceil() as u64),
            is_rounded: amounts.is_rounded,
            is_share,
            energy: energy.map(|energy| energy.round() as u64),
            power: power.map(|power| power.round() as u64),
        }
    }
}

impl Amounts<'_> {
    /// The list of resources, with names in the place of numbers.
    fn list(&self) -> Option<String> {
        let cell = self.mapping.column(Role::Tres)?.named(self.row)?;
        let text = cell.name()?;
        if self.mapping.tres_ids.is_empty() {
            return Some(text.into_owned());
        }
        let named = |part: &str| {
            let (id, amount) = part.split_once('=')?;
            let (_, name) = self.mapping.tres_ids.iter().find(|(known, _)| known == id)?;
            Some(format!("{name}={amount}"))
        };
        Some(text.split(',').filter_map(named).collect::<Vec<_>>().join(","))
    }

    /// An amount, before it is whole.
    fn amount(&self, role: Role) -> Result<Option<f64>, WrongCell> {
        let Some(column) = self.mapping.column(role) else { return self.listed(role) };
        let stated = match (column.value, column.stated(self.row)) {
            (Some(value), _) => value,
            (None, None) => return Ok(None),
            (None, Some((slot, cell))) => match column.number(cell).map(Number::real) {
                Some(number) if number >= 0.0 => number,
                Some(_) => {
                    let message = format!("{} is below zero", cell.shown());
                    let help = "a value that stands for unknown is named by `none`: none = -1";
                    return Err(WrongCell::new(slot, message).help(help));
                }
                None if matches!(cell, Cell::List(..)) => {
                    let help = "for energy and power `list` says what it means: list = \"mean\"; count(COLUMN) counts it";
                    return Err(WrongCell::new(slot, format!("{} is no number", cell.shown())).help(help));
                }
                None => return Err(WrongCell::new(slot, format!("{} is no number", cell.shown()))),
            },
        };
        let of = match column.per {
            Per::Job => Some(1.0),
            Per::Node => self.amount(Role::Nodes)?,
            Per::Worker => self.amount(Role::Workers)?,
            Per::Processor => self.amount(Role::Procs)?,
            Per::Gpu => self.amount(Role::Gpus)?,
        };
        Ok(of.map(|of| stated * column.factor * of))
    }

    /// An amount in the list of resources.
    fn listed(&self, role: Role) -> Result<Option<f64>, WrongCell> {
        let Some(list) = &self.list else { return Ok(None) };
        let slot = self.mapping.column(Role::Tres).map_or(0, |column| column.slots.start);
        let bad = |name: &str| {
            let shown = resource_text(list, name).unwrap_or_default();
            let shown = Cell::Text(format!("{name}={shown}").as_bytes()).shown();
            WrongCell::new(slot, format!("{shown} in this list of resources is no amount of it"))
        };
        let number = |name: &str| match resource_text(list, name) {
            None => Ok(None),
            Some(text) => text.parse::<u32>().map(|number| Some(f64::from(number))).map_err(|_| bad(name)),
        };
        match role {
            Role::Procs => number("cpu"),
            Role::Nodes => number("node"),
            Role::Gpus => Ok(gpus_in_tres(list).map_err(|()| bad("gres/gpu"))?.map(f64::from)),
            Role::Memory => match resource_text(list, "mem") {
                None => Ok(None),
                Some(text) => memory(text).map(|bytes| Some(bytes as f64)).ok_or_else(|| bad("mem")),
            },
            _ => Ok(None),
        }
    }

    /// A whole amount, and what it was before it was whole.
    fn whole(&mut self, role: Role) -> Result<Option<(u32, f64)>, WrongCell> {
        let Some(amount) = self.amount(role)? else { return Ok(None) };
        let nearest = amount.round();
        let is_whole = (amount - nearest).abs() <= TOLERANCE * amount.max(1.0);
        let rounds_up = self.mapping.column(role).is_some_and(|column| column.rounds_up);
        if !is_whole && !rounds_up {
            let message = format!("{} is no whole number of {}", shown(amount), word(role));
            let help = "`round = \"up\"` takes the next whole one; `scale` states how many one of them is";
            return Err(WrongCell::new(self.slot(role), message).help(help));
        }
        let whole = if is_whole { nearest } else { amount.ceil() };
        if whole > MOST {
            let message = format!("{} {} are more than a job can have", shown(whole), word(role));
            return Err(WrongCell::new(self.slot(role), message));
        }
        self.is_rounded |= !is_whole;
        Ok(Some((whole as u32, amount)))
    }

    /// An amount that may be large.
    fn large(&self, role: Role) -> Result<Option<f64>, WrongCell> {
        let Some(amount) = self.amount(role)? else { return Ok(None) };
        if amount <= LARGEST {
            return Ok(Some(amount));
        }
        let stated = self.mapping.column(role).and_then(|column| column.stated(self.row));
        let shown = stated.map_or_else(|| shown(amount), |(_, cell)| cell.shown());
        let message = format!("{shown} is more {} than a job can have", word(role));
        Err(WrongCell::new(self.slot(role), message).help("`unit` states the unit of the column"))
    }

    /// The slot of the cell that states an amount: of a value for each node, that of the nodes; the
    /// whole row where no cell does.
    fn slot(&self, role: Role) -> usize {
        let Some(column) = self.mapping.column(role) else {
            return self.mapping.column(Role::Tres).map_or(usize::MAX, |column| column.slots.start);
        };
        match (column.stated(self.row), column.per) {
            (Some((slot, _)), _) => slot,
            (None, Per::Job) => usize::MAX,
            (None, Per::Node) => self.slot(Role::Nodes),
            (None, Per::Worker) => self.slot(Role::Workers),
            (None, Per::Processor) => self.slot(Role::Procs),
            (None, Per::Gpu) => self.slot(Role::Gpus),
        }
    }

    /// The part of each of its GPUs that a job has, if a column states it.
    fn share(&self) -> Result<Option<f64>, WrongCell> {
        let Some(column) = self.mapping.column(Role::GpuShare) else { return Ok(None) };
        let Some((slot, cell)) = column.stated(self.row) else { return Ok(None) };
        match cell.number() {
            Some(share) if share.real() >= 0.0 => Ok(Some(share.real() / self.mapping.whole_share)),
            Some(_) => Err(WrongCell::new(slot, format!("{} is below zero", cell.shown()))),
            None => Err(WrongCell::new(slot, format!("{} is no number", cell.shown()))),
        }
    }
}

/// An amount in few digits.
fn shown(amount: f64) -> String {
    if amount < 1e18 { amount.to_string() } else { format!("{amount:e}") }
}

fn word(role: Role) -> &'static str {
    match role {
        Role::Nodes => "nodes",
        Role::Gpus => "GPUs",
        Role::Memory => "memory",
        Role::Energy => "energy",
        Role::Power => "power",
        _ => "processors",
    }
}
