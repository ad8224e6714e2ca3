//! The timeline of a run at detail `task`: what every processor did when, for which job, and which
//! messages went from where to where.
//!
//! It is kept only when it is asked for, because it grows with every change of every processor:
//! some 50 bytes each. Spans of one processor follow each other without gaps; two that go on with
//! the same are one.

use std::collections::VecDeque;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::profile::Activity;

/// A span of a processor's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActivitySpan {
    /// The processor.
    pub processor: u32,
    /// Activity.
    pub activity: Activity,
    /// The task it did that for, by job and rank, if for one.
    pub task: Option<(JobId, u32)>,
    /// Instant at which it began.
    pub from: SimTime,
    /// Instant at which it ended.
    pub to: SimTime,
}

/// One end of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageEnd {
    /// The message.
    pub message: u64,
    /// Processor of the task that sent or received it.
    pub processor: u32,
    /// Instant at which it did.
    pub at: SimTime,
    /// True if it is the end at which it was sent.
    pub sent: bool,
}

/// Receiver of a message: the node, the task there, and which of its senders it is from.
pub type Link = (u32, u64, u32);

/// Spans and messages in the order in which they ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Timeline {
    /// Spans, of each processor in the order of time.
    pub spans: Vec<ActivitySpan>,
    /// The ends of messages in the order of time.
    pub ends: Vec<MessageEnd>,
    /// The last span of each processor.
    last: Vec<Option<usize>>,
    /// Messages in transit, in the order of sending.
    under_way: OrderedMap<Link, VecDeque<u64>>,
    messages: u64,
}

impl Timeline {
    /// The processor has done this until now for so long.
    pub fn spent(
        &mut self,
        processor: u32,
        (activity, span): (Activity, SimDuration),
        task: Option<(JobId, u32)>,
        now: SimTime,
    ) {
        if span.is_zero() {
            return;
        }
        let place = processor as usize;
        if self.last.len() <= place {
            self.last.resize(place + 1, None);
        }
        if let Some(last) = self.last[place].map(|last| &mut self.spans[last])
            && (last.activity, last.task) == (activity, task)
        {
            last.to = now;
            return;
        }
        self.last[place] = Some(self.spans.len());
        let from = SimTime::from_nanos(now.as_nanos() - span.as_nanos());
        self.spans.push(ActivitySpan { processor, activity, task, from, to: now });
    }

    /// A task that runs on this processor has sent a message.
    pub fn sent(&mut self, processor: u32, link: Link, now: SimTime) {
        self.messages += 1;
        let message = self.messages;
        self.under_way.entry(link).or_default().push_back(message);
        self.ends.push(MessageEnd { message, processor, at: now, sent: true });
    }

    /// A task that runs on this processor has taken the next message of a link.
    pub fn received(&mut self, processor: u32, link: Link, now: SimTime) {
        if let Some(message) = self.under_way.get_mut(&link).and_then(VecDeque::pop_front) {
            self.ends.push(MessageEnd { message, processor, at: now, sent: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_one_span_and_messages_of_a_link_keep_their_order() {
        let (at, ns) = (SimTime::from_nanos, SimDuration::from_nanos);
        let mut timeline = Timeline::default();
        let task = Some((JobId(3), 1));
        timeline.spent(1, (Activity::Compute, ns(4)), task, at(4));
        timeline.spent(0, (Activity::Idle, ns(5)), None, at(5));
        timeline.spent(1, (Activity::Compute, ns(0)), task, at(4));
        timeline.spent(1, (Activity::Compute, ns(2)), task, at(6));
        timeline.spent(1, (Activity::Spin, ns(1)), task, at(7));
        let spans: Vec<_> = timeline.spans.iter().map(|span| (span.processor, span.from, span.to)).collect();
        assert_eq!(spans, [(1, at(0), at(6)), (0, at(0), at(5)), (1, at(6), at(7))]);
        let link = (0, 7, 2);
        timeline.sent(1, link, at(6));
        timeline.sent(1, link, at(7));
        timeline.received(0, link, at(9));
        timeline.received(0, (0, 7, 3), at(9));
        let ends: Vec<_> = timeline.ends.iter().map(|end| (end.message, end.sent)).collect();
        assert_eq!(ends, [(1, true), (2, true), (1, false)]);
    }
}
