//! The scheduler that a `slurm.conf` states: weights, times, and keys that are not represented.
//!
//! Source: slurm.conf(5); "Multifactor Priority Plugin" and "Classic Fairshare Algorithm", SchedMD.
//! Of a key that is given twice the last value holds, as in Slurm.

use crate::collections::OrderedMap;
use crate::registry::Problem;

use super::conf_lines::{ConfLine, Line, Pair, first_pair};
use super::conf_values::{BadValue, ConfTime, read_flag, read_time, read_u32};
use super::scheduler_keys::{KeyEffect, PolicyPart, of_line};
use super::usual;

/// Weights of priorities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SiteWeights {
    /// Of the age of a job.
    pub age: u32,
    /// Of its size.
    pub size: u32,
    /// Of its account's fair share.
    pub fairshare: u32,
    /// Of its partition.
    pub partition: u32,
    /// Of its quality of service.
    pub qos: u32,
}

/// A key that has an effect on schedules and is not represented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LostKey {
    /// Part of a policy that it is about.
    pub part: PolicyPart,
    /// Key as written.
    pub key: String,
    /// Value.
    pub value: String,
}

/// Scheduler of a site, as far as its file states it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteScheduler {
    /// `PriorityType`.
    pub priority_type: Option<String>,
    /// `SchedulerType`.
    pub scheduler_type: Option<String>,
    /// Weights.
    pub weights: SiteWeights,
    /// Wait from which age counts no more.
    pub max_age: Option<ConfTime>,
    /// Half-life of usage; no minutes: it never fades.
    pub half_life: Option<ConfTime>,
    /// Time between two computations of priorities.
    pub calc_period: Option<ConfTime>,
    /// True if small jobs go first.
    pub favor_small: bool,
    /// `PriorityFlags`, one by one.
    pub flags: Vec<String>,
    /// Keys that are not represented, in order.
    pub lost: Vec<LostKey>,
    /// Number of lines that state it, usual values not counted.
    pub stated: u64,
    /// Unknown keys, with their lines.
    unknown: FirstFew,
    /// Lines with text behind their value, which Slurm refuses.
    behind: FirstFew,
}

/// Words on a thing that is counted, the first ones of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FirstFew {
    count: u64,
    first: Vec<String>,
}

/// Words that are kept of those that are counted.
const NAMED: usize = 5;

impl FirstFew {
    /// Counts one.
    pub(super) fn push(&mut self, word: String) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(word);
        }
    }

    /// A remark on all of them, if there are some: `before` stands before the first ones.
    pub(super) fn remark(&self, what: &str, before: &str) -> Option<String> {
        let more = if self.count > NAMED as u64 { ", …" } else { "" };
        (self.count > 0).then(|| format!("{what}: {}: {before}{}{more}", self.count, self.first.join(", ")))
    }
}

impl SiteScheduler {
    /// Reads the first key of a line.
    pub(super) fn line(&mut self, conf: &ConfLine) -> Result<(), Problem> {
        let Some((pair, rest)) = first_pair(conf) else {
            return Ok(());
        };
        let effect = of_line(pair.name);
        if !rest.is_empty() && matches!(effect, Some(KeyEffect::Read | KeyEffect::Lost(_))) {
            self.behind.push(conf.number.to_string());
        }
        let is_usual = matches!(effect, Some(KeyEffect::Lost(_))) && usual::of_site(pair.name, pair.value);
        if matches!(effect, Some(KeyEffect::Read | KeyEffect::Lost(_))) && !is_usual {
            self.stated += 1;
        }
        match effect {
            Some(KeyEffect::Lost(part)) => self.lose(part, &pair),
            Some(KeyEffect::Read) => self.read(conf, &pair)?,
            Some(KeyEffect::None) => {}
            None => self.unknown(pair.name, conf.number),
        }
        Ok(())
    }

    /// Counts an unknown key.
    pub(super) fn unknown(&mut self, key: &str, line: u64) {
        self.unknown.push(format!("{key} (line {line})"));
    }

    fn lose(&mut self, part: PolicyPart, pair: &Pair<'_>) {
        self.lost.retain(|lost| !lost.key.eq_ignore_ascii_case(pair.name));
        if !usual::of_site(pair.name, pair.value) {
            self.lost.push(LostKey { part, key: pair.name.to_owned(), value: pair.value.to_owned() });
        }
    }

    /// Returns true if this key has a value that is not represented.
    pub(super) fn loses(&self, key: &str) -> bool {
        self.lost.iter().any(|lost| lost.key.eq_ignore_ascii_case(key))
    }

    fn read(&mut self, conf: &ConfLine, pair: &Pair<'_>) -> Result<(), Problem> {
        let wrong = |bad: BadValue| Line { conf, pairs: Vec::new() }.wrong_at(pair, bad);
        let key = pair.name.to_ascii_lowercase();
        let weight = match key.as_str() {
            "priorityweightage" => Some(&mut self.weights.age),
            "priorityweightjobsize" => Some(&mut self.weights.size),
            "priorityweightfairshare" => Some(&mut self.weights.fairshare),
            "priorityweightpartition" => Some(&mut self.weights.partition),
            "priorityweightqos" => Some(&mut self.weights.qos),
            _ => None,
        };
        if let Some(weight) = weight {
            *weight = read_u32(pair.value).map_err(wrong)?;
            return Ok(());
        }
        let time = match key.as_str() {
            "prioritymaxage" => Some(&mut self.max_age),
            "prioritydecayhalflife" => Some(&mut self.half_life),
            "prioritycalcperiod" => Some(&mut self.calc_period),
            _ => None,
        };
        if let Some(time) = time {
            *time = Some(read_time(pair.value).map_err(wrong)?);
            return Ok(());
        }
        match key.as_str() {
            "priorityfavorsmall" => self.favor_small = read_flag(pair.value).map_err(wrong)?,
            "priorityflags" => self.flags = parts(pair.value),
            "prioritytype" => self.priority_type = Some(pair.value.to_owned()),
            "schedulertype" => self.scheduler_type = Some(pair.value.to_owned()),
            _ => {}
        }
        Ok(())
    }

    /// Remarks on keys that could not be read.
    pub(super) fn remarks(&self) -> Vec<String> {
        let unknown = self.unknown.remark("keys that are not known, and are left out", "");
        let behind = "text behind a value, which Slurm refuses and is left out";
        unknown.into_iter().chain(self.behind.remark(behind, "line ")).collect()
    }
}

/// The parts of a list with commas.
pub(super) fn parts(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Values of keys of nodes that are not represented, each with the nodes that have it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LostOfNodes(pub OrderedMap<(String, String), Vec<String>>);

impl LostOfNodes {
    /// Notes a value of nodes.
    pub(super) fn note(&mut self, key: &str, value: &str, nodes: &str) {
        self.0.entry((key.to_owned(), value.to_owned())).or_default().push(nodes.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SiteScheduler, String> {
        let mut scheduler = SiteScheduler::default();
        for (line, number) in text.lines().zip(1..) {
            let conf = ConfLine::of(line, number);
            scheduler.line(&conf).map_err(|problem| {
                let place = problem.place.map(|place| (place.line, place.column));
                format!("{} {place:?}", problem.message)
            })?;
        }
        Ok(scheduler)
    }

    #[test]
    fn the_last_value_of_a_key_holds() {
        let found = read(
            "PriorityWeightAge=10\npriorityweightage=20\nPriorityDecayHalfLife=14-0\nPriorityFavorSmall=yes\n\
             PriorityFlags=NO_FAIR_TREE, ,MAX_TRES\nPreemptMode=OFF\nPREEMPTMODE=REQUEUE\nPriorityMaxAge=UNLIMITED\n",
        );
        let found = found.expect("right");
        assert_eq!(found.weights, SiteWeights { age: 20, ..SiteWeights::default() });
        assert_eq!(found.half_life, Some(ConfTime::Minutes(20_160)));
        assert_eq!((found.max_age, found.favor_small), (Some(ConfTime::Unlimited), true));
        // the second flag ends at the first blank: the rest of the line is no value
        assert_eq!(
            (&found.flags, &found.behind.first),
            (&vec!["NO_FAIR_TREE".to_owned()], &vec!["5".to_owned()])
        );
        assert_eq!(found.remarks(), ["text behind a value, which Slurm refuses and is left out: 1: line 5"]);
        let preempt =
            LostKey { part: PolicyPart::Policy, key: "PREEMPTMODE".into(), value: "REQUEUE".into() };
        assert_eq!(found.lost, [preempt]);
    }

    #[test]
    fn values_that_cannot_be_are_reported_at_their_place() {
        let wrong = |text: &str| read(text).expect_err("wrong");
        assert_eq!(wrong("\nPriorityWeightAge=-5"), "`-5` is below zero Some((2, 1))");
        assert_eq!(
            wrong(" PriorityWeightQOS = 5000000000"),
            "`5000000000` is more than 4294967295 Some((1, 2))"
        );
        assert_eq!(wrong("PriorityFavorSmall=perhaps"), "`perhaps` is neither YES nor NO Some((1, 1))");
        assert!(wrong("PriorityMaxAge=soon").starts_with("`soon` is no time: "));
    }

    #[test]
    fn unknown_keys_are_counted_and_named() {
        let found = read("Colour=red\nSlurmdDebug=info\nShape=1\nno pair\n").expect("right");
        assert_eq!(found.unknown.count, 2);
        assert_eq!(
            found.remarks(),
            ["keys that are not known, and are left out: 2: Colour (line 1), Shape (line 3)"]
        );
    }

    #[test]
    fn usual_values_are_not_lost_and_take_others_back() {
        let found = read(
            "PreemptType=preempt/none\nPreemptMode=REQUEUE\nPreemptMode=off\nPriorityWeightAge=1\nOverTimeLimit=5\n",
        );
        let found = found.expect("right");
        assert_eq!(found.lost.iter().map(|lost| lost.key.as_str()).collect::<Vec<_>>(), ["OverTimeLimit"]);
        assert!(found.loses("overtimelimit") && !found.loses("PreemptMode"));
        // those with a value of their own: PreemptMode=REQUEUE, the weight and OverTimeLimit
        assert_eq!(found.stated, 3);
    }
}
