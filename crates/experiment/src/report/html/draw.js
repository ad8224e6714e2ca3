'use strict';
// What every chart shares: elements, numbers, scales, and a chart that is read by mouse, finger, keyboard and table.
const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');

function put(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) if (value != null) node.setAttribute(name, value);
  node.append(...children.filter(child => child != null));
  return node;
}
const el = (tag, attributes, ...children) => put(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  put(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

// ---- what a reader chose ----

// The page of a study that runs is read again and again: choices are kept by the browser for this tab, where it keeps anything.
const remembered = (() => {
  const place = 'clustersim ' + location.pathname;
  let known = {};
  try { known = JSON.parse(sessionStorage.getItem(place)) || {}; } catch (_) { /* then nothing is known */ }
  return {
    of: name => known[name],
    keep(name, value) {
      known[name] = value;
      try { sessionStorage.setItem(place, JSON.stringify(known)); } catch (_) { /* then it is forgotten */ }
    },
  };
})();

// ---- numbers ----

function plain(value) {
  if (value == null || !isFinite(value)) return '\u2014';
  const size = Math.abs(value);
  if (size >= 999.95) return Math.round(value).toLocaleString('en-US');
  if (size > 0 && size < 1e-4) return value.toExponential(2);
  const decimals = size >= 99.995 ? 1 : size >= 9.9995 ? 2 : size >= 0.99995 || size === 0 ? 3 : 4;
  const text = value.toFixed(decimals);
  return text.replace(/\.?0+$/, '');
}
const UNITS = [[86400, 'd', 172800], [3600, 'h', 7200], [60, 'min', 120], [1, 's', 0]];
const unitFor = span => UNITS.find(unit => span >= unit[2]);
function span(seconds) {
  if (seconds == null || !isFinite(seconds)) return '\u2014';
  if (seconds < 0) return '-' + span(-seconds);
  const [size, name] = unitFor(seconds);
  return plain(seconds / size) + ' ' + name;
}
const amount = (value, unit) => unit === 's' ? span(value) : plain(value) + (unit && value != null ? ' ' + unit : '');

// What a column of values is divided by, and its one unit: of times that of the median of their sizes, of shares the percent.
function scaleOf(metric, values) {
  if (metric.share) return [0.01, '%'];
  if (metric.unit !== 's') return [1, metric.unit];
  const sizes = values.map(value => Math.abs(value || 0)).filter(size => size > 0).sort((a, b) => a - b);
  return unitFor(sizes.length ? sizes[Math.floor((sizes.length - 1) / 2)] : 0);
}
// A mean and its half-width: two significant digits of the half-width, the mean as precise as that.
function withHalf(mean, half) {
  if (!isFinite(mean) || !isFinite(half) || half <= Math.abs(mean) * 1e-9) return [plain(mean), plain(isFinite(half) ? 0 : half)];
  const of = value => 1 - Math.floor(Math.log10(value));
  const round = (value, decimals) => decimals < 0 ? Math.round(value / 10 ** -decimals) * 10 ** -decimals : Math.round(value * 10 ** decimals) / 10 ** decimals;
  const decimals = of(round(half, of(half))), places = Math.min(17, Math.max(0, decimals));
  const text = value => (round(value, decimals) || 0).toLocaleString('en-US', {minimumFractionDigits: places, maximumFractionDigits: places});
  return [text(mean), text(half)];
}

// room that a letter of a picture takes
const LETTER = 7;

// ---- scales: from a value to a place between two ends, and where its ticks are ----

function steps(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => power * factor >= rough * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step || 0);
  return ticks;
}
function linear(low, high, unit) {
  if (!(high > low)) high = low + 1;
  return {
    at: value => (value - low) / (high - low),
    ticks: most => steps(low / (unit || 1), high / (unit || 1), most).map(tick => [tick * (unit || 1), plain(tick)]),
  };
}
// A logarithmic axis from the last to the next 1, 2 or 5 times a power of ten of the unit; what is below it lies on its end.
function log(low, high, unit) {
  const size = unit || 1, marks = [];
  for (let power = Math.floor(Math.log10(low / size)); power <= Math.log10(high / size) + 1; power++) marks.push(...[1, 2, 5].map(digit => digit * 10 ** power));
  const first = Math.max(0, marks.findIndex(mark => mark * size > low * (1 + 1e-9)) - 1);
  const shown = marks.slice(first, Math.max(first + 1, marks.findIndex(mark => mark * size >= high * (1 - 1e-9))) + 1);
  const bottom = shown[0], decades = Math.log10(shown[shown.length - 1] / bottom);
  return {
    low: bottom * size,
    at: value => Math.log10(Math.max(value / size, bottom) / bottom) / decades,
    ticks: most => {
      const powers = shown.filter(mark => Math.abs(Math.log10(mark) - Math.round(Math.log10(mark))) < 1e-9);
      const list = shown.length <= most || powers.length < 2 ? shown : powers, every = Math.max(1, Math.ceil(list.length / Math.max(1, most)));
      return list.filter((_, index) => index % every === 0).map(mark => [mark * size, plain(mark)]);
    },
  };
}
// A text where there is room for so many letters.
const shortened = (text, most) => text.length > most ? text.slice(0, Math.max(1, most - 1)) + '\u2026' : text;
function bands(labels) {
  return {
    at: index => (index + 0.5) / labels.length,
    ticks: (most, room) => {
      // names are rather cut short than left out
      const letters = Math.floor(room / labels.length / LETTER) - 1, every = letters >= 6 || labels.every(label => label.length <= letters) ? 1 : Math.ceil(labels.length / Math.max(1, most));
      return labels.map((label, index) => [index, shortened(label, Math.max(6, letters * every))]).filter((_, index) => index % every === 0);
    },
  };
}

// ---- sections, tables ----

function section(title, note) {
  let id = title.toLowerCase().replace(/[^a-z]+/g, '-');
  // titles that differ in a number alone
  while (document.getElementById(id)) id += '-';
  const node = el('section', {'aria-labelledby': id}, el('h2', {id}, title));
  if (note) node.append(el('p', {class: 'note'}, note));
  main.append(node);
  return node;
}
function table(caption, heads, rows, text) {
  const kind = column => text && text.includes(column) ? 'text' : null;
  const head = el('tr', {}, ...heads.map((name, column) => el('th', {scope: 'col', class: kind(column)}, name)));
  const body = rows.map(row => el('tr', {}, ...row.map((cell, column) =>
    column === 0 ? el('th', {scope: 'row'}, cell) : el('td', {class: kind(column)}, cell))));
  return scrolled(caption, false, el('table', {}, el('caption', {}, caption), el('thead', {}, head), el('tbody', {}, ...body)));
}
// A table that is sorted by the column whose head is pressed, and the other way round when it is pressed again.
// A cell is a text, or [text, the value that it is sorted by]; what has no value stays below.
function sortable(caption, heads, rows, text) {
  const node = table(caption, heads, rows.map(row => row.map(cell => Array.isArray(cell) ? cell[0] : cell)), text);
  const body = node.querySelector('tbody'), lines = [...body.rows], titles = [...node.querySelectorAll('thead th')];
  const value = (row, column) => Array.isArray(rows[row][column]) ? rows[row][column][1] : rows[row][column];
  const compared = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  titles.forEach((title, column) => {
    const button = el('button', {type: 'button'}, heads[column]);
    title.replaceChildren(button);
    button.addEventListener('click', () => {
      const turned = title.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      sort(column, turned);
      remembered.keep('order of ' + caption, [heads[column], turned]);
    });
  });
  function sort(column, turned) {
    for (const other of titles) other.removeAttribute('aria-sort');
    titles[column].setAttribute('aria-sort', turned < 0 ? 'descending' : 'ascending');
    const order = lines.map((_, row) => row).sort((a, b) => {
      const [one, other] = [value(a, column), value(b, column)];
      if (one == null || other == null) return (one == null) - (other == null) || a - b;
      return turned * compared(one, other) || a - b;
    });
    body.append(...order.map(row => lines[row]));
  }
  const [head, turned] = remembered.of('order of ' + caption) || [];
  if (heads.includes(head)) sort(heads.indexOf(head), turned);
  node.classList.add('sortable');
  return node;
}
// What may be wider than the screen: it scrolls by itself, with a bar that is always seen, and says so where it does.
function scrolled(label, whole, content) {
  const box = el('div', {class: whole ? 'wide whole' : 'wide', tabindex: 0, role: 'region', 'aria-label': label}, content);
  const hint = el('p', {class: 'hint sideways', hidden: ''}, 'Wider than the screen: scroll sideways.');
  new ResizeObserver(() => { hint.hidden = box.scrollWidth <= box.clientWidth + 1; }).observe(box);
  return el('div', {}, hint, box);
}
// A table that is filled when it is opened: long ones cost nothing before. `place` tells it from others of its name.
function lazily(name, make, place = name) {
  const node = el('details', {class: 'table'}, el('summary', {}, name));
  node.addEventListener('toggle', () => {
    while (node.children.length > 1) node.lastChild.remove();
    if (node.open) node.append(make());
    if (node.open !== Boolean(remembered.of('open: ' + place))) remembered.keep('open: ' + place, node.open);
  });
  if (remembered.of('open: ' + place)) node.open = true;
  return node;
}
function cards(list) {
  const node = el('dl', {class: 'cards'}, ...list.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
  // as few rows as there is room for, and as many tiles in each as in the others, but for the last
  new ResizeObserver(() => {
    const room = Math.max(1, Math.floor(node.clientWidth / (10 * parseFloat(getComputedStyle(document.documentElement).fontSize))));
    const rows = Math.ceil(list.length / room);
    node.style.gridTemplateColumns = `repeat(${Math.ceil(list.length / rows)}, minmax(0, 1fr))`;
  }).observe(node);
  return node;
}
function keys(entries) {
  return el('ul', {class: 'keys', 'aria-label': 'Key'}, ...entries.map(([mark, name]) => el('li', {}, mark, name)));
}

// A key whose entries, [mark, name, hidden or not], hide and show their series; `press` is told which.
function toggles(entries, press) {
  const button = ([mark, name, hidden], index) => {
    const node = el('button', {type: 'button', 'aria-pressed': String(!hidden)}, mark, name);
    node.addEventListener('click', () => { node.setAttribute('aria-pressed', String(node.getAttribute('aria-pressed') !== 'true')); press(index); });
    return el('li', {}, node);
  };
  return el('ul', {class: 'keys', 'aria-label': 'Key: an entry hides and shows'}, ...entries.map(button));
}

// ---- marks that differ in form as well as in colour ----

const DASHES = ['none', '7 3', '2 3', '9 3 2 3', '12 4', '4 2 1 2', '1 2', '6 6'];
// corners of each form but the circle, in halves of its size
const FORMS = [null, [[-1, -1], [1, -1], [1, 1], [-1, 1]], [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]], [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  [[0, 1.2], [1.15, -0.9], [-1.15, -0.9]], [[-0.45, -1.2], [0.45, -1.2], [0.45, -0.45], [1.2, -0.45], [1.2, 0.45], [0.45, 0.45], [0.45, 1.2], [-0.45, 1.2], [-0.45, 0.45], [-1.2, 0.45], [-1.2, -0.45], [-0.45, -0.45]],
  [[1.2, 0], [-0.9, 1.15], [-0.9, -1.15]], [[-1.2, 0], [0.9, 1.15], [0.9, -1.15]]];
const colour = index => `var(--c${index % 8})`;
const dash = index => DASHES[index % 8] === 'none' ? null : DASHES[index % 8];
// A mark of a series; `more`: tone (another colour), hollow.
function marker(index, x, y, size, more = {}) {
  const r = size || 4.5, form = FORMS[index % 8], tone = more.tone || colour(index);
  const style = {fill: more.hollow ? 'var(--paper)' : tone, stroke: tone, 'stroke-width': 1.5};
  if (!form) return svg('circle', {cx: x, cy: y, r, ...style});
  return svg('polygon', {points: form.map(([dx, dy]) => `${x + dx * r},${y + dy * r}`).join(' '), ...style});
}
function sample(index, line) {
  return svg('svg', {viewBox: '0 0 26 14', 'aria-hidden': 'true'},
    line ? svg('path', {d: 'M0 7H26', stroke: colour(index), 'stroke-width': 2, 'stroke-dasharray': dash(index)}) : null,
    line === 'only' ? null : marker(index, 13, 7));
}

// ---- a chart ----
// o: title, note, name (its name for screen readers), scales() -> {x, y, xTitle, yTitle},
//    paint(layer, X, Y, box), count(), spot(index) -> [x, y] values, tell(index), table() -> node, key
function chart(o) {
  const node = section(o.title, o.note);
  if (o.controls) node.append(o.controls);
  const picture = svg('svg', {tabindex: 0, role: 'img', class: 'picture'});
  const figure = el('figure', {}, picture);
  const readout = el('output', {class: 'readout', 'aria-live': 'polite'});
  const keyBox = el('div');
  node.append(figure, readout, keyBox, lazily('The figures as a table', o.table, o.title));
  let cursor = -1, spots = [], box = null, pointer = null;

  function draw() {
    const wide = Math.max(260, Math.floor(figure.clientWidth) || 640);
    const tall = o.tall ? o.tall(wide) : Math.round(Math.min(300, Math.max(210, wide * 0.4)));
    const {x, y, xTitle, yTitle} = o.scales();
    const yTicks = y.ticks(Math.max(4, Math.floor((tall - 70) / 38)));
    const left = o.left ? o.left(wide) : 14 + LETTER * Math.max(2, ...yTicks.map(tick => tick[1].length));
    box = {left, right: wide - 14, top: 26, bottom: tall - 44};
    const X = value => box.left + x.at(value) * (box.right - box.left);
    const Y = value => box.bottom - y.at(value) * (box.bottom - box.top);
    const xTicks = x.ticks(Math.floor((box.right - box.left) / (wide < 500 ? 62 : 90)), box.right - box.left);
    picture.setAttribute('viewBox', `0 0 ${wide} ${tall}`);
    picture.setAttribute('aria-label', o.name() + '. ' + (o.count() ? 'Arrow keys read out the points.' : 'Nothing was observed.'));
    const layer = svg('g');
    for (const [tick, label] of yTicks) {
      layer.append(svg('path', {class: 'grid', d: `M${box.left} ${Y(tick)}H${box.right}`}),
        svg('text', {class: 'quiet', x: box.left - 6, y: Y(tick) + 4, 'text-anchor': 'end'}, label));
    }
    let free = -Infinity;
    for (const [tick, label] of xTicks) {
      const place = X(tick), room = LETTER * label.length, right = Math.min(place + room / 2, box.right + 10);
      layer.append(svg('path', {class: 'grid', d: `M${place} ${box.bottom}v5`}));
      // no label lies on the one before it
      if (right - room < free) continue;
      free = right + LETTER;
      const anchor = right < place + room / 2 ? 'end' : 'middle';
      layer.append(svg('text', {class: 'quiet', x: anchor === 'end' ? right : place, y: box.bottom + 18, 'text-anchor': anchor}, label));
    }
    layer.append(svg('path', {class: 'frame', d: `M${box.left} ${box.top}V${box.bottom}H${box.right}`}),
      svg('text', {x: 2, y: 14}, yTitle),
      svg('text', {x: (box.left + box.right) / 2, y: tall - 8, 'text-anchor': 'middle'}, xTitle));
    o.paint(layer, X, Y, box);
    pointer = svg('g', {class: 'cursor'});
    picture.replaceChildren(layer, pointer);
    spots = Array.from({length: o.count()}, (_, index) => { const [a, b] = o.spot(index); return [X(a) + (o.shift ? o.shift(index, box) : 0), Y(b)]; });
    const key = o.key ? o.key() : null;
    // one that stays keeps the focus
    if (key !== keyBox.firstChild) keyBox.replaceChildren(...(key ? [key] : []));
    show(Math.min(cursor, spots.length - 1), true);
  }
  function show(index, silent) {
    cursor = index;
    pointer.replaceChildren();
    if (index < 0) { if (!silent) readout.textContent = ''; return; }
    const [x, y] = spots[index];
    if (o.line !== false) pointer.append(svg('path', {d: `M${x} ${box.top}V${box.bottom}`, 'stroke-dasharray': '2 3'}));
    pointer.append(svg('circle', {cx: x, cy: y, r: 7}));
    readout.textContent = o.tell(index);
  }
  picture.addEventListener('keydown', event => {
    const last = spots.length - 1, step = event.shiftKey ? Math.max(1, Math.round(last / 20)) : 1;
    const moves = {ArrowRight: cursor + step, ArrowUp: cursor + step, ArrowLeft: cursor - step, ArrowDown: cursor - step,
      Home: 0, End: last};
    if (event.key === 'Escape') return show(-1);
    if (!(event.key in moves) || last < 0) return;
    event.preventDefault();
    show(Math.min(last, Math.max(0, moves[event.key])));
  });
  const seek = event => {
    const frame = picture.getBoundingClientRect(), scale = picture.viewBox.baseVal.width / frame.width;
    const x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
    let best = -1, least = Infinity;
    spots.forEach(([a, b], index) => {
      const away = (a - x) ** 2 + (o.line === false ? (b - y) ** 2 : 0.01 * (b - y) ** 2);
      if (away < least) { least = away; best = index; }
    });
    if (best >= 0) show(best);
  };
  picture.addEventListener('pointermove', seek);
  picture.addEventListener('pointerdown', seek);
  draw();
  let width = figure.clientWidth;
  new ResizeObserver(() => { if (figure.clientWidth !== width) { width = figure.clientWidth; draw(); } }).observe(figure);
  return {draw, node};
}
const DAY = 86400;
// The points of values that last so long each, the last one to the end.
const asSteps = (list, each, end) => list.flatMap((value, index) => [[index * each, value], [Math.min(end, (index + 1) * each), value]]);
const path = (points, X, Y) => points.map(([x, y], index) => (index ? 'L' : 'M') + X(x).toFixed(1) + ' ' + Y(y).toFixed(1)).join('');

document.documentElement.lang = 'en';
addEventListener('beforeprint', () => document.documentElement.classList.add('print'));
addEventListener('afterprint', () => document.documentElement.classList.remove('print'));
