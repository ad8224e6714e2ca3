//! From the keys of `[workload.columns]` to what is read of each row.

use std::ops::Range;

use crate::collections::OrderedSet;
use crate::registry::{Complaint, Node, Params, Value, code, misfit};
use crate::units::Bytes;

use super::bounds::{LARGEST, MOST, MOST_NANOS, TOLERANCE};
use super::cell::{Cell, Number, of_real, trimmed};
use super::keys::{POWER_UNITS, TIME_UNITS};
use super::moment::{Times, Zone, is_format};
use super::path::Path;
use super::row::Row;
use super::states::States;

/// Meaning of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Submit,
    Start,
    End,
    RunTime,
    Limit,
    Procs,
    Nodes,
    Workers,
    Gpus,
    GpuShare,
    Memory,
    GpuType,
    Tres,
    User,
    Group,
    Account,
    Qos,
    Class,
    Pools,
    Energy,
    Power,
    Executable,
    Queue,
    Partition,
    State,
}

/// Columns by the key that names each; the column of shares is named by a key of `gpus`.
const ROLES: [(&str, Role); 24] = [
    ("submit", Role::Submit),
    ("start", Role::Start),
    ("end", Role::End),
    ("run-time", Role::RunTime),
    ("limit", Role::Limit),
    ("procs", Role::Procs),
    ("nodes", Role::Nodes),
    ("workers", Role::Workers),
    ("gpus", Role::Gpus),
    ("memory", Role::Memory),
    ("gpu-type", Role::GpuType),
    ("tres", Role::Tres),
    ("user", Role::User),
    ("group", Role::Group),
    ("account", Role::Account),
    ("qos", Role::Qos),
    ("class", Role::Class),
    ("pools", Role::Pools),
    ("energy", Role::Energy),
    ("power", Role::Power),
    ("executable", Role::Executable),
    ("queue", Role::Queue),
    ("partition", Role::Partition),
    ("state", Role::State),
];
const ROLE_COUNT: usize = ROLES.len() + 1;

/// Whole that an amount is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Per {
    #[default]
    Job,
    Node,
    Worker,
    Processor,
    Gpu,
}

/// Meaning of a list in a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum List {
    #[default]
    Refused,
    Mean,
    Sum,
}

/// A value that stands for unknown.
#[derive(Clone, PartialEq, Debug)]
enum Marker {
    Number(f64),
    Text(String),
}

/// A column of a table, or several of which the first that states something serves.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// The slots that its cells come in.
    pub(super) slots: Range<usize>,
    /// True if a table without it is read as well.
    pub(super) optional: bool,
    none: Vec<Marker>,
    /// Factor of every value: its scale, and its unit in nanoseconds or bytes.
    pub(super) factor: f64,
    /// True if the unit of numbers is known.
    pub(super) has_unit: bool,
    /// The amount of every job, if there is no column.
    pub(super) value: Option<f64>,
    /// Whole that the amount is of.
    pub(super) per: Per,
    /// True if an amount that is not whole is rounded up.
    pub(super) rounds_up: bool,
    /// Meaning of a list in a cell.
    pub(super) list: List,
}

/// The reading of a table.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The path of each slot.
    pub(super) paths: Vec<Path>,
    /// Columns that are read.
    pub(super) columns: Vec<Column>,
    by_role: [Option<usize>; ROLE_COUNT],
    pub(super) times: Times,
    /// True if numbers count from the origin of the trace.
    pub(super) is_dateless: bool,
    pub(super) states: States,
    pub(super) tres_ids: Vec<(String, String)>,
    /// The value of a share that stands for a whole GPU.
    pub(super) whole_share: f64,
    /// Names of the columns, where the table has no line of them.
    pub(super) names: Option<Vec<String>>,
}

impl Mapping {
    /// Reads a mapping; `columns` are the keys of the scenario over those of the preset, and
    /// `offset` is the offset of zoneless times from UTC, if the workload itself states it.
    ///
    /// # Errors
    /// Keys that contradict each other, or lack one.
    pub(super) fn read(columns: &Params<'_>, offset: Option<i64>) -> Result<Self, Complaint> {
        let mapping = Mapping::unchecked(columns, offset)?;
        mapping.checked(columns)?;
        Ok(mapping)
    }

    /// Reads a mapping of a table of nodes, which states no times.
    ///
    /// # Errors
    /// Keys that contradict each other.
    pub(super) fn of_nodes(columns: &Params<'_>) -> Result<Self, Complaint> {
        Mapping::unchecked(columns, None)
    }

    /// A mapping that only brings the cells of these columns into slots, in their order; with
    /// `names` the table has no line of names.
    pub(super) fn of_columns(columns: &[String], names: Option<Vec<String>>) -> Self {
        let column = |slot: usize| Column { slots: slot..slot + 1, optional: true, ..Column::PLAIN };
        Mapping {
            paths: columns.iter().map(|name| Path::of_column(name)).collect(),
            columns: (0..columns.len()).map(column).collect(),
            by_role: [None; ROLE_COUNT],
            times: Times { format: None, unit: None, zone: None },
            is_dateless: false,
            states: States::default(),
            tres_ids: Vec::new(),
            whole_share: 1.0,
            names,
        }
    }

    fn unchecked(columns: &Params<'_>, offset: Option<i64>) -> Result<Self, Complaint> {
        let mut mapping = Mapping {
            paths: Vec::new(),
            columns: Vec::new(),
            by_role: [None; ROLE_COUNT],
            times: times(columns, offset)?,
            is_dateless: columns.has("times") && columns.section("times").pick("origin", ORIGINS)?,
            states: States::default(),
            tres_ids: tres_ids(columns)?,
            whole_share: 1.0,
            names: None,
        };
        if columns.has("states") {
            mapping.states = States::read(&columns.section("states"))?;
        }
        for (key, role) in ROLES {
            if columns.has(key) {
                mapping.add(role, &columns.section(key))?;
            }
        }
        for (key, role, column) in [("states", Role::State, "state"), ("tres-ids", Role::Tres, "tres")] {
            if columns.has(key) && !mapping.has(role) {
                let message = format!("nothing is read by `{key}`: no column is named by `{column}`");
                return Err(columns.complaint(key, message).help(format!("name it: {column} = \"…\"")));
            }
        }
        if columns.has("gpus") && columns.section("gpus").has("share") {
            let gpus = columns.section("gpus");
            let path = Path::parse(&gpus.read::<String>("share")?);
            mapping.whole_share = gpus.read("of")?;
            mapping.push(Role::GpuShare, vec![path], Column::PLAIN);
        }
        if columns.read::<Option<bool>>("header")? == Some(false) {
            let Some(names) = columns.read::<Option<Vec<String>>>("names")? else {
                let message = "nothing names the columns of a table without a line of names";
                return Err(columns
                    .complaint("header", message)
                    .help("list them in order: names = [\"job\", …]"));
            };
            let is_meant = |name: &&String| mapping.paths.iter().any(|path| path.column == **name);
            let mut before = OrderedSet::new();
            if let Some(twice) = names.iter().filter(is_meant).find(|name| !before.insert(name.as_str())) {
                let message = format!("two columns are called `{twice}`, and the scenario means one");
                return Err(columns.complaint("names", message).help("give each a name of its own"));
            }
            mapping.names = Some(names);
        } else if columns.has("names") {
            let message = "the first line of the table names its columns already";
            return Err(columns.complaint("names", message).help("write header = false if it does not"));
        }
        Ok(mapping)
    }

    fn push(&mut self, role: Role, paths: Vec<Path>, column: Column) {
        let start = self.paths.len();
        self.paths.extend(paths);
        self.by_role[role as usize] = Some(self.columns.len());
        self.columns.push(Column { slots: start..self.paths.len(), ..column });
    }

    fn add(&mut self, role: Role, keys: &Params<'_>) -> Result<(), Complaint> {
        let has = |name: &str| keys.tree().get(name).is_some();
        let mut column = Column::PLAIN;
        for node in keys.items("none") {
            column.none.push(match &node.value {
                Value::String(text) => Marker::Text(text.clone()),
                Value::Integer(number) => Marker::Number(*number as f64),
                Value::Float(number) => Marker::Number(*number),
                _ => return Err(misfit(node, "a text or a number")),
            });
        }
        column.optional = has("optional") && keys.read("optional")?;
        column.rounds_up = has("round") && keys.pick("round", &[("refuse", false), ("up", true)])?;
        if has("list") {
            column.list = keys.pick("list", LISTS)?;
        }
        if has("per") {
            column.per = keys.pick("per", PERS)?;
        }
        if has("scale") {
            column.factor = keys.read("scale")?;
        }
        if has("unit") {
            let unit: String = keys.read("unit")?;
            let times = TIME_UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, nanos)| nanos as f64);
            let bytes = || Bytes::parse(&format!("1{unit}")).ok().map(|bytes| bytes.get() as f64);
            let power = POWER_UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, factor)| factor);
            let factor = power.or(times).or_else(bytes);
            column.factor *= factor.expect("the units that may be written are of these");
            column.has_unit = true;
        }
        column.value = if has("value") { Some(keys.read("value")?) } else { None };
        let paths: Vec<String> = if has("column") { keys.read("column")? } else { Vec::new() };
        match (paths.is_empty(), column.value) {
            (true, None) => Err(keys
                .complaint("column", "neither a column nor a value is named")
                .help("write column = \"…\", or value = N for the same amount in every job")),
            (false, Some(_)) => Err(keys
                .complaint("value", "a column states the amount, and so does `value`")
                .help("leave one of the two out")),
            _ => {
                within(role, &column, keys)?;
                self.push(role, paths.iter().map(|path| Path::parse(path)).collect(), column);
                Ok(())
            }
        }
    }

    /// The column of a role.
    pub(super) fn column(&self, role: Role) -> Option<&Column> {
        self.by_role[role as usize].map(|place| &self.columns[place])
    }

    /// Returns true if a column or a value states this.
    pub(super) fn has(&self, role: Role) -> bool {
        self.column(role).is_some()
    }

    /// Asks for what no table can do without.
    fn checked(&self, keys: &Params<'_>) -> Result<(), Complaint> {
        let lacks = |what: &str, help: &str| {
            let message = format!("nothing says {what}");
            Complaint::new(code::MISSING_KEY, message, keys.span("")).label("in this table").help(help)
        };
        let (has_start, has_end) = (self.has(Role::Start), self.has(Role::End));
        if !self.has(Role::Submit) {
            return Err(lacks("when jobs were submitted", "name the column: submit = \"…\""));
        }
        if has_end && !has_start {
            return Err(keys
                .complaint("end", "the run time is not known by the end alone")
                .help("name `start` as well"));
        }
        if !has_end && !self.has(Role::RunTime) {
            let help = "name `start` and `end`, or run-time = { column = \"…\", unit = \"s\" }";
            return Err(lacks("how long jobs ran", help));
        }
        let sizes = [Role::Procs, Role::Nodes, Role::Gpus, Role::Tres];
        if !sizes.iter().any(|&size| self.has(size)) {
            return Err(lacks("how large jobs were", "name one of `procs`, `nodes`, `gpus`, `tres`"));
        }
        let loops = |column: Option<&Column>, per| column.is_some_and(|column| column.per == per);
        for (key, role) in ROLES {
            let Some(column) = self.column(role) else { continue };
            let needs = match column.per {
                Per::Job => continue,
                Per::Node => (Role::Nodes, "nodes"),
                Per::Worker => (Role::Workers, "workers"),
                Per::Processor => (Role::Procs, "procs"),
                Per::Gpu => (Role::Gpus, "gpus"),
            };
            let circular = needs.0 == role
                || matches!(role, Role::Workers)
                || (role == Role::Nodes && column.per != Per::Worker)
                || (role == Role::Procs
                    && column.per == Per::Gpu
                    && loops(self.column(Role::Gpus), Per::Processor));
            if circular {
                let message = format!("the amount of `{key}` cannot be of each of its {}", needs.1);
                return Err(keys.complaint(key, message));
            }
            let by_list = self.has(Role::Tres) && needs.0 != Role::Workers;
            if !self.has(needs.0) && !by_list {
                let message = format!(
                    "the amount of `{key}` is of each of the {0}, and nothing says how many: `{0}`",
                    needs.1
                );
                return Err(keys.complaint(key, message));
            }
        }
        Ok(())
    }
}

impl Column {
    /// A column whose values stand as they are.
    const PLAIN: Column = Column {
        slots: 0..0,
        optional: false,
        none: Vec::new(),
        factor: 1.0,
        has_unit: false,
        value: None,
        per: Per::Job,
        rounds_up: false,
        list: List::Refused,
    };

    /// The first cell of a row that states a number or a time, and its slot.
    pub(super) fn stated<'r>(&self, row: &'r dyn Row) -> Option<(usize, Cell<'r>)> {
        let cells = self.slots.clone().map(|slot| (slot, row.cell(slot)));
        cells.into_iter().find(|&(_, cell)| !cell.states_nothing() && !self.is_none(cell))
    }

    /// The number in a cell of this column; of a list its mean or sum, if it means one of these.
    pub(super) fn number(&self, cell: Cell<'_>) -> Option<Number> {
        match (cell, self.list) {
            (Cell::List(count, sum), List::Mean) => of_real(sum / count as f64),
            (Cell::List(_, sum), List::Sum) => of_real(sum),
            _ => cell.number(),
        }
    }

    /// The first cell of a row that states a name.
    pub(super) fn named<'r>(&self, row: &'r dyn Row) -> Option<Cell<'r>> {
        let is_name = |cell: &Cell<'_>| match cell {
            Cell::Text(text) => !trimmed(text).is_empty(),
            other => !other.states_nothing(),
        };
        self.slots.clone().map(|slot| row.cell(slot)).find(|cell| is_name(cell) && !self.is_none(*cell))
    }

    fn is_none(&self, cell: Cell<'_>) -> bool {
        let number = || cell.number().map(Number::real);
        self.none.iter().any(|marker| match (marker, cell) {
            (&Marker::Number(none), _) => number() == Some(none),
            (Marker::Text(none), Cell::Text(text)) => trimmed(text).eq_ignore_ascii_case(none.as_bytes()),
            (Marker::Text(_), _) => false,
        })
    }
}

/// Succeeds if an amount that every row has, or the smallest whole one of a column, is one that a
/// job can have.
fn within(role: Role, column: &Column, keys: &Params<'_>) -> Result<(), Complaint> {
    let (most, what) = match role {
        Role::Procs | Role::Nodes | Role::Gpus | Role::Workers => (MOST, "amount"),
        Role::Memory | Role::Energy | Role::Power => (LARGEST, "amount"),
        Role::RunTime | Role::Limit => (MOST_NANOS as f64, "span"),
        _ => return Ok(()),
    };
    let amount = column.value.unwrap_or(1.0) * column.factor;
    if amount > most || !amount.is_finite() {
        let key = if column.value.is_some_and(|value| value > most) || !keys.has("scale") {
            "value"
        } else {
            "scale"
        };
        let message = match column.value {
            Some(_) => format!("{amount:e} is a larger {what} than a job can have"),
            None => format!("with this scale a 1 in the column is a larger {what} than a job can have"),
        };
        return Err(keys.complaint(key, message));
    }
    let is_part = column.value.is_some() && (amount - amount.round()).abs() > TOLERANCE * amount.max(1.0);
    if is_part && column.per == Per::Job && !column.rounds_up {
        let message = format!("{amount} is no whole number of what a job has");
        return Err(keys.complaint("value", message).help("`round = \"up\"` takes the next whole one"));
    }
    Ok(())
}

const ORIGINS: &[(&str, bool)] = &[("epoch", false), ("trace", true)];
const LISTS: &[(&str, List)] = &[("refuse", List::Refused), ("mean", List::Mean), ("sum", List::Sum)];
const PERS: &[(&str, Per)] = &[
    ("job", Per::Job),
    ("node", Per::Node),
    ("worker", Per::Worker),
    ("processor", Per::Processor),
    ("gpu", Per::Gpu),
];

/// The form of times.
fn times(columns: &Params<'_>, offset: Option<i64>) -> Result<Times, Complaint> {
    let zone = offset.map(Zone::Fixed);
    if !columns.has("times") {
        return Ok(Times { format: None, unit: None, zone });
    }
    let keys = columns.section("times");
    let format: Option<String> = keys.read("format")?;
    if let Some(format) = format.as_ref().filter(|format| !is_format(format)) {
        let message = format!("`{format}` is no format that a date can be read by");
        let complaint = Complaint::new(code::RANGE, message, keys.span("format"));
        return Err(complaint.help("a format has the year, the month and the day, as \"%Y-%m-%d %H:%M:%S\""));
    }
    let unit: Option<String> = keys.read("unit")?;
    let unit =
        unit.and_then(|unit| TIME_UNITS.iter().find(|(name, _)| *name == unit)).map(|&(_, nanos)| nanos);
    let own: Option<String> = keys.read("zone")?;
    let zone = match own {
        None => zone,
        Some(name) => Some(Zone::parse(&name).ok_or_else(|| {
            let message = format!("`{name}` is no zone that is known");
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, keys.span("zone"));
            complaint.help("write a name of the tz database, as \"Europe/Rome\", or an offset as \"+01:00\"")
        })?),
    };
    Ok(Times { format, unit, zone })
}

/// Names of resources by their numbers.
fn tres_ids(columns: &Params<'_>) -> Result<Vec<(String, String)>, Complaint> {
    let Some(node) = columns.tree().get("tres-ids") else { return Ok(Vec::new()) };
    let name = |node: &Node| node.as_text().map(ToOwned::to_owned).ok_or_else(|| misfit(node, "a name"));
    let slots = node.as_table().map_or(&[][..], |tree| tree.slots());
    slots.iter().map(|slot| Ok((slot.name.clone(), name(&slot.node)?))).collect()
}
