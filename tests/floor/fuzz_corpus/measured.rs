//! What holds for any bytes read as tables of a measured platform.

use clustersim_platform::measured::{Reader, Units, Use};
use clustersim_platform::{HostId, read_trace_csv};

/// A line that separates one table from the next.
const NEXT_TABLE: &str = "#--table";
/// Hosts between which routes are asked for, and hosts up to which the platform is written.
const CHECKED: usize = 16;

/// Reading is total and repeatable. It gives a platform with routes over links that exist and
/// traces that are read back, or mistakes.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let bare = Units { bandwidth: Some(1e6), latency: Some(1e-3), speed: Some(1e6), ..Units::default() };
    for units in [Units::default(), Units { time: 60_000_000_000, use_of: Use::UsedPercent, ..bare }] {
        read(text, &units);
    }
}

fn read(text: &str, units: &Units) {
    let finish = || {
        let mut reader = Reader::new(units.clone(), Some(1e9));
        text.split(NEXT_TABLE).for_each(|table| reader.read("table.csv", table));
        reader.finish()
    };
    match (finish(), finish()) {
        (Ok(measured), Ok(again)) => {
            let platform = &measured.platform;
            let hosts = platform.hosts().len();
            let (mut route, mut other) = (Vec::new(), Vec::new());
            let some = || (0..hosts.min(CHECKED)).map(|host| HostId::new(host as u32));
            for (from, to) in some().flat_map(|from| some().map(move |to| (from, to))) {
                assert_eq!(platform.route(from, to, &mut route), again.platform.route(from, to, &mut other));
                assert_eq!(route, other);
                assert!(route.iter().all(|link| link.index() < platform.links().len()));
            }
            if hosts <= CHECKED {
                let toml = measured.toml("traces");
                assert_eq!(toml, again.toml("traces"));
                for (name, trace) in &toml.traces {
                    assert!(read_trace_csv(trace, None).is_ok(), "{name} is not read back:\n{trace}");
                }
            }
        }
        (Err(problems), Err(again)) => {
            assert_eq!(format!("{problems:?}"), format!("{again:?}"), "read twice, it differs");
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|(_, problem)| !problem.message.is_empty()));
        }
        _ => panic!("read twice, it differs"),
    }
}
