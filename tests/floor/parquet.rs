//! `jobs.parquet` and `results.parquet`, read back by a reader of the format: every cell is that of
//! the text file.
//!
//! What needs a build with the feature `parquet` runs with `cargo test --features parquet`.

use clustersim_testing::program::Place;

/// Jobs of fractional times on four processors; the second waits, the third never fits, the fourth
/// has a huge number.
const LOG: &str = "\
; MaxProcs: 4
1 0 -1 100.5 3 -1 -1 3 120 -1 1 7 1 1 1 1 -1 -1
2 10.25 -1 50 4 -1 -1 4 60 -1 1 -1 1 1 1 1 -1 -1
3 20 -1 50 8 -1 -1 8 60 -1 1 -1 1 1 1 1 -1 -1
18446744073709551615 30 -1 7.000000001 1 -1 -1 1 60 -1 1 -1 1 1 1 1 -1 -1
";

#[test]
fn without_asking_there_is_none_and_its_directory_is_drawn_by_any_build() {
    let place = Place::new();
    place.file("log.swf", LOG);
    assert_eq!(place.run(&["run", "log.swf", "-o", "out"]).status, 0);
    assert!(!place.names("out").contains(&"jobs.parquet".to_owned()));
    // as a build that can write Parquet files would have left it
    let resolved = String::from_utf8(place.read("out/scenario.resolved.toml")).unwrap();
    let asked = resolved.replace("parquet = false", "parquet = true");
    assert_ne!(resolved, asked);
    place.file("out/scenario.resolved.toml", asked);
    let drawn = place.run(&["report", "out"]);
    assert_eq!(drawn.status, 0, "{}", drawn.stderr);
    let again = place.run(&["run", "out/manifest.json"]);
    assert_eq!(again.status, 2, "another scenario is not the run of the manifest: {}", again.stderr);
}

#[cfg(feature = "parquet")]
mod read_back {
    use std::fs::File;

    use clustersim_experiment::output::hash;
    use parquet::basic::Type as Physical;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::Value;

    use super::LOG;
    use clustersim_testing::program::Place;

    const SYNTHETIC: &str = "title = \"A, \\\"b\\\"\"\nseed = 3\ncluster.procs = 16\n[workload]\nkind = \"synthetic\"\njobs = 400\n\
        arrivals = { kind = \"exponential\", mean = \"100s\" }\nsizes = { kind = \"uniform\", low = 1, high = 16 }\n\
        run-times = { kind = \"exponential\", mean = \"150s\" }\n";

    const STUDY: &str = "[policy]\nkind = \"space-sharing\"\n[[vary]]\n\"policy.backfill\" = [\"none\", \"easy\"]\n[[vary]]\n\"workload.load\" = [0.4, 0.6]\n\
        seed = [1, 2]\n[repeat]\nreplications = 5\n";

    fn run(place: &Place, arguments: &[&str]) {
        let output = place.run(arguments);
        assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
    }

    fn manifest(place: &Place, directory: &str) -> Value {
        serde_json::from_slice(&place.read(&format!("{directory}/manifest.json"))).unwrap()
    }

    /// The fields of a CSV file, line by line (RFC 4180).
    fn csv(text: &str) -> Vec<Vec<String>> {
        let (mut rows, mut row, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => row.push(std::mem::take(&mut field)),
                '\n' if !quoted => {
                    row.push(std::mem::take(&mut field));
                    rows.push(std::mem::take(&mut row));
                }
                _ => field.push(letter),
            }
        }
        rows
    }

    /// Compares a Parquet file with the CSV file beside it, cell by cell; gives the physical types
    /// of its columns, and how many cells were compared and how many of them were empty.
    fn compare(place: &Place, name: &str) -> (Vec<(String, Physical)>, usize, usize) {
        let text = String::from_utf8(place.read(&format!("{name}.csv"))).unwrap();
        let mut expected = csv(&text).into_iter();
        let head = expected.next().unwrap();
        let reader =
            SerializedFileReader::new(File::open(place.path(&format!("{name}.parquet"))).unwrap()).unwrap();
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        let types: Vec<_> =
            columns.iter().map(|column| (column.name().to_owned(), column.physical_type())).collect();
        assert_eq!(types.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), head);
        let (mut cells, mut empty) = (0, 0);
        for row in reader.get_row_iter(None).unwrap() {
            let texts = expected.next().expect("as many rows");
            for ((name, field), text) in row.unwrap().into_columns().iter().zip(&texts) {
                let same = match field {
                    Field::Null => text.is_empty(),
                    Field::Long(value) => value.to_string() == *text,
                    Field::ULong(value) => value.to_string() == *text,
                    Field::Double(value) => value.to_bits() == text.parse::<f64>().unwrap().to_bits(),
                    Field::Str(value) => value == text && !text.is_empty(),
                    other => panic!("{name}: {other}"),
                };
                assert!(same, "{name}: {field} is not {text:?}");
                cells += 1;
                empty += usize::from(text.is_empty());
            }
        }
        assert_eq!(expected.next(), None, "no row is missing");
        (types, cells, empty)
    }

    #[test]
    fn every_cell_is_that_of_jobs_csv_in_its_type() {
        let place = Place::new();
        place.file("a, b.swf", LOG).file("many.toml", SYNTHETIC);
        run(&place, &["run", "a, b.swf", "--parquet", "-o", "log"]);
        run(&place, &["run", "many.toml", "--set", "record.parquet=true", "-o", "many"]);
        let (types, cells, empty) = compare(&place, "log/jobs");
        // the rejected job leaves 7 fields empty, and every job its metadata
        assert_eq!((cells, empty), (4 * 18, 7 + 4));
        let (others, cells, empty) = compare(&place, "many/jobs");
        assert_eq!((cells, empty), (400 * 18, 400));
        assert_eq!(types, others);
        let of = |physical| {
            let names = types.iter().filter(|(_, own)| *own == physical).map(|(name, _)| name.as_str());
            names.collect::<Vec<_>>()
        };
        assert_eq!(
            of(Physical::INT64),
            ["job_id", "requested_number_of_resources", "success", "consumed_energy"]
        );
        assert_eq!(
            of(Physical::BYTE_ARRAY),
            ["workload_name", "profile", "final_state", "allocated_resources", "metadata", "reason"]
        );
        assert_eq!(of(Physical::DOUBLE).len(), 8, "times and the stretch");
    }

    #[test]
    fn a_run_without_jobs_that_ended_is_a_table_without_rows() {
        let place = Place::new();
        place.file("many.toml", SYNTHETIC);
        run(&place, &["run", "many.toml", "--parquet", "--set", "run.until=1ms", "-o", "out"]);
        assert_eq!(compare(&place, "out/jobs").1, 0);
    }

    #[test]
    fn asking_moves_nothing_else_and_the_bytes_are_equal_again() {
        let place = Place::new();
        place.file("many.toml", SYNTHETIC);
        run(&place, &["run", "many.toml", "--trace", "-o", "without"]);
        run(&place, &["run", "many.toml", "--trace", "--parquet", "-o", "with"]);
        for name in ["jobs.csv", "summary.json", "trace.pftrace", "scenario.toml"] {
            let bytes = |directory| place.read(&format!("{directory}/{name}"));
            assert!(bytes("without") == bytes("with"), "{name} differs");
        }
        let (without, with) = (manifest(&place, "without"), manifest(&place, "with"));
        assert_eq!(without["digest"], with["digest"]);
        let file = place.read("with/jobs.parquet");
        assert_eq!(with["outputs"]["jobs.parquet"], hash::of_bytes(&file));
        assert_eq!(without["outputs"]["jobs.parquet"], Value::Null);
        for (manifest, needs) in [(&without, "[]"), (&with, "[\"parquet\"]")] {
            assert_eq!(manifest["identity"]["features"].to_string(), needs);
            assert_eq!(manifest["invocation"]["features"].to_string(), "[\"parquet\"]");
        }
        run(&place, &["report", "with"]);
        let again = place.run(&["run", "with/manifest.json"]);
        assert!(again.status == 0 && again.stderr.contains("identical"), "{}", again.stderr);
        assert_eq!(file, place.read("with/jobs.parquet"));
        // what a run leaves behind, the next one in its place takes away
        run(&place, &["run", "many.toml", "--force", "-o", "with"]);
        assert!(!place.path("with/jobs.parquet").exists());
    }

    #[test]
    fn a_study_has_its_results_in_the_same_bytes_by_any_way() {
        let place = Place::new();
        place.file("study.toml", format!("{SYNTHETIC}{STUDY}"));
        run(&place, &["run", "study.toml", "--parquet", "-j", "1", "-o", "one"]);
        run(&place, &["run", "study.toml", "--parquet", "-j", "8", "-o", "eight"]);
        let (types, cells, _) = compare(&place, "one/results");
        assert_eq!(cells, 4 * 5 * types.len());
        let of = |name: &str| types.iter().find(|(own, _)| own == name).unwrap().1;
        assert_eq!(of("policy.backfill"), Physical::BYTE_ARRAY);
        assert_eq!((of("workload.load"), of("seed")), (Physical::DOUBLE, Physical::INT64));
        assert_eq!((of("wait-time.mean"), of("events")), (Physical::DOUBLE, Physical::INT64));
        let file = place.read("one/results.parquet");
        assert!(file == place.read("eight/results.parquet"));
        assert_eq!(manifest(&place, "one")["outputs"]["results.parquet"], hash::of_bytes(&file));

        place.file("asked.toml", format!("{SYNTHETIC}[record]\nparquet = true\n{STUDY}"));
        run(&place, &["sweep", "plan", "asked.toml", "-o", "shards", "--shards", "3"]);
        for index in ["2", "0", "1"] {
            run(&place, &["sweep", "shard", "shards", "--index", index]);
        }
        run(&place, &["sweep", "collect", "shards"]);
        assert!(file == place.read("shards/results.parquet"));
        run(&place, &["run", "asked.toml", "--point", "3", "--replication", "2", "-o", "single"]);
        assert_eq!(compare(&place, "single/jobs").1, 400 * 18);
    }

    #[test]
    fn failed_runs_are_rows_with_nulls() {
        let place = Place::new();
        // some replications draw a job that is larger than the machine, but the first does not
        let sizes = "[4, { kind = \"uniform\", low = 1, high = 17 }]";
        let varied = format!("[[vary]]\n\"workload.sizes\" = {sizes}\n[repeat]\nreplications = 6\n");
        place.file("study.toml", format!("{SYNTHETIC}{varied}"));
        let output = place.run(&["run", "study.toml", "--set", "workload.jobs=8", "--parquet", "-o", "out"]);
        assert_eq!(output.status, 4, "{}", output.stderr);
        let (types, cells, empty) = compare(&place, "out/results");
        assert_eq!(cells, 12 * types.len());
        // a failed run has its point, replication, key, state and error; the others no error
        let failed = types.len() - 5;
        assert!(empty > failed, "{empty} of {cells} are empty");
    }
}
