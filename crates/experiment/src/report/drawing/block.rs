//! Parts of a picture: nodes with their texts, lines between them, and drawings in frames.

use crate::output::{Arrangement, Drawing, DrawnEdge, DrawnNode, EdgeLine, EdgeText, NodeShape};
use crate::text::in_markup;

use super::layered::{follow, layered};
use super::layout::{LABELLED, Line, Placed, Size, place};

/// The width of a letter, about.
const LETTER: f64 = 6.7;
/// Room between a frame and what is in it.
const PAD: f64 = 18.0;
/// Room for the name of a frame.
const TITLE: f64 = 40.0;
/// The width of a box that states the greatest amount by its width.
const FULL: f64 = 480.0;

/// Something that is drawn, from its upper left corner.
pub(super) struct Block {
    pub(super) size: Size,
    pub(super) svg: String,
}

fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!("<text x=\"{x:.0}\" y=\"{y:.0}\" class=\"{class}\">{}</text>", in_markup(content))
}

/// Width of the longest of these texts.
fn width<T: AsRef<str>>(texts: &[T]) -> f64 {
    texts.iter().map(|text| text.as_ref().chars().count()).max().unwrap_or(0) as f64 * LETTER
}

fn rectangle((x, y): (f64, f64), size: Size, class: &str, round: u32) -> String {
    let Size { w, h } = size;
    format!(
        "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" rx=\"{round}\" class=\"{class}\"/>"
    )
}

/// A class, and that of what stands out.
fn marked(class: &str, is_marked: bool) -> String {
    format!("{class}{}", if is_marked { " mark" } else { "" })
}

fn block(node: &DrawnNode) -> Block {
    match &node.shape {
        NodeShape::Box { is_stack } => boxed(node, *is_stack),
        NodeShape::Rounded { is_double } => rounded(node, *is_double),
        NodeShape::Dot => Block {
            size: Size { w: 12.0, h: 12.0 },
            svg: "<circle cx=\"6\" cy=\"6\" r=\"6\" class=\"joint\"/>".to_owned(),
        },
        NodeShape::Frame(inner) => framed(node, inner),
    }
}

/// One box, or a stack of cards.
fn boxed(node: &DrawnNode, is_stack: bool) -> Block {
    let lines = &node.text;
    let least = node.share.map_or(96.0, |share| 96.0 + (FULL - 96.0) * share);
    let (w, h) = ((width(lines) + 24.0).max(least), 12.0 + 17.0 * lines.len() as f64);
    let stack = if is_stack { 8.0 } else { 0.0 };
    let class = marked("box", node.is_marked);
    let mut svg = String::new();
    for card in [8.0, 4.0].into_iter().filter(|&card| card <= stack) {
        svg += &rectangle((card, card), Size { w, h }, &class, 6);
    }
    svg += &rectangle((0.0, 0.0), Size { w, h }, &class, 6);
    for (number, line) in lines.iter().enumerate() {
        let class = if number == 0 { "middle name" } else { "middle quiet" };
        svg += &text(w / 2.0, 20.0 + 17.0 * number as f64, class, line);
    }
    Block { size: Size { w: w + stack, h: h + stack }, svg }
}

fn rounded(node: &DrawnNode, is_double: bool) -> Block {
    let lines = &node.text;
    let size = Size { w: width(lines) + 28.0, h: 44.0 };
    let mut svg = rectangle((0.0, 0.0), size, if is_double { "bus fat" } else { "bus" }, 22);
    let places = [(19.0, "middle name"), (35.0, "middle quiet")];
    for ((y, class), line) in places.into_iter().zip(lines) {
        svg += &text(size.w / 2.0, y, class, line);
    }
    Block { size, svg }
}

/// A drawing with its frame: the name, and what is said of it at the other end.
fn framed(node: &DrawnNode, inner: &Drawing) -> Block {
    let inner = inside(inner);
    let lines = &node.text;
    let w = (inner.size.w + 2.0 * PAD)
        .max(lines.iter().map(|line| width(&[line])).sum::<f64>() + 2.0 * PAD + 20.0);
    let size = Size { w, h: inner.size.h + TITLE + PAD };
    let mut svg = rectangle((0.0, 0.0), size, "zone", 12);
    for ((x, class), line) in [(PAD, "title"), (w - PAD, "end quiet")].into_iter().zip(lines) {
        svg += &text(x, 25.0, class, line);
    }
    let left = (w - inner.size.w) / 2.0;
    svg += &format!("<g transform=\"translate({left:.0},{TITLE:.0})\">\n{}</g>\n", inner.svg);
    Block { size, svg }
}

/// The lines between nodes, below the nodes.
fn lines(edges: &[DrawnEdge], placed: &Placed, has_labels: bool) -> String {
    let (mut svg, mut labels) = (String::new(), String::new());
    for (Line { path, label: (x, y) }, edge) in placed.lines.iter().zip(edges) {
        match edge.line {
            EdgeLine::Dotted => svg += &format!("<path d=\"{path}\" class=\"touch\"/>"),
            EdgeLine::Double => {
                svg += &format!("<path d=\"{path}\" class=\"link fat\"/><path d=\"{path}\" class=\"gap\"/>");
            }
            EdgeLine::Single => {
                svg += &format!("<path d=\"{path}\" class=\"{}\"/>", marked("link", edge.is_marked));
            }
        }
        match &edge.text {
            EdgeText::Rows(rows) if has_labels => {
                let top = y - 7.0 * (rows.len() as f64 - 1.0) + 4.0;
                for (number, row) in rows.iter().enumerate() {
                    labels += &text(*x, top + 14.0 * number as f64, "middle over small", row);
                }
            }
            EdgeText::Sides(above, below) if has_labels => {
                labels += &text(*x, y - 7.0, "middle over", above);
                labels += &text(*x, y + 16.0, "middle over quiet small", below);
            }
            _ => {}
        }
    }
    svg + &labels
}

/// Content of a drawing, without a frame.
pub(super) fn inside(drawing: &Drawing) -> Block {
    let blocks: Vec<Block> = drawing.nodes.iter().map(block).collect();
    let sizes: Vec<Size> = blocks.iter().map(|block| block.size).collect();
    let ends: Vec<(usize, usize)> = drawing.edges.iter().map(|edge| edge.ends).collect();
    let placed = match drawing.arrangement {
        Arrangement::Free => place(&sizes, &ends),
        Arrangement::Levels => {
            let levels: Vec<usize> = drawing.nodes.iter().map(|node| node.level as usize).collect();
            layered(&sizes, &ends, &levels, follow(&sizes, &levels)).fitted(&sizes)
        }
    };
    let has_labels = placed.has_room || ends.len() <= LABELLED;
    let mut svg = lines(&drawing.edges, &placed, has_labels);
    for (block, (x, y)) in blocks.iter().zip(&placed.at) {
        let (x, y) = (x - block.size.w / 2.0, y - block.size.h / 2.0);
        svg += &format!("<g transform=\"translate({x:.0},{y:.0})\">{}</g>\n", block.svg);
    }
    let mut size = placed.size;
    for caption in drawing.of_edges.iter().filter(|_| !has_labels).chain(&drawing.captions) {
        svg += &text(0.0, size.h + 24.0, "quiet", caption);
        size = Size { w: size.w.max(width(&[caption])), h: size.h + 30.0 };
    }
    Block { size, svg }
}
