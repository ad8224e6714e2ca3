//! Limits of qualities of service and shares of accounts, as `sacctmgr --parsable2` prints them.
//!
//! Source: sacctmgr(1) and resource_limits of Slurm 22.05 and 24.05. `show qos` has a line a
//! quality of service, `show assoc` one an account or user of an account. Columns are known by
//! their names, in any order, upper and lower case and with or without blanks (`Def QOS`,
//! `DefaultQOS`). Limits of which the simulator has no counterpart are kept by name and value.

use std::io::Read;

use crate::collections::OrderedMap;
use crate::registry::Problem;
use crate::registry::code;
use crate::text::{LONGEST_TEXT, Place, read_whole};

use super::conf_values::{ConfTime, time};

/// Limits and priority of a quality of service.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteQos {
    /// Name.
    pub name: String,
    /// Priority.
    pub priority: u64,
    /// The longest time a job may ask for \[min\].
    pub most_minutes: Option<u64>,
    /// Processors, or nodes, of a job.
    pub most_procs: Option<u64>,
    /// Running jobs.
    pub most_running: Option<u64>,
    /// Processors, or nodes, of its running jobs.
    pub most_running_procs: Option<u64>,
    /// Running jobs of a user.
    pub most_running_of_user: Option<u64>,
    /// Processors, or nodes, of a user's running jobs.
    pub most_running_procs_of_user: Option<u64>,
    /// Limits and rules that are not represented.
    pub lost: Vec<(String, String)>,
}

/// Account or user of an account, with its share.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Association {
    account: String,
    user: String,
    parent: Option<String>,
    /// `None`: that of its parent.
    share: Option<u64>,
}

/// Shares of users and accounts in the whole machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SiteShares {
    /// By account: the product of the shares among siblings from the root down.
    pub accounts: OrderedMap<String, f64>,
    /// By user, likewise, added up over accounts.
    pub users: OrderedMap<String, f64>,
    /// Accounts and users whose usage counts as that of their parent.
    pub of_parents: u64,
    /// Limits of accounts and users by name, and how many have one.
    pub lost: OrderedMap<String, u64>,
    /// True if it is known which account is below which.
    pub nested: bool,
}

/// A table with `|` between its cells.
struct Cells {
    columns: Vec<String>,
    rows: Vec<(u64, String)>,
}

/// A name of a column without blanks and in small letters.
fn plain(name: &str) -> String {
    name.split_whitespace().collect::<String>().to_ascii_lowercase()
}

impl Cells {
    fn read(reader: impl Read, what: &str) -> Result<Self, Problem> {
        let text =
            read_whole(reader, LONGEST_TEXT).map_err(|error| Problem::new(code::FILE, error.to_string()))?;
        let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let help = format!("print it by `sacctmgr --parsable2 show {what}`, header included");
        let Some((head, number)) = lines.next() else {
            return Err(Problem::new(code::NOT_SACCT, "the table is empty").help(help));
        };
        let columns: Vec<String> = head.split('|').map(plain).collect();
        let needed = if what == "qos" { "name" } else { "share" };
        if !columns.iter().any(|column| column == needed) {
            let place = Place::new(number, head.as_bytes(), 0, head.len());
            let message = format!("the table has no column `{needed}`");
            return Err(Problem::new(code::NOT_SACCT, message).at(place).help(help));
        }
        let mut rows = Vec::new();
        for (line, number) in lines {
            let cells = line.split('|').count();
            if cells != columns.len() {
                let place = Place::new(number, line.as_bytes(), 0, line.len());
                let message = format!("a row has {} cells, this one has {cells}", columns.len());
                return Err(Problem::new(code::NOT_SACCT, message).at(place));
            }
            rows.push((number, line.to_owned()));
        }
        Ok(Cells { columns, rows })
    }

    fn each(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(number, line)| Row { columns: &self.columns, number: *number, line })
    }
}

/// A row of a table.
struct Row<'a> {
    columns: &'a [String],
    number: u64,
    line: &'a str,
}

impl<'a> Row<'a> {
    /// Cells by columns, with the bytes before each.
    fn cells(&self) -> impl Iterator<Item = (&'a str, &'a str, usize)> {
        let mut at = 0;
        self.columns.iter().zip(self.line.split('|')).map(move |(column, cell)| {
            let begin = at;
            at += cell.len() + 1;
            (column.as_str(), cell, begin)
        })
    }

    fn cell(&self, names: &[&str]) -> (&'a str, usize) {
        let found = names.iter().find_map(|name| self.cells().find(|(column, ..)| column == name));
        found.map_or(("", 0), |(_, cell, at)| (cell, at))
    }

    fn text(&self, names: &[&str]) -> &'a str {
        self.cell(names).0
    }

    fn wrong(&self, (cell, at): (&str, usize), message: String) -> Problem {
        Problem::new(code::NOT_SACCT, message).at(Place::new(
            self.number,
            self.line.as_bytes(),
            at,
            cell.len(),
        ))
    }

    /// A number; `None` if there is no limit.
    fn number(&self, (cell, at): (&str, usize)) -> Result<Option<u64>, Problem> {
        if is_none(cell) {
            return Ok(None);
        }
        let digits = cell.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| cell.parse().ok()).flatten();
        number.map(Some).ok_or_else(|| self.wrong((cell, at), format!("`{cell}` is no number")))
    }
}

/// Returns true if a cell sets no limit.
fn is_none(cell: &str) -> bool {
    let words = ["", "-1", "unlimited", "infinite", "n/a", "4294967295", "18446744073709551615"];
    words.iter().any(|word| cell.eq_ignore_ascii_case(word))
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

/// Reads `sacctmgr --parsable2 show qos`; `resource` is the one of which jobs take the machine:
/// `cpu` or `node`.
///
/// # Errors
/// The first thing that is wrong with it, at its place.
pub fn read_qos(reader: impl Read, resource: &str) -> Result<Vec<SiteQos>, Problem> {
    let table = Cells::read(reader, "qos")?;
    table.each().map(|row| qos(&row, resource)).collect()
}

fn qos(row: &Row<'_>, resource: &str) -> Result<SiteQos, Problem> {
    let mut qos = SiteQos { name: row.text(&["name"]).to_owned(), ..SiteQos::default() };
    qos.priority = row.number(row.cell(&["priority"]))?.unwrap_or(0);
    for (column, cell, at) in row.cells() {
        let wrong = |what: &str| row.wrong((cell, at), format!("`{cell}` is no {what}"));
        let limit = match column {
            "name" | "priority" | "description" | "descr" | "id" => continue,
            _ if is_none(cell) => continue,
            "maxwall" | "maxwalldurationperjob" => {
                match time(cell).ok_or_else(|| wrong("time"))? {
                    ConfTime::Minutes(0) => qos.lost.push((shown(column), cell.to_owned())),
                    ConfTime::Minutes(minutes) => qos.most_minutes = Some(minutes),
                    ConfTime::Unlimited => {}
                }
                continue;
            }
            "grpjobs" => &mut qos.most_running,
            "maxjobspu" | "maxjobsperuser" => &mut qos.most_running_of_user,
            "grptres" => &mut qos.most_running_procs,
            "maxtres" | "maxtresperjob" => &mut qos.most_procs,
            "maxtrespu" | "maxtresperuser" => &mut qos.most_running_procs_of_user,
            _ => {
                let usual = USUAL.iter().find(|(known, _)| *known == column);
                if usual.is_none_or(|(_, values)| !values.contains(&cell)) {
                    qos.lost.push((shown(column), cell.to_owned()));
                }
                continue;
            }
        };
        if column.contains("jobs") {
            match row.number((cell, at))? {
                Some(0) => qos.lost.push((shown(column), cell.to_owned())),
                number => *limit = number,
            }
            continue;
        }
        for part in cell.split(',') {
            let (name, amount) = part.split_once('=').ok_or_else(|| wrong("list as cpu=4,node=1"))?;
            if name == resource && !is_none(amount) {
                let amount = amount.parse::<u64>().map_err(|_| wrong("list as cpu=4,node=1"))?;
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

/// The name of a column as `sacctmgr` prints it.
fn shown(column: &str) -> String {
    const SHOWN: &[&str] = &[
        "GraceTime",
        "Preempt",
        "PreemptExemptTime",
        "PreemptMode",
        "Flags",
        "UsageThres",
        "UsageFactor",
        "LimitFactor",
        "GrpTRES",
        "GrpTRESMins",
        "GrpTRESRunMins",
        "GrpJobs",
        "GrpJobsAccrue",
        "GrpSubmit",
        "GrpWall",
        "MaxTRES",
        "MaxTRESPerNode",
        "MaxTRESMins",
        "MaxWall",
        "MaxTRESPU",
        "MaxJobsPU",
        "MaxJobsAccruePU",
        "MaxSubmitPU",
        "MaxTRESPA",
        "MaxTRESRunMinsPA",
        "MaxTRESRunMinsPU",
        "MaxJobsPA",
        "MaxJobsAccruePA",
        "MaxSubmitPA",
        "MinTRES",
        "MinPrioThresh",
        "Priority",
        "MaxJobs",
        "MaxJobsAccrue",
        "MaxSubmit",
        "QOS",
    ];
    let known = SHOWN.iter().find(|name| name.eq_ignore_ascii_case(column));
    known.map_or_else(|| column.to_owned(), |name| (*name).to_owned())
}

/// Columns of associations that are no limits.
const OF_ASSOCIATION: &[&str] = &[
    "cluster",
    "account",
    "user",
    "partition",
    "share",
    "parentname",
    "parname",
    "qos",
    "defqos",
    "defaultqos",
    "id",
    "lft",
    "rgt",
    "lineage",
    "comment",
    "flags",
];

/// Reads `sacctmgr --parsable2 show assoc`; of several clusters the one of this name, or else the
/// first.
///
/// # Errors
/// The first thing that is wrong with it, at its place.
pub fn read_shares(reader: impl Read, cluster: Option<&str>) -> Result<SiteShares, Problem> {
    let table = Cells::read(reader, "assoc")?;
    let clusters: Vec<&str> = table.each().map(|row| row.text(&["cluster"])).collect();
    let own = cluster.and_then(|name| clusters.iter().find(|known| known.eq_ignore_ascii_case(name)));
    let own = own.or(clusters.first()).copied().unwrap_or_default();
    let mut shares = SiteShares::default();
    let mut all: Vec<Association> = Vec::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    let is_set_in = table.each().any(|row| row.text(&["account"]).starts_with(' '));
    let has_parents = table.columns.iter().any(|column| column == "parentname" || column == "parname");
    shares.nested = is_set_in || has_parents;
    for row in table.each().filter(|row| row.text(&["cluster"]) == own) {
        let written = row.text(&["account"]);
        let (account, user) = (written.trim(), row.text(&["user"]).trim());
        let (cell, at) = row.cell(&["share"]);
        let share = match cell {
            "parent" => None,
            "" => Some(1),
            _ => Some(row.number((cell, at))?.unwrap_or(1)),
        };
        let depth = written.len() - written.trim_start().len();
        let parent = row.text(&["parentname", "parname"]).trim();
        let mut parent = (!parent.is_empty()).then(|| parent.to_owned());
        if is_set_in && user.is_empty() {
            above.retain(|(other, _)| *other < depth);
            parent = parent.or_else(|| above.last().map(|(_, name)| name.clone()));
            above.push((depth, account.to_owned()));
        }
        shares.of_parents += u64::from(share.is_none());
        for (column, cell, _) in row.cells() {
            let is_usual = is_none(cell) || (column == "priority" && cell == "0");
            if !is_usual && !OF_ASSOCIATION.contains(&column) {
                *shares.lost.entry(shown(column)).or_default() += 1;
            }
        }
        all.push(Association { account: account.to_owned(), user: user.to_owned(), parent, share });
    }
    shares.fill(&all);
    Ok(shares)
}

/// Account at the top.
const ROOT: &str = "root";

impl SiteShares {
    fn fill(&mut self, all: &[Association]) {
        let accounts: OrderedMap<&str, &Association> =
            all.iter().filter(|one| one.user.is_empty()).map(|one| (one.account.as_str(), one)).collect();
        let parent = |one: &Association| -> Option<String> {
            if !one.user.is_empty() {
                return Some(one.account.clone());
            }
            let below_root = || (one.account != ROOT).then(|| ROOT.to_owned());
            one.parent.clone().filter(|parent| accounts.contains_key(parent.as_str())).or_else(below_root)
        };
        let share = |one: &Association| one.share.unwrap_or(1) as f64;
        let mut siblings: OrderedMap<String, f64> = OrderedMap::new();
        for one in all {
            if let Some(parent) = parent(one) {
                *siblings.entry(parent).or_default() += share(one);
            }
        }
        let part = |one: &Association| {
            let all = parent(one).and_then(|parent| siblings.get(&parent).copied());
            all.filter(|&all| all > 0.0).map_or(1.0, |all| share(one) / all)
        };
        for one in all {
            // a chain of parents is no longer than there are accounts, if it is no circle
            let (mut whole, mut next) = (part(one), parent(one));
            for _ in 0..accounts.len() {
                let Some(above) = next.as_deref().and_then(|name| accounts.get(name)) else { break };
                whole *= if above.account == ROOT { 1.0 } else { part(above) };
                next = parent(above);
            }
            let of = if one.user.is_empty() { &mut self.accounts } else { &mut self.users };
            let name = if one.user.is_empty() { &one.account } else { &one.user };
            if name != ROOT || !one.user.is_empty() {
                *of.entry(name.clone()).or_default() += whole;
            }
        }
    }
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

    #[test]
    fn limits_of_a_quality_of_service_by_hand() {
        let found = read_qos(QOS.as_bytes(), "cpu").expect("right");
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
                most_procs: Some(128),
                most_running: Some(20),
                most_running_procs: Some(512),
                most_running_of_user: Some(4),
                most_running_procs_of_user: Some(256),
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
        let by_nodes = read_qos(QOS.as_bytes(), "node").expect("right");
        assert_eq!((by_nodes[1].most_procs, by_nodes[2].most_running_procs_of_user), (Some(4), Some(2)));
    }

    #[test]
    fn wrong_tables_are_reported_at_their_place() {
        let wrong = |text: &str| {
            let problem = read_qos(text.as_bytes(), "cpu").expect_err("wrong");
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
    fn shares_are_products_from_the_root_down() {
        let near = |found: Option<&f64>, expected: f64| {
            let found = found.copied().expect("there");
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        };
        let text = "\
Cluster|Account|User|Partition|Share|MaxJobs|QOS
ours|root|||1||normal
ours|root|root||1||normal
ours| physics|||3|50|normal
ours|  theory|||1||normal
ours|  theory|ada||2||normal
ours|  theory|ben||6||normal
ours|  lab|||3||normal
ours|  lab|ada||1|5|normal
ours| chemistry|||4||normal
ours| chemistry|cyd||parent||normal
theirs|root|||1||normal
";
        let found = read_shares(text.as_bytes(), Some("OURS")).expect("right");
        // below the root stand its own user (1), physics (3) and chemistry (4)
        near(found.accounts.get("physics"), 3.0 / 8.0);
        near(found.accounts.get("theory"), 3.0 / 32.0);
        near(found.users.get("ben"), 3.0 / 32.0 * 6.0 / 8.0);
        near(found.users.get("ada"), 3.0 / 32.0 * 2.0 / 8.0 + 9.0 / 32.0);
        near(found.users.get("cyd"), 0.5);
        assert_eq!((found.of_parents, found.nested), (1, true));
        assert_eq!(
            found.lost.iter().map(|(key, count)| (key.as_str(), *count)).collect::<Vec<_>>(),
            [("MaxJobs", 2)]
        );
        assert!((found.users.values().sum::<f64>() - 1.0).abs() < 1e-12);
        // a circle of parents ends
        let circle = "Account|User|ParentName|Share\na||b|1\nb||a|1\na|x||1\n";
        let circle = read_shares(circle.as_bytes(), None).expect("right");
        assert!(circle.users.get("x").is_some_and(|share| share.is_finite()));
        let flat = "Account|User|Share\na||1\nb||3\nb|y|1\n";
        let found = read_shares(flat.as_bytes(), None).expect("right");
        near(found.users.get("y"), 0.75);
        assert!(!found.nested);
    }
}
