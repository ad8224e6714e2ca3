//! Platforms as a kind of file: what `show platform` draws and lists.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::clustered::grid::SweepGrid;
use crate::clustered::read::grid;
use crate::clustered::write::grid::text;
use crate::described::{self, PLATFORM, SWEEP_STEP};
use crate::kernel::rng::Streams;
use crate::output::Drawing;
use crate::picture::{drawing, json};
use crate::registry::{Complaint, Key, Params};
use crate::scenario::recognition::XML;
use crate::scenario::{FileContent, FileFormat, FileKind};
use crate::simgrid::marks;
use crate::{Platform, grid_text};

/// Hosts, links and routes.
#[derive(Clone, Copy, Debug)]
pub struct Platforms;

const FORMATS: &[FileFormat] = &[
    FileFormat {
        name: "simgrid",
        about: "A platform of SimGrid (XML)",
        marks: &[&marks::PLATFORM, &marks::DEPLOYMENT, &XML],
        endings: &[".xml"],
        is_written: false,
        whole: &[],
        unread: "",
    },
    FileFormat {
        name: "dag-grid",
        about: "A grid of DAGSim",
        marks: &[&grid_text::MARK],
        endings: &[".grid"],
        is_written: false,
        whole: &[],
        unread: "",
    },
    FileFormat {
        name: "sweep-grid",
        about: "A grid of the Parameter Sweep Template",
        marks: &[&grid::MARK],
        endings: &[".pstgrid"],
        is_written: true,
        whole: &[],
        unread: "",
    },
];

impl FileKind for Platforms {
    fn name(&self) -> &'static str {
        "platform"
    }

    fn about(&self) -> &'static str {
        "Hosts, links and zones"
    }

    fn tables(&self) -> &'static [Key] {
        &[PLATFORM]
    }

    fn formats(&self) -> &'static [FileFormat] {
        FORMATS
    }

    fn read(&self, params: &Params<'_>, streams: &Streams) -> Result<Box<dyn FileContent>, Vec<Complaint>> {
        let section = params.section("platform");
        let described = described::read(&section, streams)?;
        let grid = described::sweep_grid(&section, &described.platform);
        let grid = grid.map_err(|complaints| complaints.into_iter().next().map(|one| one.message));
        let warnings = described.warnings.into_iter().map(|warning| warning.message).collect();
        Ok(Box::new(Drawn { platform: described.platform, warnings, grid }))
    }
}

/// A platform that was read or drawn.
struct Drawn {
    platform: Platform,
    warnings: Vec<String>,
    /// A grid of parameter sweeps, or the reason why it is none.
    grid: Result<SweepGrid, Option<String>>,
}

impl FileContent for Drawn {
    fn about(&self) -> String {
        drawing(&self.platform).about
    }

    fn drawing(&self) -> Drawing {
        drawing(&self.platform)
    }

    fn json(&self, title: &str) -> Json {
        json(title, &self.platform)
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    fn losses(&self, _: &str) -> Vec<String> {
        self.grid.as_ref().map(|grid| text(grid, SWEEP_STEP).losses).unwrap_or_default()
    }

    fn companions(&self, _: &str) -> Vec<(String, String)> {
        self.grid.as_ref().map(|grid| text(grid, SWEEP_STEP).files).unwrap_or_default()
    }

    fn write(&self, _: &str, out: &mut dyn Write) -> io::Result<()> {
        match &self.grid {
            Ok(grid) => out.write_all(text(grid, SWEEP_STEP).text.as_bytes()),
            Err(why) => Err(io::Error::other(why.clone().unwrap_or_default())),
        }
    }
}
