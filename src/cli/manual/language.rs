//! The scenario language: its values, its keys, its components and the metrics that `[expect]` can bound.

use crate::cli::list::plural;
use crate::instrument::metrics::Metric;
use crate::registry::topic::{Topic, topics};
use crate::registry::{Key, Kind, Registry, Row};
use crate::scenario::expect::{Measured, More, known_metrics, metrics_with, site_metrics};
use crate::scenario::schema::{NOT_YET, ROOT};

use super::page::{Block, Item};

/// How values are written. The parser's own words for each kind of value stand with every key.
const VALUES: &[(&str, &str)] = &[
    (
        "quantities",
        "a string with a number and its unit: `\"200us\"`, `\"2h30m\"`, `\"64 GiB\"`, `\"10Gbps\"`, `\"1.5Gf\"`. `b` is a bit and `B` a byte; k, M, G are powers of 1000 and Ki, Mi, Gi powers of 1024",
    ),
    (
        "counts and ratios",
        "a bare number; a share may also be written with `%`, as a string: `0.02` or `\"2%\"`",
    ),
    (
        "components",
        "a table with `kind` and the component's own keys, or only the name: `backfill = \"easy\"` is `backfill = { kind = \"easy\" }`",
    ),
    ("distributions", "a component of the table `distribution`, or a bare value, which is then always drawn"),
    ("paths", "relative to the file they stand in"),
];

pub(super) fn blocks(registry: &Registry) -> Vec<Block> {
    let mut blocks = vec![
        Block::Chapter("Scenarios".to_owned()),
        Block::Text(
            "A scenario is a TOML file with kebab-case keys. A key that is not known is an error. On the command \
             line, `--set KEY=VALUE` sets any key: `--set policy.backfill=none`."
                .to_owned(),
        ),
        Block::Section("Values".to_owned()),
    ];
    blocks.extend(VALUES.iter().map(|(name, about)| Block::Item(Item::new(name, about))));
    blocks.push(Block::Section("Keys".to_owned()));
    let topics = topics(registry, ROOT);
    blocks.extend(topics.iter().filter_map(|topic| match topic {
        Topic::Key { path, key } if !path.contains('[') => Some(Block::Item(tell(path, key))),
        _ => None,
    }));
    if !NOT_YET.is_empty() {
        blocks.push(Block::Text(
            "These tables belong to the language and are refused by name until this program can run them:"
                .to_owned(),
        ));
        blocks.extend(NOT_YET.iter().map(|(name, about)| Block::Item(Item::new(name, about))));
    }
    blocks.push(Block::Chapter("Components".to_owned()));
    for table in registry.tables() {
        blocks.push(Block::Section(plural(table.name())));
        blocks.push(Block::Text(format!("Table `{}`: {}.", table.name(), table.about())));
        if let Some((kind, key)) = table.bare() {
            blocks.push(Block::Text(format!(
                "A bare value stands for `{kind}` with that value as its `{key}`."
            )));
        }
        for row in table.rows() {
            component(&mut blocks, table.name(), &row);
        }
    }
    blocks.push(Block::Chapter("Metrics".to_owned()));
    blocks.push(Block::Text(
        "What `[expect]` can bound, by name; the unit is the one that results are in and bounds without a unit are read in."
            .to_owned(),
    ));
    let metrics = known_metrics(Measured::Tasks);
    let of_jobs = known_metrics(Measured::Jobs).len();
    let width = metrics.iter().map(|metric| metric.name.len()).max().unwrap_or(0);
    let lines = |metrics: &[Metric]| {
        let line =
            |metric: &Metric| format!("{:width$}  {}", metric.name, metric.unit).trim_end().to_owned() + "\n";
        Block::Verbatim(metrics.iter().map(line).collect())
    };
    blocks.push(lines(&metrics[..of_jobs]));
    blocks.push(Block::Text(
        "At detail `job` also, under policies that run jobs in slices, where slots are observed from the end of the warm-up \
         to the end of the run and slices are counted in the whole of it:"
            .to_owned(),
    ));
    let slices = More { slices: true, ..More::default() };
    blocks.push(lines(&metrics_with(Measured::Jobs, slices)[of_jobs..]));
    blocks.push(Block::Text(
        "At detail `job` also, where jobs are killed (`cluster.kill-at-estimate`), where nodes fail (`cluster.failures`), where \
         processors are reserved (`cluster.reservation`), where the power of processors is told (`cluster.power`), where jobs ask for more than processors (`workload.demand`), where \
         jobs wait for others (`dependencies` and `preceding` of the workload), where users cancel jobs (`patience` and \
         `cancelled`), where moldable jobs get other sizes than they ask for (`workload.moldable` and `policy.molding`), and where jobs are told apart (`record.classes`):"
            .to_owned(),
    ));
    blocks.push(lines(&site_metrics()));
    blocks.push(Block::Text(
        "And at detail `task`, where processors are observed from the end of the warm-up to the end of the run (a warm-up \
         that is found after the run leaves no processor time out):"
            .to_owned(),
    ));
    blocks.push(lines(&metrics[of_jobs..]));
    blocks.push(Block::Text(
        "Of agents, these instead; the last two where a role tells how fast it can be in the long run (`master`):".to_owned(),
    ));
    blocks.push(lines(&known_metrics(Measured::Agents)));
    blocks
}

pub(super) fn tell(path: &str, key: &Key) -> Item {
    let mut item = Item::new(path, key.about)
        .labelled("value", &format!("{} [{}]", key.kind.expected(), key.kind.unit()))
        .labelled("default", &key.default.words());
    for (name, about) in key.kind.words() {
        item = item.labelled(&format!("`{name}`"), about);
    }
    if key.source.is_empty() { item } else { item.labelled("source", key.source) }
}

fn component(blocks: &mut Vec<Block>, table: &str, row: &Row) {
    let mut item = Item::new(&format!("{table} \"{}\"", row.name), row.about);
    if let Some(preset) = row.preset {
        let set: Vec<String> =
            preset.set.iter().map(|(name, value)| format!("{name} = \"{value}\"")).collect();
        item =
            item.labelled("stands for", &format!("`{{ kind = \"{}\", {} }}`", preset.kind, set.join(", ")));
    }
    if !row.source.is_empty() {
        item = item.labelled("source", row.source);
    }
    blocks.push(Block::Item(item));
    if row.preset.is_none() {
        keys(blocks, &format!("{table}[{}].", row.name), row.keys);
    }
}

fn keys(blocks: &mut Vec<Block>, prefix: &str, keys_of: &[Key]) {
    for key in keys_of {
        let path = format!("{prefix}{}", key.name);
        blocks.push(Block::Item(tell(&path, key)));
        if let Kind::Table(inner) | Kind::FirstOrTable(inner) | Kind::List(&Kind::Table(inner)) = key.kind {
            keys(blocks, &format!("{path}."), inner);
        }
        if let Kind::Map(&Kind::Table(inner)) = key.kind {
            keys(blocks, &format!("{path}.NAME."), inner);
        }
    }
}
