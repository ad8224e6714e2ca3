//! The blocks of a manual, laid out.
//!
//! In texts, what stands between backticks is literal: Markdown shows it so, and a manual page in
//! bold.

use std::fmt::Write;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, roman};

use crate::scenario::manual::{Block, Item};

/// The blocks as Markdown, after `preface`; headings of chapters have this depth.
pub(super) fn markdown(preface: &str, depth: usize, blocks: &[Block]) -> String {
    let (chapter, section) = ("#".repeat(depth), "#".repeat(depth + 1));
    let mut text = preface.to_owned();
    let mut in_list = false;
    for block in blocks {
        let item = matches!(block, Block::Item(_));
        if !(item && in_list) {
            text.push('\n');
        }
        in_list = item;
        // writing into a String cannot fail
        let _ = match block {
            Block::Chapter(name) => writeln!(text, "{chapter} {name}"),
            Block::Section(name) => writeln!(text, "{section} {name}"),
            Block::Text(words) => writeln!(text, "{}", escaped(words)),
            Block::Verbatim(lines) => writeln!(text, "```text\n{lines}```"),
            Block::Item(item) => listed(&mut text, item),
        };
    }
    text
}

/// An item as a point of a list, its facts as points below it.
fn listed(text: &mut String, item: &Item) -> std::fmt::Result {
    writeln!(text, "- `{}`: {}", item.name, escaped(&item.about))?;
    item.facts.iter().try_for_each(|fact| writeln!(text, "  - {}", escaped(fact)))
}

/// `words` with what Markdown would take for its own outside of backticks.
fn escaped(words: &str) -> String {
    let mut text = String::new();
    let mut literal = false;
    for letter in words.chars() {
        literal ^= letter == '`';
        if !literal && matches!(letter, '<' | '*' | '_' | '[' | ']' | '|') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// The blocks as a manual page.
pub(super) fn man(program: &Command, blocks: &[Block]) -> String {
    let version = format!("clustersim {}", program.get_version().unwrap_or_default());
    let head = Man::new(program.clone()).title("CLUSTERSIM").source(version).manual("User Commands");
    let mut bytes = Vec::new();
    let written = head
        .render_title(&mut bytes)
        .and_then(|()| head.render_name_section(&mut bytes))
        .and_then(|()| head.render_synopsis_section(&mut bytes));
    debug_assert!(written.is_ok(), "memory can be written");
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    text += &body(blocks).render();
    text
}

fn body(blocks: &[Block]) -> Roff {
    let mut roff = Roff::new();
    for block in blocks {
        match block {
            Block::Chapter(name) => {
                roff.control("SH", [name.to_uppercase().as_str()]);
            }
            Block::Section(name) => {
                roff.control("SS", [name.as_str()]);
            }
            Block::Text(words) => {
                roff.control("PP", []).text(inlines(words));
            }
            Block::Verbatim(lines) => {
                roff.control("PP", []).control("RS", ["4"]).control("nf", []);
                for line in lines.lines() {
                    roff.text([roman(line)]);
                }
                roff.control("fi", []).control("RE", []);
            }
            Block::Item(item) => {
                roff.control("TP", []).text([bold(item.name.as_str())]).text(inlines(&item.about));
                for fact in &item.facts {
                    roff.control("br", []).text(inlines(fact));
                }
            }
        }
    }
    roff
}

fn inlines(words: &str) -> Vec<Inline> {
    let parts = words.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 0 { roman(part) } else { bold(part) }).collect()
}
