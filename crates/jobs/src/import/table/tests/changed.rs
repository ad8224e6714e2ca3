//! Samples with some bytes changed: each is read or refused, never a panic.

use proptest::prelude::*;

use super::*;
use crate::registry::code;

/// Samples that are short, each with how it is read.
const SAMPLES: &[(&str, &str)] = &[
    ("acme-kalos.csv.gz", "like = \"acme\""),
    (
        "edges.csv.gz",
        "[columns]\nsubmit = \"when\"\nstart = \"from\"\nend = \"to\"\nprocs = \"cores\"\ntimes = { unit = \"s\" }",
    ),
    ("philly.json.gz", "like = \"philly\""),
    ("supercloud.csv.gz", "like = \"supercloud\""),
    #[cfg(feature = "parquet")]
    ("kestrel.parquet", "like = \"kestrel\""),
    #[cfg(feature = "parquet")]
    ("fdata.parquet", "like = \"f-data\""),
    #[cfg(feature = "parquet")]
    ("opendc-workflow-tasks.parquet", "like = \"opendc\""),
];

/// Codes of mistakes of a stream of bytes as a whole, which have no place in a text.
const STREAMS: [&code::Code; 2] = [code::COMPRESSED, code::NO_JOBS];

/// The text of a sample, or a Parquet file as it is.
fn unpacked(name: &str) -> Vec<u8> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let packed = sample(name);
    if !packed.starts_with(&[0x1f, 0x8b]) {
        return packed;
    }
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("a sample");
    bytes
}

proptest! {
    #[test]
    fn a_changed_table_is_read_or_refused(
        of in 0..SAMPLES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let (name, columns) = SAMPLES[of];
        let mut bytes = unpacked(name);
        for (at, change, byte) in changes {
            let at = at.index(bytes.len().max(1));
            match change {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => _ = bytes.remove(at),
                _ => bytes.insert(at.min(bytes.len()), byte),
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len().max(1)));
        }
        if let Ok(log) = log_of("t", &bytes, columns) {
            prop_assert!(log.jobs.iter().all(|job| job.procs > 0 && !job.run_time.is_zero()));
        }
        if let Ok(survey) = survey(Input::Bytes(&bytes), "t") {
            let is_text = !bytes.starts_with(b"PAR1");
            let is_placed = |problem: &Problem| {
                problem.place.is_some() || !is_text || STREAMS.contains(&problem.code)
            };
            let misplaced = survey.damage.iter().find(|problem| !is_placed(problem));
            prop_assert!(misplaced.is_none(), "{misplaced:?}");
            prop_assert!(!survey.damage.is_empty() || (survey.rows > 0 && !survey.columns.is_empty()));
        }
    }
}
