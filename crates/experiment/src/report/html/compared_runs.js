// The page of several runs of one system: one control of time for their Gantt charts and their curves, metrics side by side, and the first
// decision in which each differs from the first run.
const many = data.what + 's', runs = data.names, whole = [data.from, Math.max(data.to, data.from + 1e-9)];
const differing = data.differences.map((found, run) => [run, found]).filter(([, found]) => found);
const earliest = Math.min(...differing.map(([, found]) => found.at));
document.getElementById('about').textContent =
  runs.map((name, run) => `${name}: ${plain(data.started[run])} ${many} started`).join('; ') + `; drawn by clustersim ${data.version}.`;

// ---- the time that all figures show, and the item that all Gantt charts outline ----
const link = {
  t0: whole[0], t1: whole[1], followers: [], seekers: [], colourers: [],
  // `by` shows these instants already
  moved(t0, t1, by) {
    if (t0 === link.t0 && t1 === link.t1) return;
    link.t0 = t0; link.t1 = t1;
    for (const follow of link.followers) if (follow !== by) follow(t0, t1);
  },
  show(t0, t1) {
    const length = Math.min(whole[1] - whole[0], Math.max(t1 - t0, (whole[1] - whole[0]) * 1e-7));
    const from = Math.max(whole[0], Math.min(t0, whole[1] - length));
    link.moved(from, from + length);
  },
  zoom(factor, at) {
    const t = at == null ? (link.t0 + link.t1) / 2 : at;
    link.show(t - (t - link.t0) * factor, t + (link.t1 - t) * factor);
  },
  pan(share) { const by = (link.t1 - link.t0) * share; link.show(link.t0 + by, link.t1 + by); },
  all() { link.moved(whole[0], whole[1]); },
  looked(name, by) { for (const seek of link.seekers) if (seek !== by) seek(name); },
  coloured(name, by) { for (const colour of link.colourers) if (colour !== by) colour(name); },
};
const KEYS = {'+': () => link.zoom(0.5), '=': () => link.zoom(0.5), '-': () => link.zoom(2), 0: link.all};

function decisions() {
  const node = section('The first differences', differing.length ? `From ${runs[0]}, with which each other run is compared: before that instant every ${data.what} starts at the same time in both.`
    : `There are none: every ${data.what} starts at the same time in all runs.`);
  if (!differing.length) return;
  const start = side => side ? `${span(side.start)} (${side.start} s)${side.reason ? ', ' + side.reason : ''}` : 'does not start';
  const rows = data.differences.slice(1).map((found, place) => {
    const name = runs[place + 1];
    if (!found) return [name, 'none', '\u2014', '\u2014', '\u2014', ''];
    const show = el('button', {type: 'button', 'aria-label': `Show the first difference of ${name}`}, 'Show');
    show.addEventListener('click', () => {
      const half = Math.max((whole[1] - whole[0]) / 40, 1e-9);
      link.show(found.at - half, found.at + half);
      link.looked(found.row);
      document.querySelector('canvas').scrollIntoView({block: 'nearest'});
    });
    return [name, `${data.what} ${found.row}`, `${span(found.at)} (${found.at} s)`, start(found.one), start(found.other), show];
  });
  node.append(table('First differences', ['run', 'the first that differs', 'at', `in ${runs[0]}`, 'in this run', ''], rows, [1, 2, 3, 4]));
}

function metrics() {
  if (!data.metrics.length) return;
  const node = section('Metrics side by side', 'One run each: a difference may be chance. A study with replications says if it is.');
  const row = one => {
    const [scale, unit] = scaleOf(one, one.values);
    return [one.name, ...one.values.map(value => value == null ? '\u2014' : plain(value / scale) + (unit ? ' ' + unit : ''))];
  };
  const heads = ['metric', ...runs];
  node.append(table('Metrics', heads, data.metrics.filter(one => one.first).map(row)));
  node.append(lazily('All metrics as a table', () => table('All metrics', heads, data.metrics.map(row))));
}

function control() {
  const button = (name, label, act) => {
    const made = el('button', {type: 'button', 'aria-label': label, title: label}, name);
    made.addEventListener('click', act);
    return made;
  };
  const shown = el('output', {'aria-live': 'polite'});
  const tell = () => { shown.textContent = `${span(link.t0 - whole[0])} to ${span(link.t1 - whole[0])} of ${span(whole[1] - whole[0])}`; };
  const wanted = el('input', {id: 'find', placeholder: data.what, autocomplete: 'off'});
  wanted.addEventListener('change', () => { if (wanted.value.trim()) link.looked(wanted.value.trim()); });
  const node = section('Time', 'All charts below show the same span of time; these buttons, and each chart, move all of them.');
  main.append(el('div', {class: 'bar held', role: 'toolbar', 'aria-label': 'Time of all charts'},
    button('+', 'Zoom in on time', () => link.zoom(0.5)), button('\u2212', 'Zoom out of time', () => link.zoom(2)),
    button('\u25c0', 'Earlier', () => link.pan(-0.4)), button('\u25b6', 'Later', () => link.pan(0.4)), button('All', 'Show the whole time', link.all),
    el('label', {for: 'find'}, 'Find in all'), wanted, shown));
  node.append(el('p', {class: 'hint'}, ganttHelp(data.what, 'lanes') + ` A ${data.what} that is looked at is outlined in all. In curves: left and right read out the points, + and \u2212 zoom, 0 shows all.`));
  link.followers.push(tell);
  tell();
}

// ---- figures ----

const MARK = 'first difference';
// The instants that are marked in a run: where it differs first from the first one; in that one, where each other does.
const marks = run => run ? [data.differences[run]].filter(found => found).map(found => [found.at, MARK])
  : differing.map(([other, found]) => [found.at, runs.length > 2 ? `${MARK}: ${runs[other]}` : MARK]);

function gantts(figures) {
  figures.forEach((figure, run) => {
    if (!figure) return;
    const hatched = figure.packed.behind.length ? ` Hatched below them: ${figure.packed.behind.join(', ')}.` : '';
    timeline(figure.packed, {title: `${figure.title}: ${runs[run]}`, note: run === figures.findIndex(one => one) ? figure.note + hatched : '', id: `${figure.title}-${run}-`,
      one: figure.one, what: figure.one + 's', lanes: figure.lanes, laneTitle: figure.lanes, from: whole[0], to: whole[1], since: 'since the beginning',
      marks: marks(run), band: figure.band, link});
  });
}

// The curves of a figure that can be chosen: of each its name, and of each run the points [s since the beginning] and what is said of one.
function choices(figures) {
  const first = figures.find(figure => figure), length = whole[1] - whole[0];
  const spans = (list, each) => {
    if (!list) return null;
    const n = list.mean.length, part = each > 0 ? each : length / n, from = index => Math.min(length, index * part);
    return {at: list.mean.map((_, index) => (from(index) + from(index + 1)) / 2), value: list.mean, top: list.greatest, days: list.days && spans(list.days, DAY),
      tell: (index, show) => `${show(list.mean[index])} (${show(list.least[index])} to ${show(list.greatest[index])})`, name: index => `${span(from(index))} to ${span(from(index + 1))}`};
  };
  const points = (one, column) => !one || one.values[column].every(value => value == null) ? null : {at: one.at.map(at => at / 1000), value: one.values[column],
    top: one.values[column], tell: (index, show) => show(one.values[column][index]), name: index => span(one.at[index] / 1000)};
  const names = list => [...new Set(figures.flatMap(figure => figure ? list(figure) : []))];
  if (first.kind === 'series') return [{name: '', runs: figures.map(figure => spans(figure))}];
  if (first.kind === 'series-by') return names(figure => figure.curves.map(curve => curve.name)).map(name =>
    ({name, runs: figures.map(figure => spans(figure && figure.curves.find(curve => curve.name === name)))}));
  return names(figure => figure.series.map(one => one.name)).flatMap(series => first.names.map((column, place) =>
    ({name: `${series}, ${column}`, runs: figures.map(figure => points(figure && figure.series.find(one => one.name === series), place))})))
    .filter(choice => choice.runs.some(points => points));
}

function curves(figures) {
  const {title, note, kind, unit, name} = figures.find(figure => figure), all = choices(figures), hidden = new Set();
  let chosen = all[0], made = null;
  const show = value => unit === '%' ? plain(value) + ' %' : amount(value, unit);
  // of a level that changes too often, a value a day while many days are in view
  const inFocus = points => points && points.days && link.t1 - link.t0 > 10 * DAY ? points.days : points;
  const drawn = () => chosen.runs.map((points, run) => [run, inFocus(points)]).filter(([run, points]) => points && !hidden.has(run));
  const inView = points => points.at.map((_, index) => index).filter(index => points.at[index] >= link.t0 - whole[0] && points.at[index] <= link.t1 - whole[0]);
  // the points that are read out: those of the run with the most of them in view
  const read = () => drawn().map(([run, points]) => [run, points, inView(points)]).reduce((best, one) => !best || one[2].length > best[2].length ? one : best, null);
  const nearest = (points, at) => {
    let low = 0, high = points.at.length - 1;
    while (low < high) { const middle = low + high >> 1; if (points.at[middle] < at) low = middle + 1; else high = middle; }
    return low > 0 && at - points.at[low - 1] < points.at[low] - at ? low - 1 : low;
  };
  const legend = runs.map((run, place) => {
    const button = el('button', {type: 'button', class: 'legend', 'aria-pressed': true, disabled: all.some(choice => choice.runs[place]) ? null : '', 'aria-label': `Show ${run}`}, sample(place, 'only'), run);
    button.addEventListener('click', () => {
      if (!hidden.delete(place)) hidden.add(place);
      button.setAttribute('aria-pressed', !hidden.has(place));
      made.draw();
    });
    return button;
  });
  const select = all.length > 1 ? el('select', {id: 'curve-' + title, 'aria-label': `${title}: which curve`}, ...all.map((choice, index) => el('option', {value: index}, choice.name))) : null;
  if (select) select.addEventListener('change', () => { chosen = all[select.value]; made.draw(); });
  made = chart({
    title, controls: el('div', {class: 'bar', role: 'group', 'aria-label': `${title}: runs`}, select, ...legend),
    note: `${note && note + ' '}A line is a run${kind === 'values' ? '' : ', the mean of each of 720 spans of the whole time'}${all.some(choice => choice.runs.some(points => points && points.days)) ? ', or of each day (24 h from the beginning) while more than ten days are in view, as it changes more often than a picture has pixels' : ''}.`,
    name: () => `${title}${chosen.name && ', ' + chosen.name}: a line for each of ${drawn().length} runs, from ${span(link.t0 - whole[0])} to ${span(link.t1 - whole[0])}`,
    scales: () => {
      const [size, unitName] = axisUnit(link.t1 - link.t0), top = Math.max(...drawn().map(([, points]) => points.top.reduce((most, value) => Math.max(most, value || 0), 0)), unit === '%' ? 100 : kind === 'values' ? 1e-9 : 1);
      return {x: linear(link.t0 - whole[0], link.t1 - whole[0], size), y: linear(0, unit === '%' && kind === 'series' ? 100 : top), xTitle: `time since the beginning [${unitName}]`, yTitle: unit ? `${name} [${unit}]` : name || ''};
    },
    count: () => { const one = read(); return one ? one[2].length : 0; },
    spot: place => { const [, points, seen] = read(); return [points.at[seen[place]], points.value[seen[place]] || 0]; },
    tell: place => {
      const [, points, seen] = read(), at = points.at[seen[place]];
      return `${points.name(seen[place])}: ` + drawn().map(([run, points]) => `${runs[run]} ${points.tell(nearest(points, at), show)}`).join('; ');
    },
    paint(layer, X, Y, box) {
      // what is out of view is cut off
      const inside = svg('svg', {x: box.left, y: 0, width: box.right - box.left, height: box.bottom + 2, viewBox: `${box.left} 0 ${box.right - box.left} ${box.bottom + 2}`, overflow: 'hidden', style: 'width:auto;max-width:none'});
      for (const [run, points] of drawn()) {
        const parts = [[]], low = Math.max(0, nearest(points, link.t0 - whole[0]) - 1), high = nearest(points, link.t1 - whole[0]) + 1;
        for (let index = low; index <= Math.min(high, points.at.length - 1); index++) {
          // a value that is not there is a gap
          if (points.value[index] == null) parts.push([]); else parts[parts.length - 1].push([points.at[index], points.value[index]]);
        }
        inside.append(svg('path', {d: parts.map(part => path(part, X, Y)).join(''), fill: 'none', stroke: colour(run), 'stroke-width': 1.6, 'stroke-dasharray': dash(run)}));
      }
      if (isFinite(earliest)) {
        const x = X(earliest - whole[0]);
        inside.append(svg('path', {class: 'mark', d: `M${x} ${box.top}V${box.bottom}`}));
      }
      layer.append(inside);
    },
    table() {
      const one = read(), seen = one ? one[2] : [], every = Math.max(1, Math.ceil(seen.length / 60));
      return table(title, [kind === 'values' ? 'time' : 'span of time', ...drawn().map(([run]) => runs[run])], seen.filter((_, place) => place % every === 0).map(index =>
        [one[1].name(index), ...drawn().map(([, points]) => show(points.value[nearest(points, one[1].at[index])]))]));
    },
  });
  // a hand that drags moves all charts, more often than they need be drawn
  let asked = 0;
  link.followers.push(() => { if (!asked) asked = setTimeout(() => { asked = 0; made.draw(); }, 16); });
  const picture = made.node.querySelector('svg.picture');
  picture.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
}

function missing() {
  const left = data.missing.flatMap((list, run) => list.map(what => `${runs[run]}: ${what}`));
  if (left.length) section('What is left out', 'The files of the runs do not hold all.').append(el('ul', {}, ...left.map(what => el('li', {}, what))));
}

decisions();
metrics();
control();
const lanesFirst = [...data.figures.filter(({runs}) => runs.find(one => one).kind === 'lanes'), ...data.figures.filter(({runs}) => runs.find(one => one).kind !== 'lanes')];
for (const figure of lanesFirst) (figure.runs.find(one => one).kind === 'lanes' ? gantts : curves)(figure.runs);
missing();
document.body.dataset.drawn = 'compared-runs';
