//! Platforms as a kind of file: what `show platform` draws and lists.

use serde_json::Value as Json;

use crate::import::Recognized;
use crate::kernel::rng::Streams;
use crate::output::Drawing;
use crate::platform::Platform;
use crate::registry::{Complaint, Key, Params};
use crate::report::platform::{drawing, json};
use crate::scenario::platform::{self, PLATFORM};
use crate::scenario::{FileContent, FileFormat, FileKind};

/// Hosts, links and routes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Platforms;

const FORMATS: &[FileFormat] = &[
    FileFormat {
        name: "simgrid",
        about: "A platform of SimGrid (XML)",
        recognized: &[Recognized::SimgridPlatform, Recognized::SimgridDeployment, Recognized::Xml],
        endings: &[".xml"],
        is_written: false,
        whole: &[],
        unread: "",
    },
    FileFormat {
        name: "dag-grid",
        about: "A grid of DAGSim",
        recognized: &[Recognized::DagGrid],
        endings: &[".grid"],
        is_written: false,
        whole: &[],
        unread: "",
    },
    FileFormat {
        name: "sweep-grid",
        about: "A grid of the Parameter Sweep Template",
        recognized: &[Recognized::SweepGrid],
        endings: &[],
        is_written: false,
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
        let described = platform::read(&params.section("platform"), streams)?;
        let warnings = described.warnings.into_iter().map(|warning| warning.message).collect();
        Ok(Box::new(Drawn { platform: described.platform, warnings }))
    }
}

/// A platform that was read or drawn.
struct Drawn {
    platform: Platform,
    warnings: Vec<String>,
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
}
