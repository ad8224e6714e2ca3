//! The packets of a trace: tracks, slices on them and counts.
//!
//! All packets are of one sequence. Names that return (of facts, and of spans) are
//! interned: the packet that needs a name first carries it, later ones its number.

use std::io::{self, Write};

use super::super::lanes::{Arrow, Label};
use super::message::Message;

/// Fields of `Trace`.
mod trace {
    pub(super) const PACKET: u64 = 1;
}

/// Fields of `TracePacket`.
mod field {
    pub(super) const TIMESTAMP: u64 = 8;
    pub(super) const SEQUENCE: u64 = 10;
    pub(super) const TRACK_EVENT: u64 = 11;
    pub(super) const INTERNED: u64 = 12;
    pub(super) const SEQUENCE_FLAGS: u64 = 13;
    pub(super) const TRACK_DESCRIPTOR: u64 = 60;
    pub(super) const FIRST_ON_SEQUENCE: u64 = 87;
}

/// Fields of `TrackDescriptor`, and of its `CounterDescriptor`.
mod track {
    pub(super) const UUID: u64 = 1;
    pub(super) const NAME: u64 = 2;
    pub(super) const PARENT: u64 = 5;
    pub(super) const COUNTER: u64 = 8;
    pub(super) const CHILD_ORDERING: u64 = 11;
    pub(super) const RANK: u64 = 12;
    pub(super) const EXPLICIT: u64 = 3;
    pub(super) const COUNTER_UNIT_NAME: u64 = 6;
}

/// Fields of `TrackEvent` and its types.
mod event {
    pub(super) const ANNOTATION: u64 = 4;
    pub(super) const TYPE: u64 = 9;
    pub(super) const NAME_IID: u64 = 10;
    pub(super) const TRACK: u64 = 11;
    pub(super) const COUNT: u64 = 30;
    pub(super) const BEGIN: u64 = 1;
    pub(super) const END: u64 = 2;
    pub(super) const INSTANT: u64 = 3;
    pub(super) const COUNTER: u64 = 4;
    pub(super) const FLOW: u64 = 47;
    pub(super) const LAST_OF_FLOW: u64 = 48;
}

/// Fields of `InternedData`, of the names in it, and of `DebugAnnotation`.
mod interned {
    pub(super) const EVENT_NAMES: u64 = 2;
    pub(super) const ANNOTATION_NAMES: u64 = 3;
    pub(super) const IID: u64 = 1;
    pub(super) const NAME: u64 = 2;
    pub(super) const ANNOTATION_IID: u64 = 1;
    pub(super) const ANNOTATION_COUNT: u64 = 3;
}

/// The only sequence.
const SEQUENCE: u64 = 1;
/// `SEQ_INCREMENTAL_STATE_CLEARED`, at the start.
const CLEARED: u64 = 1;
/// `SEQ_NEEDS_INCREMENTAL_STATE`, afterwards.
const NEEDS: u64 = 2;
/// Bytes gathered before they are written.
const CHUNK: usize = 64 * 1024;

/// The names of facts that every file introduces at its beginning.
const FACTS: [&str; 7] = ["processors", "user", "wait_ns", "run_time_ns", "estimate_ns", "job", "rank"];

/// A track as it is declared.
pub(super) struct Track(Message);

impl Track {
    fn named(uuid: u64, name: &str) -> Self {
        let mut message = Message::default();
        message.number(track::UUID, uuid).text(track::NAME, name);
        Track(message)
    }

    /// A counter in this unit.
    pub(super) fn counter(uuid: u64, name: &str, unit: &str) -> Self {
        let Track(mut message) = Track::named(uuid, name);
        let mut counter = Message::default();
        message.message(track::COUNTER, counter.text(track::COUNTER_UNIT_NAME, unit));
        Track(message)
    }

    /// A track of tracks that are ordered by rank.
    pub(super) fn parent(uuid: u64, name: &str) -> Self {
        let Track(mut message) = Track::named(uuid, name);
        message.number(track::CHILD_ORDERING, track::EXPLICIT);
        Track(message)
    }

    /// A track of slices.
    pub(super) fn child(parent: u64, uuid: u64, name: &str, rank: u64) -> Self {
        let Track(mut message) = Track::named(uuid, name);
        message.number(track::PARENT, parent).number(track::RANK, rank);
        Track(message)
    }
}

/// Writes packets.
pub(super) struct Packets<'a> {
    out: &'a mut dyn Write,
    buffer: Message,
    packet: Message,
    event: Message,
    /// Name and annotations of the slices that begin next, as fields of an event.
    described: Vec<(u64, u64)>,
    name_iid: u64,
    /// The names that the next packet has to intern.
    fresh: Option<Message>,
    /// The names of facts that were introduced.
    facts: Vec<&'static str>,
}

impl<'a> Packets<'a> {
    /// Writes to `out`.
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Packets {
            out,
            buffer: Message::default(),
            packet: Message::default(),
            event: Message::default(),
            described: Vec::new(),
            name_iid: 0,
            fresh: None,
            facts: FACTS.to_vec(),
        }
    }

    /// Begins the sequence and interns the names of facts.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        let mut names = Message::default();
        for (iid, name) in (1..).zip(FACTS) {
            names.message(interned::ANNOTATION_NAMES, &interned_name(iid, name));
        }
        let packet = self.packet.clear().number(field::SEQUENCE, SEQUENCE);
        packet.number(field::SEQUENCE_FLAGS, CLEARED).number(field::FIRST_ON_SEQUENCE, 1);
        packet.message(field::INTERNED, &names);
        self.put()
    }

    /// Declares a track.
    pub(super) fn track(&mut self, track: &Track) -> io::Result<()> {
        let packet = self.packet.clear().number(field::SEQUENCE, SEQUENCE);
        packet.message(field::TRACK_DESCRIPTOR, &track.0);
        self.put()
    }

    /// Names and annotates the slices and marks that come next.
    pub(super) fn describe(&mut self, label: Label<'_>) {
        self.name_iid = label.number;
        self.fresh = label.name.map(|name| {
            let mut names = Message::default();
            names.message(interned::EVENT_NAMES, &interned_name(label.number, name));
            names
        });
        self.described.clear();
        for &(name, value) in label.facts {
            let place = self.facts.iter().position(|known| *known == name).unwrap_or_else(|| {
                self.facts.push(name);
                let names = self.fresh.get_or_insert_default();
                names.message(interned::ANNOTATION_NAMES, &interned_name(self.facts.len() as u64, name));
                self.facts.len() - 1
            });
            self.described.push((place as u64 + 1, value));
        }
    }

    /// Begins a slice as described.
    pub(super) fn start(&mut self, at: u64, track: u64) -> io::Result<()> {
        let name = self.name_iid;
        self.event(event::BEGIN, track).number(event::NAME_IID, name);
        let mut annotation = Message::default();
        for &(name, value) in &self.described {
            annotation.clear().number(interned::ANNOTATION_IID, name);
            annotation.number(interned::ANNOTATION_COUNT, value);
            self.event.message(event::ANNOTATION, &annotation);
        }
        self.put_event(at)
    }

    /// Puts a mark as described, at which an arrow begins or ends.
    pub(super) fn mark(&mut self, at: u64, track: u64, arrow: Arrow) -> io::Result<()> {
        let name = self.name_iid;
        let event = self.event(event::INSTANT, track).number(event::NAME_IID, name);
        match arrow {
            Arrow::Begins(number) => event.fixed(event::FLOW, number),
            Arrow::Ends(number) => event.fixed(event::LAST_OF_FLOW, number),
        };
        self.put_event(at)
    }

    /// Ends the slice of a track.
    pub(super) fn end(&mut self, at: u64, track: u64) -> io::Result<()> {
        self.event(event::END, track);
        self.put_event(at)
    }

    /// The value of a counter.
    pub(super) fn count(&mut self, at: u64, track: u64, value: u64) -> io::Result<()> {
        self.event(event::COUNTER, track).number(event::COUNT, value);
        self.put_event(at)
    }

    fn event(&mut self, kind: u64, track: u64) -> &mut Message {
        self.event.clear().number(event::TYPE, kind).number(event::TRACK, track)
    }

    fn put_event(&mut self, at: u64) -> io::Result<()> {
        let packet = self.packet.clear().number(field::TIMESTAMP, at).number(field::SEQUENCE, SEQUENCE);
        packet.number(field::SEQUENCE_FLAGS, NEEDS);
        if let Some(names) = self.fresh.take() {
            packet.message(field::INTERNED, &names);
        }
        packet.message(field::TRACK_EVENT, &self.event);
        self.put()
    }

    fn put(&mut self) -> io::Result<()> {
        self.buffer.message(trace::PACKET, &self.packet);
        if self.buffer.as_bytes().len() >= CHUNK {
            self.out.write_all(self.buffer.as_bytes())?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> io::Result<()> {
        self.out.write_all(self.buffer.as_bytes())
    }
}

fn interned_name(iid: u64, name: &str) -> Message {
    let mut message = Message::default();
    message.number(interned::IID, iid).text(interned::NAME, name);
    message
}
