//! Attributes of jobs that few inputs state: columns next to the jobs, by their places.
//!
//! A [`Job`](super::Job) holds what a simulation needs of it. What only outputs show of it, and
//! only some inputs state (account, quality of service, class, GPUs, nodes, energy, power), lies in
//! columns of its own, which take no memory where the input has no such column. A column that it
//! has is kept even if it knows nothing of any job, so that files have the same columns whatever
//! the jobs. Texts are kept once each and numbered in the order in which they came up.
//!
//! A reader says what it keeps ([`Attributes::keeping`]), and hands over the values of each job it
//! keeps, in the order of its jobs ([`Attributes::push`]). Sorting, windows and random weeks take
//! the columns along ([`Attributes::gather`]).

use std::ops::Range;

use crate::collections::NumberedTexts;
use crate::workload::growth::append;

use super::marks::JobMarks;

/// A number that is not known.
const UNKNOWN: u32 = u32::MAX;
/// An amount that is not known.
const UNKNOWN_AMOUNT: u64 = u64::MAX;

/// An attribute that an input may state of its jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// Number of the program (SWF field 14).
    Executable,
    /// Quality of service.
    Qos,
    /// Account that is charged.
    Account,
    /// Class, in the words of the input.
    Class,
    /// Amounts of pools that it asks for
    /// ([`amounts_of_pools`](super::resources::amounts_of_pools)).
    Pools,
    /// Number of nodes that it had.
    Nodes,
    /// Number of GPUs that it had on all of them.
    Gpus,
    /// Energy that it took.
    Energy,
    /// Mean power that it drew.
    Power,
    /// Time for which it was suspended.
    Suspended,
    /// Time from its submission to when it could start, and the marks of its wait.
    Hold,
}

impl Attribute {
    /// Attributes that are texts.
    pub const TEXTS: [Attribute; 3] = [Attribute::Qos, Attribute::Account, Attribute::Class];
}

/// Values of one job, as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stated<'a> {
    /// Number of the program.
    pub executable: Option<u32>,
    /// Quality of service.
    pub qos: Option<&'a str>,
    /// Account.
    pub account: Option<&'a str>,
    /// Class.
    pub class: Option<&'a str>,
    /// Amounts of pools.
    pub pools: Option<&'a str>,
    /// Nodes.
    pub nodes: Option<u32>,
    /// GPUs.
    pub gpus: Option<u32>,
    /// Energy \[mJ\].
    pub energy: Option<u64>,
    /// Mean power \[mW\].
    pub power: Option<u64>,
    /// Time for which it was suspended, which is no run time \[ms\].
    pub suspended: Option<u64>,
    /// Time from its submission to when it could start for the first time \[s\].
    pub held: Option<u32>,
    /// Reasons for which its recorded wait may be another one than that of a simulation.
    pub marks: JobMarks,
}

/// A text of each job, kept once each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    texts: NumberedTexts,
    of: Vec<u32>,
}

impl Labels {
    /// The texts, in the order in which they came up.
    pub fn names(&self) -> &[String] {
        self.texts.texts()
    }

    /// Number of the text of the job at a place, if it is known.
    pub fn number(&self, place: usize) -> Option<u32> {
        self.of.get(place).copied().filter(|&number| number != UNKNOWN)
    }

    /// Text of the job at a place, if it is known.
    pub fn text(&self, place: usize) -> Option<&str> {
        Some(&self.texts.texts()[self.number(place)? as usize])
    }

    fn push(&mut self, text: Option<&str>) {
        let number = text.map_or(UNKNOWN, |text| self.texts.number(text));
        append(&mut self.of, number);
    }
}

/// Attributes of the jobs of a workload; `None` is a column that its input has not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    executables: Option<Vec<u32>>,
    qos: Option<Labels>,
    accounts: Option<Labels>,
    classes: Option<Labels>,
    pools: Option<Labels>,
    nodes: Option<Vec<u32>>,
    gpus: Option<Vec<u32>>,
    energy: Option<Vec<u64>>,
    power: Option<Vec<u64>>,
    suspended: Option<Vec<u64>>,
    held: Option<Vec<u32>>,
    marks: Option<Vec<JobMarks>>,
    /// Jobs so far.
    jobs: usize,
}

impl Attributes {
    /// These columns, without jobs.
    pub fn keeping(attributes: &[Attribute]) -> Self {
        let mut kept = Attributes::default();
        attributes.iter().for_each(|&attribute| kept.keep(attribute));
        kept
    }

    /// Keeps another column, of which nothing is known for the jobs so far.
    pub fn keep(&mut self, attribute: Attribute) {
        let jobs = self.jobs;
        let labels = || Labels { of: vec![UNKNOWN; jobs], ..Labels::default() };
        let (numbers, amounts) = (|| vec![UNKNOWN; jobs], || vec![UNKNOWN_AMOUNT; jobs]);
        match attribute {
            Attribute::Executable => _ = self.executables.get_or_insert_with(numbers),
            Attribute::Qos => _ = self.qos.get_or_insert_with(labels),
            Attribute::Account => _ = self.accounts.get_or_insert_with(labels),
            Attribute::Class => _ = self.classes.get_or_insert_with(labels),
            Attribute::Pools => _ = self.pools.get_or_insert_with(labels),
            Attribute::Nodes => _ = self.nodes.get_or_insert_with(numbers),
            Attribute::Gpus => _ = self.gpus.get_or_insert_with(numbers),
            Attribute::Energy => _ = self.energy.get_or_insert_with(amounts),
            Attribute::Power => _ = self.power.get_or_insert_with(amounts),
            Attribute::Suspended => _ = self.suspended.get_or_insert_with(amounts),
            Attribute::Hold => {
                self.held.get_or_insert_with(numbers);
                self.marks.get_or_insert_with(|| vec![JobMarks::NONE; jobs]);
            }
        }
    }

    /// Returns true if there is such a column.
    pub fn has(&self, attribute: Attribute) -> bool {
        match attribute {
            Attribute::Executable => self.executables.is_some(),
            Attribute::Qos | Attribute::Account | Attribute::Class | Attribute::Pools => {
                self.labels(attribute).is_some()
            }
            Attribute::Nodes => self.nodes.is_some(),
            Attribute::Gpus => self.gpus.is_some(),
            Attribute::Energy => self.energy.is_some(),
            Attribute::Power => self.power.is_some(),
            Attribute::Suspended => self.suspended.is_some(),
            Attribute::Hold => self.marks.is_some(),
        }
    }

    /// Returns true if there are no columns.
    pub fn is_empty(&self) -> bool {
        *self == Attributes { jobs: self.jobs, ..Attributes::default() }
    }

    /// Number of jobs so far.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// A column of texts, if there is one.
    pub fn labels(&self, attribute: Attribute) -> Option<&Labels> {
        match attribute {
            Attribute::Qos => self.qos.as_ref(),
            Attribute::Account => self.accounts.as_ref(),
            Attribute::Class => self.classes.as_ref(),
            Attribute::Pools => self.pools.as_ref(),
            _ => None,
        }
    }

    /// Takes in the values of the next job; those without a column are passed over.
    pub fn push(&mut self, job: &Stated<'_>) {
        self.jobs += 1;
        push(&mut self.executables, job.executable, UNKNOWN);
        push(&mut self.nodes, job.nodes, UNKNOWN);
        push(&mut self.gpus, job.gpus, UNKNOWN);
        push(&mut self.energy, job.energy, UNKNOWN_AMOUNT);
        push(&mut self.power, job.power, UNKNOWN_AMOUNT);
        push(&mut self.suspended, job.suspended, UNKNOWN_AMOUNT);
        push(&mut self.held, job.held, UNKNOWN);
        push(&mut self.marks, Some(job.marks), JobMarks::NONE);
        let texts = [
            (&mut self.qos, job.qos),
            (&mut self.accounts, job.account),
            (&mut self.classes, job.class),
            (&mut self.pools, job.pools),
        ];
        for (labels, text) in texts {
            labels.iter_mut().for_each(|labels| labels.push(text));
        }
    }

    /// States the amounts of pools that the job at a place of so many asks for, in place of what is
    /// known of it.
    pub fn ask_for_pools(&mut self, place: usize, amounts: &str, jobs: usize) {
        self.jobs = jobs;
        self.keep(Attribute::Pools);
        if let Some(labels) = &mut self.pools {
            labels.of[place] = labels.texts.number(amounts);
        }
    }

    /// Adds the amounts of a part of the job at a place (nodes, GPUs, energy and power), and its
    /// marks.
    pub fn add(&mut self, place: usize, part: &Stated<'_>) {
        let add_number = |column: &mut Option<Vec<u32>>, more: Option<u32>| {
            if let (Some(column), Some(more)) = (column, more) {
                let whole = Some(column[place]).filter(|&whole| whole != UNKNOWN).unwrap_or(0);
                column[place] = whole.saturating_add(more).min(UNKNOWN - 1);
            }
        };
        let add_amount = |column: &mut Option<Vec<u64>>, more: Option<u64>| {
            if let (Some(column), Some(more)) = (column, more) {
                let whole = Some(column[place]).filter(|&whole| whole != UNKNOWN_AMOUNT).unwrap_or(0);
                column[place] = whole.saturating_add(more).min(UNKNOWN_AMOUNT - 1);
            }
        };
        add_number(&mut self.nodes, part.nodes);
        add_number(&mut self.gpus, part.gpus);
        add_amount(&mut self.energy, part.energy);
        add_amount(&mut self.power, part.power);
        if let Some(marks) = &mut self.marks {
            marks[place] = marks[place].or(part.marks);
        }
    }

    /// Values of the job at a place.
    pub fn of(&self, place: usize) -> Stated<'_> {
        let number = |column: &Option<Vec<u32>>| {
            column.as_ref().and_then(|column| column.get(place).copied()).filter(|&number| number != UNKNOWN)
        };
        let amount = |column: &Option<Vec<u64>>| {
            let amount = column.as_ref().and_then(|column| column.get(place).copied());
            amount.filter(|&amount| amount != UNKNOWN_AMOUNT)
        };
        Stated {
            executable: number(&self.executables),
            qos: self.qos.as_ref().and_then(|labels| labels.text(place)),
            account: self.accounts.as_ref().and_then(|labels| labels.text(place)),
            class: self.classes.as_ref().and_then(|labels| labels.text(place)),
            pools: self.pools.as_ref().and_then(|labels| labels.text(place)),
            nodes: number(&self.nodes),
            gpus: number(&self.gpus),
            energy: amount(&self.energy),
            power: amount(&self.power),
            suspended: amount(&self.suspended),
            held: number(&self.held),
            marks: self.marks.as_ref().and_then(|column| column.get(place).copied()).unwrap_or_default(),
        }
    }

    /// The values of the jobs at these places, in this order: a place may come up any number of
    /// times.
    ///
    /// # Panics
    /// If there is no job at a place.
    #[must_use]
    pub fn gather(self, places: &[u32]) -> Self {
        let numbers = |column: Vec<u32>| gathered(&column, places);
        let amounts = |column: Vec<u64>| gathered(&column, places);
        let texts = |labels: Labels| Labels { of: gathered(&labels.of, places), ..labels };
        Attributes {
            executables: self.executables.map(numbers),
            qos: self.qos.map(texts),
            accounts: self.accounts.map(texts),
            classes: self.classes.map(texts),
            pools: self.pools.map(texts),
            nodes: self.nodes.map(numbers),
            gpus: self.gpus.map(numbers),
            energy: self.energy.map(amounts),
            power: self.power.map(amounts),
            suspended: self.suspended.map(amounts),
            held: self.held.map(numbers),
            marks: self.marks.map(|column| gathered(&column, places)),
            jobs: places.len(),
        }
    }

    /// Keeps the jobs at a range of places alone.
    pub(super) fn cut(&mut self, range: &Range<usize>) {
        self.jobs = range.len();
        let numbers = [&mut self.executables, &mut self.nodes, &mut self.gpus, &mut self.held];
        for column in numbers.into_iter().flatten() {
            cut(column, range);
        }
        if let Some(column) = &mut self.marks {
            cut(column, range);
        }
        let amounts = [&mut self.energy, &mut self.power, &mut self.suspended];
        for column in amounts.into_iter().flatten() {
            cut(column, range);
        }
        let texts = [&mut self.qos, &mut self.accounts, &mut self.classes, &mut self.pools];
        for labels in texts.into_iter().flatten() {
            cut(&mut labels.of, range);
        }
    }
}

fn push<T>(column: &mut Option<Vec<T>>, value: Option<T>, unknown: T) {
    if let Some(column) = column {
        append(column, value.unwrap_or(unknown));
    }
}

fn gathered<T: Copy>(column: &[T], places: &[u32]) -> Vec<T> {
    places.iter().map(|&place| column[place as usize]).collect()
}

fn cut<T>(column: &mut Vec<T>, range: &Range<usize>) {
    column.truncate(range.end);
    column.drain(..range.start);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::workload::WaitMark;

    #[test]
    fn columns_that_an_input_has_not_take_no_place() {
        let mut attributes = Attributes::default();
        attributes.push(&Stated { account: Some("physics"), energy: Some(7), ..Stated::default() });
        assert!(attributes.is_empty() && !attributes.has(Attribute::Account));
        assert_eq!(attributes.of(0), Stated::default());
    }

    #[test]
    fn texts_are_numbered_as_they_come_up_and_parts_add_up() {
        let mut attributes = Attributes::keeping(&[Attribute::Account, Attribute::Gpus, Attribute::Energy]);
        let job = |account, gpus| Stated { account, gpus, ..Stated::default() };
        for (account, gpus) in [(Some("z"), Some(2)), (None, None), (Some("a"), Some(0)), (Some("z"), None)] {
            attributes.push(&job(account, gpus));
        }
        let labels = attributes.labels(Attribute::Account).expect("a column");
        assert_eq!(labels.names(), ["z", "a"]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|place| labels.number(place)),
            [Some(0), None, Some(1), Some(0), None]
        );
        attributes.add(0, &Stated { gpus: Some(3), energy: Some(5), ..job(Some("a"), None) });
        assert_eq!(attributes.of(0), Stated { energy: Some(5), ..job(Some("z"), Some(5)) });
        // a column that begins late knows nothing of the jobs before
        attributes.keep(Attribute::Executable);
        attributes.push(&Stated { executable: Some(9), ..job(None, None) });
        assert_eq!([3, 4].map(|place| attributes.of(place).executable), [None, Some(9)]);
    }

    proptest! {
        #[test]
        fn columns_follow_the_jobs_wherever_these_go(
            jobs in prop::collection::vec((0_u8..5, prop::option::of(0_u32..9)), 1..20),
            places in prop::collection::vec(0_usize..20, 0..30), cut in (0_usize..30, 0_usize..30),
        ) {
            let names: Vec<String> = jobs.iter().map(|job| job.0.to_string()).collect();
            let stated = |place: usize| {
                let nodes = jobs[place].1;
                let power = nodes.map(u64::from);
                let marks = JobMarks::NONE.with(WaitMark::Held, nodes.is_some());
                Stated { class: Some(names[place].as_str()), nodes, power, held: nodes, marks, ..Stated::default() }
            };
            let columns = [Attribute::Class, Attribute::Nodes, Attribute::Power, Attribute::Hold];
            let mut attributes = Attributes::keeping(&columns);
            (0..jobs.len()).for_each(|place| attributes.push(&stated(place)));
            let places: Vec<u32> = places.into_iter().map(|place| (place % jobs.len()) as u32).collect();
            let mut moved = attributes.gather(&places);
            for (new, &old) in places.iter().enumerate() {
                prop_assert_eq!(moved.of(new), stated(old as usize));
            }
            let end = cut.1.min(places.len());
            let start = cut.0.min(end);
            moved.cut(&(start..end));
            for (new, &old) in places[start..end].iter().enumerate() {
                prop_assert_eq!(moved.of(new), stated(old as usize));
            }
            prop_assert_eq!(moved.of(end - start), Stated::default());
        }
    }
}
