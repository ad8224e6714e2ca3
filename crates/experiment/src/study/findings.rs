//! The answer of a study: a sentence, and for each metric that was asked for a matrix: settings of
//! the compared axis down, those of another axis across.
//!
//! A cell has the figure that was tested: the change against the baseline in percent (that of the
//! geometric mean), or the difference where a metric is compared by it, with the half-width of its
//! own 95 % interval; a mark for the verdict; and where nothing is settled the replications that
//! would find the change that was asked for. The row of the baseline has means. Points that differ
//! on further axes have a matrix of their own. Where nothing random was drawn there is nothing to
//! test: then a cell is the plain change, and it is said once why.
//!
//! The terminal prints these words and the report shows them, so that both say the same.

use crate::collections::{OrderedMap, OrderedSet};
use crate::measure::family::Aim;
use crate::output::number::{as_precise_as, plain, time_unit_of, time_with_half_width, with_half_width};
use crate::study::findings_notes;
use crate::study::matrix::{AnswerMatrix, MatrixCell, MatrixRow};
use crate::study::summary::{
    Compared, Comparison, Figures, Findings, MetricFacts, Point, Scale, StudySummary, Verdict,
};
use crate::study::verdict::LEAST_REPLICATIONS;

/// The findings of a study: of the families that were asked for, or of all if none was.
pub fn of(summary: &StudySummary) -> Findings {
    of_comparisons(summary, &summary.asked_comparisons())
}

/// The findings of some comparisons along one axis.
pub(super) fn of_comparisons(summary: &StudySummary, comparisons: &[&Comparison]) -> Findings {
    let random = !compared(summary, comparisons).all(|point| !point.random && point.replications > 0);
    let mut findings = Findings { random, ..Findings::default() };
    if comparisons.iter().all(|comparison| comparison.pairs == 0) {
        findings.notes.push("nothing to compare: no two points differ on this axis alone".to_owned());
        return findings;
    }
    for comparison in comparisons {
        let names: OrderedSet<&str> = comparison.pairs_list.iter().map(|one| one.metric.as_str()).collect();
        for metric in summary.metrics.iter().filter(|metric| names.contains(metric.name.as_str())) {
            let sheet = Sheet::new(summary, comparison, metric, random);
            let matrices = sheet.matrices();
            if findings.answer.is_empty() && !matrices.is_empty() {
                findings.answer = sheet.answer();
            }
            findings.matrices.extend(matrices);
        }
    }
    findings.notes = findings_notes::of(summary, comparisons, random);
    findings
}

/// A metric of a comparison, ready to be laid out.
struct Sheet<'a> {
    summary: &'a StudySummary,
    comparison: &'a Comparison,
    metric: &'a MetricFacts,
    random: bool,
    /// The axis across, if another one has several positions.
    across: Option<usize>,
    by_pair: OrderedMap<(u32, u32), &'a Compared>,
    by_place: OrderedMap<&'a [usize], &'a Point>,
    /// Seconds of the unit in which times are read, and its name; of other metrics their own.
    scale: (f64, &'a str),
}

impl<'a> Sheet<'a> {
    fn new(
        summary: &'a StudySummary,
        comparison: &'a Comparison,
        metric: &'a MetricFacts,
        random: bool,
    ) -> Self {
        let several = |&axis: &usize| axis != comparison.axis && summary.axes[axis].labels.len() > 1;
        let is_numeric = |&axis: &usize| summary.axes[axis].labels.iter().all(|label| is_number(label));
        let others = || (0..summary.axes.len()).filter(several);
        let across = others().find(is_numeric).or_else(|| others().next());
        let list = comparison.pairs_list.iter().filter(|one| one.metric == metric.name);
        let by_pair: OrderedMap<(u32, u32), &Compared> = list.map(|one| ((one.from, one.to), one)).collect();
        let mean = |one: &&Compared| {
            let mean = summary.points.iter().find(|point| point.point == one.from)?.mean(&metric.name);
            Some(if comparison.baseline.is_some() { mean } else { one.difference? })
        };
        let scale = match () {
            () if metric.unit == "s" => time_unit_of(by_pair.values().filter_map(mean).map(f64::abs)),
            () if metric.share => (0.01, "%"),
            () => (1.0, metric.unit.as_str()),
        };
        let by_place = summary.points.iter().map(|point| (point.at.as_slice(), point)).collect();
        Sheet { summary, comparison, metric, random, across, by_pair, by_place, scale }
    }

    /// True if the figures are changes of ratios.
    fn is_ratio(&self) -> bool {
        self.by_pair.values().any(|one| one.scale == Scale::Ratio)
    }

    /// The matrices of all combinations of the further axes.
    fn matrices(&self) -> Vec<AnswerMatrix> {
        if self.by_pair.values().all(|one| one.difference.is_none()) {
            return Vec::new();
        }
        let rests: OrderedSet<Vec<usize>> =
            self.summary.points.iter().map(|point| self.rest(point)).collect();
        let heading = self.heading();
        let matrix = |rest: &Vec<usize>| AnswerMatrix {
            metric: self.metric.name.clone(),
            role: self.comparison.role,
            heading: heading.clone(),
            rest: self.rest_label(rest),
            columns: match self.across {
                Some(axis) => self
                    .labels(axis)
                    .iter()
                    .map(|label| format!("{} {label}", short(self.key(axis))))
                    .collect(),
                None => vec![String::new()],
            },
            rows: self.rows(rest),
            marks: Vec::new(),
        };
        let all = rests.iter().map(matrix);
        let all = all.filter(|matrix| matrix.rows.iter().any(|row| row.cells.iter().any(Option::is_some)));
        all.map(|matrix| AnswerMatrix { marks: self.marks(&matrix), ..matrix }).collect()
    }

    /// Position of a point on the further axes: 0 on the two of the matrix.
    fn rest(&self, point: &Point) -> Vec<usize> {
        let at = point.at.iter().enumerate();
        at.map(|(axis, at)| if axis == self.comparison.axis || Some(axis) == self.across { 0 } else { *at })
            .collect()
    }

    fn rest_label(&self, rest: &[usize]) -> String {
        let further = |&(axis, _): &(usize, &usize)| {
            axis != self.comparison.axis && Some(axis) != self.across && self.labels(axis).len() > 1
        };
        let settings = rest.iter().enumerate().filter(further);
        let settings: Vec<String> =
            settings.map(|(axis, at)| format!("{} = {}", self.key(axis), self.labels(axis)[*at])).collect();
        settings.join(", ")
    }

    fn labels(&self, axis: usize) -> &'a [String] {
        &self.summary.axes[axis].labels
    }

    fn key(&self, axis: usize) -> &'a str {
        self.summary.axes[axis].keys.first().map_or("", String::as_str)
    }

    fn rows(&self, rest: &[usize]) -> Vec<MatrixRow> {
        let labels = self.labels(self.comparison.axis);
        let columns = self.across.map_or(1, |axis| self.labels(axis).len());
        let row = |label: String, cell: &dyn Fn(usize) -> Option<MatrixCell>| MatrixRow {
            label,
            cells: (0..columns).map(cell).collect(),
        };
        let at = |step: usize, column: usize| self.point(rest, step, column);
        match self.comparison.baseline {
            Some(baseline) => {
                let one = |(step, label): (usize, &String)| {
                    let cell = |column: usize| {
                        let (from, to) = (at(baseline, column)?, at(step, column)?);
                        if step == baseline { self.mean(to) } else { self.change(from, to) }
                    };
                    row(label.clone(), &cell)
                };
                labels.iter().enumerate().map(one).collect()
            }
            None => {
                let pairs =
                    (0..labels.len()).flat_map(|from| (from + 1..labels.len()).map(move |to| (from, to)));
                let one = |(from, to): (usize, usize)| {
                    let cell = |column: usize| self.change(at(from, column)?, at(to, column)?);
                    row(format!("{} -> {}", labels[from], labels[to]), &cell)
                };
                pairs.map(one).collect()
            }
        }
    }

    fn point(&self, rest: &[usize], step: usize, column: usize) -> Option<&'a Point> {
        let mut at = rest.to_vec();
        at[self.comparison.axis] = step;
        if let Some(axis) = self.across {
            at[axis] = column;
        }
        self.by_place.get(at.as_slice()).copied()
    }

    /// The cell of a point of the baseline.
    fn mean(&self, point: &Point) -> Option<MatrixCell> {
        let Figures { summary, .. } = point.metrics.get(&self.metric.name)?;
        let (scale, unit) = self.scale;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let figure = match summary.half_width {
            Some(half) => {
                let precise = if self.metric.unit == "s" { time_with_half_width } else { with_half_width };
                let (mean, half) = precise(summary.mean / scale, half / scale);
                format!("{mean} ± {half}{unit}")
            }
            None => format!("{}{unit}", plain(summary.mean / scale)),
        };
        Some(MatrixCell {
            point: point.point,
            verdict: None,
            mark: ' ',
            figure,
            difference: String::new(),
            p: String::new(),
            n: point.replications,
            needed: None,
            recorded: String::new(),
        })
    }

    /// The cell of a point against another.
    fn change(&self, from: &Point, to: &Point) -> Option<MatrixCell> {
        let one = self.by_pair.get(&(from.point, to.point))?;
        let difference = one.difference?;
        let (scale, unit) = self.scale;
        let with_unit = |text: String| if unit.is_empty() { text } else { format!("{text} {unit}") };
        let in_unit = match one.half_width {
            Some(half) => {
                let (mean, half) = with_half_width(difference / scale, half / scale);
                format!("{} ± {half}", signed(difference, mean))
            }
            None => signed(difference, plain(difference / scale)),
        };
        let figure = match (self.is_ratio(), one.relative) {
            (true, Some(change)) => match one.relative_low.zip(one.relative_high) {
                Some((low, high)) if is_lopsided(change, low, high) => {
                    let [mean, low, high] = [change, low, high].map(|share| three_digits(share * 100.0));
                    format!("{} ({low} to {high})", signed(change, mean))
                }
                Some((low, high)) => {
                    let (mean, half) = with_half_width(change * 100.0, (high - low) * 50.0);
                    format!("{} ± {half}", signed(change, mean))
                }
                None => percent(change),
            },
            _ => in_unit.clone(),
        };
        let p =
            one.p_adjusted.map(|p| if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") });
        let tested = if self.is_ratio() { one.relative.unwrap_or(0.0) } else { difference };
        Some(MatrixCell {
            point: to.point,
            verdict: self.random.then_some(one.verdict),
            mark: if self.random { mark(one.verdict, tested) } else { ' ' },
            figure,
            difference: with_unit(in_unit),
            p: p.filter(|_| self.random).unwrap_or_default(),
            n: one.n,
            needed: one.needed.filter(|needed| self.random && *needed > one.n),
            recorded: recorded(one, self.scale).unwrap_or_default(),
        })
    }

    /// The marks of a matrix in words, in their order.
    fn marks(&self, matrix: &AnswerMatrix) -> Vec<(char, String)> {
        let (less, more) = match self.metric.aim {
            Aim::Lower => ("better", "worse"),
            Aim::Higher => ("worse", "better"),
            Aim::None => ("less", "more"),
        };
        let all = [
            ('v', less.to_owned()),
            ('^', more.to_owned()),
            ('.', format!("not settled (n for {} %)", plain(self.comparison.detect * 100.0))),
            ('=', "identical".to_owned()),
            ('o', "saturated, no verdict".to_owned()),
            ('?', format!("n below {LEAST_REPLICATIONS}, no verdict")),
        ];
        let cells = || matrix.rows.iter().flat_map(|row| row.cells.iter().flatten());
        all.into_iter().filter(|(mark, _)| cells().any(|cell| cell.mark == *mark)).collect()
    }

    /// Baseline, unit, number of tests and replications.
    fn heading(&self) -> String {
        let Comparison { axis, baseline, role, afterwards, .. } = self.comparison;
        let against = match baseline {
            Some(at) => format!("against {}", self.labels(*axis)[*at]),
            None => "each with each".to_owned(),
        };
        let unit = match (self.is_ratio(), self.scale.1) {
            (true, _) => "%",
            (false, "%") => "percentage points",
            (false, "") => "difference",
            (false, unit) => unit,
        };
        if !self.random {
            return format!("{} {against} [{unit}]", self.metric.name);
        }
        let tests = self.comparison.pairs_list.iter().filter(|one| one.p.is_some()).count();
        let n = || self.by_pair.values().map(|one| one.n);
        let n = match (n().min(), n().max()) {
            (Some(least), Some(most)) if least != most => format!("n = {least} to {most}"),
            (Some(n), _) => format!("n = {n}"),
            _ => "n = 0".to_owned(),
        };
        let role = if *afterwards { "asked afterwards" } else { role.word() };
        let plural = if tests == 1 { "" } else { "s" };
        format!(
            "{} {against} [{unit}, 95 % interval]   {tests} test{plural}, Holm 5 %, {n}, {role}",
            self.metric.name
        )
    }

    /// The clearest settled change in a sentence, and the settings at which none is settled.
    fn answer(&self) -> String {
        let size = |one: &&&Compared| one.relative.map_or(0.0, f64::abs);
        let greatest = |verdict: Verdict| {
            let of = self.by_pair.values().filter(|one| one.verdict == verdict);
            of.max_by(|a, b| size(a).total_cmp(&size(b))).copied()
        };
        let found = if self.random {
            [Verdict::Better, Verdict::Worse, Verdict::Different].into_iter().find_map(greatest)
        } else {
            self.by_pair
                .values()
                .filter(|one| one.difference.is_some())
                .max_by(|a, b| size(a).total_cmp(&size(b)))
                .copied()
        };
        let Some(one) = found else {
            return if self.random { self.unsettled() } else { String::new() };
        };
        let mut text = self.sentence(one);
        let open = self.open();
        if !open.is_empty() && self.random {
            text += &format!("; not settled at {open}");
        }
        text + "."
    }

    /// The sentence where no change is settled, with the reason if all pairs have the same one.
    fn unsettled(&self) -> String {
        let name = &self.metric.name;
        let verdicts = || self.by_pair.values().filter(|one| one.difference.is_some()).map(|one| one.verdict);
        let are_all = |verdict: Verdict| verdicts().all(|one| one == verdict);
        if are_all(Verdict::Identical) {
            return format!("{name} is the same at all points, replication by replication.");
        }
        let reason = if are_all(Verdict::Saturated) {
            ": every pair has a saturated point".to_owned()
        } else if are_all(Verdict::NoVerdict) {
            format!(": fewer than {LEAST_REPLICATIONS} replications")
        } else {
            String::new()
        };
        format!("No difference in {name} is settled{reason}.")
    }

    fn sentence(&self, one: &Compared) -> String {
        let find = |number: u32| self.summary.points.iter().find(|point| point.point == number);
        let (Some(from), Some(to)) = (find(one.from), find(one.to)) else { return String::new() };
        let axis = self.comparison.axis;
        // a number alone says nothing
        let setting = |point: &Point| match &self.labels(axis)[point.at[axis]] {
            label if is_number(label) => format!("{} {label}", short(self.key(axis))),
            label => label.clone(),
        };
        let verb = if one.relative.or(one.difference).unwrap_or(0.0) < 0.0 { "cuts" } else { "raises" };
        let by = match (self.is_ratio(), one.relative) {
            (true, Some(change)) => {
                let ends = one.relative_low.zip(one.relative_high).map(|(low, high)| {
                    let (near, far) = if change < 0.0 { (-high, -low) } else { (low, high) };
                    let end = |end: f64| plain((end * 1000.0).round() / 10.0);
                    format!(" (95 % interval {} to {} %)", end(near), end(far))
                });
                let size = change.abs() * 100.0;
                let size = if size < 999.95 { format!("{size:.1}") } else { plain(size) };
                format!("{size} %{}", ends.filter(|_| self.random).unwrap_or_default())
            }
            _ => {
                self.change(from, to).map(|cell| cell.difference.replace(['+', '-'], "")).unwrap_or_default()
            }
        };
        let others = (0..self.summary.axes.len())
            .filter(|&axis| axis != self.comparison.axis && self.labels(axis).len() > 1);
        let at: Vec<String> =
            others.map(|axis| format!("{} = {}", self.key(axis), self.labels(axis)[to.at[axis]])).collect();
        let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
        format!("{} {verb} {} of {} by {by}{at}", setting(to), self.metric.name, setting(from))
    }

    /// The settings across at which no comparison is settled.
    fn open(&self) -> String {
        let Some(across) = self.across else { return String::new() };
        let is_settled = |one: &Compared| {
            matches!(one.verdict, Verdict::Better | Verdict::Worse | Verdict::Different | Verdict::Identical)
        };
        let mut settled = vec![false; self.labels(across).len()];
        for one in self.by_pair.values().filter(|one| is_settled(one)) {
            if let Some(point) = self.summary.points.iter().find(|point| point.point == one.to) {
                settled[point.at[across]] = true;
            }
        }
        let open = self.labels(across).iter().zip(settled).filter(|(_, settled)| !settled);
        let open: Vec<&str> = open.map(|(label, _)| label.as_str()).collect();
        if open.is_empty() { String::new() } else { format!("{} = {}", self.key(across), open.join(", ")) }
    }
}

/// Returns true if the change with the half-width of its interval would lie on another side of 0
/// than the interval does: that of a ratio reaches further up than down.
fn is_lopsided(change: f64, low: f64, high: f64) -> bool {
    let half = (high - low) / 2.0;
    (change - half > 0.0) != (low > 0.0) || (change + half < 0.0) != (high < 0.0)
}

/// The direction of a settled change, or the reason that there is none.
fn mark(verdict: Verdict, change: f64) -> char {
    match verdict {
        Verdict::Better | Verdict::Worse | Verdict::Different if change < 0.0 => 'v',
        Verdict::Better | Verdict::Worse | Verdict::Different => '^',
        Verdict::NoEvidence => '.',
        Verdict::Identical => '=',
        Verdict::NoVerdict => '?',
        Verdict::Saturated => 'o',
    }
}

/// The points that were compared.
fn compared<'a>(
    summary: &'a StudySummary,
    comparisons: &[&'a Comparison],
) -> impl Iterator<Item = &'a Point> {
    let list = comparisons.iter().flat_map(|comparison| &comparison.pairs_list);
    let numbers: OrderedSet<u32> = list.flat_map(|one| [one.from, one.to]).collect();
    summary.points.iter().filter(move |point| numbers.contains(&point.point))
}

/// The difference with the log as recorded, where that is another log, and its place.
fn recorded(one: &Compared, (scale, unit): (f64, &str)) -> Option<String> {
    let recorded = one.recorded?;
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    let value = match (one.difference, one.half_width) {
        (Some(mean), Some(half)) => as_precise_as(recorded.difference / scale, mean / scale, half / scale),
        _ => plain(recorded.difference / scale),
    };
    let relative = recorded.relative.map(|share| format!(" ({})", percent(share) + " %")).unwrap_or_default();
    let place = match (recorded.p, recorded.outside) {
        (None, _) => "",
        (Some(_), true) => ", outside the draws",
        (Some(_), false) => ", within the draws",
    };
    Some(format!("{}{unit}{relative}{place}", signed(recorded.difference, value)))
}

/// A share in percent to one decimal, and never a minus before nothing.
fn percent(share: f64) -> String {
    let percent = (share * 1000.0).round() / 10.0 + 0.0;
    signed(percent, format!("{percent:.1}"))
}

/// A number with three digits that count.
fn three_digits(value: f64) -> String {
    plain(format!("{value:.2e}").parse().unwrap_or(value))
}

/// Returns true if a label is a number, or one in percent.
fn is_number(label: &str) -> bool {
    label.trim_end_matches('%').trim().parse::<f64>().is_ok()
}

/// The last name of a dotted key.
fn short(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// A plus before what is above zero.
fn signed(value: f64, text: String) -> String {
    if value > 0.0 && text.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
        format!("+{text}")
    } else {
        text
    }
}
