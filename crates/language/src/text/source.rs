//! Texts that complaints point into, and places in them.
//!
//! A scenario may come from several texts: its file, the files it includes, and the overrides of
//! the command line. A [`Span`] names one of them and a range of bytes.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Number of the text that a span points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(u32);

impl SourceId {
    /// Returns true for the first text, which is the main file's.
    pub fn is_first(self) -> bool {
        self.0 == 0
    }
}

/// A range of bytes of one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The bytes `range` of `source`. Texts of 4 GiB and more are not read, so the casts are exact.
    pub fn new(source: SourceId, range: Range<usize>) -> Self {
        Span { source, start: range.start as u32, end: range.end as u32 }
    }

    /// The range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The texts of one scenario, and the directory that its paths are relative to.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    root: PathBuf,
    // shared: every point of a study has the texts
    sources: Vec<Arc<Source>>,
}

#[derive(Debug)]
struct Source {
    name: String,
    text: String,
    /// Starts of its lines, the first one aside.
    lines: Vec<u32>,
    /// The directory of the text, from `root`.
    base: PathBuf,
}

impl Sources {
    /// No texts yet; `root` is the directory of the main file, which every path is relative to.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Sources { root: root.into(), sources: Vec::new() }
    }

    /// Adds a text. `name` is what messages call it; `base` is its directory, relative to the root.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        base: impl Into<PathBuf>,
    ) -> SourceId {
        let id = SourceId(self.sources.len() as u32);
        let text: String = text.into();
        let lines = text.match_indices('\n').map(|(at, _)| at as u32 + 1).collect();
        self.sources.push(Arc::new(Source { name: name.into(), text, lines, base: base.into() }));
        id
    }

    /// The directory that resolved paths are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Name of the text in messages.
    pub fn name(&self, id: SourceId) -> &str {
        self.sources.get(id.0 as usize).map_or("", |source| &source.name)
    }

    /// The text.
    pub fn text(&self, id: SourceId) -> &str {
        self.sources.get(id.0 as usize).map_or("", |source| &source.text)
    }

    /// `path`, as written in the text `id`, relative to the root; without `.` and needless `..`.
    pub fn from_root(&self, id: SourceId, path: &str) -> PathBuf {
        let base = self.sources.get(id.0 as usize).map_or(Path::new(""), |source| &source.base);
        tidy(&base.join(path))
    }

    /// Line and column of the first byte of `span`, both counted from 1; columns in characters.
    pub fn place(&self, span: Span) -> (usize, usize) {
        let text = self.text(span.source);
        let (line, start) = self.line_at(span.source, span.start as usize);
        let before = text.get(start..span.start as usize).unwrap_or("");
        (line, before.chars().count() + 1)
    }

    /// The line in which byte `at` of a text stands, from 1, and where this line begins.
    pub fn line_at(&self, id: SourceId, at: usize) -> (usize, usize) {
        let Some(source) = self.sources.get(id.0 as usize) else { return (1, 0) };
        let at = at.min(source.text.len());
        let lines = source.lines.partition_point(|&start| start as usize <= at);
        (lines + 1, lines.checked_sub(1).map_or(0, |last| source.lines[last] as usize))
    }
}

/// `path` without `.` and without `..` behind a name.
fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(tidied.components().next_back(), Some(Component::Normal(_))) => {
                tidied.pop();
            }
            other => tidied.push(other),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_an_included_file_is_found_from_the_main_file() {
        let mut sources = Sources::new("/work/scenarios");
        let part = sources.add("parts/site.toml", "", "parts");
        assert_eq!(sources.from_root(part, "log.swf"), Path::new("parts/log.swf"));
        assert_eq!(sources.from_root(part, "../data/./log.swf"), Path::new("data/log.swf"));
        assert_eq!(sources.from_root(part, "../../log.swf"), Path::new("../log.swf"));
        assert_eq!(sources.from_root(part, "/logs/log.swf"), Path::new("/logs/log.swf"));
    }

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let mut sources = Sources::new("");
        let id = sources.add("a.toml", "µ = 1\nb = 2\n", "");
        assert_eq!(sources.place(Span::new(id, 5..6)), (1, 5));
        assert_eq!(sources.place(Span::new(id, 7..8)), (2, 1));
    }
}
