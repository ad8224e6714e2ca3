//! Whole amounts over whole rates take exactly as long as integers say, in every system that
//! computes or sends.
//!
//! A quotient of floating point, rounded up, lies a nanosecond above that for one amount in fifty,
//! and ties turn on it.

use std::fs;

use clustersim_testing::program::Place;

/// Amounts and rates a second; a quotient of floating point is too long for the first four.
const CASES: [[u64; 2]; 8] = [
    [16_749_766, 1_000_000],
    [67_188_922, 1_000_000],
    [31_424_575, 125_000_000],
    [97_653_168, 3_000_000],
    [7, 3],
    [1, 999_999_937],
    [123_456_789, 1_234_567],
    [8_589_934_593, 65_536],
];

fn nanos(amount: u64, rate: u64) -> u64 {
    (u128::from(amount) * 1_000_000_000).div_ceil(u128::from(rate)) as u64
}

/// The values in this column of a table, in nanoseconds.
fn column(place: &Place, file: &str, name: &str) -> Vec<u64> {
    let text = fs::read_to_string(place.path(file)).unwrap();
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    let nanos = |line: &str| {
        let cell = line.split(',').nth(at).unwrap();
        let (whole, rest) = cell.split_once('.').unwrap_or((cell, ""));
        format!("{whole}{rest:0<9}").parse().unwrap()
    };
    lines.map(nanos).collect()
}

/// Runs a scenario into a directory, and judges it.
fn run(place: &Place, name: &str, scenario: String) {
    let file = format!("{name}.toml");
    place.file(&file, scenario);
    let output = place.run(&["run", &file, "-q", "--no-progress", "--force", "-o", name]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let checked = place.run(&["check", name]);
    assert_eq!(checked.status, 0, "{}", checked.stdout);
}

#[test]
fn flows_take_as_long_as_their_bytes_over_the_bandwidth() {
    for [bytes, rate] in CASES {
        let place = Place::new();
        let scenario = format!(
            "title = \"A flow\"\n[platform]\nhost = [{{ name = \"a\", speed = \"1Gf\" }}, {{ name = \"b\", speed = \"1Gf\" }}]\n\
             link = [{{ name = \"l\", bandwidth = \"{rate}Bps\", latency = \"0s\" }}]\n\
             route = [{{ from = \"a\", to = \"b\", links = [\"l\"] }}]\n\
             [flows]\nflow = [{{ name = \"x\", from = \"a\", to = \"b\", size = \"{bytes}B\" }}]\n"
        );
        run(&place, "flows", scenario);
        assert_eq!(column(&place, "flows/flows.csv", "end"), [nanos(bytes, rate)], "{bytes} B at {rate} B/s");
    }
}

#[test]
fn tasks_of_graphs_take_as_long_as_their_work_over_the_speed() {
    for [work, speed] in CASES {
        let place = Place::new();
        place.file(
            "g.dot",
            format!("digraph g {{ x [size=\"{work}\"]; y [size=\"{work}\"]; x -> y [size=\"5\"]; }}\n"),
        );
        let scenario = format!(
            "title = \"A graph\"\n[platform]\nhost = [{{ name = \"a\", speed = \"{speed}f\" }}]\n\
             [application]\nkind = \"dot\"\nfile = \"g.dot\"\n[scheduler]\nkind = \"heft\"\n"
        );
        run(&place, "graph", scenario);
        let one = nanos(work, speed);
        for of in ["end", "planned-end"] {
            assert_eq!(
                column(&place, "graph/tasks.csv", of),
                [one, 2 * one],
                "{of}: {work} f at {speed} f/s"
            );
        }
    }
}

#[test]
fn files_of_sweeps_take_as_long_as_their_bytes_over_the_bandwidth() {
    for [bytes, rate] in CASES {
        let place = Place::new();
        let scenario = format!(
            "title = \"A sweep\"\n[platform]\ncluster = [{{ name = \"a\", hosts = 1, link = {{ bandwidth = \"{rate}Bps\" }} }}]\n\
             [application]\nkind = \"generated\"\ntasks = 1\ntime = \"3s\"\noutput = \"{bytes}B\"\n\
             files = [{{ name = \"f\", sharing = \"private\", size = \"{bytes}B\" }}]\n\
             [scheduler]\nkind = \"plan\"\nheuristic = \"h1\"\n[record]\ntransfers = true\n"
        );
        run(&place, "sweep", scenario);
        let (one, seconds) = (nanos(bytes, rate), 3_000_000_000);
        let ends = column(&place, "sweep/transfers.csv", "end");
        assert_eq!(ends, [one, 2 * one + seconds], "{bytes} B at {rate} B/s");
        assert_eq!(
            column(&place, "sweep/tasks.csv", "planned-end"),
            [one + seconds],
            "{bytes} B at {rate} B/s"
        );
    }
}

#[test]
fn calls_take_as_long_as_their_bytes_over_bandwidths_and_their_operations_over_the_performance() {
    for [amount, rate] in CASES {
        let place = Place::new();
        place.file("at.txt", "0\n");
        let scenario = format!(
            "title = \"A call\"\n[platform]\nserver = [{{ name = \"s\", performance = \"{rate}op/s\" }}]\n\
             queues = {{ bandwidth = \"{rate}Bps\", packet = \"100GB\" }}\n\
             [[client]]\nname = \"c\"\ntasks = 1\narrivals = {{ file = \"at.txt\" }}\n\
             class = [{{ send = \"{amount}B\", receive = \"{amount}B\", instructions = \"{amount}op\" }}]\n\
             [record]\ntasks = true\n"
        );
        run(&place, "calls", scenario);
        let one = nanos(amount, rate);
        for (of, times) in [("queued", 1), ("ended", 2), ("received", 3)] {
            let found = column(&place, "calls/tasks.csv", of);
            assert_eq!(found, [times * one], "{of}: {amount} at {rate} a second");
        }
    }
}
