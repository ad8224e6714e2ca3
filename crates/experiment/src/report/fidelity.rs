//! The account of fidelity on a terminal, in 80 columns.

use std::fmt::Write;

use crate::collections::StableSort as _;
use crate::fidelity::{
    CauseShare, ComparedWaits, ErrorCause, FidelityAccount, FidelityGroup, FidelityGrouping, FidelityWord,
    WaitFigure, WithoutCauses,
};
use crate::output::number::{counted, grouped, lasting, plain, span};
use crate::report::figures::NOTHING;
use crate::text::in_one_line;

/// Groups of a grouping that are printed.
const PRINTED: usize = 8;
/// Columns of a terminal.
const WIDE: usize = 80;
/// Columns for the name of a row of waits.
const NAME: usize = 14;
/// Columns for the name of a group.
const GROUP: usize = 13;

/// Figures that have a word, each with its name in the text.
const JUDGED: [WaitFigure; 4] =
    [WaitFigure::RatioOfMeans, WaitFigure::WithinTime, WaitFigure::WithinFactor, WaitFigure::KendallTau];

/// Rows of waits: a name, and the recorded and the simulated figure.
const WAITS: [(&str, WaitFigure, WaitFigure); 4] = [
    ("mean wait", WaitFigure::RecordedMean, WaitFigure::SimulatedMean),
    ("50 % of jobs", WaitFigure::RecordedP50, WaitFigure::SimulatedP50),
    ("90 % of jobs", WaitFigure::RecordedP90, WaitFigure::SimulatedP90),
    ("99 % of jobs", WaitFigure::RecordedP99, WaitFigure::SimulatedP99),
];

/// The account in words, with its last line end.
pub fn text(account: &FidelityAccount, title: &str) -> String {
    let mut text = format!("{}\n\n", in_one_line(title));
    facts(&mut text, account);
    waits(&mut text, &account.whole, ["recorded", "simulated"]);
    text.push('\n');
    judged(&mut text, account, &account.whole);
    let _ = writeln!(text, "\n all of it: {}", word(account.word()));
    error_shares(&mut text, account);
    account.groupings.iter().for_each(|grouping| by(&mut text, grouping));
    if let Some(without) = &account.without {
        second(&mut text, account, without);
    }
    text
}

fn facts(text: &mut String, account: &FidelityAccount) {
    let (facts, left) = (&account.facts, &account.left_out);
    let count = |count: u64, what: &str| (count > 0).then(|| format!("{} {what}", grouped(count)));
    let machine = if facts.procs == facts.peak {
        format!("{} processors, the recorded peak", grouped(facts.procs.into()))
    } else {
        format!(
            "{} processors, as the scenario says (recorded peak {})",
            grouped(facts.procs.into()),
            grouped(facts.peak.into())
        )
    };
    let other = if facts.procs == facts.stated {
        String::new()
    } else {
        format!(" (scenario: {})", grouped(facts.stated.into()))
    };
    // writing into a String cannot fail
    let _ = writeln!(text, " machine    {machine}{other}");
    if facts.peak > facts.stated {
        let _ = writeln!(text, "            more than the scenario has: records overlap, or it is too small");
    }
    let weeks = counted(account.whole.weeks, "week");
    let _ = writeln!(
        text,
        " compared   {} of {weeks}, {} left out at either end",
        counted(account.whole.jobs, "job"),
        lasting(account.rules.edge)
    );
    let rest: Vec<String> = [
        count(left.in_edges, "in the edges"),
        count(left.unrecorded, "of unknown wait"),
        count(left.not_run, "not run"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !rest.is_empty() {
        let _ = writeln!(text, " left out   {}", rest.join(", "));
    }
}

fn time(value: Option<f64>) -> String {
    value.map_or_else(|| NOTHING.to_owned(), span)
}

/// Two columns of waits side by side, with their intervals.
fn waits(text: &mut String, compared: &ComparedWaits, heads: [&str; 2]) {
    let is_known = WAITS.iter().any(|(_, _, simulated)| compared.interval(*simulated).is_some());
    let of_it = if is_known { "   (95 % interval of it)" } else { "" };
    let _ = writeln!(text, "\n {:NAME$}{:>12}{:>12}{of_it}", "", heads[0], heads[1]);
    for (name, recorded, simulated) in WAITS {
        let [one, other] = [recorded, simulated].map(|figure| time(compared.value(figure)));
        let interval =
            compared.interval(simulated).map(|(low, high)| format!("   ({} to {})", span(low), span(high)));
        let _ = writeln!(text, " {name:NAME$}{one:>12}{other:>12}{}", interval.unwrap_or_default());
    }
}

/// Name of a judged figure in the text.
fn called(account: &FidelityAccount, figure: WaitFigure) -> String {
    match figure {
        WaitFigure::RatioOfMeans => "ratio of means".to_owned(),
        WaitFigure::WithinTime => format!("within {}", lasting(account.rules.within)),
        WaitFigure::WithinFactor => format!("within a factor of {}", plain(account.rules.factor)),
        WaitFigure::KendallTau => "Kendall's τ, starts in a week".to_owned(),
        other => other.name().to_owned(),
    }
}

fn shown(figure: WaitFigure, value: f64) -> String {
    match figure {
        WaitFigure::WithinTime | WaitFigure::WithinFactor => percent(Some(value)),
        _ => plain(value),
    }
}

fn cell(compared: &ComparedWaits, figure: WaitFigure) -> String {
    compared.value(figure).map_or_else(|| NOTHING.to_owned(), |value| shown(figure, value))
}

fn judged(text: &mut String, account: &FidelityAccount, compared: &ComparedWaits) {
    for figure in JUDGED {
        let name = called(account, figure);
        let interval = compared.interval(figure).map_or_else(String::new, |(low, high)| {
            format!("({} to {})", shown(figure, low), shown(figure, high))
        });
        let found = account.rules.word(figure, compared.value(figure));
        let _ = writeln!(text, " {name:30}{:>10}  {interval:24}{}", cell(compared, figure), word(found));
    }
    if compared.interval(WaitFigure::ErrorMean).is_none() {
        let _ = writeln!(text, " no intervals: they come from whole weeks, eight at least");
    }
}

fn word(word: Option<FidelityWord>) -> &'static str {
    word.map_or(NOTHING, FidelityWord::name)
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| NOTHING.to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn error_shares(text: &mut String, account: &FidelityAccount) {
    let mean = time(account.whole.value(WaitFigure::ErrorMean));
    let _ = writeln!(text, "\n who carries the error (a mean of {mean} a job)");
    let _ = writeln!(text, "  {:17}{:>10}{:>12}{:>14}", "jobs that were", "jobs", "of all", "of the error");
    for CauseShare { cause, jobs, share, error_share } in &account.causes {
        let name = cause.map_or("none of these", ErrorCause::name);
        let _ = writeln!(
            text,
            "  {name:17}{:>10}{:>12}{:>14}",
            grouped(*jobs),
            percent(*share),
            percent(*error_share)
        );
    }
}

/// The groups that carry most of the error, in their own order.
fn by(text: &mut String, grouping: &FidelityGrouping) {
    let mut places: Vec<usize> = (0..grouping.groups.len()).collect();
    let carried = |place: usize| grouping.groups[place].error_share.unwrap_or(0.0);
    places.stable_sort_by(|&one, &other| carried(other).total_cmp(&carried(one)));
    places.truncate(PRINTED);
    places.sort_unstable();
    let _ = writeln!(
        text,
        "\n by {:10}{:>9}{:>10}{:>10}{:>7}{:>8}{:>7}{:>8} word",
        grouping.by, "jobs", "recorded", "simulated", "ratio", "in time", "τ", "error"
    );
    for place in &places {
        let FidelityGroup { name, compared, error_share, word: found } = &grouping.groups[*place];
        let _ = writeln!(
            text,
            " {}{:>9}{:>10}{:>10}{:>7}{:>8}{:>7}{:>8} {}",
            fitted(name),
            grouped(compared.jobs),
            time(compared.value(WaitFigure::RecordedMean)),
            time(compared.value(WaitFigure::SimulatedMean)),
            cell(compared, WaitFigure::RatioOfMeans),
            cell(compared, WaitFigure::WithinTime),
            cell(compared, WaitFigure::KendallTau),
            percent(*error_share),
            word(*found)
        );
    }
    let more = grouping.groups.len() - places.len();
    if more > 0 {
        let _ = writeln!(text, " and {more} more, which carry less of the error: --json has all");
    }
}

/// A name in the columns that there are for it.
fn fitted(name: &str) -> String {
    let name = in_one_line(name);
    if name.chars().count() < GROUP {
        return format!("{name:GROUP$}");
    }
    let cut: String = name.chars().take(GROUP - 2).collect();
    format!("{cut}… ")
}

fn second(text: &mut String, account: &FidelityAccount, without: &WithoutCauses) {
    let causes: Vec<&str> = without.causes.iter().map(|cause| cause.name()).collect();
    let head = format!(" without {}:", causes.join(", "));
    let counts = format!(
        " {} started as recorded; the other {}",
        counted(without.fixed, "job"),
        counted(without.after.jobs, "job")
    );
    let gap = if (head.chars().count() + counts.chars().count()) > WIDE { "\n" } else { "" };
    let _ = writeln!(text, "\n{head}{gap}{counts}");
    let _ = writeln!(text, "  {:28}{:>14}{:>14}", "", "first run", "second run");
    for (name, figure) in
        [("simulated mean wait", WaitFigure::SimulatedMean), ("mean error", WaitFigure::ErrorMean)]
    {
        let [one, other] = [&without.before, &without.after].map(|compared| time(compared.value(figure)));
        let _ = writeln!(text, "  {name:28}{one:>14}{other:>14}");
    }
    for figure in JUDGED {
        let name = called(account, figure);
        let [one, other] = [&without.before, &without.after].map(|compared| cell(compared, figure));
        let _ = writeln!(text, "  {name:28}{one:>14}{other:>14}");
    }
    let [one, other] = [&without.before, &without.after].map(|compared| word(compared.word(&account.rules)));
    let _ = writeln!(text, "  {:28}{one:>14}{other:>14}", "all of it");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fidelity::tests::{RULES, job};
    use crate::fidelity::{ReplayFacts, ReplayedJob};
    use crate::kernel::SimTime;
    use crate::kernel::rng::Streams;

    #[test]
    fn millions_of_jobs_and_all_causes_fit_into_eighty_columns() {
        let wide = |begin| ReplayedJob { procs: 1_000_000, queue: Some(1), ..job(begin, 7260, 9_000_001) };
        let jobs = [wide(0), wide(1)];
        let mut facts =
            ReplayFacts { jobs: 2, last: SimTime::from_nanos(1_000_000_000), ..ReplayFacts::default() };
        facts.names.queues = [(1, "a-queue-of-a-long-name".to_owned())].into_iter().collect();
        let streams = Streams::new(1, 0);
        let account = FidelityAccount::of(RULES, facts, &jobs, &streams);
        let mut account = account.without(&ErrorCause::ALL, &jobs, &jobs, &streams);
        let groups = account.groupings.iter_mut().flat_map(|grouping| &mut grouping.groups);
        groups.for_each(|group| group.compared.jobs = 1_234_567);
        if let Some(without) = &mut account.without {
            (without.fixed, without.after.jobs) = (1_234_567, 1_234_567);
        }
        let text = text(&account, "wide");
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > WIDE).collect();
        assert!(wide.is_empty(), "{wide:?}");
        assert!(text.contains("\n a-queue-of-… 1,234,567 "), "{text}");
    }
}
