//! A file format of a user's own system: recognized by its own mark, drawn, and refused elsewhere.

use std::any::Any;
use std::ffi::OsString;
use std::sync::Arc;

use clustersim::cli;
use clustersim::kernel::rng::Streams;
use clustersim::output::Drawing;
use clustersim::registry::{Complaint, Key, Kind, Node, Params, Registry};
use clustersim::scenario::{
    FileContent, FileFormat, FileKind, Ready, Rejected, Scenario, System, SystemData, register,
};
use clustersim::system::standard;
use clustersim::text::mark::FileMark;
use serde_json::{Value as Json, json};

use clustersim_testing::program::Place;

const HALL: Key =
    Key::new("hall", Kind::Table(&[Key::new("file", Kind::Path).about("the plan of the hall")]))
        .absent("none")
        .about("a hall");

static DATA: SystemData =
    SystemData { file_kinds: &[&SeatingPlan], ..SystemData::new("halls", "a hall", &[HALL], &["hall"], &[]) };

#[derive(Clone, Copy, Debug)]
struct Halls;

impl System for Halls {
    fn data(&self) -> &'static SystemData {
        &DATA
    }

    fn read(&self, _: &Params<'_>, _: &Node, _: &mut Vec<Complaint>) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    fn assemble(&self, _: &Registry, _: &Scenario) -> Result<Ready, Box<Rejected>> {
        unreachable!("nothing reads a scenario of a hall")
    }
}

const SEATS: FileMark = FileMark::new("a seating plan", "`clustersim show hall {file}` draws it", |head| {
    head.begins_with("Seats")
});

#[derive(Clone, Copy, Debug)]
struct SeatingPlan;

impl FileKind for SeatingPlan {
    fn name(&self) -> &'static str {
        "hall"
    }

    fn about(&self) -> &'static str {
        "a hall"
    }

    fn tables(&self) -> &'static [Key] {
        &[HALL]
    }

    fn formats(&self) -> &'static [FileFormat] {
        &[FileFormat {
            name: "seats",
            about: "a seating plan",
            marks: &[&SEATS],
            endings: &[],
            is_written: false,
            whole: &[],
            unread: "",
        }]
    }

    fn read(&self, params: &Params<'_>, _: &Streams) -> Result<Box<dyn FileContent>, Vec<Complaint>> {
        let path = params.section("hall").path("file").map_err(|complaint| vec![complaint])?;
        let text = std::fs::read_to_string(path).unwrap();
        Ok(Box::new(Seats(text.lines().skip(1).count())))
    }
}

struct Seats(usize);

impl FileContent for Seats {
    fn about(&self) -> String {
        format!("{} rows", self.0)
    }

    fn drawing(&self) -> Drawing {
        unreachable!("only its JSON is asked for")
    }

    fn json(&self, title: &str) -> Json {
        json!({ "title": title, "rows": self.0 })
    }
}

#[test]
fn a_file_with_the_mark_of_a_format_is_of_its_kind() {
    let mut registry = standard();
    register(&mut registry, &Halls);
    let place = Place::new();
    let status = |words: &[&str]| {
        let words = ["clustersim"].iter().chain(words).map(OsString::from);
        cli::status(&registry, words.collect::<Vec<_>>())
    };
    let file = |name: &str, text: &str| {
        place.file(name, text);
        place.path(name).to_str().unwrap().to_owned()
    };
    // the name of the file says nothing
    let marked = file("plan.txt", "Seats 1\n12\n14\n");
    let out = place.path("hall.json");
    let out = out.to_str().unwrap();
    assert_eq!(status(&["show", "hall", &marked, "--json", "-o", out]), 0);
    let shown: Json = serde_json::from_slice(&place.read("hall.json")).unwrap();
    assert_eq!(shown["rows"], 2);
    assert_eq!((status(&["run", &marked]), status(&["validate", &marked])), (2, 2));
    let unmarked = file("other.txt", "title = \"T\"\n");
    assert_ne!(status(&["show", "hall", &unmarked, "--json"]), 0, "a scenario without a hall");
}
