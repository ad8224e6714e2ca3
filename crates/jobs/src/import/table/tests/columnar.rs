//! Forms of Parquet files, files that are damaged, and those that claim too much.

use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataWriter};
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::*;

const COLUMNS: &str = "[columns]\nsubmit = \"submit\"\nrun-time = { column = \"run\", unit = \"s\" }\nprocs = \"procs\"\nuser = \"user\"\n\
                       power = { column = \"power\", unit = \"W\", per = \"job\", list = \"LIST\" }\n";
/// The jobs that every file holds.
const SAME: &str = r#"{"submit": "2026-03-01 00:00:00", "run": 60, "procs": 1, "user": "ann", "power": [100, 300]}
{"submit": "2026-03-01 00:00:10", "run": 7, "procs": 128, "user": "ben", "power": []}
{"submit": "2026-03-01 00:00:20", "run": 3600, "procs": 3, "user": null, "power": null}
{"submit": "2026-03-01 00:00:20", "run": 1, "procs": 4000000000, "user": "ann", "power": [1.5]}
{"submit": "2026-03-01 00:00:59", "run": 86400, "procs": 16, "user": "bénédicte", "power": [null, 2, 4]}"#;
const FORMS: [&str; 5] = ["snappy-dictionary", "zstd-delta", "gzip-int96", "lz4-lengths", "plain-local"];

fn form(name: &str) -> Vec<u8> {
    sample(&format!("forms/{name}.parquet"))
}

fn columns(list: &str) -> String {
    COLUMNS.replace("LIST", list)
}

fn refused(bytes: &[u8], columns: &str) -> String {
    let problems = log_of("t.parquet", bytes, columns).map(|_| ()).expect_err("refused");
    format!("{} [{}]", problems[0].message, problems[0].help.clone().unwrap_or_default())
}

#[test]
fn every_form_of_a_file_gives_the_same_jobs() {
    use crate::workload::swf::Cause;
    for list in ["mean", "sum"] {
        let text = log_of("t.jsonl", SAME.as_bytes(), &columns(list)).expect("right");
        for name in FORMS {
            let log = log_of("t.parquet", &form(name), &columns(list)).expect(name);
            assert_eq!((&log.jobs, &log.attributes), (&text.jobs, &text.attributes), "{name}, {list}");
            // times of a clock, and those of 96 bits, do not state their zone
            let zoneless = if matches!(name, "gzip-int96" | "plain-local") { 5 } else { 0 };
            assert_eq!(log.report.tally(Cause::NoZone).count, zoneless, "{name}");
        }
    }
}

#[test]
fn values_are_counted_as_in_json() {
    // of lists the values that are not null, of single values each one
    let columns = "[columns]\nsubmit = \"submit\"\nrun-time = { column = \"run\", unit = \"s\" }\nprocs = { value = 1 }\n\
                   nodes = \"count(power)\"\ngpus = \"count(procs)\"\nmemory = { column = \"count(user)\", unit = \"B\", per = \"job\" }";
    let text = log_of("t.jsonl", SAME.as_bytes(), columns).expect("right");
    let counts = |log: &Log| {
        let attributes = |place| log.attributes.of(place);
        (0..5).map(|place| (attributes(place).nodes, attributes(place).gpus)).collect::<Vec<_>>()
    };
    assert_eq!(
        counts(&text).iter().map(|of| of.0).collect::<Vec<_>>(),
        [Some(2), None, None, Some(1), Some(2)]
    );
    for name in FORMS {
        let log = log_of("t.parquet", &form(name), columns).expect(name);
        assert_eq!((&log.jobs, counts(&log)), (&text.jobs, counts(&text)), "{name}");
    }
}

#[test]
fn what_no_cell_can_be_is_refused_by_name() {
    let bytes = form("zstd-delta");
    let with = |power: &str| columns("mean").replace("\"power\"", &format!("\"{power}\""));
    assert!(refused(&bytes, &with("nested")).starts_with("the column `nested` holds lists of lists"));
    assert!(refused(&bytes, &with("group")).starts_with("the column `group` holds groups of several values"));
    let list = refused(&bytes, &columns("refuse"));
    assert!(list.starts_with("row 1, column `power`: a list of 2 is no number"), "{list}");
    let user = refused(&bytes, &columns("mean").replace("\"procs\"", "\"user\""));
    assert!(user.starts_with("row 1, column `user`: `ann` is no number"), "{user}");
    let brotli = refused(&form("brotli"), &columns("mean"));
    assert!(
        brotli.starts_with("the column `submit` is compressed by Brotli, which is not built in"),
        "{brotli}"
    );
}

#[test]
fn a_damaged_file_is_refused_in_a_sentence_of_our_own() {
    let bytes = form("zstd-delta");
    let cut = refused(&bytes[..bytes.len() - 1], &columns("mean"));
    assert!(cut.starts_with("the Parquet file is "), "{cut}");
    assert!(cut.contains("fetch the file again; the decoder says: "), "{cut}");
    // in the first page of zstd
    let frame = bytes.windows(4).position(|bytes| bytes == b"\x28\xb5\x2f\xfd").expect("zstd");
    let mut damaged = bytes.clone();
    damaged[frame] ^= 0xff;
    let found = refused(&damaged, &columns("mean"));
    assert!(found.starts_with("column `submit`, from row 1 on: a page of zstd is damaged or cut"), "{found}");
}

#[test]
fn no_damage_is_a_panic() {
    for name in FORMS {
        let bytes = form(name);
        for end in (4..bytes.len()).step_by(37) {
            assert!(log_of("t.parquet", &bytes[..end], &columns("mean")).is_err(), "{name} up to {end}");
        }
        for at in (4..bytes.len()).step_by(5) {
            for mask in [0x01, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= mask;
                drop(log_of("t.parquet", &damaged, &columns("mean")));
            }
        }
    }
}

/// A file with the columns of another one, whose footer claims so many rows.
fn claiming(bytes: &[u8], rows: i64) -> Vec<u8> {
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).expect("right");
    let (of_file, groups) = (reader.metadata().file_metadata(), reader.metadata().row_groups());
    let of_file = FileMetaData::new(of_file.version(), rows, None, None, of_file.schema_descr_ptr(), None);
    let group = groups[0].clone().into_builder().set_num_rows(rows).build().expect("right");
    let metadata = ParquetMetaData::new(of_file, vec![group]);
    let (rest, end) = bytes.split_last_chunk::<8>().expect("a footer");
    let [a, b, c, d, ..] = *end;
    let mut file = rest[..rest.len() - u32::from_le_bytes([a, b, c, d]) as usize].to_vec();
    ParquetMetaDataWriter::new(&mut file, &metadata).finish().expect("into memory");
    file
}

#[test]
fn rows_that_a_file_cannot_hold_are_not_waited_for() {
    let bytes = form("plain-local");
    let huge = refused(&claiming(&bytes, 1 << 50), &columns("mean"));
    assert!(huge.starts_with("the Parquet file claims 1125899906842624 rows, more than its "), "{huge}");
    let more = refused(&claiming(&bytes, 6), &columns("mean"));
    assert!(more.starts_with("column `submit`, from row 6 on: the column has fewer values"), "{more}");
    // nothing bounds rows of which nothing is read
    let other = "[columns]\nsubmit = { column = \"x\", optional = true }\nrun-time = { column = \"y\", unit = \"s\", optional = true }\n\
                 procs = { value = 1 }";
    assert!(refused(&bytes, other).starts_with("the table has none of the columns that are named"));
    assert!(matches!(survey(Input::Bytes(&bytes), "t.parquet"), Ok(survey) if survey.rows == 5));
}
