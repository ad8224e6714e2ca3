// A timeline of lanes: packed spans, drawn into pixels, so that a hundred thousand of them move with the hand.
const FINER = [[1e-3, 'ms'], [1e-6, '\u00b5s'], [1e-9, 'ns']];
const axisUnit = length => length >= 0.5 ? unitFor(length) : FINER.find(([size]) => length >= size * 0.5) || FINER[2];

const ganttHelp = (one, lanes) => 'Drag moves, Ctrl with the wheel (or the wheel alone once the chart was clicked) and a pinch zoom. ' +
  `Keys: left and right go from ${one} to ${one}, up and down to the ${one} above or below, + and \u2212 zoom time, ] and [ zoom ${lanes}, ` +
  `Shift with an arrow moves, Enter brings the ${one} into view, 0 shows all.`;

// o: title, note, what (many spans), one (of them), lanes (what they are), laneTitle, from, to, since (what times count from), marks
// (instants and their names), id (before the names of controls), link (what moves and looks with it: the page has the buttons of time),
// band (how many lanes are one, named in the names of its lanes before a colon).
function timeline(packed, o) {
  const spans = unpackSpans(packed), n = spans.n, {start, end, from, first, last, kind} = spans;
  const arrows = unpackArrows(packed.arrows, packed.unit), lanes = laneNames(packed.lanes), rows = packed.rows;
  const rest = packed.rest && {...packed.rest, shares: unpacked(packed.rest.shares)};
  const whole = [o.from == null ? Math.min(0, packed.from) : o.from, o.to == null ? packed.to : o.to];
  const all = {t0: whole[0], t1: Math.max(whole[1], whole[0] + 1e-9, whole[0] * (1 + 1e-12)), p0: 0, p1: rows};
  const view = {...all}, what = o.what || 'spans';
  const byStem = packed.stems.length > 1 && packed.stems.length <= 8;
  let focus = -1, mode = byStem && !packed.behind.length ? 'stem' : 'name', crowd = 0, withArrows = false;

  const part = packed.spans < packed.of
    ? ` Drawn are the ${packed.spans.toLocaleString('en-US')} of ${packed.of.toLocaleString('en-US')} ${what} that take most of lanes and time; the others are shades.` : '';
  const node = section(o.title, (o.note || '') + part);
  const button = (name, label, act) => {
    const made = el('button', {type: 'button', 'aria-label': label, title: label}, name);
    made.addEventListener('click', act);
    return made;
  };
  const lanesAre = o.lanes || 'lanes', named = o.id || '';
  const colours = el('select', {id: named + 'gantt-colour'}, mode === 'stem' ? el('option', {value: 'stem'}, 'by kind') : null,
    el('option', {value: 'name'}, 'by name'), ...packed.facts.map(({name}) => el('option', {value: name}, 'by ' + name)));
  const wanted = el('input', {id: named + 'gantt-find', placeholder: 'name', autocomplete: 'off'});
  const arrowBox = el('input', {id: named + 'gantt-arrows', type: 'checkbox', style: 'width:auto;min-width:0;min-height:0'});
  const ofTime = o.link ? [] : [button('+', 'Zoom in on time', () => zoom(0.5, 1)), button('\u2212', 'Zoom out of time', () => zoom(2, 1))];
  const moves = o.link ? [] : [button('\u25c0', 'Earlier', () => pan(-0.4, 0)), button('\u25b6', 'Later', () => pan(0.4, 0))];
  node.append(el('div', {class: 'bar'}, ...ofTime,
    button('\u21e7+', 'Zoom in on ' + lanesAre, () => zoom(1, 0.5)), button('\u21e7\u2212', 'Zoom out of ' + lanesAre, () => zoom(1, 2)),
    ...moves, button('All', 'Show the whole run', reset),
    el('label', {for: named + 'gantt-colour'}, 'Colour'), colours, el('label', {for: named + 'gantt-find'}, 'Find'), wanted,
    ...(arrows.n ? [el('label', {}, arrowBox, ' arrows')] : [])));
  const canvas = el('canvas', {tabindex: 0, role: 'application', 'aria-roledescription': 'Gantt chart'});
  const isFirst = !document.querySelector('canvas'), figure = el('figure', {}, canvas);
  const readout = el('output', {class: 'readout', 'aria-live': 'polite'});
  const keyBox = el('div');
  const one = o.one || 'span';
  node.append(figure, readout, keyBox,
    o.link || !isFirst ? '' : el('p', {class: 'hint'}, ganttHelp(one, lanesAre)),
    lazily(`The ${what} in view as a table`, spanTable));

  // ---- colours, read from the style so that light, dark and print agree ----
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const pixel = hex => {
    const value = parseInt(hex.slice(1), 16);
    return (255 << 24 | (value & 255) << 16 | (value >> 8 & 255) << 8 | value >> 16) >>> 0;
  };
  const fact = name => spans.facts[packed.facts.findIndex(one => one.name === name)];
  const isTime = name => packed.facts.some(one => one.name === name && one.time);
  const wordsOf = name => (packed.facts.find(one => one.name === name) || {}).words;
  const shown = (name, value) => wordsOf(name) ? wordsOf(name)[value] : isTime(name) ? span(value) : plain(value);
  // fifths of what is there, where no classes are given
  function fifths(name) {
    const sorted = Float64Array.from(fact(name)).filter(value => !Number.isNaN(value)).sort();
    const bounds = [1, 2, 3, 4].map(fifth => sorted[Math.floor(sorted.length * fifth / 5)]).filter((bound, i, list) => i === 0 || bound > list[i - 1]);
    return [...bounds.map(bound => [bound, 'below ' + shown(name, bound)]), [Infinity, bounds.length ? shown(name, bounds[bounds.length - 1]) + ' and more' : 'all']];
  }
  const classes = {}, kinds = {};
  const classesOf = name => classes[name] || (classes[name] = fifths(name));
  function shadesBy(by) {
    if (kinds[by]) return kinds[by];
    const {stem, numbers, name} = spans, hash = i => Math.imul(numbers[0][name[i]] + Math.imul(numbers[1][name[i]], 31) + stem[name[i]] * 7, 2654435761) >>> 16;
    const make = by === 'stem' ? i => stem[name[i]] : by === 'name' ? i => hash(i) % 8
      : wordsOf(by) ? (list => i => Math.min(list[i], 7) || 0)(fact(by))
      : (list => i => Math.max(0, classesOf(by).findIndex(entry => !(list[i] >= entry[0]))))(fact(by));
    const list = new Uint8Array(n);
    for (let i = 0; i < n; i++) list[i] = make(i);
    return kinds[by] = list;
  }
  const isClass = () => mode !== 'name' && mode !== 'stem' && !wordsOf(mode);

  const ctx = canvas.getContext('2d');
  let wide, tall, ratio, area;
  const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + '\u2026' : text;
  // of the name of a lane the end is kept, which distinguishes it from others
  const middle = (text, most) => text.length > most ? text.slice(0, most - 6) + '\u2026' + text.slice(-5) : text;
  function size() {
    ratio = Math.min(2, window.devicePixelRatio || 1);
    wide = Math.max(260, Math.floor(figure.clientWidth) || 640);
    tall = Math.round(Math.min(Math.max(130, 66 + 22 * rows), Math.max(260, Math.min(460, wide * 0.6))));
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(tall * ratio);
    canvas.style.height = tall + 'px';
    let letters = 1;
    for (let row = 0; row < rows; row += Math.max(1, Math.floor(rows / 400))) letters = Math.max(letters, lanes.short(row).length);
    letters = Math.max(letters, rows ? lanes.short(rows - 1).length : 1);
    area = {left: 16 + 7 * Math.min(letters, wide < 500 ? 11 : 22), top: 24, right: wide - 12, bottom: tall - 42};
  }
  const X = t => area.left + (t - view.t0) / (view.t1 - view.t0) * (area.right - area.left);
  const Y = p => area.top + (p - view.p0) / (view.p1 - view.p0) * (area.bottom - area.top);
  const T = x => view.t0 + (x - area.left) / (area.right - area.left) * (view.t1 - view.t0);
  const P = y => view.p0 + (y - area.top) / (area.bottom - area.top) * (view.p1 - view.p0);

  function paint() {
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    const paper = style('--paper'), ink = style('--ink'), quiet = style('--quiet'), line = style('--line');
    ctx.fillStyle = paper;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    bars(pixel(style('--card')));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.font = '12px ' + getComputedStyle(document.documentElement).fontFamily;
    if (!crowd) inside(paper);
    if (withArrows) drawArrows(ink);
    (o.marks || []).forEach(([at, label], place) => marked(at, label, area.top + 13 + 14 * place, ink, paper));
    ctx.strokeStyle = quiet;
    ctx.strokeRect(area.left - 0.5, area.top - 0.5, area.right - area.left + 1, area.bottom - area.top + 1);
    const [unit, unitName] = axisUnit(view.t1 - view.t0);
    ctx.fillStyle = quiet;
    ctx.strokeStyle = line;
    ctx.textAlign = 'center';
    const begin = view.t0 - all.t0, stop = view.t1 - all.t0;
    const ticks = steps(begin / unit, stop / unit, Math.floor((area.right - area.left) / 85));
    const decimals = ticks.length > 1 ? Math.max(0, Math.min(6, -Math.floor(Math.log10(ticks[1] - ticks[0]) + 1e-9))) : 0;
    for (const tick of ticks) {
      const x = X(tick * unit + all.t0);
      ctx.beginPath(); ctx.moveTo(x, area.bottom); ctx.lineTo(x, area.bottom + 5); ctx.stroke();
      ctx.fillText((tick || 0).toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals}), x, area.bottom + 18);
    }
    ctx.textAlign = 'right';
    const most = Math.floor((area.left - 10) / 7), high = (area.bottom - area.top) / (view.p1 - view.p0);
    const every = Math.max(1, ...steps(0, view.p1 - view.p0, (area.bottom - area.top) / (high >= 14 ? 14 : 36)).slice(1, 2));
    const label = (row, text) => {
      const y = Y(row + (high >= 8 ? 0.5 : 0));
      if (y >= area.top - 1 && y <= area.bottom + 1) ctx.fillText(middle(text, most), area.left - 5, y + 4);
    };
    if (o.band) bandLabels(Math.ceil(every), label, line);
    else for (let row = Math.ceil(view.p0 / every) * every; row < Math.min(rows, view.p1); row += Math.ceil(every)) label(row, lanes.short(row));
    ctx.fillStyle = ink;
    ctx.textAlign = 'left';
    ctx.fillText(o.laneTitle || lanes.title || packed.title || '', 2, 14);
    ctx.textAlign = 'center';
    ctx.fillText(`time ${o.since ? o.since + ' ' : ''}[${unitName}]`, (area.left + area.right) / 2, tall - 8);
    if (focus >= 0) outline(ink, paper);
    name();
  }
  // A line above each band, and its name at its first lane; of the lanes below it every so many by number, where there is room.
  function bandLabels(every, label, line) {
    const stride = o.band * Math.max(1, Math.ceil(16 / (Y(o.band) - Y(0)))), stop = Math.min(rows, view.p1);
    for (let base = Math.floor(view.p0 / stride) * stride; base < stop; base += stride) {
      const y = Math.round(Y(base)) + 0.5;
      if (base > view.p0) { ctx.strokeStyle = line; ctx.beginPath(); ctx.moveTo(area.left - 6, y); ctx.lineTo(area.right, y); ctx.stroke(); }
      label(base, lanes.short(base));
      for (let row = base + every; stride === o.band && row <= base + o.band - every; row += every) if (row < stop) label(row, lanes.short(row).replace(/^.*: /, ''));
    }
  }
  // The names of spans that are wide enough for them.
  function inside(paper) {
    let room = 400;
    ctx.fillStyle = paper;
    ctx.textAlign = 'left';
    for (let i = 0; i < n && room > 0; i++) {
      if (kind[i] || end[i] <= view.t0 || start[i] >= view.t1) continue;
      const a = Math.max(area.left, X(start[i])), letters = Math.floor((Math.min(area.right, X(end[i])) - a - 6) / 7);
      if (letters < 4) continue;
      const y = Y(first[from[i]]), high = Y(last[from[i]] + 1) - y;
      if (high < 13 || y + high / 2 < area.top + 6 || y + high / 2 > area.bottom - 4 || isClass()) continue;
      ctx.fillText(cut(spans.nameOf(i), letters), a + 3, y + high / 2 + 4);
      room--;
    }
  }
  function drawArrows(ink) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
    ctx.clip();
    ctx.strokeStyle = ctx.fillStyle = ink;
    let room = 4000;
    for (let i = 0; i < arrows.n && room > 0; i++) {
      if (arrows.end[i] < view.t0 || arrows.start[i] > view.t1) continue;
      const x = X(arrows.start[i]), y = Y(arrows.a[i] + 0.5), x2 = X(arrows.end[i]), y2 = Y(arrows.b[i] + 0.5), turn = Math.atan2(y2 - y, x2 - x);
      ctx.beginPath(); ctx.moveTo(x, y); ctx.lineTo(x2, y2); ctx.stroke();
      ctx.beginPath(); ctx.moveTo(x2, y2);
      for (const side of [-0.4, 0.4]) ctx.lineTo(x2 - 7 * Math.cos(turn + side), y2 - 7 * Math.sin(turn + side));
      ctx.fill();
      room--;
    }
    ctx.restore();
  }
  function bars(background) {
    const x0 = Math.round(area.left * ratio), y0 = Math.round(area.top * ratio);
    const w = Math.round(area.right * ratio) - x0, h = Math.round(area.bottom * ratio) - y0;
    const image = ctx.createImageData(w, h), pixels = new Uint32Array(image.data.buffer).fill(background);
    const palette = isClass() ? [0, 1, 2, 3, 4].map(i => pixel(style('--w' + i))) : [0, 1, 2, 3, 4, 5, 6, 7].map(i => pixel(style('--c' + i)));
    const shades = shadesBy(mode), sx = w / (view.t1 - view.t0), sy = h / (view.p1 - view.p0);
    const before = crowd;
    crowd = crowded();
    if (before !== crowd) key();
    const each = (i, fill) => {
      let a = Math.floor((start[i] - view.t0) * sx), b = Math.floor((end[i] - view.t0) * sx);
      if (b - a > 4) b--; else if (b <= a) b = a + 1;
      if (a < 0) a = 0;
      if (b > w) b = w;
      for (let k = from[i]; k < from[i + 1]; k++) {
        let c = Math.floor((first[k] - view.p0) * sy), d = Math.floor((last[k] + 1 - view.p0) * sy);
        if (d <= 0 || c >= h) continue;
        if (d - c > 4) d--; else if (d <= c) d = c + 1;
        if (c < 0) c = 0;
        if (d > h) d = h;
        fill(a, b, c, d);
      }
    };
    // hatched: distinguished from bars by more than colour
    const hatched = [...packed.behind.keys()].map(which => pixel(style('--c' + (6 - which) % 8)));
    for (let i = 0; i < n; i++) {
      if (!kind[i] || end[i] <= view.t0 || start[i] >= view.t1) continue;
      const tone = hatched[kind[i] - 1], rising = kind[i] % 2;
      each(i, (a, b, c, d) => {
        for (let y = c; y < d; y++) for (let x = a; x < b; x++) if ((rising ? x + y : x - y + h) % 6 < 2) pixels[y * w + x] = tone;
      });
    }
    const full = palette[0], mixed = mixer(background);
    if (crowd) cloud(pixels, w, h, palette, shades, mixed);
    else {
      if (rest) restCells(pixels, w, h, full, mixed, background);
      for (let i = 0; i < n; i++) {
        if (kind[i] || end[i] <= view.t0 || start[i] >= view.t1) continue;
        const fill = palette[shades[i]];
        each(i, (a, b, c, d) => {
          for (let row = c * w, stop = d * w; row < stop; row += w) {
            if (b - a < 16) for (let x = row + a; x < row + b; x++) pixels[x] = fill;
            else pixels.fill(fill, row + a, row + b);
          }
        });
      }
    }
    ctx.putImageData(image, x0, y0);
  }
  const mixer = background => (to, share) => [0, 8, 16].reduce((colour, shift) => {
    const low = background >>> shift & 255, top = to >>> shift & 255;
    return colour | Math.round(low + (top - low) * share) << shift;
  }, 0xff000000) >>> 0;
  const restAt = (t, p) => {
    const column = Math.floor(t / rest.length), row = Math.floor(p / rest.lanes);
    return column >= 0 && column < rest.columns && row >= 0 && row < rest.rows ? rest.shares[row * rest.columns + column] / 255 : 0;
  };
  // What is not drawn span by span: shades below the bars.
  function restCells(pixels, w, h, full, mixed, background) {
    const tx = (view.t1 - view.t0) / w, py = (view.p1 - view.p0) / h, step = 4;
    for (let y = 0; y < h; y += step) for (let x = 0; x < w; x += step) {
      const share = restAt(view.t0 + (x + step / 2) * tx, view.p0 + (y + step / 2) * py);
      if (!share) continue;
      const tone = mixed(full, share);
      for (let row = y; row < Math.min(h, y + step); row++) {
        for (let at = row * w + x, stop = row * w + Math.min(w, x + step); at < stop; at++) if (pixels[at] === background) pixels[at] = tone;
      }
    }
  }
  // More spans narrower than a few pixels than pixels across: the later ones would hide the others. The shade of a cell of a few pixels is
  // the share of it that is taken; by a number, its colour is that of the mean class of its spans,
  // by kind or word that of the one which takes most of it.
  function cloud(pixels, w, h, palette, shades, mixed) {
    const broad = Math.round(5 * ratio), high = Math.round(7 * ratio), columns = Math.ceil(w / broad), lines = Math.ceil(h / high);
    const sx = w / broad / (view.t1 - view.t0), sy = h / high / (view.p1 - view.p0);
    const used = new Float64Array(columns * lines), means = new Float64Array(columns * lines);
    const each = mode === 'name' || isClass() ? null : new Float64Array(columns * lines * 8);
    const within = (low, high, at) => Math.min(high, at + 1) - Math.max(low, at);
    for (let i = 0; i < n; i++) {
      if (kind[i] || end[i] <= view.t0 || start[i] >= view.t1) continue;
      const a = Math.max(0, (start[i] - view.t0) * sx), b = Math.min(w / broad, (end[i] - view.t0) * sx);
      for (let k = from[i]; k < from[i + 1]; k++) {
        const c = Math.max(0, (first[k] - view.p0) * sy), d = Math.min(h / high, (last[k] + 1 - view.p0) * sy);
        for (let y = Math.floor(c); y < d; y++) {
          const tall = within(c, d, y);
          for (let x = Math.floor(a); x < b; x++) {
            const part = tall * within(a, b, x);
            used[y * columns + x] += part;
            means[y * columns + x] += part * shades[i];
            if (each) each[(y * columns + x) * 8 + shades[i]] += part;
          }
        }
      }
    }
    for (let y = 0; y < lines; y++) {
      for (let x = 0; x < columns; x++) {
        const at = y * columns + x, area = Math.min(1, w / broad - x) * Math.min(1, h / high - y);
        const more = rest ? restAt(view.t0 + (x + 0.5) / sx, view.p0 + (y + 0.5) / sy) : 0;
        if (!used[at] && !more) continue;
        const shares = each && each.subarray(at * 8, at * 8 + 8);
        const tone = !used[at] ? palette[0] : isClass() ? palette[Math.round(means[at] / used[at])]
          : shares ? palette[shares.indexOf(Math.max(...shares))] : palette[0];
        const colour = mixed(tone, Math.min(1, used[at] / area + more)), stop = Math.min(w, (x + 1) * broad);
        for (let row = y * high; row < Math.min(h, (y + 1) * high); row++) pixels.fill(colour, row * w + x * broad, row * w + stop);
      }
    }
  }
  // an instant that is pointed out, from top to bottom
  function marked(at, label, y, ink, paper) {
    const x = Math.round(X(at)) + 0.5;
    if (x < area.left || x > area.right) return;
    ctx.strokeStyle = ink;
    ctx.setLineDash([5, 4]);
    ctx.beginPath(); ctx.moveTo(x, area.top); ctx.lineTo(x, area.bottom); ctx.stroke();
    ctx.setLineDash([]);
    const isLeft = x > (area.left + area.right) / 2;
    ctx.textAlign = isLeft ? 'right' : 'left';
    ctx.strokeStyle = paper;
    ctx.fillStyle = ink;
    ctx.lineWidth = 4;
    ctx.strokeText(label, x + (isLeft ? -5 : 5), y);
    ctx.fillText(label, x + (isLeft ? -5 : 5), y);
    ctx.lineWidth = 1;
  }
  function outline(ink, paper) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left - 2, area.top - 2, area.right - area.left + 4, area.bottom - area.top + 4);
    ctx.clip();
    for (const [colour, width] of [[paper, 5], [ink, 2]]) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      for (let k = from[focus]; k < from[focus + 1]; k++) {
        const x = X(start[focus]), y = Y(first[k]);
        ctx.strokeRect(x, y, Math.max(3, X(end[focus]) - x), Math.max(3, Y(last[k] + 1) - y));
      }
    }
    ctx.restore();
    ctx.lineWidth = 1;
  }
  // How many spans are narrower than a few pixels, if that is more than there are pixels across.
  function crowded() {
    const w = Math.round(area.right * ratio) - Math.round(area.left * ratio), least = 3 * ratio * (view.t1 - view.t0) / w;
    let seen = 0;
    for (let i = 0; i < n; i++) if (!kind[i] && end[i] > view.t0 && start[i] < view.t1 && end[i] - start[i] < least) seen++;
    return seen > w ? seen : 0;
  }
  function name() {
    canvas.setAttribute('aria-label', `Gantt chart of ${n.toLocaleString('en-US')} ${what} on ${rows.toLocaleString('en-US')} ${lanesAre}, ` +
      `showing ${span(view.t0 - all.t0)} to ${span(view.t1 - all.t0)}${o.since ? ' after' + o.since.replace(/^since/, '') : ''}${crowded() ? ', as a density' : ''}. Arrow keys read out the ${what}.`);
  }
  let asked = 0;
  function draw() {
    name();
    if (!asked) asked = requestAnimationFrame(() => { asked = 0; paint(); });
  }

  // ---- moving ----
  function clamp() {
    const least = (all.t1 - all.t0) * 1e-7;
    const t = Math.min(all.t1 - all.t0, Math.max(view.t1 - view.t0, least)), p = Math.min(rows, Math.max(view.p1 - view.p0, Math.min(4, rows)));
    view.t0 = Math.max(all.t0, Math.min(view.t0, all.t1 - t)); view.t1 = view.t0 + t;
    view.p0 = Math.max(0, Math.min(view.p0, rows - p)); view.p1 = view.p0 + p;
    draw();
    if (o.link) o.link.moved(view.t0, view.t1, follow);
  }
  function zoom(time, lane, t, p) {
    if (t == null) t = focus >= 0 && end[focus] > view.t0 && start[focus] < view.t1
      ? Math.max(view.t0, Math.min(view.t1, (start[focus] + end[focus]) / 2)) : (view.t0 + view.t1) / 2;
    if (p == null) p = (view.p0 + view.p1) / 2;
    view.t0 = t - (t - view.t0) * time; view.t1 = t + (view.t1 - t) * time;
    view.p0 = p - (p - view.p0) * lane; view.p1 = p + (view.p1 - p) * lane;
    clamp();
  }
  function pan(time, lane) {
    const dt = (view.t1 - view.t0) * time, dp = (view.p1 - view.p0) * lane;
    view.t0 += dt; view.t1 += dt; view.p0 += dp; view.p1 += dp;
    clamp();
  }
  function reset() { Object.assign(view, all); draw(); if (o.link) o.link.moved(view.t0, view.t1, follow); }
  function follow(t0, t1) { view.t0 = t0; view.t1 = t1; draw(); }
  function reveal(i) {
    const t = view.t1 - view.t0, p = view.p1 - view.p0, middle = (start[i] + end[i]) / 2;
    if (end[i] < view.t0 || start[i] > view.t1) { view.t0 = middle - t / 2; view.t1 = view.t0 + t; }
    if (from[i] < from[i + 1]) {
      const low = first[from[i]], high = last[from[i + 1] - 1] + 1;
      if (high <= view.p0 || low >= view.p1) { view.p0 = (low + high) / 2 - p / 2; view.p1 = view.p0 + p; }
    }
    clamp();
  }

  // ---- telling ----
  function ranges(i) {
    const list = [];
    for (let k = from[i]; k < from[i + 1] && list.length < 12; k++) {
      list.push(lanes.range(first[k], last[k]));
    }
    return list.join(', ') + (from[i + 1] - from[i] > list.length ? ', \u2026' : '');
  }
  const known = i => packed.facts.map((fact, at) => [fact.name, spans.facts[at][i]]).filter(([, value]) => !Number.isNaN(value));
  const about = i => ({name: spans.nameOf(i), behind: kind[i] ? packed.behind[kind[i] - 1] : '', start: start[i] - all.t0, end: end[i] - all.t0,
    on: ranges(i), fact: name => { const list = fact(name); return list ? list[i] : NaN; }});
  function tell(i) {
    const it = about(i);
    if (kind[i]) return `${cut(it.name, 80)} (${it.behind}): ${it.on}, from ${span(it.start)} to ${span(it.end)}.`;
    return [`${one === 'span' ? '' : one[0].toUpperCase() + one.slice(1) + ' '}${it.name}: ${lanes.title ? lanes.title + ' ' : ''}${it.on}, from ${span(it.start)} to ${span(it.end)}, for ${span(end[i] - start[i])}`,
      ...known(i).map(([name, value]) => `${name} ${shown(name, value)}`)].join('; ') + '.';
  }
  function look(i) {
    if (i === focus && i >= 0) return;
    focus = i;
    readout.textContent = i < 0 ? '' : tell(i);
    draw();
    if (o.link && i >= 0) o.link.looked(spans.nameOf(i), seek);
  }
  // The first span of this name, which another chart or the page looks at.
  let places = null;
  function seek(name) {
    if (!places) {
      places = new Map();
      for (let i = n - 1; i >= 0; i--) if (!kind[i]) places.set(spans.nameOf(i), i);
    }
    const found = places.get(name);
    focus = found == null ? -1 : found;
    readout.textContent = focus < 0 ? `No ${one} ${name} is drawn.` : tell(focus);
    draw();
  }
  function under(t, p) {
    const near = (view.t1 - view.t0) / (area.right - area.left) * 2;
    let best = -1, rank = 0;
    for (let i = 0; i < n; i++) {
      if (start[i] > t + near || end[i] < t - near) continue;
      for (let k = from[i]; k < from[i + 1]; k++) {
        if (p < first[k] || p >= last[k] + 1) continue;
        const exact = start[i] <= t && end[i] > t, here = (kind[i] ? 1 : 3) + (exact ? 1 : 0);
        if (here > rank) { rank = here; best = i; }
      }
    }
    return best;
  }
  // The span on the nearest lanes above or below, in the middle of the focused one's time.
  function neighbour(direction) {
    const t = (start[focus] + end[focus]) / 2;
    const own = direction < 0 ? first[from[focus]] : last[from[focus + 1] - 1];
    let best = -1, least = Infinity;
    for (let i = 0; i < n; i++) {
      if (i === focus || start[i] > t || end[i] <= t) continue;
      for (let k = from[i]; k < from[i + 1]; k++) {
        const away = direction < 0 ? own - last[k] : first[k] - own;
        if (away > 0 && away < least) { least = away; best = i; }
      }
    }
    return best;
  }
  function step(to) {
    if (n === 0) return;
    if (focus < 0) for (to = 0; to < n - 1 && end[to] <= view.t0;) to++;
    if (to < 0 || to >= n) return;
    look(to);
    reveal(to);
  }
  canvas.addEventListener('keydown', event => {
    const {key, shiftKey} = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = shiftKey && {ArrowLeft: () => pan(-0.2, 0), ArrowRight: () => pan(0.2, 0), ArrowUp: () => pan(0, -0.2), ArrowDown: () => pan(0, 0.2)}[key] || {
      ArrowRight: () => step(focus + 1), ArrowLeft: () => step(focus - 1),
      ArrowUp: () => step(focus < 0 ? 0 : neighbour(-1)), ArrowDown: () => step(focus < 0 ? 0 : neighbour(1)),
      Home: () => { focus = Math.max(focus, 0); step(0); }, End: () => { focus = Math.max(focus, 0); step(n - 1); },
      '+': () => zoom(0.5, 1), '=': () => zoom(0.5, 1), '-': () => zoom(2, 1), ']': () => zoom(1, 0.5), '[': () => zoom(1, 2),
      Enter: () => focus >= 0 && reveal(focus), 0: reset, Escape: () => look(-1)}[key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  const place = event => {
    const frame = canvas.getBoundingClientRect();
    return [(event.clientX - frame.left) * wide / frame.width, (event.clientY - frame.top) * tall / frame.height];
  };
  canvas.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
    event.preventDefault();
    const [x, y] = place(event), turn = event.deltaY || event.deltaX, factor = Math.exp(Math.max(-1, Math.min(1, turn / 300)));
    if (event.shiftKey) zoom(1, factor, null, P(y)); else zoom(factor, 1, T(x));
  }, {passive: false});
  const fingers = new Map();
  let moved = false;
  canvas.addEventListener('pointerdown', event => {
    fingers.set(event.pointerId, place(event));
    moved = false;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone already */ }
  });
  canvas.addEventListener('pointermove', event => {
    const now = place(event), before = fingers.get(event.pointerId);
    if (!before) {
      const inside = now[0] >= area.left && now[0] <= area.right && now[1] >= area.top && now[1] <= area.bottom;
      if (inside && event.pointerType === 'mouse') { const i = under(T(now[0]), P(now[1])); if (i >= 0) look(i); }
      return;
    }
    if (Math.hypot(now[0] - before[0], now[1] - before[1]) < 3 && !moved) return;
    moved = true;
    const others = [...fingers].filter(([id]) => id !== event.pointerId);
    fingers.set(event.pointerId, now);
    if (others.length) {
      const [x] = others[0][1], middle = (x + now[0]) / 2;
      const factor = Math.max(12, Math.abs(x - before[0])) / Math.max(12, Math.abs(x - now[0]));
      return zoom(Math.min(4, Math.max(0.25, factor)), 1, T(middle));
    }
    const height = event.pointerType === 'touch' ? 0 : (before[1] - now[1]) / (area.bottom - area.top);
    pan((before[0] - now[0]) / (area.right - area.left), height);
  });
  for (const kind of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(kind, event => {
      fingers.delete(event.pointerId);
      if (kind === 'pointerup' && !moved) { const [x, y] = place(event); look(under(T(x), P(y))); }
    });
  }
  const recolour = name => { mode = colours.value = name; key(); draw(); };
  const follows = name => { if ([...colours.options].some(option => option.value === name)) recolour(name); };
  colours.addEventListener('change', () => { recolour(colours.value); if (o.link) o.link.coloured(mode, follows); });
  if (o.link) { o.link.followers.push(follow); o.link.seekers.push(seek); o.link.colourers.push(follows); }
  arrowBox.addEventListener('change', () => { withArrows = arrowBox.checked; key(); draw(); });
  wanted.addEventListener('change', () => {
    const text = wanted.value.trim();
    if (text === '') return;
    let found = -1;
    for (let i = 0; i < n && found < 0; i++) if (!kind[i] && spans.nameOf(i) === text) found = i;
    for (let i = 0; i < n && found < 0; i++) if (spans.nameOf(i).includes(text)) found = i;
    if (found < 0) { readout.textContent = `No ${one} ${text} is drawn.`; return; }
    focus = -2; look(found); reveal(found);
  });
  function key() {
    const swatch = name => el('span', {class: 'swatch', style: `background:var(${name})`, 'aria-hidden': 'true'});
    const hatch = which => el('span', {class: 'swatch', 'aria-hidden': 'true',
      style: `background:repeating-linear-gradient(${which % 2 ? 45 : -45}deg,var(--c${(6 - which) % 8}) 0 2px,transparent 2px 6px)`});
    const notes = crowd ? [el('p', {class: 'note density'}, `${crowd.toLocaleString('en-US')} narrow ${what} are in view, more than there are pixels across: the darker a place ` +
      `(in the dark: the lighter), the more of it is in use. Zoom in on time to see each ${one}.`)] : [];
    if (withArrows && packed.arrows.drawn < packed.arrows.of) {
      notes.push(el('p', {class: 'note'}, `${plain(packed.arrows.drawn)} of ${plain(packed.arrows.of)} arrows are drawn, evenly taken.`));
    }
    const entries = isClass() ? classesOf(mode).map(([, label], i) => [swatch('--w' + i), `${mode} ${label}`])
      : wordsOf(mode) ? wordsOf(mode).slice(0, 8).map((word, i, eight) => [swatch('--c' + i),
        `${mode} ${word}${i === 7 && wordsOf(mode).length > eight.length ? ' and others' : ''}`])
      : mode === 'stem' ? packed.stems.map((stem, i) => [swatch('--c' + i), stem.replaceAll(HOLE, '\u2026') || 'unnamed']) : [];
    entries.push(...packed.behind.map((label, which) => [hatch(which), label]));
    keyBox.replaceChildren(...notes, ...(entries.length ? [keys(entries)] : []));
  }
  function spanTable() {
    const list = [];
    let total = 0;
    for (let i = 0; i < n; i++) {
      if (end[i] <= view.t0 || start[i] >= view.t1 || from[i] === from[i + 1]) continue;
      if (last[from[i + 1] - 1] < view.p0 || first[from[i]] >= view.p1) continue;
      if (++total > 200) continue;
      const it = about(i);
      list.push([it.name + (it.behind ? ` (${it.behind})` : ''), it.on, span(it.start), span(it.end), span(it.end - it.start),
        ...packed.facts.map(({name}) => { const value = it.fact(name); return Number.isNaN(value) ? '\u2014' : shown(name, value); })]);
    }
    const of = total > 200 ? `the first 200 of ${total.toLocaleString('en-US')} ${what} in view` : `${total} ${what} in view`;
    return table(of, ['name', lanes.title || 'lane', 'from', 'to', 'length', ...packed.facts.map(fact => fact.name)], list, [1]);
  }
  size();
  key();
  paint();
  let width = figure.clientWidth;
  new ResizeObserver(() => { if (figure.clientWidth !== width) { width = figure.clientWidth; size(); draw(); } }).observe(figure);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  for (const kind of ['beforeprint', 'afterprint']) addEventListener(kind, paint);
  return {spans, view};
}
