//! A source of jobs with a table of dependencies, whatever the source is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::registry::{Complaint, Params, Span, code};
use crate::text::{LONGEST_TEXT, read_whole};
use crate::workload::source::{LoadRequest, LoadedWorkload, Source, open};

use super::table::{self, DEPENDENCIES};

/// A source and the table that holds some of its jobs back.
#[derive(Debug)]
struct Named {
    source: Box<dyn Source>,
    written: String,
    file: PathBuf,
    at: Span,
}

/// A source as `[workload]` has it, with the table of dependencies that it may name.
///
/// # Errors
/// A path that cannot be one.
pub fn with_dependency_table(
    source: Box<dyn Source>,
    workload: &Params<'_>,
) -> Result<Box<dyn Source>, Complaint> {
    if !workload.has(DEPENDENCIES.name) {
        return Ok(source);
    }
    let (written, file) = (workload.read(DEPENDENCIES.name)?, workload.path(DEPENDENCIES.name)?);
    Ok(Box::new(Named { source, written, file, at: workload.span(DEPENDENCIES.name) }))
}

impl Named {
    fn text(&self) -> Result<String, Complaint> {
        let file = open(&self.file, &self.written, self.at)?;
        read_whole(file, LONGEST_TEXT).map_err(|why| {
            Complaint::new(code::FILE, format!("cannot read `{}`: {why}", self.written), self.at)
        })
    }
}

impl Source for Named {
    fn load(&self, request: &LoadRequest) -> Result<LoadedWorkload, Vec<Complaint>> {
        let loaded = self.source.load(request)?;
        let text = self.text()?;
        let of_log = loaded.dependencies.as_deref().cloned().unwrap_or_default();
        let all = table::join(&text, (&self.written, self.at), &loaded.jobs, &of_log)?;
        Ok(LoadedWorkload { dependencies: Some(Arc::new(all)), ..loaded })
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        let mut inputs = self.source.inputs();
        inputs.push((&self.written, &self.file));
        inputs
    }
}
