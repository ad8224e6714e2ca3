//! What holds for any bytes read as a platform file, or as a deployment file.

use clustersim_language::registry::{Complaint, Sources};
use clustersim_platform::HostId;
use clustersim_platform::simgrid::{Loaded, deployment, read};

/// Hosts between which ways are asked for.
const LOOKED_AT: usize = 16;

/// Reading is total and repeatable; it gives platforms with ways over links that are there, or
/// mistakes that can be shown.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut sources = Sources::new("");
    let source = sources.add("platform.xml", text, "");
    let (first, again) = (read(source, &sources), read(source, &sources));
    match (first, again) {
        (Ok(first), Ok(again)) => sound(&first, &again),
        (Err(first), Err(again)) => {
            assert_eq!(first, again, "reading it again gives something else");
            shown(&first, text);
        }
        _ => panic!("reading it again gives something else"),
    }
    match deployment(source, &sources) {
        Ok(actors) => assert!(actors.iter().all(|actor| text.get(actor.at.range()).is_some())),
        Err(complaints) => shown(&complaints, text),
    }
}

fn shown(complaints: &[Complaint], text: &str) {
    assert!(!complaints.is_empty());
    for complaint in complaints {
        assert!(!complaint.message.is_empty());
        assert!(complaint.span.is_none_or(|span| text.get(span.range()).is_some()), "{complaint:?}");
    }
}

fn sound(first: &Loaded, again: &Loaded) {
    let hosts = first.platform.hosts().len();
    assert_eq!(hosts, again.platform.hosts().len());
    let (mut way, mut other) = (Vec::new(), Vec::new());
    let step = (hosts / LOOKED_AT).max(1);
    let some = || (0..hosts).step_by(step).take(LOOKED_AT).map(|host| HostId::new(host as u32));
    for (from, to) in some().flat_map(|from| some().map(move |to| (from, to))) {
        let seconds = first.platform.route_with_delay(from, to, &mut way);
        assert_eq!(seconds, again.platform.route_with_delay(from, to, &mut other));
        assert_eq!(way, other);
        assert!(seconds.is_ok() || way.is_empty());
        assert!(way.iter().all(|link| link.index() < first.platform.links().len()));
    }
}
