//! Platforms out of tables and series, each value worked by hand.

use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::registry::Problem;
use clustersim_language::text::Mistakes;
use clustersim_platform::measured::{Measured, Reader, Units, Use};
use clustersim_platform::{NoRoute, Platform, read_trace_csv};

use clustersim_testing::evidence;

const HOSTS: &str = "host,speed,cores\nalpha,1.5Gf,4\nbeta,800Mf,1\ngamma,2Gf,2\n";
const LINES: &str = "from,to,bandwidth,latency\nalpha,hub,100Mbps,1ms\nbeta,hub,10Mbps,2ms\ngamma,hub,100Mbps,1ms\n\
    alpha,beta,5Mbps,9ms\nbeta,gamma,1Mbps,1ms\ngamma,beta,2Mbps,4ms\n";

fn read(units: &Units, files: &[(&str, &str)]) -> Result<Measured, Mistakes<(String, Problem)>> {
    let mut reader = Reader::new(units.clone(), None);
    files.iter().for_each(|(name, text)| reader.read(name, text));
    reader.finish()
}

fn route(platform: &Platform, from: &str, to: &str) -> Result<Vec<String>, NoRoute> {
    let [from, to] = [from, to].map(|name| platform.host_named(name).expect("a host"));
    let mut route = Vec::new();
    platform.route(from, to, &mut route)?;
    Ok(route.iter().map(|&link| platform.link_name(link).into_owned()).collect())
}

fn secs(secs: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(secs)
}

#[test]
fn tables_of_hosts_and_lines_are_a_platform() {
    let platform =
        read(&Units::default(), &[("lines.csv", LINES), ("hosts.csv", HOSTS)]).expect("valid").platform;
    assert_eq!(platform.hosts()[0].cores, 4);
    assert_eq!(platform.hosts()[1].speed().to_bits(), 8e8_f64.to_bits());
    assert_eq!(platform.links().get(0).bandwidth.value_at(secs(0)).to_bits(), 1.25e7_f64.to_bits());
    // over the hub; a line between two hosts is their route, be it slower; a way that is measured
    // by itself is another link
    assert_eq!(route(&platform, "alpha", "gamma").expect("joined"), ["alpha--hub", "gamma--hub"]);
    assert_eq!(route(&platform, "beta", "alpha").expect("joined"), ["alpha--beta"]);
    assert_eq!(route(&platform, "beta", "gamma").expect("joined"), ["beta--gamma"]);
    assert_eq!(route(&platform, "gamma", "beta").expect("joined"), ["gamma--beta"]);
}

#[test]
fn series_are_shifted_to_the_first_sample_of_all_and_gaps_hold_the_last_value() {
    let cpu = "time,host,availability\n1700000000,alpha,0.5\n1700000010,alpha,\n1700000020,alpha,NaN\n1700000030,alpha,1\n";
    let net = "time,from,to,bandwidth\n1700000005,hub,alpha,8\n1700000015,hub,alpha,16\n";
    let mut units = Units::default();
    units.state("bandwidth", "Mbps").expect("a unit");
    let files = [("hosts.csv", HOSTS), ("lines.csv", LINES), ("cpu.csv", cpu), ("net.csv", net)];
    let measured = read(&units, &files).expect("valid");
    let availability = &measured.platform.hosts()[0].availability;
    let values = [0, 10, 29, 30].map(|at| availability.value_at(secs(at)));
    assert_eq!(format!("{values:?}"), "[0.5, 0.5, 0.5, 1.0]");
    let bandwidth = &measured.platform.links().get(0).bandwidth;
    let values = [0, 5, 14, 15].map(|at| bandwidth.value_at(secs(at)));
    assert_eq!(format!("{values:?}"), "[1000000.0, 1000000.0, 1000000.0, 2000000.0]");
    // what is written beside the TOML is the same
    let toml = measured.toml("net.traces");
    assert!(toml.text.contains("availability-trace = \"net.traces/0000-alpha.csv\""), "{}", toml.text);
    assert!(
        toml.text.contains("from = \"alpha\"\nto = \"beta\"\nlinks = [\"alpha--beta\"]\nsymmetric = true\n")
    );
    for (trace, (_, text)) in [availability, bandwidth].into_iter().zip(&toml.traces) {
        let written = read_trace_csv(text, None).expect("a trace");
        for at in (0..40).map(secs) {
            assert_eq!(written.value_at(at).to_bits(), trace.value_at(at).to_bits());
        }
    }
}

#[test]
fn a_row_of_times_tells_how_much_of_a_host_is_in_use() {
    let text = "host,t0,t300,t600\nb.example.org,13,,100\na.example.org,0,50,7\n";
    let mut reader = Reader::new(Units { use_of: Use::UsedPercent, ..Units::default() }, Some(1e9));
    reader.read("cpu.csv", text);
    let platform = reader.finish().expect("valid").platform;
    let b = platform.host(platform.host_named("b.example.org").expect("a host"));
    let values = [0, 300, 600].map(|at| b.availability.value_at(secs(at)));
    assert_eq!(format!("{values:?}"), "[0.87, 0.87, 0.0]");
    assert!(route(&platform, "a.example.org", "b.example.org").is_err(), "nothing joins them");
}

#[test]
fn every_mistake_of_every_file_is_told_at_its_place() {
    let hosts = "host,speed,cores\nalpha,fast,4\nbeta,800,1\nalpha,1Gf,0\n";
    let lines = "from,to,bandwidth,latency\nalpha,alpha,1Mbps,1ms\nalpha,beta,0.1,1ms\nbeta,hub,,1ms\n";
    let cpu = "time,host,availability\n5,alpha,1.5\n5,beta,0.5\n4,beta,0.6\nx,beta,1\n6,alhpa,0.1\n";
    let files = [("hosts.csv", hosts), ("lines.csv", lines), ("cpu.csv", cpu), ("what.csv", "a,b\n1,2\n")];
    let problems = read(&Units::default(), &files).expect_err("mistakes");
    let told: Vec<String> = problems
        .iter()
        .map(|(file, problem)| {
            let place = problem.place.as_ref().expect("a place");
            format!("{file}:{}:{}: {}", place.line, place.column, problem.message)
        })
        .collect();
    let expected = [
        "hosts.csv:2:7: `fast` does not begin with a number",
        "hosts.csv:3:6: `800` has no unit, and none was stated",
        "hosts.csv:4:11: `0` is no number of cores",
        "hosts.csv:4:1: the host `alpha` is given twice, or has no name",
        "lines.csv:2:1: a line leads from one end to another",
        "lines.csv:3:12: `0.1` has no unit, and none was stated",
        "cpu.csv:2:9: `1.5` is no share of a host",
        "cpu.csv:4:1: this sample is not later than the one before it",
        "cpu.csv:5:1: `x` is no time",
        "what.csv:1:1: the first line does not say what this table holds",
        "cpu.csv:6:1: no table gives the speed of `alhpa`",
        "lines.csv:3:1: no bandwidth of this line is given",
        "lines.csv:4:1: no bandwidth of this line is given",
    ];
    assert_eq!(told, expected);
    assert_eq!(problems[10].1.help.as_deref(), Some("did you mean `alpha`?"));
}

/// A day of 200 PlanetLab hosts, a sample every five minutes: the mean of what is available is that
/// of the file.
#[test]
fn a_day_of_planetlab_is_read() {
    let Some(path) = evidence::needed("timeseries/planetlab-cpu-20110303-200hosts.csv") else { return };
    let text = evidence::text(&path);
    let mut reader = Reader::new(Units { use_of: Use::UsedPercent, ..Units::default() }, Some(1e9));
    reader.read("planetlab.csv", &text);
    let platform = reader.finish().expect("valid").platform;
    assert_eq!(platform.hosts().len(), 200);
    for (row, host) in text.lines().skip(1).zip(platform.hosts()) {
        let used: Vec<f64> = row.split(',').skip(1).filter_map(|cell| cell.parse().ok()).collect();
        let free: f64 = used.iter().map(|percent| (100.0 - percent) / 100.0 * 300.0).sum();
        let end = secs(used.len() as u64 * 300);
        assert!((host.availability.integral(SimTime::ZERO, end) - free).abs() < 1e-6, "{}", host.name);
    }
}
