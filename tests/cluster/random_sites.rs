//! Sites whose features are drawn: `check` finds nothing, no job is lost, and a second run has the
//! same digest.
//!
//! `CLUSTERSIM_SITES` sets how many are drawn, beyond those of each run, or which: `6000..6900`.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value as Json;

use clustersim_testing::program::Place;

/// Numbers that look random (xorshift; G. Marsaglia, Journal of Statistical Software 8(14), 2003).
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Draws(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    pub(super) fn within(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    pub(super) fn often(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(super) fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

const POLICIES: [&str; 15] = [
    "\"fcfs\"",
    "\"easy\"",
    "\"conservative\"",
    "\"first-fit\"",
    "{ kind = \"space-sharing\", queue = \"best-fit\", backfill = \"none\" }",
    "{ kind = \"space-sharing\", backfill = { kind = \"easy\", reservations = 2 } }",
    "{ kind = \"space-sharing\", backfill = { kind = \"easy\", extra = \"none\" } }",
    "{ kind = \"space-sharing\", backfill = { kind = \"easy\", extra = \"all\" } }",
    "{ kind = \"space-sharing\", backfill = { kind = \"easy\", judged-by = \"run-time\" } }",
    "{ kind = \"space-sharing\", backfill = { kind = \"easy\", head-reservation = \"kept\" } }",
    "{ kind = \"easy\", queue = \"sjf\" }",
    "{ kind = \"easy\", estimates = \"exact\" }",
    "{ kind = \"conservative\", estimates = \"exact\" }",
    "\"easy-plus-plus\"",
    "{ kind = \"conservative\", estimates = \"last-two\" }",
];

/// Nodes of a site, and what jobs ask of them.
struct Groups {
    /// Tables of groups; none where processors are counted.
    tables: String,
    demands: String,
    /// Processors of each node.
    processors: Vec<u64>,
}

/// Groups of nodes, or as many processors.
fn groups(draws: &mut Draws) -> Groups {
    let mut groups = Groups { tables: String::new(), demands: String::new(), processors: Vec::new() };
    if draws.often(40) {
        groups.processors = vec![1; draws.within(4, 8) as usize];
        return groups;
    }
    for number in 0..draws.within(1, 3) {
        let (nodes, processors) = (draws.within(1, 4), [1, 1, 2, 4][draws.below(4) as usize]);
        let memory = [4, 8, 16][draws.below(3) as usize];
        writeln!(
            groups.tables,
            "[[cluster.group]]\nnodes = {nodes}\nprocessors = {processors}\nmemory = \"{memory}GiB\"\nfeatures = [\"f{number}\"]"
        )
        .unwrap();
        groups.tables += draws.of(&[
            "",
            "gpus = 2\n",
            "gpus = [{ kind = \"a100\", count = 2, parts = 4 }]\n",
            "gpus = [{ kind = \"t4\", count = 1 }, { kind = \"a100\", count = 1, parts = 2 }]\n",
            "gpus = [{ kind = \"a100\", count = 1, mig = \"a100\" }, { kind = \"t4\", count = 1, parts = 2 }]\n",
        ]);
        groups.processors.extend((0..nodes).map(|_| processors));
    }
    let kinds = ["a100", "t4"].map(|kind| (kind, groups.tables.contains(kind)));
    for number in 0..draws.within(1, 3) {
        groups.demands += "[[workload.demand]]\n";
        if number < 2 {
            writeln!(groups.demands, "share = 0.{}", draws.within(2, 6)).unwrap();
        }
        groups.demands += draws.of(&["", "procs = 2\n"]);
        // else it is processors alone that count
        let least = usize::from(number == 0);
        groups.demands += draws.of(&["", "memory = \"1GiB\"\n", "memory = \"3GiB\"\n"][least..]);
        groups.demands += draws.of(&["", "", "", "exclusive = true\n", "features = [\"f0\"]\n"]);
        for (kind, is_there) in kinds {
            if is_there && draws.often(25) {
                let parts = ["count = 1", "parts = 1", "parts = 2", "parts = 5, several = true"];
                let instances = ["a100-1g.5gb", "a100-2g.10gb", "a100-3g.20gb"];
                let is_instance = kind == "a100" && groups.tables.contains("mig") && draws.often(50);
                let (parts, kind) =
                    if is_instance { ("count = 1", draws.of(&instances)) } else { (draws.of(&parts), kind) };
                writeln!(groups.demands, "gpus = {{ {parts}, kind = \"{kind}\" }}").unwrap();
                break;
            }
        }
    }
    groups
}

/// Writes a site and its jobs.
pub(super) fn site(place: &Place, draws: &mut Draws) {
    let groups = groups(draws);
    let procs: u64 = groups.processors.iter().sum();
    let jobs = draws.within(3, 25);
    let cancelled = draws.often(50);
    let (mut log, mut submit) = (String::new(), 0);
    for number in 1..=jobs {
        submit += [0, 0, 1, 2, 5, 10, 20][draws.below(7) as usize];
        let (run, size) = (draws.within(1, 60), draws.within(1, procs));
        let request = [run, run + draws.below(40), run.div_ceil(2)][draws.below(3) as usize];
        let away = cancelled && draws.often(30);
        let wait = draws.within(1, 80);
        let (wait, run, status) =
            if away { (wait.to_string(), "-1".to_owned(), 5) } else { ("-1".to_owned(), run.to_string(), 1) };
        let user = draws.within(1, 3);
        writeln!(
            log,
            "{number} {submit} {wait} {run} {size} -1 -1 {size} {request} -1 {status} {user} 1 1 {} 1 -1 -1",
            1 + number % 2
        )
        .unwrap();
    }
    place.file("log.swf", log);
    let pools = draws.often(50).then(|| (draws.within(1, 3), draws.within(2, 9)));
    let (mut cluster, tables) = machine(place, draws, (&groups, pools), jobs);
    let mut workload = "kind = \"swf\"\nfile = \"log.swf\"\n".to_owned();
    let mut demands = String::new();
    if let Some((few, many)) = pools {
        writeln!(cluster, "pools = {{ few = {few}, many = {many} }}").unwrap();
        for _ in 0..2 {
            let (few, many) = (draws.within(0, few), draws.within(0, many));
            writeln!(demands, "[[workload.demand]]\nshare = 0.5\npools = {{ few = {few}, many = {many} }}")
                .unwrap();
        }
    }
    if cancelled {
        workload += "cancelled = \"replayed\"\n";
    }
    if draws.often(50) {
        let high = draws.within(10, 150);
        writeln!(workload, "patience = {{ kind = \"uniform\", low = \"1s\", high = \"{high}s\" }}").unwrap();
    }
    if draws.often(50) {
        let mut ties = "job,kind,on\n".to_owned();
        for job in 2..=jobs {
            if draws.often(30) {
                let (kind, on) = (draws.of(&["after-ok", "after-any"]), draws.within(1, job - 1));
                writeln!(ties, "{job},{kind},{on}").unwrap();
            }
        }
        place.file("ties.csv", ties);
        workload += "dependencies = \"ties.csv\"\n";
    }
    let mut policy = draws.of(&POLICIES).to_owned();
    let mut moldable = String::new();
    if draws.often(40) {
        let law = draws.of(&["\"linear\"", "{ kind = \"power\", exponent = 0.7 }"]);
        let sizes = draws.of(&["", "most = 6\n", "share = \"60 %\"\n"]);
        moldable = format!("[workload.moldable]\nlaw = {law}\n{sizes}");
        policy = molded(&policy, draws.of(&["earliest-end", "efficient", "fits-now"]));
    }
    let policy = queued(policy, draws, (&groups, pools.is_some()));
    let size = if groups.tables.is_empty() { format!("procs = {procs}\n") } else { String::new() };
    let (nodes, of_nodes) = (&groups.tables, &groups.demands);
    let text = format!(
        "title = \"A site\"\npolicy = {policy}\n[cluster]\n{size}{cluster}{nodes}{tables}[workload]\n{workload}{moldable}{demands}{of_nodes}[run]\nuntil = \"1d\"\n"
    );
    place.file("scenario.toml", text);
}

/// The policy with limits of queues, and perhaps an order by priority.
fn queued(policy: String, draws: &mut Draws, (groups, has_pools): (&Groups, bool)) -> String {
    let (nodes, procs) = (groups.processors.len() as u64, groups.processors.iter().sum());
    let mut keys = String::new();
    if draws.often(40) && !policy.contains("queue") && !policy.contains("first-fit") {
        let interval = draws.of(&["0s", "7s", "30s"]);
        let (age, fairshare, size) =
            (draws.of(&["0", "1"]), draws.of(&["0", "1", "3"]), draws.of(&["0", "-1"]));
        write!(
            keys,
            ", queue = {{ kind = \"priority\", age = {age}, max-age = \"100s\", fairshare = {fairshare}, \
             size = {size}, half-life = \"50s\", interval = \"{interval}\"{} }}",
            charge(draws, groups, has_pools)
        )
        .unwrap();
    }
    // sizes that are chosen at the turn of a job have no limits
    if draws.often(50) && !policy.contains("fits-now") {
        let mut queues = Vec::new();
        for numbers in ["numbers = [1]", "of = \"partition\", numbers = [1]"] {
            let mut limits = String::new();
            for key in ["max-running", "max-running-per-user", "max-queued-per-user"] {
                if draws.often(35) {
                    write!(limits, ", {key} = {}", draws.within(1, nodes.min(3))).unwrap();
                }
            }
            for key in ["max-procs", "max-running-procs", "max-running-procs-per-user"] {
                if draws.often(25) {
                    write!(limits, ", {key} = {}", draws.within(1, procs)).unwrap();
                }
            }
            limits += &of_nodes(draws, groups);
            queues.push(format!("{{ name = \"q\", {numbers}{limits} }}"));
        }
        queues.truncate(draws.within(1, 2) as usize);
        write!(keys, ", queues = [{}]", queues.join(", ")).unwrap();
    }
    match policy.strip_suffix(" }") {
        _ if keys.is_empty() => policy,
        Some(table) => format!("{table}{keys} }}"),
        None => format!("{{ kind = {policy}{keys} }}"),
    }
}

/// Limits of nodes and GPUs, where the site has such.
fn of_nodes(draws: &mut Draws, groups: &Groups) -> String {
    let mut limits = String::new();
    for (key, word) in [("nodes", "cluster.group"), ("gpus", "gpus")] {
        if groups.tables.contains(word) && draws.often(40) {
            let most = groups.processors.len() as u64;
            let kind = draws.of(&["max-", "max-running-", "max-running-"]);
            let whose = if kind == "max-running-" { draws.of(&["", "-per-user"]) } else { "" };
            write!(limits, ", {kind}{key}{whose} = {}", draws.within(1, most)).unwrap();
        }
    }
    limits
}

/// What jobs are charged, by a measure or by weights of what the site has.
fn charge(draws: &mut Draws, groups: &Groups, has_pools: bool) -> String {
    match draws.below(3) {
        0 => String::new(),
        1 => ", charge = \"dominant\"".to_owned(),
        _ => {
            let mut weights = format!("processor = {}", draws.within(1, 2));
            if !groups.tables.is_empty() && draws.often(50) {
                write!(weights, ", memory-gib = 0.{}", draws.within(1, 9)).unwrap();
            }
            if groups.tables.contains("gpus") && draws.often(50) {
                write!(weights, ", gpu = {}", draws.within(1, 9)).unwrap();
            }
            if has_pools && draws.often(50) {
                write!(weights, ", pools = {{ many = {} }}", draws.within(1, 3)).unwrap();
            }
            format!(", charge = {{ {weights} }}")
        }
    }
}

/// The policy with a rule of sizes; one that chooses them at the turn of a job needs a head.
fn molded(policy: &str, rule: &str) -> String {
    let heads = ["\"fcfs\"", "\"easy\"", "{ kind = \"easy\""];
    let has_head = heads.iter().any(|head| policy.starts_with(head));
    let rule = if rule == "fits-now" && !has_head { "earliest-end" } else { rule };
    match policy.strip_suffix(" }") {
        Some(table) => format!("{table}, molding = \"{rule}\" }}"),
        None => format!("{{ kind = {policy}, molding = \"{rule}\" }}"),
    }
}

/// Keys of `[cluster]`, and tables in it.
fn machine(
    place: &Place,
    draws: &mut Draws,
    (groups, pools): (&Groups, Option<(u64, u64)>),
    jobs: u64,
) -> (String, String) {
    let (procs, nodes) = (groups.processors.iter().sum::<u64>(), groups.processors.len() as u64);
    let on_nodes = !groups.tables.is_empty();
    let (mut cluster, mut tables) = (String::new(), String::new());
    if draws.often(50) {
        cluster += "kill-at-estimate = true\n";
        cluster += draws.of(&["", "kill-grace = \"7s\"\n", "limit-of = \"job\"\n"]);
    }
    let (fails, reserves) = (draws.often(60), draws.often(60));
    if fails || reserves {
        cluster += draws.of(&["", "requeue-place = \"back\"\n", "requeue-delay = \"9s\"\n"]);
    }
    if fails {
        let size = draws.within(1, 3);
        let mut outages = "node,from,to\n".to_owned();
        // where no job draws a demand on nodes, nodes are of so many processors all the same
        let counted = procs.div_ceil(size);
        for node in 0..if on_nodes { nodes.min(counted) } else { counted } {
            let mut now = 0;
            for _ in 0..draws.below(6) {
                let from = now + draws.within(1, 60);
                now = from + draws.within(1, 40);
                writeln!(outages, "{node},{from},{now}").unwrap();
            }
        }
        place.file("nodes.csv", outages);
        writeln!(tables, "[cluster.failures]\nprocessors-per-node = {size}\ntrace = \"nodes.csv\"").unwrap();
        let (interval, cost) = (draws.within(3, 15), draws.below(4));
        let checkpoint = format!("checkpoint = {{ interval = \"{interval}s\", cost = \"{cost}s\" }}\n");
        tables += draws.of(&["", "on-failure = \"lose\"\n", &checkpoint, &checkpoint]);
    }
    // two together find their nodes, one by number and one by name
    let most = if nodes > 1 { 2 } else { 1 };
    for number in 0..if reserves { draws.within(1, most) } else { 0 } {
        let purpose = draws.of(&["maintenance", "advance"]);
        let (at, span) = (draws.within(1, 120), draws.within(5, 60));
        let count = draws.within(1, (if on_nodes { nodes } else { procs } / 2).max(1));
        let named = draws.below(nodes);
        let what = match (on_nodes, number) {
            (false, _) => format!("processors = {count}"),
            (true, 0) => format!("nodes = {}", count.min(nodes - 1).max(1)),
            (true, _) => format!("nodes = [\"{named}\"]"),
        };
        writeln!(
            tables,
            "[[cluster.reservation]]\nat = \"{at}s\"\nfor = \"{span}s\"\nuse = \"{purpose}\"\n{what}"
        )
        .unwrap();
        tables += draws.of(&["", "notice = \"0s\"\n", "notice = \"30s\"\n"]);
        tables += draws.of(&["", "every = \"70s\"\ntimes = 3\n"]);
        if purpose == "advance" {
            let inside = format!("jobs = [{}]\n", draws.within(1, jobs));
            tables += draws.of(&["", "users = [2]\n", &inside]);
        }
        if fails {
            tables += draws.of(&["", "on-failure = \"shrink\"\n"]);
        }
        // two that overlap need no more than there is
        let halves = pools.map(|(few, many)| [("few", few / 2), ("many", many / 2)]);
        let mut shares = Vec::new();
        for (name, most) in halves.into_iter().flatten() {
            if most > 0 && draws.often(60) {
                shares.push(format!("{name} = {}", draws.within(1, most)));
            }
        }
        if !shares.is_empty() {
            writeln!(tables, "pools = {{ {} }}", shares.join(", ")).unwrap();
        }
    }
    (cluster, tables)
}

/// The files of a site.
fn files(place: &Place) -> String {
    let names = ["scenario.toml", "log.swf", "nodes.csv", "ties.csv"];
    let texts = names.map(|name| (name, fs::read_to_string(place.path(name)).unwrap_or_default()));
    texts.iter().fold(String::new(), |all, (name, text)| all + "\n=== " + name + "\n" + text)
}

/// The digest of a run of the site, whose counts have to add up.
pub(super) fn digest(place: &Place, name: &str, seed: u64) -> String {
    let ran = place.run(&["run", "scenario.toml", "-o", name, "--no-progress"]);
    assert_eq!(ran.status, 0, "site {seed}: {}{}", ran.stderr, files(place));
    let json = |file: &str| -> Json {
        serde_json::from_str(&fs::read_to_string(place.path(name).join(file)).unwrap()).unwrap()
    };
    let summary = json("summary.json");
    let count = |state: &str| summary["metrics"][format!("jobs.{state}")]["value"].as_u64().unwrap_or(0);
    let states = ["completed", "killed", "cancelled", "lost", "rejected", "unfinished"];
    assert_eq!(count("submitted"), states.map(count).iter().sum::<u64>(), "site {seed}");
    let jobs = fs::read_to_string(place.path(name).join("jobs.csv")).unwrap();
    format!("{}\n{jobs}", json("manifest.json")["digest"])
}

/// Sites of these numbers, unless others are asked for, each changed before it runs.
fn kept_at(sites: &str, change: fn(&Place)) {
    let asked = std::env::var("CLUSTERSIM_SITES").unwrap_or_else(|_| sites.to_owned());
    let number = |text: &str| text.parse::<u64>().expect("CLUSTERSIM_SITES is a number, or two: 6000..6900");
    let (first, last) = asked.split_once("..").unwrap_or(("1", &asked));
    let (first, last) = (number(first), number(last));
    let seeds = std::sync::atomic::AtomicU64::new(first);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = seeds.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed > last {
                        return;
                    }
                    let place = Place::new();
                    let mut draws = Draws::new(seed);
                    site(&place, &mut draws);
                    change(&place);
                    let first = digest(&place, "first", seed);
                    assert_eq!(first, digest(&place, "again", seed), "site {seed}");
                    let checked = place.run(&["check", "first"]);
                    let (said, status) = (checked.stdout + &checked.stderr, checked.status);
                    assert_eq!(status, 0, "site {seed}: {said}{}", files(&place));
                }
            });
        }
    });
}

#[test]
fn at_sites_that_are_drawn_every_promise_is_kept() {
    kept_at("200", |_| {});
}

#[test]
fn at_sites_that_decide_after_each_event_every_promise_is_kept() {
    kept_at("100", |place| {
        let text = fs::read_to_string(place.path("scenario.toml")).unwrap();
        let (before, policy) = text.split_once("policy = ").unwrap();
        let (policy, after) = policy.split_once('\n').unwrap();
        let policy = match policy.strip_suffix(" }") {
            Some(table) => format!("{table}, decide = \"event\" }}"),
            None => format!("{{ kind = {policy}, decide = \"event\" }}"),
        };
        place.file("scenario.toml", format!("{before}policy = {policy}\n{after}"));
    });
}
