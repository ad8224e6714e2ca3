//! Drawings as SVG: boxes, frames and lines, from the innermost drawing out.
//!
//! The picture needs nothing else: one text, light or dark as the reader's screen is, the same
//! bytes every time. What stands out is bold as well as coloured, so that colours need not be
//! distinguished.

mod block;
pub mod label;
mod layered;
mod layout;

use crate::output::Drawing;
use crate::text::in_markup;

use block::inside;

const STYLE: &str = include_str!("style.css");

/// Bends that the lines of a drawing by levels have at most, for it to be drawn in a moment.
pub const MOST_BENDS: usize = 4_000;

/// A drawing as a document; `title` may hold any text.
pub fn svg(title: &str, drawing: &Drawing) -> String {
    const EDGE: f64 = 24.0;
    const HEAD: f64 = 62.0;
    let whole = inside(drawing);
    let (title, about) = (in_markup(title), in_markup(&drawing.about));
    let least = 8.5 * title.chars().count().max(30) as f64;
    let (w, h) = (whole.size.w.max(least) + 2.0 * EDGE, whole.size.h + HEAD + EDGE);
    let left = (w - whole.size.w) / 2.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.0} {h:.0}\" role=\"img\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n<rect width=\"{w:.0}\" height=\"{h:.0}\" class=\"paper\"/>\n\
         <text x=\"{EDGE:.0}\" y=\"30\" class=\"head\">{title}</text>\n\
         <text x=\"{EDGE:.0}\" y=\"48\" class=\"quiet\">{about}</text>\n\
         <g transform=\"translate({left:.0},{HEAD:.0})\">\n{}</g>\n</svg>\n",
        whole.svg
    )
}
