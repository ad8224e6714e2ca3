//! A decoder of `trace.pftrace`, apart from its writer.

use std::collections::BTreeMap;

/// One field of a message.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// A message as fields by number, in the order in which they stand.
struct Message<'a>(Vec<(u64, Value<'a>)>);

impl<'a> Message<'a> {
    fn read(mut bytes: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let value = match key & 7 {
                0 => Value::Number(varint(&mut bytes)),
                1 => {
                    let (value, rest) = bytes.split_first_chunk::<8>().unwrap();
                    bytes = rest;
                    Value::Number(u64::from_le_bytes(*value))
                }
                2 => {
                    let length = usize::try_from(varint(&mut bytes)).unwrap();
                    let (value, rest) = bytes.split_at(length);
                    bytes = rest;
                    Value::Bytes(value)
                }
                other => panic!("wire type {other}"),
            };
            fields.push((key >> 3, value));
        }
        Message(fields)
    }

    fn all(&self, field: u64) -> impl Iterator<Item = &Value<'a>> {
        self.0.iter().filter(move |(number, _)| *number == field).map(|(_, value)| value)
    }

    fn number(&self, field: u64) -> Option<u64> {
        self.all(field).find_map(|value| match value {
            Value::Number(number) => Some(*number),
            Value::Bytes(_) => None,
        })
    }

    fn messages(&self, field: u64) -> Vec<Message<'a>> {
        let bytes = self.all(field).filter_map(|value| match value {
            Value::Bytes(bytes) => Some(*bytes),
            Value::Number(_) => None,
        });
        bytes.map(Message::read).collect()
    }

    fn text(&self, field: u64) -> String {
        self.all(field)
            .find_map(|value| match value {
                Value::Bytes(bytes) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
                Value::Number(_) => None,
            })
            .unwrap()
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// A slice of a track.
#[derive(Debug, PartialEq)]
pub struct Slice {
    /// Start, in nanoseconds.
    pub start: u64,
    /// End, in nanoseconds.
    pub end: u64,
    /// Name of the slice: the number of its job.
    pub job: String,
    /// Annotations by name.
    pub annotations: BTreeMap<String, u64>,
}

/// Content of a trace.
#[derive(Default)]
pub struct Trace {
    /// Slices by the name of their track.
    pub slices: BTreeMap<String, Vec<Slice>>,
    /// Counts (ns, value) by the name of their track.
    pub counts: BTreeMap<String, Vec<(u64, u64)>>,
    /// Marks (ns, track, name) by the flow that begins there.
    pub begins: BTreeMap<u64, (u64, String, String)>,
    /// Marks by the flow that ends there.
    pub ends: BTreeMap<u64, (u64, String, String)>,
    /// Names of the tracks in order.
    pub order: Vec<String>,
}

/// Reads a trace. Every slice must end before the next of its track begins, and time never goes
/// back.
pub fn read(bytes: &[u8]) -> Trace {
    let (mut trace, mut last) = (Trace::default(), 0);
    let mut tracks = BTreeMap::new();
    let (mut jobs, mut annotations) = (BTreeMap::new(), BTreeMap::new());
    let mut open: BTreeMap<u64, Slice> = BTreeMap::new();
    for packet in Message::read(bytes).messages(1) {
        assert_eq!(packet.number(10), Some(1), "one sequence");
        for track in packet.messages(60) {
            assert!(tracks.insert(track.number(1).unwrap(), track.text(2)).is_none(), "declared once");
            trace.order.push(track.text(2));
        }
        for interned in packet.messages(12) {
            jobs.extend(interned.messages(2).iter().map(|name| (name.number(1).unwrap(), name.text(2))));
            annotations
                .extend(interned.messages(3).iter().map(|name| (name.number(1).unwrap(), name.text(2))));
        }
        for event in packet.messages(11) {
            let (at, track) = (packet.number(8).unwrap(), event.number(11).unwrap());
            assert!(at >= last, "time goes back at {at}");
            last = at;
            let name = tracks[&track].clone();
            match event.number(9).unwrap() {
                1 => {
                    let noted = event.messages(4);
                    let noted = noted
                        .iter()
                        .map(|note| (annotations[&note.number(1).unwrap()].clone(), note.number(3).unwrap()));
                    let job = jobs[&event.number(10).unwrap()].clone();
                    let slice = Slice { start: at, end: 0, job, annotations: noted.collect() };
                    assert!(open.insert(track, slice).is_none(), "slices overlap on {name}");
                }
                2 => {
                    let slice = Slice { end: at, ..open.remove(&track).expect("an end has a begin") };
                    trace.slices.entry(name).or_default().push(slice);
                }
                3 => {
                    let mark = (at, name, jobs[&event.number(10).unwrap()].clone());
                    let (flow, of) = match (event.number(47), event.number(48)) {
                        (Some(flow), None) => (flow, &mut trace.begins),
                        (None, Some(flow)) => (flow, &mut trace.ends),
                        other => panic!("a mark with the flows {other:?}"),
                    };
                    assert!(of.insert(flow, mark).is_none(), "a flow has one beginning and one end");
                }
                4 => trace.counts.entry(name).or_default().push((at, event.number(30).unwrap())),
                other => panic!("event type {other}"),
            }
        }
    }
    assert!(open.is_empty(), "every slice ends");
    trace
}
