//! What holds for any bytes read as the tables of a schedule: `jobs.csv`, and those of interrupted
//! runs and reservations.

use clustersim_cluster::instrument::tables::declared;
use clustersim_cluster::judge::{
    Interruptions, Reservations, exclusive, in_service, read, schedule, work_adds_up,
};
use clustersim_experiment::output::{FileRows, TableFormat};
use clustersim_language::text::TextSource;

/// A line that separates one table from the next.
const NEXT_TABLE: &str = "#--table\n";

/// Processors of the machine that the schedules are checked against.
const PROCS: u32 = 16;

/// Checking is total, too. Reading is total and repeatable, and gives rows in order of submission;
/// processors of a row are intervals that begin before they end.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut tables = text.split(NEXT_TABLE);
    let mut next = || tables.next().unwrap_or_default();
    let (jobs, attempts, outages, reservations) = (next(), next(), next(), next());
    let read = || read(TextSource::Text(jobs)).map_err(|why| why.to_string());
    let found = read();
    assert_eq!(found, read(), "read twice, it differs");
    let (interrupted, reserved) =
        (Interruptions::read(attempts, outages), Reservations::read(attempts, reservations));
    if let Ok(found) = found {
        for rows in [&found.ran, &found.refused, &found.cancelled] {
            assert!(rows.is_sorted_by_key(|row| (row.submit_time, row.number)));
            assert!(rows.iter().flat_map(|row| &row.on).all(|on| on.count() > 0));
        }
        let asked = found.clone().as_requested();
        assert_eq!(asked.ran.len(), found.ran.len());
        let mut rows = found.ran;
        schedule(&rows, PROCS);
        if let Ok(known) = &interrupted {
            in_service(&rows, known);
            work_adds_up(&mut rows, known);
        }
        if let Ok(known) = &reserved {
            exclusive(&rows, known);
        }
    }
    for (table, text) in declared().iter().zip([jobs, attempts, outages, reservations]) {
        let again = |text: String| -> Result<Vec<u8>, String> {
            TableFormat::Csv.bytes(&FileRows::new(table, text)?).map_err(|error| error.to_string())
        };
        if let Ok(bytes) = again(text.to_owned()) {
            let once = String::from_utf8(bytes.clone()).expect("UTF-8");
            assert_eq!(again(once), Ok(bytes), "{} written and read again", table.name);
        }
    }
    assert!([interrupted.err(), reserved.err()].iter().flatten().all(|why| !why.is_empty()));
}
