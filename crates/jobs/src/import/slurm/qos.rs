//! Limits of qualities of service, as `sacctmgr --parsable2 show qos` prints them.
//!
//! Source: sacctmgr(1) and resource_limits of Slurm 22.05 and 24.05. There is a line a quality of
//! service. Limits of which the simulator has no counterpart are kept by name and value.

use std::io::Read;

use crate::collections::OrderedMap;
use crate::registry::Problem;

use super::conf_values::{ConfTime, time};
use super::sacctmgr::{Cells, Row, is_none, shown};

/// Most processors, nodes and GPUs that jobs may have, in this order.
pub type SiteAmounts = [Option<u64>; 3];

/// Limits and priority of a quality of service.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteQos {
    /// Name.
    pub name: String,
    /// Priority.
    pub priority: u64,
    /// The longest time a job may ask for \[min\].
    pub most_minutes: Option<u64>,
    /// Amounts of a job.
    pub most_of_job: SiteAmounts,
    /// Running jobs.
    pub most_running: Option<u64>,
    /// Amounts of its running jobs.
    pub most_of_running: SiteAmounts,
    /// Running jobs of a user.
    pub most_running_of_user: Option<u64>,
    /// Amounts of a user's running jobs.
    pub most_of_user: SiteAmounts,
    /// Limits and rules that are not represented.
    pub lost: Vec<(String, String)>,
}

/// Columns of which these values mean that nothing is set.
const USUAL: [(&str, &[&str]); 6] = [
    ("gracetime", &["0", "00:00:00"]),
    ("preemptmode", &["cluster"]),
    ("usagefactor", &["1", "1.0", "1.000000"]),
    ("usagethres", &["0", "0.000000"]),
    ("limitfactor", &["0", "0.000000"]),
    ("preemptexempttime", &["00:00:00"]),
];

/// Reads `sacctmgr --parsable2 show qos`; `resources` are those of which there are
/// [`SiteAmounts`], by their names: `cpu` or `node`, of which jobs take the machine, then those of
/// nodes and of GPUs. Limits of one without a name are not represented.
///
/// # Errors
/// The first thing that is wrong with it, at its place.
pub fn read_qos(reader: impl Read, resources: [Option<&str>; 3]) -> Result<Vec<SiteQos>, Problem> {
    let table = Cells::read(reader, "qos")?;
    let mut lines: OrderedMap<String, u64> = OrderedMap::new();
    let mut all = Vec::new();
    for row in table.each() {
        let cell = row.cell(&["name"]);
        if let Some(first) = lines.insert(cell.0.to_ascii_lowercase(), row.number) {
            let message = format!("`{}` is there twice, first in line {first}", cell.0);
            return Err(row.wrong(cell, message, "a quality of service has one row: take the other out"));
        }
        all.push(qos(&row, resources)?);
    }
    Ok(all)
}

/// Expected form of times.
const TIME: &str = "expected minutes, minutes:seconds, hours:minutes:seconds or days-hours:minutes:seconds";

/// Expected form of amounts of resources.
const AMOUNTS: &str = "expected amounts such as cpu=4,node=1";

fn qos(row: &Row<'_>, resources: [Option<&str>; 3]) -> Result<SiteQos, Problem> {
    let mut qos = SiteQos { name: row.text(&["name"]).to_owned(), ..SiteQos::default() };
    qos.priority = row.number(row.cell(&["priority"]))?.unwrap_or(0);
    for (column, cell, at) in row.cells() {
        let wrong = |what: &str, help: &str| row.wrong((cell, at), format!("`{cell}` is no {what}"), help);
        let limits = match column {
            "name" | "priority" | "description" | "descr" | "id" => continue,
            _ if is_none(cell) => continue,
            "maxwall" | "maxwalldurationperjob" => {
                match time(cell).ok_or_else(|| wrong("time", TIME))? {
                    ConfTime::Minutes(0) => qos.lost.push((shown(column), cell.to_owned())),
                    ConfTime::Minutes(minutes) => qos.most_minutes = Some(minutes),
                    ConfTime::Unlimited => {}
                }
                continue;
            }
            "grpjobs" | "maxjobspu" | "maxjobsperuser" => {
                let of_all = column == "grpjobs";
                let limit = if of_all { &mut qos.most_running } else { &mut qos.most_running_of_user };
                match row.number((cell, at))? {
                    Some(0) => qos.lost.push((shown(column), cell.to_owned())),
                    number => *limit = number,
                }
                continue;
            }
            "grptres" => &mut qos.most_of_running,
            "maxtres" | "maxtresperjob" => &mut qos.most_of_job,
            "maxtrespu" | "maxtresperuser" => &mut qos.most_of_user,
            _ => {
                let usual = USUAL.iter().find(|(known, _)| *known == column);
                if usual.is_none_or(|(_, values)| !values.contains(&cell)) {
                    qos.lost.push((shown(column), cell.to_owned()));
                }
                continue;
            }
        };
        for part in cell.split(',') {
            let (name, amount) = part.split_once('=').ok_or_else(|| wrong("list of amounts", AMOUNTS))?;
            let place = resources.iter().position(|known| *known == Some(name));
            if let Some(limit) = place.map(|place| &mut limits[place]).filter(|_| !is_none(amount)) {
                let amount = amount.parse::<u64>().map_err(|_| wrong("list of amounts", AMOUNTS))?;
                if amount > 0 {
                    *limit = Some(amount);
                    continue;
                }
            }
            if !is_none(amount) {
                qos.lost.push((shown(column), part.to_owned()));
            }
        }
    }
    Ok(qos)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QOS: &str = "\
Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRES|GrpJobs|MaxTRES|MaxWall|MaxTRESPU|MaxJobsPU|MaxSubmitPU
normal|0|00:00:00||cluster||1.000000|||||||
long|100|00:00:00||cluster|DenyOnLimit|1.000000|cpu=512,gres/gpu=8|20|cpu=128,node=4|7-00:00:00|cpu=256|4|100
debug|5000|00:01:00|normal|requeue||2.000000||-1||30:30|node=2|0|
";

    const PROCS: [Option<&str>; 3] = [Some("cpu"), None, None];

    #[test]
    fn limits_of_a_quality_of_service_by_hand() {
        let found = read_qos(QOS.as_bytes(), PROCS).expect("right");
        assert_eq!(found[0], SiteQos { name: "normal".into(), ..SiteQos::default() });
        let lost = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        assert_eq!(
            found[1],
            SiteQos {
                name: "long".into(),
                priority: 100,
                most_minutes: Some(7 * 1440),
                most_of_job: [Some(128), None, None],
                most_running: Some(20),
                most_of_running: [Some(512), None, None],
                most_running_of_user: Some(4),
                most_of_user: [Some(256), None, None],
                lost: lost(&[
                    ("Flags", "DenyOnLimit"),
                    ("GrpTRES", "gres/gpu=8"),
                    ("MaxTRES", "node=4"),
                    ("MaxSubmitPU", "100"),
                ]),
            }
        );
        assert_eq!((found[2].priority, found[2].most_minutes), (5000, Some(31)));
        // no job at all is no limit that the simulator has
        let of_debug = [
            ("GraceTime", "00:01:00"),
            ("Preempt", "normal"),
            ("PreemptMode", "requeue"),
            ("UsageFactor", "2.000000"),
            ("MaxTRESPU", "node=2"),
            ("MaxJobsPU", "0"),
        ];
        assert_eq!(found[2].lost, lost(&of_debug));
        let by_nodes = read_qos(QOS.as_bytes(), [Some("node"), None, None]).expect("right");
        let of_nodes = |nodes| [Some(nodes), None, None];
        assert_eq!((by_nodes[1].most_of_job, by_nodes[2].most_of_user), (of_nodes(4), of_nodes(2)));
    }

    #[test]
    fn nodes_and_gpus_have_limits_where_they_are_named() {
        let resources = [Some("cpu"), Some("node"), Some("gres/gpu")];
        let found = read_qos(QOS.as_bytes(), resources).expect("right");
        assert_eq!(found[1].most_of_job, [Some(128), Some(4), None]);
        assert_eq!(found[1].most_of_running, [Some(512), None, Some(8)]);
        assert_eq!(found[2].most_of_user, [None, Some(2), None]);
        let lost = |one: &SiteQos| one.lost.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        assert_eq!(lost(&found[1]), ["Flags", "MaxSubmitPU"]);
        // none at all is no limit, nor is one of a type of GPUs
        let odd = "Name|MaxTRESPU|GrpTRES\na|node=0,gres/gpu:h100=2|node=-1,gres/gpu=0\n";
        let found = read_qos(odd.as_bytes(), resources).expect("right");
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let expected = [
            pair("MaxTRESPU", "node=0"),
            pair("MaxTRESPU", "gres/gpu:h100=2"),
            pair("GrpTRES", "gres/gpu=0"),
        ];
        assert_eq!(found[0], SiteQos { name: "a".into(), lost: expected.to_vec(), ..SiteQos::default() });
        let wrong = read_qos("Name|MaxTRES\na|cpu=1,gres/gpu=x\n".as_bytes(), resources).expect_err("wrong");
        assert_eq!(wrong.message, "`cpu=1,gres/gpu=x` is no list of amounts");
        assert_eq!(wrong.place.map(|place| (place.line, place.column)), Some((2, 3)));
    }

    #[test]
    fn wrong_tables_are_reported_at_their_place() {
        let wrong = |text: &str| {
            let problem = read_qos(text.as_bytes(), PROCS).expect_err("wrong");
            (problem.message, problem.place.map(|place| (place.line, place.column)))
        };
        assert_eq!(wrong(""), ("the table is empty".to_owned(), None));
        assert_eq!(wrong("normal|0\n"), ("the table has no column `name`".to_owned(), Some((1, 1))));
        assert_eq!(
            wrong("Name|Priority\na|1|2\n"),
            ("a row has 2 cells, this one has 3".to_owned(), Some((2, 1)))
        );
        assert_eq!(wrong("Name|Priority\na|-7\n"), ("`-7` is no number".to_owned(), Some((2, 3))));
        assert_eq!(wrong("Name|MaxWall\na|soon\n"), ("`soon` is no time".to_owned(), Some((2, 3))));
        assert_eq!(wrong("Name|GrpTRES\na|cpu=x\n").1, Some((2, 3)));
        assert_eq!(wrong("Name|GrpJobs\na|1.5\n").0, "`1.5` is no number");
    }

    #[test]
    fn a_quality_of_service_has_one_row() {
        let problem =
            read_qos("Name|Priority\nlong|1\n\nx|2\nLONG|3\n".as_bytes(), PROCS).expect_err("twice");
        assert_eq!(problem.message, "`LONG` is there twice, first in line 2");
        assert_eq!(problem.place.map(|place| (place.line, place.column)), Some((5, 1)));
    }

    #[test]
    fn messages_say_what_is_expected() {
        let help = |text: &str| read_qos(text.as_bytes(), PROCS).expect_err("wrong").help.unwrap_or_default();
        assert!(help("Name|Priority\na|-7\n").starts_with("expected a whole number"));
        assert!(help("Name|MaxWall\na|soon\n").starts_with("expected minutes"));
        assert!(help("Name|GrpTRES\na|cpu\n").ends_with("cpu=4,node=1"));
        assert!(help("Name|Priority\na|1|2\n").contains("format="));
        assert!(help("").contains("--parsable2 show qos"));
    }
}
