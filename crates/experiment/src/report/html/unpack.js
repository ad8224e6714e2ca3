// Packed spans as columns, as `bars.rs`, `rows.rs` and `lanes.rs` write them.
function unpacked(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
function reader(text) {
  const bytes = unpacked(text);
  let next = 0;
  const unsigned = () => {
    let value = 0, weight = 1, byte;
    do { byte = bytes[next++]; value += (byte & 127) * weight; weight *= 128; } while (byte > 127);
    return value;
  };
  const signed = () => { const value = unsigned(); return value % 2 ? -(value + 1) / 2 : value / 2; };
  const column = (n, make) => { const list = new Float64Array(n); for (let i = 0; i < n; i++) list[i] = make(i); return list; };
  const differences = n => { let before = 0; return column(n, () => before += signed()); };
  return {unsigned, column, differences};
}
const HOLE = '\ue000';
const filled = (stem, numbers) => stem.split(HOLE).map((part, i) => (i ? numbers[i - 1] : '') + part).join('');
function unpackSpans(packed) {
  const {unsigned, column, differences} = reader(packed.packed), n = packed.spans, unit = packed.unit;
  const stem = differences(packed.names), holes = packed.stems.map(text => text.split(HOLE).length - 1);
  const numbers = [0, 1].map(which => {
    let before = 0, having = [];
    for (let i = 0; i < packed.names; i++) if (holes[stem[i]] > which) having.push(i);
    const values = differences(having.length), all = new Float64Array(packed.names);
    having.forEach((at, i) => { all[at] = values[i]; });
    return all;
  });
  const start = differences(n);
  const end = column(n, i => start[i] + unsigned());
  const name = differences(n), kind = column(n, unsigned);
  const facts = packed.facts.map(fact => column(n, () => { const value = unsigned(); return value ? (value - 1) * (fact.time ? unit : 1) : NaN; }));
  const from = new Uint32Array(n + 1), first = new Uint32Array(packed.intervals), last = new Uint32Array(packed.intervals);
  let held = 0;
  for (let i = 0; i < n; i++) {
    from[i] = held;
    let free = 0;
    for (let k = unsigned(); k > 0; k--) {
      first[held] = free + unsigned();
      last[held] = first[held] + unsigned();
      free = last[held++] + 1;
    }
  }
  from[n] = held;
  for (const list of [start, end]) for (let i = 0; i < n; i++) list[i] *= unit;
  const nameOf = i => filled(packed.stems[stem[name[i]]], [numbers[0][name[i]], numbers[1][name[i]]]) || 'unnamed';
  return {n, start, end, name, kind, stem, numbers, facts, from, first, last, nameOf};
}
function unpackArrows(packed, unit) {
  if (!packed) return {n: 0};
  const {unsigned, column, differences} = reader(packed.packed), n = packed.drawn;
  const start = differences(n), end = column(n, i => start[i] + unsigned()), a = differences(n), b = differences(n);
  for (const list of [start, end]) for (let i = 0; i < n; i++) list[i] *= unit;
  return {n, start, end, a, b};
}
// The names of lanes, by row.
function laneNames(runs) {
  const begins = [];
  let rows = 0;
  for (const run of runs) { begins.push(rows); rows += run[4]; }
  const same = runs.length > 0 && runs.every(run => run[0] === runs[0][0]) && runs[0][0].endsWith(HOLE) && runs[0][0].indexOf(HOLE) === runs[0][0].length - 1;
  const of = row => {
    let low = 0, high = begins.length;
    while (high - low > 1) { const middle = low + high >> 1; if (begins[middle] <= row) low = middle; else high = middle; }
    const run = runs[low], numbers = [run[1], run[2]];
    numbers[run[3]] += row - begins[low];
    return [filled(run[0], numbers), numbers[0], low, numbers[run[3]]];
  };
  const short = row => same ? String(of(row)[1]) : of(row)[0] || String(row);
  // of the last lane the number alone, where it is in the run of the first
  const range = (first, last) => {
    const [, , run] = of(first), [, , other, number] = of(last);
    return first === last ? short(first) : `${short(first)}\u2013${run === other && runs[run][0].endsWith(HOLE) ? number : short(last)}`;
  };
  return {title: same ? runs[0][0].slice(0, -1).trim() : '', full: row => of(row)[0] || 'lane ' + row, short, range};
}
