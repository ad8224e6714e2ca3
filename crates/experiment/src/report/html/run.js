// The page of a run of any system: its metrics, and the figures that the system declares.
const metric = name => data.metrics[name] || {value: null, unit: ''};
const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];
// a size with the prefix that leaves it below a thousand
function bytes(value) {
  let place = 0;
  while (value >= 999.5 && place < PREFIXES.length - 1) { value /= 1000; place += 1; }
  return plain(value) + ' ' + PREFIXES[place] + 'B';
}
const shown = (value, unit) => value == null || value === '' ? '\u2014' : typeof value === 'string' ? value
  : unit === '%' ? share(value) : unit === 'B' ? bytes(value) : amount(value, unit);
const capital = text => text[0].toUpperCase() + text.slice(1);
const [begin, end] = data.axis;
const since = 'since the beginning';

document.getElementById('about').textContent =
  `${capital(data.about)}, seed ${data.seed}; simulated by clustersim ${data.version}. Digest ${data.digest}.`;

function headline() {
  const node = section('Headline figures');
  const all = Object.entries(data.metrics);
  // what there is nothing of is not at the top
  const chosen = data.headline.filter(([name]) => metric(name).value);
  const top = chosen.length ? chosen.map(([name, unit]) => [name.replace('jobs.', 'jobs ').replace('.', ', ').replaceAll('-', ' '), shown(metric(name).value, unit || metric(name).unit)])
    : all.slice(0, 8).map(([name, one]) => [name, data.shares.includes(name) ? shown(one.value, '%') : amount(one.value, one.unit)]);
  top.push(...(data.rejections || []).map(({reason, count}) => ['rejected: ' + reason, plain(count)]));
  node.append(cards(top));
  for (const {code, text} of data.warnings || []) node.append(el('p', {class: 'warn'}, el('code', {}, code), ' ' + text));
  for (const {text} of data.notes || []) node.append(el('p', {class: 'note'}, 'Note: ' + text));
  const rows = all.map(([name, one]) => [name, one.value == null ? '\u2014' : String(one.value), one.unit || 'ratio or count']);
  node.append(lazily('All metrics as a table', () => table('Metrics', ['metric', 'value', 'unit'], rows, [2])));
}

// What the files of the run do not hold, where the page was drawn from them.
function missing() {
  if (!data.missing.length) return;
  const node = section('What is left out', 'This page was drawn from the files of the run, which do not hold all that its first one had.');
  node.append(el('ul', {}, ...data.missing.map(what => el('li', {}, what))));
}

// What each class of the run got, but for its shares of a whole, which are drawn.
function byClass() {
  const classes = Object.entries(data.classes || {});
  if (!classes.length) return;
  const names = [...new Set(classes.flatMap(([, figures]) => Object.keys(figures)))];
  const kept = names.filter(name => !name.startsWith('profile.') && classes.some(([, figures]) => figures[name] && figures[name].value != null));
  const node = section('Classes', 'What each class got; a metric of a class is that metric of its part of the run alone.');
  node.append(table('By class', ['class', ...kept], classes.map(([name, figures]) =>
    [name, ...kept.map(column => figures[column] ? shown(figures[column].value, data.shares.includes(column) ? '%' : figures[column].unit) : '\u2014')])));
}

// ---- figures, by their kinds ----

// What was drawn of the observations of a metric, in numbers.
const PARTS = [['', 'mean'], ['mean', 'mean'], ['median', 'median'], ['p95', '95th percentile'], ['max', 'maximum']];
function drawn({metric: name, drew, counts}, show) {
  if (!name || !drew) return '';
  const told = PARTS.filter(([part]) => drew[part] != null).map(([part, word]) => `${counts ? 'end' : word} ${show(drew[part])}`);
  return ` ${capital(told.join(', '))} (${name}).`;
}

// A level over time, with a band from the least to the greatest. Where spans would make a solid band of its line, that has a step a day.
function series(figure) {
  const {title, note, name, unit, days} = figure, {least, mean, greatest} = days || figure;
  const n = mean.length, parts = figure.mean.length, length = end - begin, [size, unitName] = unitFor(length);
  if (!n) return section(title, 'Nothing was observed.');
  const from = index => days ? Math.min(length, index * DAY) : index / n * length, middle = index => (from(index) + from(index + 1)) / 2;
  const show = value => unit === '%' ? plain(value) + ' %' : amount(value, unit);
  const high = unit === '%' ? 100 : Math.max(1, ...greatest);
  const line = days ? `The line is the mean of each day, of 24 h from the beginning: the level changes more often than a picture has pixels. The band reaches from the least to the greatest of each of ${parts} spans of time.`
    : 'The line is the mean of each span of time, the band reaches from the least to the greatest.';
  chart({
    title, note: `${note && note + ' '}${line}${drawn(figure, value => unit === '%' ? share(value) : show(value))}`,
    name: () => `${title}: mean, least and greatest ${days ? `of each of ${n} days` : `in ${n} equal spans of ${span(length)}`}`,
    scales: () => ({x: linear(0, length, size), y: linear(0, high), xTitle: `time ${since} [${unitName}]`, yTitle: unit ? `${name} [${unit}]` : name}),
    count: () => n,
    spot: index => [middle(index), mean[index]],
    tell: index => `${span(from(index))} to ${span(from(index + 1))}: mean ${show(mean[index])}, from ${show(least[index])} to ${show(greatest[index])}`,
    paint(layer, X, Y, box) {
      const outline = [...asSteps(figure.greatest, length / parts, length), ...asSteps(figure.least, length / parts, length).reverse()];
      const line = days ? asSteps(mean, DAY, length) : mean.map((value, index) => [middle(index), value]);
      layer.append(svg('path', {class: 'band', d: path(outline, X, Y) + 'Z', fill: colour(0)}),
        svg('path', {d: path(line, X, Y), fill: 'none', stroke: colour(0), 'stroke-width': 1.6}));
      if (data.mark) {
        const x = X(data.mark[0] - begin);
        layer.append(svg('path', {class: 'mark', d: `M${x} ${box.top}V${box.bottom}`}),
          svg('text', {x: x + 4, y: box.top + 12}, data.mark[1]));
      }
    },
    table() {
      const every = Math.max(1, Math.floor(n / 60)), rows = [];
      for (let i = 0; i < n; i += every) {
        const stop = Math.min(n, i + every), part = list => list.slice(i, stop);
        const sum = part(mean).reduce((sum, value, place) => sum + value * (from(i + place + 1) - from(i + place)), 0);
        rows.push([`${span(from(i))} to ${span(from(stop))}`, show(Math.min(...part(least))), show(sum / (from(stop) - from(i))), show(Math.max(...part(greatest)))]);
      }
      return table(title, ['span of time', 'least', 'mean', 'greatest'], rows);
    },
  });
}

// Levels over time, a curve for each.
function seriesBy({title, note, name, unit, curves}) {
  const n = curves[0].mean.length, length = end - begin, [size, unitName] = unitFor(length);
  if (!n) return section(title, 'Nothing was observed.');
  const middle = index => (index + 0.5) / n * length, from = index => index / n * length;
  const show = value => unit === 'B' ? bytes(value) : amount(value, unit);
  const top = Math.max(1, ...curves.flatMap(({greatest}) => greatest));
  const factor = unit === 'B' ? 1000 ** Math.min(PREFIXES.length - 1, Math.floor(Math.log10(top) / 3)) : 1;
  const shownUnit = unit === 'B' ? PREFIXES[Math.round(Math.log10(factor) / 3)] + 'B' : unit;
  chart({
    title, note: `${note && note + ' '}A curve is the mean of each span of time${curves.some(curve => curve.days) ? ', or of each day (24 h from the beginning) where it changes more often than a picture has pixels' : ''}.`,
    name: () => `${title}: ${curves.length} curves of means in ${n} equal spans of ${span(length)}`,
    scales: () => ({x: linear(0, length, size), y: linear(0, top, factor), xTitle: `time ${since} [${unitName}]`, yTitle: shownUnit ? `${name} [${shownUnit}]` : name}),
    count: () => n,
    spot: index => [middle(index), Math.max(...curves.map(({mean}) => mean[index]))],
    tell: index => `${span(from(index))} to ${span(from(index + 1))}: ` + curves.map(curve => `${curve.name} ${show(curve.mean[index])}`).join(', '),
    key: () => keys(curves.map((curve, index) => [sample(index, 'only'), curve.name])),
    paint(layer, X, Y) {
      curves.forEach(({mean, days}, place) => layer.append(svg('path', {d: path(days ? asSteps(days.mean, DAY, length) : mean.map((value, index) => [middle(index), value]), X, Y),
        fill: 'none', stroke: colour(place), 'stroke-width': 1.6, 'stroke-dasharray': dash(place)})));
    },
    table() {
      const every = Math.max(1, Math.floor(n / 60)), rows = [];
      for (let i = 0; i < n; i += every) {
        const stop = Math.min(n, i + every);
        rows.push([`${span(from(i))} to ${span(from(stop))}`, ...curves.map(({greatest}) => show(Math.max(...greatest.slice(i, stop))))]);
      }
      return table(`${title}: the greatest of each span of time`, ['span of time', ...curves.map(curve => curve.name)], rows);
    },
  });
}

// Values of one series at a time, a curve for each column, over the whole run or a part of it.
const VIEWS = [['the whole run', Infinity], ['a day', 86400], ['two hours', 7200], ['ten minutes', 600]];
function values({title, note, what, names, count, series}) {
  let shown = series[0], view = Infinity, first = 0;
  const at = index => shown.at[index] / 1000, last = () => at(shown.at.length - 1);
  const upTo = () => Math.min(first + view, Math.max(last(), first + 1e-3));
  const inView = () => shown.at.map((_, index) => index).filter(index => at(index) >= first && at(index) <= upTo());
  const id = 'values-' + title.toLowerCase().replace(/[^a-z]+/g, '-');
  const select = (name, label, options, act) => {
    const node = el('select', {id: id + name}, ...options.map((option, index) => el('option', {value: index}, option)));
    node.addEventListener('change', () => { act(Number(node.value)); made.draw(); });
    return [el('label', {for: id + name}, label), node];
  };
  const views = VIEWS.filter(([, length]) => length === Infinity || series.some(one => one.at[one.at.length - 1] > length * 1000));
  const slider = el('input', {id: id + 'from', type: 'range', min: 0, max: 1000, value: 0, 'aria-label': `${title}: from when`});
  const move = () => { const room = Math.max(0, last() - view); first = view === Infinity ? 0 : room * slider.value / 1000; slider.hidden = view === Infinity; };
  slider.addEventListener('input', () => { move(); made.draw(); });
  const controls = el('div', {class: 'bar'},
    ...select('series', 'Series', series.map(one => one.name), index => { shown = series[index]; move(); }),
    ...select('view', 'View', views.map(([name]) => name), index => { view = views[index][1]; move(); }), slider);
  move();
  const length = () => upTo() - first, thinned = () => shown.at.length < shown.of ? ` Of its ${plain(shown.of)} ${what} every ${plain(Math.round(shown.of / shown.at.length))}th is drawn.` : '';
  const others = count > series.length ? ` These are the first ${series.length} of ${plain(count)} series.` : '';
  const told = names.map((_, column) => column).filter(column => series.some(one => one.values[column].some(value => value != null)));
  const made = chart({
    title, controls, note: note + others,
    name: () => `${title}: ${shown.name}, ${told.map(column => names[column]).join(', ')}, from ${span(first)} to ${span(upTo())}.${thinned()}`,
    scales: () => {
      const [size, unitName] = unitFor(length()), points = inView();
      const top = Math.max(1e-9, ...told.flatMap(column => points.map(index => shown.values[column][index] || 0)));
      return {x: linear(first, upTo(), size), y: linear(0, top), xTitle: `time ${since} [${unitName}]`, yTitle: shown.name};
    },
    count: () => inView().length,
    spot: place => { const index = inView()[place]; return [at(index), shown.values[told[0]][index] || 0]; },
    tell: place => { const index = inView()[place]; return `${span(at(index))}: ` + told.map(column => `${names[column]} ${plain(shown.values[column][index])}`).join(', '); },
    key: () => keys(told.map((column, place) => [sample(place, 'only'), names[column]])),
    paint(layer, X, Y) {
      const points = inView();
      told.forEach((column, place) => {
        // a value that is not there is a gap
        const parts = [[]];
        for (const index of points) {
          if (shown.values[column][index] == null) parts.push([]);
          else parts[parts.length - 1].push([at(index), shown.values[column][index]]);
        }
        layer.append(svg('path', {d: parts.map(part => path(part, X, Y)).join(''), fill: 'none', stroke: colour(place), 'stroke-width': 1.4, 'stroke-dasharray': dash(place)}));
      });
    },
    table() {
      const points = inView(), every = Math.max(1, Math.ceil(points.length / 200));
      return table(`${title}: ${shown.name}`, ['time', ...told.map(column => names[column])],
        points.filter((_, place) => place % every === 0).map(index => [span(at(index)), ...told.map(column => plain(shown.values[column][index]))]));
    },
  });
}

function distribution(figure) {
  const {title, note, what, label, unit, count, curve} = figure, show = unit === 's' ? span : plain;
  shares({title, curve, what, xTitle: unit ? `${label} [${unit}]` : label, show,
    note: below => `${note} Of ${plain(count)} ${what}.${drawn(figure, show)}` + (below > 0 ? ` ${share(below)} are less than the axis begins with.` : '')});
}

function heat({title, note, what, across, down, sizes, times, cells}) {
  const node = section(title, `${note} Columns are ${across}, rows ${down}; a cell shows the mean of its ${what} and how many they are. ` +
    'Darker (in the dark: lighter) is more; each of the five shades stands for a fifth of the cells.');
  if (!sizes.length) { node.append(el('p', {}, 'Nothing was observed.')); return; }
  // five shades, each for a fifth of the cells: a few large values do not make all others look alike
  const values = cells.flat().filter(cell => cell).map(cell => cell[0]);
  const head = el('tr', {}, el('th', {scope: 'col'}, down), ...sizes.map(size => el('th', {scope: 'col'}, size)));
  const body = times.map((time, row) => el('tr', {}, el('th', {scope: 'row'}, time), ...cells[row].map(cell => {
    if (!cell) return el('td', {class: 'none'}, '\u2014');
    const step = Math.floor(values.filter(value => value < cell[0]).length / values.length * 5);
    return el('td', {style: `background:var(--w${step});color:var(--on${step})`}, span(cell[0]), el('small', {}, plain(cell[1]) + ' ' + what));
  })));
  node.append(scrolled(title, true,
    el('table', {class: 'heat'}, el('caption', {}, `${title}; columns: ${across}`), el('thead', {}, head), el('tbody', {}, ...body))));
}

// A mark a group: how many rows it has, and their mean.
function groups({title, note, what, by, value, rows}) {
  if (!rows.length) return section(title, `No ${by} is known, so there is nothing to compare.`);
  const most = Math.max(10, rows[0][1]), worst = Math.max(10, ...rows.map(row => row[2]));
  const order = rows.map((_, index) => index).sort((a, b) => rows[a][1] - rows[b][1] || rows[a][2] - rows[b][2]);
  chart({
    title, note: `A mark is a ${by}: how many ${what}, and their mean ${value}. ${note}`,
    name: () => `Mean ${value} of ${rows.length} groups against their number of ${what}, both axes logarithmic`,
    line: false,
    scales: () => ({x: log(1, most), y: log(1, worst), xTitle: `${what} of the ${by}`, yTitle: `mean ${value}`}),
    count: () => rows.length,
    spot: index => [rows[order[index]][1], rows[order[index]][2]],
    tell: index => { const [group, count, mean] = rows[order[index]]; return `${capital(by)} ${group}: ${plain(count)} ${what}, mean ${value} ${plain(mean)}`; },
    paint(layer, X, Y) {
      for (const [, count, mean] of rows) layer.append(svg('circle', {cx: X(count), cy: Y(mean), r: 4, fill: colour(0), 'fill-opacity': 0.45, stroke: colour(0)}));
    },
    table: () => table(`By number of ${what}`, [by, what, `mean ${value}`], rows.map(([group, count, mean]) => [String(group), plain(count), plain(mean)])),
  });
}

// Shares that add up to 1: of the run, and of each class.
function stacked({title, note, label, parts, bars}) {
  profileBars({title, note, label, parts: parts.map(([name], place) => ACTIVITIES.find(known => known[0] === name) || [name, name, place % 8, '']),
    bars: bars.map(({label, shares}) => ({label, share: name => shares[parts.findIndex(part => part[0] === name)], whole: label === 'all' ? 'the whole' : 'its part'}))});
}

function lanes({title, note, packed, one, lanes, band}) {
  const hatched = packed.behind.length ? ` Hatched below them: ${packed.behind.join(', ')}.` : '';
  timeline(packed, {title, note: note + hatched, one, what: one + 's', lanes, laneTitle: lanes, from: begin, to: end, since, band});
}

function listing({title, note, what, columns, rows, of, table: file, 'by-value': byValue}) {
  const part = rows.length === of ? '' : byValue ? ` The ${plain(rows.length)} ${what} with the most; there are ${plain(of - rows.length)} others.`
    : ` The first ${plain(rows.length)} ${what}; ${plain(of - rows.length)} others are in ${file}.csv.`;
  const node = section(title, (note + part).trim());
  const textual = columns.map((_, column) => column).filter(column => rows.some(row => typeof row[column] === 'string'));
  node.append(table(title, columns.map(([label]) => label), rows.map(row => row.map((value, column) => shown(value, columns[column][1]))), textual));
}

function picture({title, note, svg: drawn, alt}) {
  const image = el('img', {alt, style: 'max-width:100%;height:auto'});
  image.setAttribute('src', 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(drawn));
  section(title, note).append(image);
}

headline();
missing();
const KINDS = {series, 'series-by': seriesBy, values, distribution, heat, groups, shares: stacked, lanes, rows: listing, picture};
for (const figure of data.figures) KINDS[figure.kind](figure);
byClass();
const written = el('details', {}, el('summary', {}, 'scenario.resolved.toml'), el('pre', {tabindex: 0}, data.scenario));
section('Scenario', 'With every default filled in.').append(written);
// on paper nothing can be opened
let closed = false;
addEventListener('beforeprint', () => { closed = !written.open; written.open = true; });
addEventListener('afterprint', () => { written.open = !closed; });
Object.assign(document.body.dataset, {drawn: 'run', system: data.system});
