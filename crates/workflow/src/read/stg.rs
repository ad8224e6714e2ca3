//! STG: the Standard Task Graph Set.
//!
//! The first number is that of the tasks, n. Then follow n + 2 lines `id time parents parent…`; 0
//! and n + 1 are a root and an end, which take no time. Lines that begin with `#` close the file.
//! Edges carry no data.
//!
//! Source: T. Tobita and H. Kasahara, Journal of Scheduling 5(5), 2002.

use crate::draft::{Draft, EdgeOrigin, MOST_TASKS, VertexKind};
use crate::graph::Task;
use crate::read::ReadOptions;
use crate::text::{LineWords, lines};
use crate::text::{Mistake, Spot};

pub(super) fn read(text: &str, draft: &mut Draft, options: &ReadOptions) -> Result<(), Mistake> {
    let mut lines =
        lines(text).take_while(|line| !line.text.starts_with('#')).filter(|line| !line.is_blank());
    let end = Spot::new(text.len() as u64, 0);
    let fatal = |message: String, spot| Err(Mistake { message, help: None, spot });
    let mut words = lines.next().map(|line| line.words()).into_iter().flatten();
    let Some((count, spot)) = words.next() else {
        return fatal("the number of tasks is missing".to_owned(), end);
    };
    let count = match count.parse::<u64>() {
        Ok(count) if count <= MOST_TASKS as u64 => count,
        Ok(_) => return fatal(format!("a graph has at most {MOST_TASKS} tasks"), spot),
        Err(_) => return fatal("the number of tasks should stand here".to_owned(), spot),
    };
    if let Some((_, spot)) = words.next() {
        draft.mistake("only the number of tasks should stand in this line", spot);
    }
    let mut read = 0;
    for line in lines {
        if read == count + 2 {
            draft.mistake(format!("more lines than the {count} tasks and their root and end"), line.spot());
            break;
        }
        read += 1;
        task(line.words(), line.spot(), count, draft, options);
    }
    if read < count + 2 {
        let message = format!("the file ends after {read} of {} lines of tasks", count + 2);
        draft.mistake(message, end);
    }
    Ok(())
}

fn task(mut words: LineWords<'_>, whole: Spot, count: u64, draft: &mut Draft, options: &ReadOptions) {
    let mut next = |what: &str, draft: &mut Draft| {
        let word = words.next();
        if word.is_none() {
            draft.mistake(format!("{what} is missing"), Spot::new(whole.at + u64::from(whole.width), 0));
        }
        word
    };
    let Some((id, spot)) = next("the number of the task", draft) else { return };
    let number = match id.parse::<u64>() {
        Ok(number) if number <= count + 1 => number,
        _ => {
            return draft
                .mistake(format!("`{id}` is not the number of a task, from 0 to {}", count + 1), spot);
        }
    };
    let Some((time, at)) = next("the time of the task", draft) else { return };
    let seconds = draft.amount("the time", time, at) * options.time_unit;
    let kind = match number {
        0 => VertexKind::Root,
        _ if number == count + 1 => VertexKind::End,
        _ => VertexKind::Computation,
    };
    let to = draft.define(Task::new(number.to_string(), seconds * options.reference_speed), kind, spot);
    let Some((parents, at)) = next("the number of parents", draft) else { return };
    let mut found = 0;
    for (parent, spot) in words {
        found += 1;
        match parent.parse::<u64>() {
            Ok(parent) => {
                let from = draft.vertex(&parent.to_string(), spot);
                draft.edge(from, to, None, EdgeOrigin::Parents, spot);
            }
            Err(_) => draft.mistake(format!("`{parent}` is not the number of a task"), spot),
        }
    }
    if parents.parse::<u64>() != Ok(found) {
        draft.mistake(format!("`{parents}` parents are declared and {found} listed"), at);
    }
}
