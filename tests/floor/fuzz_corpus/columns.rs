//! What holds for any bytes read as a mapping of the columns of a table.

use clustersim_jobs::import::table::{Input, mapping_of, read};
use clustersim_jobs::workload::swf::Options;

/// Tables that a mapping is tried on.
const TABLES: [&str; 2] = [
    "a,b,c,d,e\n2026-03-01 00:00:00,2026-03-01 01:00:00Z,03/01/2026,4,x\n10,20.5,30,-1,\n0,NaN,1-02:03:04,0,\"y,\"\n",
    "[{\"a\": 1, \"b\": [{\"c\": \"2026-03-01 00:00:00\"}, {\"c\": 2}], \"d\": [1, 2], \"e\": null}, {\"a\": \"9\", \"b\": []}]",
];

/// Reading a mapping is total: it is one or is refused, and so is every table read by it.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match mapping_of(text) {
        Ok(mapping) => {
            for table in TABLES {
                for asks in [false, true] {
                    drop(read(Input::Bytes(table.as_bytes()), "t", &mapping, asks, &Options::default()));
                }
            }
        }
        Err(complaints) => assert!(!complaints.is_empty(), "what is refused has a reason"),
    }
}
