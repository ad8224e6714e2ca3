//! Zones as nested boxes, drawn from the innermost out.

use crate::output::number::grouped;
use crate::platform::sharing::LinkId;
use crate::platform::{HostId, Platform, ZoneId};

use super::label::{self, cut};
use super::layout::{LABELLED, Line, Placed, Size, place};
use super::parts::{Part, ZoneParts, about, hosts_within, is_fatpipe, is_split, parts};

/// The width of a letter, about.
const LETTER: f64 = 6.7;
/// Letters of a name that are shown.
const NAME: usize = 26;
/// Links of one line that are named one by one.
const NAMED: usize = 3;
/// Room between a frame and what is in it.
const PAD: f64 = 18.0;
/// Room for the name of a zone.
const TITLE: f64 = 40.0;
/// Something that is drawn, from its upper left corner.
pub(super) struct Block {
    pub(super) size: Size,
    pub(super) svg: String,
}

/// A text as the content of an element.
pub(super) fn markup(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace(|letter: char| letter.is_control(), "\u{fffd}")
}

fn text(x: f64, y: f64, class: &str, content: &str) -> String {
    format!("<text x=\"{x:.0}\" y=\"{y:.0}\" class=\"{class}\">{}</text>", markup(content))
}

/// How wide the longest of these texts is.
fn width(texts: &[&str]) -> f64 {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0) as f64 * LETTER
}

fn rectangle((x, y): (f64, f64), size: Size, class: &str, round: u32) -> String {
    let Size { w, h } = size;
    format!(
        "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" rx=\"{round}\" class=\"{class}\"/>"
    )
}

/// One host, or many as a stack of cards.
fn hosts(platform: &Platform, hosts: &[HostId]) -> Block {
    let all = || hosts.iter().map(|&host| platform.host(host));
    let speed = label::range(all().map(crate::platform::Host::speed), label::speed);
    let cores = label::range(all().map(|host| f64::from(host.cores)), |cores| format!("{cores}"));
    let cores = if cores == "1" { String::new() } else { format!(", {cores} cores") };
    let what = format!("{speed}{cores}");
    let (first, last) =
        (platform.host(hosts[0]).name.as_str(), platform.host(hosts[hosts.len() - 1]).name.as_str());
    let lines = match hosts.len() {
        1 => vec![cut(first, NAME), what],
        count => vec![
            format!("{} hosts", grouped(count as u64)),
            what,
            format!("{} … {}", cut(first, NAME / 2), cut(last, NAME / 2)),
        ],
    };
    let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (w, h) = ((width(&texts) + 24.0).max(96.0), 12.0 + 17.0 * lines.len() as f64);
    let stack = if hosts.len() > 1 { 8.0 } else { 0.0 };
    let mut svg = String::new();
    for card in [8.0, 4.0].into_iter().filter(|&card| card <= stack) {
        svg += &rectangle((card, card), Size { w, h }, "host", 6);
    }
    svg += &rectangle((0.0, 0.0), Size { w, h }, "host", 6);
    for (number, line) in lines.iter().enumerate() {
        let class = if number == 0 { "middle name" } else { "middle quiet" };
        svg += &text(w / 2.0, 20.0 + 17.0 * number as f64, class, line);
    }
    Block { size: Size { w: w + stack, h: h + stack }, svg }
}

/// Where links meet: a dot, or the links that lie there.
fn joint(platform: &Platform, links: &[LinkId]) -> Block {
    let Some(&first) = links.first() else {
        return Block {
            size: Size { w: 12.0, h: 12.0 },
            svg: "<circle cx=\"6\" cy=\"6\" r=\"6\" class=\"joint\"/>".to_owned(),
        };
    };
    let name = match links.len() {
        1 => cut(platform.link_name(first), NAME),
        count => format!("{} links", grouped(count as u64)),
    };
    let about = about(platform, links);
    let size = Size { w: width(&[&name, &about]) + 28.0, h: 44.0 };
    let class = if is_fatpipe(platform, first) { "bus fat" } else { "bus" };
    let svg = rectangle((0.0, 0.0), size, class, 22);
    let middle = size.w / 2.0;
    Block {
        size,
        svg: svg + &text(middle, 19.0, "middle name", &name) + &text(middle, 35.0, "middle quiet", &about),
    }
}

/// The lines between parts, below the parts.
fn lines(platform: &Platform, of: &ZoneParts, placed: &Placed) -> (String, Option<String>) {
    let has_labels = placed.has_room || of.lines.len() <= LABELLED;
    let (mut svg, mut labels) = (String::new(), String::new());
    for (Line { path, label: (x, y) }, links) in placed.lines.iter().zip(of.lines.values()) {
        let Some(&first) = links.first() else {
            svg += &format!("<path d=\"{path}\" class=\"touch\"/>");
            continue;
        };
        if is_fatpipe(platform, first) {
            svg += &format!("<path d=\"{path}\" class=\"link fat\"/><path d=\"{path}\" class=\"gap\"/>");
        } else {
            svg += &format!("<path d=\"{path}\" class=\"link\"/>");
        }
        if has_labels && (2..=NAMED).contains(&links.len()) {
            let top = y - 7.0 * (links.len() as f64 - 1.0) + 4.0;
            for (number, link) in links.iter().enumerate() {
                let each = format!("{}: {}", name(platform, &[*link]), about(platform, &[*link]));
                labels += &text(*x, top + 14.0 * number as f64, "middle over small", &each);
            }
        } else if has_labels {
            labels += &text(*x, y - 7.0, "middle over", &about(platform, links));
            labels += &text(*x, y + 16.0, "middle over quiet small", &name(platform, links));
        }
    }
    let caption = (!has_labels && !of.lines.is_empty()).then(|| {
        let all: Vec<LinkId> = of.lines.values().flatten().copied().collect();
        format!("{} links: {}", grouped(all.len() as u64), about(platform, &all))
    });
    (svg + &labels, caption)
}

/// What a line is called.
fn name(platform: &Platform, links: &[LinkId]) -> String {
    let first = platform.link_name(links[0]);
    let split = is_split(platform, links[0]);
    let name = if split { first.strip_suffix("_UP").unwrap_or(first) } else { first };
    let each = if split { " ⇅" } else { "" };
    match links.len() {
        1 => format!("{}{each}", cut(name, 21)),
        count => format!("{} links{each}", grouped(count as u64)),
    }
}

/// What a way between two hosts of a box is like, for a zone that is one box.
fn example(platform: &Platform, of: &ZoneParts) -> Option<String> {
    let [Part::Hosts(hosts)] = &of.parts[..] else { return None };
    let (first, second) = (*hosts.first()?, *hosts.get(1)?);
    let mut route = Vec::new();
    let beyond = platform.route_with_delay(first, second, &mut route).ok()?;
    let links = || route.iter().map(|link| &platform.links()[link.index()]);
    let start = crate::kernel::SimTime::ZERO;
    let narrowest = links().map(|link| link.bandwidth.value_at(start)).reduce(f64::min)?;
    let latency = links().map(|link| link.latency.value_at(start)).sum::<f64>() + beyond;
    let count = route.len();
    let plural = if count == 1 { "" } else { "s" };
    Some(format!(
        "from the first to the second: {count} link{plural}, {}, {}",
        label::bandwidth(narrowest),
        label::latency(latency)
    ))
}

/// What a zone holds, without its frame.
fn inside(platform: &Platform, zone: ZoneId) -> Block {
    let of = parts(platform, zone);
    let blocks: Vec<Block> = of
        .parts
        .iter()
        .map(|part| match part {
            Part::Hosts(all) => hosts(platform, all),
            Part::Zone(zone) => framed(platform, *zone),
            Part::Joint(links) => joint(platform, links),
        })
        .collect();
    let sizes: Vec<Size> = blocks.iter().map(|block| block.size).collect();
    let edges: Vec<(usize, usize)> = of.lines.keys().copied().collect();
    let placed = place(&sizes, &edges);
    let (mut svg, caption) = lines(platform, &of, &placed);
    for (block, (x, y)) in blocks.iter().zip(&placed.at) {
        let (x, y) = (x - block.size.w / 2.0, y - block.size.h / 2.0);
        svg += &format!("<g transform=\"translate({x:.0},{y:.0})\">{}</g>\n", block.svg);
    }
    let mut size = placed.size;
    for caption in caption.or_else(|| example(platform, &of)).iter().chain(&of.left_out) {
        svg += &text(0.0, size.h + 24.0, "quiet", caption);
        size = Size { w: size.w.max(width(&[caption])), h: size.h + 30.0 };
    }
    Block { size, svg }
}

/// A zone with its frame and name.
fn framed(platform: &Platform, zone: ZoneId) -> Block {
    let inner = inside(platform, zone);
    let (name, count) = (cut(platform.zone_name(zone), NAME), hosts_within(platform, zone));
    let plural = if count == 1 { "" } else { "s" };
    let about = format!("{} host{plural}", grouped(count as u64));
    let w = (inner.size.w + 2.0 * PAD).max(width(&[&name]) + width(&[&about]) + 2.0 * PAD + 20.0);
    let size = Size { w, h: inner.size.h + TITLE + PAD };
    let mut svg = rectangle((0.0, 0.0), size, "zone", 12);
    svg += &text(PAD, 25.0, "title", &name);
    svg += &text(w - PAD, 25.0, "end quiet", &about);
    let left = (w - inner.size.w) / 2.0;
    svg += &format!("<g transform=\"translate({left:.0},{TITLE:.0})\">\n{}</g>\n", inner.svg);
    Block { size, svg }
}

/// The whole of a platform.
pub(super) fn whole(platform: &Platform) -> Block {
    let mut zone = ZoneId::TOP;
    // a zone that only holds another one is not worth a frame
    while let [crate::platform::NetPoint::Zone(only)] = platform.points(zone) {
        zone = *only;
    }
    if zone == ZoneId::TOP { inside(platform, zone) } else { framed(platform, zone) }
}
