//! What holds for any bytes that a foreign program may answer with, and for any that are read as a
//! transcript.

use clustersim_brokers::foreign::answer::{
    StatedNetwork, StatedServer, greeting, network, network_history, selection, server, server_history,
    taken_network, taken_server,
};
use clustersim_experiment::dialogue::answer::done;
use clustersim_experiment::dialogue::transcript::{self, Transcript};

/// Reading is total and repeatable: it gives values within their bounds, or says what is wrong. A
/// text of several lines is read as a transcript too.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for line in text.split('\n').take(50) {
        each_answer(line);
        recorded(line);
    }
    let mut transcript = Transcript::of(text.to_owned());
    while let Ok(answer) = transcript.answer("{\"finish\":\"run\",\"time\":0}") {
        assert!(text.contains(&answer));
    }
}

/// A line as the answer to every question.
fn each_answer(line: &str) {
    if let Some(greeting) = repeated(line, greeting) {
        assert!(greeting.name.len() < 8_000);
    }
    repeated(line, done);
    for taken in [taken_network, taken_server] {
        for said in repeated(line, taken).into_iter().flatten().flatten() {
            assert!(said.value.is_finite() && said.mse.is_finite() && said.mae >= 0.0 && said.mse >= 0.0);
        }
    }
    repeated(line, network).flatten().into_iter().for_each(sound_network);
    repeated(line, server).flatten().into_iter().for_each(sound_server);
    if let Some(history) = repeated(line, network_history) {
        assert!(history.measurements.len() as u64 <= history.count);
        history.measurements.into_iter().for_each(sound_network);
    }
    if let Some(history) = repeated(line, server_history) {
        assert!(history.measurements.len() as u64 <= history.count);
        history.measurements.into_iter().for_each(sound_server);
    }
    if let Some(mut names) = repeated(line, selection) {
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count, "a server stands there twice");
    }
}

fn repeated<T: PartialEq + std::fmt::Debug>(line: &str, read: fn(&str) -> Result<T, String>) -> Option<T> {
    let first = read(line);
    assert_eq!(first, read(line), "read twice, it differs");
    first.map_err(|why| assert!(!why.is_empty() && why.len() < 8_000, "{why}")).ok()
}

fn sound_network(StatedNetwork { time, bandwidth, latency }: StatedNetwork) {
    assert!((0.0..=1e18).contains(&time) && (0.0..=1e18).contains(&latency));
    assert!((1e-6..=1e18).contains(&bandwidth));
}

fn sound_server(stated: StatedServer) {
    let StatedServer { time, performance, load, availability, .. } = stated;
    assert!((0.0..=1e18).contains(&time) && (0.0..=1e18).contains(&load));
    assert!((1e-6..=1e18).contains(&performance) && (0.0..=1.0).contains(&availability));
}

/// What is written down is read again as it was.
fn recorded(line: &str) {
    let mut text = String::new();
    transcript::write(&mut text, "{\"a\":1}", Some(line));
    assert_eq!(Transcript::of(text).answer("{\"a\":1}").as_deref(), Ok(line));
}
