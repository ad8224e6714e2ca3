//! Shares of users and accounts, as `sacctmgr --parsable2 show assoc` prints them.
//!
//! Source: sacctmgr(1) and resource_limits of Slurm 22.05 and 24.05. There is a line an account or
//! user of an account. Limits of them have no counterpart, and are counted by name.

use std::io::Read;

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::Problem;
use crate::text::suggestion;

use super::sacctmgr::{Cells, Row, is_none, shown};

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

/// The cluster whose rows are read: the one of this name, or else the only one.
fn own_cluster<'t>(table: &'t Cells, cluster: Option<&str>) -> Result<Option<&'t str>, Problem> {
    let named = |row: &Row<'t>| row.cell(&["cluster"]);
    let all: OrderedSet<&str> =
        table.each().map(|row| named(&row).0).filter(|name| !name.is_empty()).collect();
    let found = match cluster {
        Some(name) => all.iter().find(|known| known.eq_ignore_ascii_case(name)),
        None => all.first().filter(|_| all.len() == 1),
    };
    let Some(first) = table.each().next().filter(|_| found.is_none() && !all.is_empty()) else {
        return Ok(found.copied());
    };
    Err(match cluster {
        Some(name) => {
            let message = format!("no row is of `{name}`, the ClusterName of slurm.conf");
            first.wrong(named(&first), message, &suggestion(name, all))
        }
        None => {
            let message = format!("rows of {} clusters, and slurm.conf has no ClusterName", all.len());
            first.wrong(named(&first), message, "print those of one: sacctmgr … show assoc cluster=NAME")
        }
    })
}

/// Reads `sacctmgr --parsable2 show assoc`; of several clusters the one of this name.
///
/// # Errors
/// The first thing that is wrong with it, at its place; or no row is of this cluster, or they are
/// of several and no name is known.
pub fn read_shares(reader: impl Read, cluster: Option<&str>) -> Result<SiteShares, Problem> {
    let table = Cells::read(reader, "assoc")?;
    let own = own_cluster(&table, cluster)?;
    let mut shares = SiteShares::default();
    let mut all: Vec<Association> = Vec::new();
    let mut above: Vec<(usize, String)> = Vec::new();
    let is_set_in = table.each().any(|row| row.text(&["account"]).starts_with(' '));
    let has_parents = table.columns.iter().any(|column| column == "parentname" || column == "parname");
    shares.nested = is_set_in || has_parents;
    for row in table.each().filter(|row| own.is_none_or(|own| row.text(&["cluster"]) == own)) {
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
        let share = |one: &Association| one.share.unwrap_or(1) as f64;
        let mut siblings: OrderedMap<&str, f64> = OrderedMap::new();
        for one in all {
            if let Some(parent) = parent_of(one, &accounts) {
                *siblings.entry(parent).or_default() += share(one);
            }
        }
        let part = |one: &Association| {
            let all = parent_of(one, &accounts).and_then(|parent| siblings.get(parent).copied());
            all.filter(|&all| all > 0.0).map_or(1.0, |all| share(one) / all)
        };
        // parts of accounts in the whole, each looked for once
        let mut known: OrderedMap<&str, f64> = OrderedMap::from_iter([(ROOT, 1.0)]);
        for &first in accounts.keys() {
            let (mut chain, mut next, mut whole) = (Vec::new(), Some(first), 1.0);
            while let Some((name, one)) = next.and_then(|name| Some((name, *accounts.get(name)?))) {
                if let Some(&found) = known.get(name) {
                    whole = found;
                    break;
                }
                // an account that is met again stands below itself, and counts as the root does
                known.insert(name, 1.0);
                chain.push((name, one));
                next = parent_of(one, &accounts);
            }
            for (name, one) in chain.into_iter().rev() {
                whole *= part(one);
                known.insert(name, whole);
            }
        }
        for one in all {
            let above = parent_of(one, &accounts).and_then(|name| known.get(name).copied());
            let of = if one.user.is_empty() { &mut self.accounts } else { &mut self.users };
            let name = if one.user.is_empty() { &one.account } else { &one.user };
            if name != ROOT || !one.user.is_empty() {
                *of.entry(name.clone()).or_default() += part(one) * above.unwrap_or(1.0);
            }
        }
    }
}

/// The account above an account or user; none above the root.
fn parent_of<'a>(one: &'a Association, accounts: &OrderedMap<&'a str, &'a Association>) -> Option<&'a str> {
    if !one.user.is_empty() {
        return Some(&one.account);
    }
    let stated = one.parent.as_deref().filter(|parent| accounts.contains_key(parent));
    stated.or_else(|| (one.account != ROOT).then_some(ROOT))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn rows_are_those_of_the_cluster_of_the_site() {
        let two = "Cluster|Account|User|Share\nours|a|x|1\ntheirs|a|y|1\n";
        let users = |cluster| {
            let shares = read_shares(two.as_bytes(), cluster).map_err(|problem| {
                let place = problem.place.map(|place| (place.line, place.column));
                format!("{} {place:?} {}", problem.message, problem.help.unwrap_or_default())
            })?;
            Ok::<_, String>(shares.users.keys().cloned().collect::<Vec<_>>())
        };
        assert_eq!(users(Some("THEIRS")), Ok(vec!["y".to_owned()]));
        let other = users(Some("our")).expect_err("none is of it");
        assert!(
            other.starts_with(
                "no row is of `our`, the ClusterName of slurm.conf Some((2, 1)) did you mean `ours`?"
            ),
            "{other}"
        );
        let unnamed = users(None).expect_err("two are there");
        assert!(
            unnamed.starts_with("rows of 2 clusters, and slurm.conf has no ClusterName Some((2, 1))"),
            "{unnamed}"
        );
        // one cluster needs no name, and a table without the column neither
        let one = "Cluster|Account|User|Share\nours|a|x|1\n";
        assert!(read_shares(one.as_bytes(), None).expect("right").users.contains_key("x"));
        let none = "Account|User|Share\na|x|1\n";
        assert!(read_shares(none.as_bytes(), Some("ours")).expect("right").users.contains_key("x"));
    }

    #[test]
    fn long_chains_and_circles_are_walked_once() {
        let mut text = "Account|User|ParentName|Share\n".to_owned();
        let count = 20_000;
        (0..count).for_each(|number| text += &format!("a{number}||a{}|1\n", number + 1));
        // the chain, and the same closed to a circle
        let chain = read_shares(text.as_bytes(), None).expect("right");
        assert_eq!(chain.accounts.get("a0"), Some(&1.0));
        text += &format!("a{count}||a0|1\nx|ada||1\n");
        let circle = read_shares(text.as_bytes(), None).expect("right");
        assert_eq!((circle.accounts.len(), circle.users.get("ada")), (count + 1, Some(&1.0)));
    }
}
