// The Gantt chart: packed bars, drawn into pixels, so that a hundred thousand of them move with the hand.
function unpack(packed) {
  const text = atob(packed.packed), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  let next = 0;
  const unsigned = () => {
    let value = 0, weight = 1, byte;
    do { byte = bytes[next++]; value += (byte & 127) * weight; weight *= 128; } while (byte > 127);
    return value;
  };
  const signed = () => { const value = unsigned(); return value % 2 ? -(value + 1) / 2 : value / 2; };
  const n = packed.jobs, unit = packed.unit, secs = value => value * unit;
  const column = make => { const list = new Float64Array(n); for (let i = 0; i < n; i++) list[i] = make(i); return list; };
  let before = 0;
  const number = column(() => before += signed());
  before = 0;
  const submit = column(() => before += signed());
  const start = column(i => submit[i] + unsigned());
  const end = column(i => start[i] + unsigned());
  const estimate = column(i => end[i] - start[i] + signed());
  const procs = column(unsigned);
  const user = column(() => unsigned() - 1);
  const from = new Uint32Array(n + 1), first = new Uint32Array(packed.intervals), last = new Uint32Array(packed.intervals);
  let held = 0;
  for (let i = 0; i < n; i++) {
    from[i] = held;
    let free = 0;
    for (let k = unsigned(); k > 0; k--) {
      first[held] = free + signed();
      last[held] = first[held] + unsigned();
      free = last[held++] + 1;
    }
  }
  from[n] = held;
  for (const list of [submit, start, end, estimate]) for (let i = 0; i < n; i++) list[i] = secs(list[i]);
  return {n, number, submit, start, end, estimate, procs, user, from, first, last};
}

function gantt(packed, whole, procs) {
  const jobs = unpack(packed), n = jobs.n;
  const all = {t0: whole[0], t1: Math.max(whole[1], whole[0] + 1e-3), p0: 0, p1: procs};
  const view = {...all};
  let focus = -1, mode = 'job', shown = null, crowd = 0;

  const part = packed.jobs < packed.of
    ? ` Drawn are the ${packed.jobs.toLocaleString('en-US')} of ${packed.of.toLocaleString('en-US')} jobs that held the most processor time.` : '';
  const node = section('Jobs on processors', 'A bar is a job, from its start to its end, on the processors it held.' + ('cpu-utilization' in data.metrics ? ' Where jobs share processors one bar may cover another.' : '') + part);
  const button = (name, label, act) => {
    const made = el('button', {type: 'button', 'aria-label': label, title: label}, name);
    made.addEventListener('click', act);
    return made;
  };
  const colours = el('select', {id: 'gantt-colour'}, el('option', {value: 'job'}, 'by job'), el('option', {value: 'wait'}, 'by wait'));
  const wanted = el('input', {id: 'gantt-job', inputmode: 'numeric', placeholder: 'number', autocomplete: 'off'});
  node.append(el('div', {class: 'bar'},
    button('+', 'Zoom in on time', () => zoom(0.5, 1)), button('\u2212', 'Zoom out of time', () => zoom(2, 1)),
    button('\u21e7+', 'Zoom in on processors', () => zoom(1, 0.5)), button('\u21e7\u2212', 'Zoom out of processors', () => zoom(1, 2)),
    button('\u25c0', 'Earlier', () => pan(-0.4, 0)), button('\u25b6', 'Later', () => pan(0.4, 0)),
    button('All', 'Show the whole run', reset),
    el('label', {for: 'gantt-colour'}, 'Colour'), colours, el('label', {for: 'gantt-job'}, 'Job'), wanted));
  const canvas = el('canvas', {tabindex: 0, role: 'application', 'aria-roledescription': 'Gantt chart'});
  const figure = el('figure', {}, canvas);
  const readout = el('output', {class: 'readout', 'aria-live': 'polite'});
  const keyBox = el('div');
  node.append(figure, readout, keyBox,
    el('p', {class: 'hint'}, 'Drag moves, Ctrl with the wheel (or the wheel alone once the chart was clicked) and a pinch zoom. ' +
      'Keys: left and right go from job to job, up and down to the job above or below, + and \u2212 zoom time, ] and [ zoom processors, ' +
      'Shift with an arrow moves, Enter brings the job into view, 0 shows all.'),
    lazily('The jobs in view as a table', jobTable));

  // ---- colours, read from the style so that light, dark and print agree ----
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const pixel = hex => {
    const value = parseInt(hex.slice(1), 16);
    return (255 << 24 | (value & 255) << 16 | (value >> 8 & 255) << 8 | value >> 16) >>> 0;
  };
  const waits = Float64Array.from(jobs.start, (start, i) => start - jobs.submit[i]);
  const CLASSES = [[60, 'below 1 min'], [3600, 'below 1 h'], [14400, 'below 4 h'], [86400, 'below 1 d'], [Infinity, '1 d and more']];
  const classOf = wait => CLASSES.findIndex(entry => wait < entry[0]);
  const hue = Uint8Array.from(jobs.number, number => (Math.imul(number, 2654435761) >>> 16) % 8);
  const heat = Uint8Array.from(waits, classOf);

  const ctx = canvas.getContext('2d');
  let wide, tall, ratio, area;
  function size() {
    ratio = Math.min(2, window.devicePixelRatio || 1);
    wide = Math.max(260, Math.floor(figure.clientWidth) || 640);
    tall = Math.round(Math.max(260, Math.min(460, wide * 0.6)));
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(tall * ratio);
    canvas.style.height = tall + 'px';
    area = {left: 16 + 7 * String(procs).length, top: 24, right: wide - 12, bottom: tall - 42};
  }
  const X = t => area.left + (t - view.t0) / (view.t1 - view.t0) * (area.right - area.left);
  const Y = p => area.top + (p - view.p0) / (view.p1 - view.p0) * (area.bottom - area.top);
  const T = x => view.t0 + (x - area.left) / (area.right - area.left) * (view.t1 - view.t0);
  const P = y => view.p0 + (y - area.top) / (area.bottom - area.top) * (view.p1 - view.p0);

  function paint() {
    shown = null;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    const paper = style('--paper'), ink = style('--ink'), quiet = style('--quiet'), line = style('--line');
    ctx.fillStyle = paper;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    bars(pixel(style('--card')));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.font = '12px ' + getComputedStyle(document.documentElement).fontFamily;
    ctx.strokeStyle = quiet;
    ctx.strokeRect(area.left - 0.5, area.top - 0.5, area.right - area.left + 1, area.bottom - area.top + 1);
    const [unit, unitName] = unitFor(view.t1 - view.t0);
    ctx.fillStyle = quiet;
    ctx.strokeStyle = line;
    ctx.textAlign = 'center';
    const from = view.t0 - all.t0, to = view.t1 - all.t0;
    const ticks = steps(from / unit, to / unit, Math.floor((area.right - area.left) / 85));
    const decimals = ticks.length > 1 ? Math.max(0, Math.min(6, -Math.floor(Math.log10(ticks[1] - ticks[0]) + 1e-9))) : 0;
    for (const tick of ticks) {
      const x = X(tick * unit + all.t0);
      ctx.beginPath(); ctx.moveTo(x, area.bottom); ctx.lineTo(x, area.bottom + 5); ctx.stroke();
      ctx.fillText((tick || 0).toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals}), x, area.bottom + 18);
    }
    ctx.textAlign = 'right';
    for (const tick of steps(view.p0, view.p1, Math.floor((area.bottom - area.top) / 40))) {
      if (tick % 1 === 0) ctx.fillText(plain(tick), area.left - 5, Y(tick) + 4);
    }
    ctx.fillStyle = ink;
    ctx.textAlign = 'left';
    ctx.fillText('processor', 2, 14);
    ctx.textAlign = 'center';
    ctx.fillText(`time since the first submission [${unitName}]`, (area.left + area.right) / 2, tall - 8);
    if (focus >= 0) outline(ink, paper);
    name();
  }
  function bars(background) {
    const x0 = Math.round(area.left * ratio), y0 = Math.round(area.top * ratio);
    const w = Math.round(area.right * ratio) - x0, h = Math.round(area.bottom * ratio) - y0;
    const image = ctx.createImageData(w, h), pixels = new Uint32Array(image.data.buffer).fill(background);
    const palette = mode === 'job' ? [0, 1, 2, 3, 4, 5, 6, 7].map(i => pixel(style('--c' + i))) : [0, 1, 2, 3, 4].map(i => pixel(style('--w' + i)));
    const kind = mode === 'job' ? hue : heat;
    let seen = 0;
    for (let i = 0; i < n; i++) if (jobs.end[i] > view.t0 && jobs.start[i] < view.t1) seen++;
    const before = crowd;
    crowd = seen > w ? seen : 0;
    if (before !== crowd) key();
    if (crowd) {
      cloud(pixels, w, h, background, palette);
      ctx.putImageData(image, x0, y0);
      return;
    }
    const sx = w / (view.t1 - view.t0), sy = h / (view.p1 - view.p0);
    const {start, end, from, first, last} = jobs;
    for (let i = 0; i < n; i++) {
      if (end[i] <= view.t0 || start[i] >= view.t1) continue;
      let a = Math.floor((start[i] - view.t0) * sx), b = Math.floor((end[i] - view.t0) * sx);
      if (b - a > 4) b--; else if (b <= a) b = a + 1;
      if (a < 0) a = 0;
      if (b > w) b = w;
      const fill = palette[kind[i]];
      for (let k = from[i]; k < from[i + 1]; k++) {
        let c = Math.floor((first[k] - view.p0) * sy), d = Math.floor((last[k] + 1 - view.p0) * sy);
        if (d <= 0 || c >= h) continue;
        if (d - c > 4) d--; else if (d <= c) d = c + 1;
        if (c < 0) c = 0;
        if (d > h) d = h;
        for (let row = c * w, stop = d * w; row < stop; row += w) {
          if (b - a < 16) for (let x = row + a; x < row + b; x++) pixels[x] = fill;
          else pixels.fill(fill, row + a, row + b);
        }
      }
    }
    ctx.putImageData(image, x0, y0);
  }
  // More jobs than pixels across: the later ones would hide the others. The shade of a cell of a few pixels is the share of it that is in
  // use; by wait, its colour is that of the mean class of its jobs.
  function cloud(pixels, w, h, background, palette) {
    const broad = Math.round(5 * ratio), high = Math.round(7 * ratio), columns = Math.ceil(w / broad), lines = Math.ceil(h / high);
    const sx = w / broad / (view.t1 - view.t0), sy = h / high / (view.p1 - view.p0);
    const used = new Float64Array(columns * lines), classes = new Float64Array(columns * lines);
    const {start, end, from, first, last} = jobs;
    const within = (low, high, at) => Math.min(high, at + 1) - Math.max(low, at);
    for (let i = 0; i < n; i++) {
      if (end[i] <= view.t0 || start[i] >= view.t1) continue;
      const a = Math.max(0, (start[i] - view.t0) * sx), b = Math.min(w / broad, (end[i] - view.t0) * sx);
      for (let k = from[i]; k < from[i + 1]; k++) {
        const c = Math.max(0, (first[k] - view.p0) * sy), d = Math.min(h / high, (last[k] + 1 - view.p0) * sy);
        for (let y = Math.floor(c); y < d; y++) {
          const tall = within(c, d, y);
          for (let x = Math.floor(a); x < b; x++) {
            const part = tall * within(a, b, x);
            used[y * columns + x] += part;
            classes[y * columns + x] += part * heat[i];
          }
        }
      }
    }
    const full = pixel(style('--c0'));
    const mixed = (to, share) => [0, 8, 16].reduce((colour, shift) => {
      const low = background >>> shift & 255, top = to >>> shift & 255;
      return colour | Math.round(low + (top - low) * share) << shift;
    }, 0xff000000) >>> 0;
    for (let y = 0; y < lines; y++) {
      for (let x = 0; x < columns; x++) {
        const at = y * columns + x, area = Math.min(1, w / broad - x) * Math.min(1, h / high - y);
        if (!used[at]) continue;
        const colour = mixed(mode === 'wait' ? palette[Math.round(classes[at] / used[at])] : full, Math.min(1, used[at] / area));
        const stop = Math.min(w, (x + 1) * broad);
        for (let row = y * high; row < Math.min(h, (y + 1) * high); row++) pixels.fill(colour, row * w + x * broad, row * w + stop);
      }
    }
  }
  function outline(ink, paper) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left - 2, area.top - 2, area.right - area.left + 4, area.bottom - area.top + 4);
    ctx.clip();
    for (const [colour, width] of [[paper, 5], [ink, 2]]) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      for (let k = jobs.from[focus]; k < jobs.from[focus + 1]; k++) {
        const x = X(jobs.start[focus]), y = Y(jobs.first[k]);
        ctx.strokeRect(x, y, Math.max(3, X(jobs.end[focus]) - x), Math.max(3, Y(jobs.last[k] + 1) - y));
      }
    }
    ctx.restore();
    ctx.lineWidth = 1;
  }
  function name() {
    canvas.setAttribute('aria-label', `Gantt chart of ${n.toLocaleString('en-US')} jobs on ${procs.toLocaleString('en-US')} processors, ` +
      `showing ${span(view.t0 - all.t0)} to ${span(view.t1 - all.t0)} after the first submission${crowd ? ', as a density' : ''}. Arrow keys tell the jobs.`);
  }
  let asked = 0;
  function draw() {
    name();
    if (!asked) asked = requestAnimationFrame(() => { asked = 0; paint(); });
  }

  // ---- moving ----
  function clamp() {
    const least = (all.t1 - all.t0) * 1e-7;
    let t = Math.min(all.t1 - all.t0, Math.max(view.t1 - view.t0, least)), p = Math.min(procs, Math.max(view.p1 - view.p0, Math.min(4, procs)));
    view.t0 = Math.max(all.t0, Math.min(view.t0, all.t1 - t)); view.t1 = view.t0 + t;
    view.p0 = Math.max(0, Math.min(view.p0, procs - p)); view.p1 = view.p0 + p;
    draw();
  }
  function zoom(time, proc, t, p) {
    if (t == null) t = focus >= 0 && jobs.end[focus] > view.t0 && jobs.start[focus] < view.t1
      ? Math.max(view.t0, Math.min(view.t1, (jobs.start[focus] + jobs.end[focus]) / 2)) : (view.t0 + view.t1) / 2;
    if (p == null) p = (view.p0 + view.p1) / 2;
    view.t0 = t - (t - view.t0) * time; view.t1 = t + (view.t1 - t) * time;
    view.p0 = p - (p - view.p0) * proc; view.p1 = p + (view.p1 - p) * proc;
    clamp();
  }
  function pan(time, proc) {
    const dt = (view.t1 - view.t0) * time, dp = (view.p1 - view.p0) * proc;
    view.t0 += dt; view.t1 += dt; view.p0 += dp; view.p1 += dp;
    const t = view.t1 - view.t0, p = view.p1 - view.p0;
    view.t0 = Math.max(all.t0, Math.min(view.t0, all.t1 - t)); view.t1 = view.t0 + t;
    view.p0 = Math.max(0, Math.min(view.p0, procs - p)); view.p1 = view.p0 + p;
    clamp();
  }
  function reset() { Object.assign(view, all); draw(); }
  function reveal(i) {
    const low = jobs.first[jobs.from[i]], high = jobs.last[jobs.from[i + 1] - 1] + 1;
    const t = view.t1 - view.t0, p = view.p1 - view.p0, middle = (jobs.start[i] + jobs.end[i]) / 2;
    if (jobs.end[i] < view.t0 || jobs.start[i] > view.t1) { view.t0 = middle - t / 2; view.t1 = view.t0 + t; }
    if (high <= view.p0 || low >= view.p1) { view.p0 = (low + high) / 2 - p / 2; view.p1 = view.p0 + p; }
    clamp();
  }

  // ---- telling ----
  function ranges(i) {
    const list = [];
    for (let k = jobs.from[i]; k < jobs.from[i + 1] && list.length < 12; k++) {
      list.push(jobs.first[k] === jobs.last[k] ? `${jobs.first[k]}` : `${jobs.first[k]}\u2013${jobs.last[k]}`);
    }
    return list.join(', ') + (jobs.from[i + 1] - jobs.from[i] > list.length ? ', \u2026' : '');
  }
  function tell(i) {
    const user = jobs.user[i] >= 0 ? `, user ${jobs.user[i]}` : '';
    return `Job ${jobs.number[i]}${user}: ${plain(jobs.procs[i])} processors (${ranges(i)}), submitted at ${span(jobs.submit[i] - all.t0)}, ` +
      `waited ${span(waits[i])}, ran ${span(jobs.end[i] - jobs.start[i])} of ${span(jobs.estimate[i])} estimated.`;
  }
  function look(i) {
    if (i === focus && i >= 0) return;
    focus = i;
    readout.textContent = i < 0 ? '' : tell(i);
    draw();
  }
  function under(t, p) {
    const near = (view.t1 - view.t0) / (area.right - area.left) * 2;
    let best = -1;
    for (let i = 0; i < n; i++) {
      if (jobs.start[i] > t + near || jobs.end[i] < t - near) continue;
      for (let k = jobs.from[i]; k < jobs.from[i + 1]; k++) {
        if (p >= jobs.first[k] && p < jobs.last[k] + 1) {
          if (jobs.start[i] <= t && jobs.end[i] > t) return i;
          best = i;
        }
      }
    }
    return best;
  }
  // The job on the nearest processors above or below, in the middle of the focused one's time.
  function beside(direction) {
    const t = (jobs.start[focus] + jobs.end[focus]) / 2;
    const own = direction < 0 ? jobs.first[jobs.from[focus]] : jobs.last[jobs.from[focus + 1] - 1];
    let best = -1, least = Infinity;
    for (let i = 0; i < n; i++) {
      if (i === focus || jobs.start[i] > t || jobs.end[i] <= t) continue;
      for (let k = jobs.from[i]; k < jobs.from[i + 1]; k++) {
        const away = direction < 0 ? own - jobs.last[k] : jobs.first[k] - own;
        if (away > 0 && away < least) { least = away; best = i; }
      }
    }
    return best;
  }
  function step(to) {
    if (n === 0) return;
    if (focus < 0) for (to = 0; to < n - 1 && jobs.end[to] <= view.t0;) to++;
    if (to < 0 || to >= n) return;
    look(to);
    reveal(to);
  }
  canvas.addEventListener('keydown', event => {
    const {key, shiftKey} = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = shiftKey && {ArrowLeft: () => pan(-0.2, 0), ArrowRight: () => pan(0.2, 0), ArrowUp: () => pan(0, -0.2), ArrowDown: () => pan(0, 0.2)}[key] || {
      ArrowRight: () => step(focus + 1), ArrowLeft: () => step(focus - 1),
      ArrowUp: () => step(focus < 0 ? 0 : beside(-1)), ArrowDown: () => step(focus < 0 ? 0 : beside(1)),
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
  colours.addEventListener('change', () => { mode = colours.value; key(); draw(); });
  wanted.addEventListener('change', () => {
    const i = jobs.number.indexOf(Number(wanted.value));
    if (wanted.value.trim() === '') return;
    if (i < 0) { readout.textContent = `No job ${wanted.value} is drawn.`; return; }
    focus = -2; look(i); reveal(i);
  });
  function key() {
    const swatch = name => el('span', {class: 'swatch', style: `background:var(${name})`, 'aria-hidden': 'true'});
    const density = crowd ? [el('p', {class: 'note density'}, `${crowd.toLocaleString('en-US')} jobs are in view, more than there are pixels across: the darker a place ` +
      '(in the dark: the lighter), the more of it is in use. Zoom in on time to see each job.')] : [];
    keyBox.replaceChildren(...density, ...(mode === 'wait' ? [keys(CLASSES.map(([, label], i) => [swatch('--w' + i), 'wait ' + label]))] : []));
  }
  function jobTable() {
    const rows = [];
    let total = 0;
    for (let i = 0; i < n; i++) {
      const inTime = jobs.end[i] > view.t0 && jobs.start[i] < view.t1;
      if (!inTime || jobs.last[jobs.from[i + 1] - 1] < view.p0 || jobs.first[jobs.from[i]] >= view.p1) continue;
      if (++total > 200) continue;
      rows.push([String(jobs.number[i]), jobs.user[i] >= 0 ? String(jobs.user[i]) : '\u2014', plain(jobs.procs[i]), ranges(i),
        span(jobs.submit[i] - all.t0), span(waits[i]), span(jobs.end[i] - jobs.start[i]), span(jobs.estimate[i])]);
    }
    const of = total > 200 ? `the first 200 of ${total.toLocaleString('en-US')} jobs in view` : `${total} jobs in view`;
    return table(`Jobs: ${of}; all stand in jobs.csv`,
      ['job', 'user', 'processors', 'which', 'submitted at', 'wait', 'run time', 'estimate'], rows, [3]);
  }
  size();
  paint();
  let width = figure.clientWidth;
  new ResizeObserver(() => { if (figure.clientWidth !== width) { width = figure.clientWidth; size(); draw(); } }).observe(figure);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  for (const kind of ['beforeprint', 'afterprint']) addEventListener(kind, paint);
  return {jobs, view};
}
