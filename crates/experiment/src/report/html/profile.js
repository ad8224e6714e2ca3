// Where the time of processors went: stacked bars, a bar a run or a class, that a run's page and a study's share.
// Useful work is plain, what is lost is hatched, and where nothing was done there is only an outline: distinguished without colours.
const ACTIVITIES = [
  ['compute', 'computing', 2, ''], ['message-overhead', 'message overheads', 0, ''], ['spin', 'spinning', 1, 'rising'],
  ['switch', 'context switches', 3, 'falling'], ['interrupt', 'interrupts', 4, 'dots'], ['scheduler', 'scheduler', 6, 'level'],
  ['daemon', 'daemons', 7, 'upright'], ['paging', 'paging', 5, 'crossed'], ['io-wait', 'waiting for I/O', -1, 'sparse'], ['idle', 'idle', -1, ''],
];
const HATCHES = {
  rising: [7, 'M-1 8L8 -1M-1 1L1 -1M6 8L8 6'], falling: [7, 'M-1 -1L8 8M-1 6L1 8M6 -1L8 1'], level: [5, 'M0 2.5H5'], upright: [5, 'M2.5 0V5'],
  crossed: [7, 'M0 3.5H7M3.5 0V7'], dots: [6, 'M2 2h2v2h-2z'], sparse: [9, 'M-1 10L10 -1M-1 1L1 -1M8 10L10 8'],
};
const tone = number => number < 0 ? 'var(--quiet)' : colour(number);
// The patterns of a picture; their names are the picture's own.
function hatches(prefix, parts) {
  return svg('defs', {}, ...parts.filter(([, , , hatch]) => hatch).map(([name, , number, hatch]) => {
    const [size, lines] = HATCHES[hatch];
    return svg('pattern', {id: `${prefix}-${name}`, width: size, height: size, patternUnits: 'userSpaceOnUse'},
      svg('rect', {width: size, height: size, fill: number < 0 ? 'var(--paper)' : tone(number), 'fill-opacity': number < 0 ? 1 : 0.35}),
      svg('path', {d: lines, stroke: tone(number), 'stroke-width': 1.6, fill: hatch === 'dots' ? tone(number) : 'none'}));
  }));
}
const filling = (prefix, [name, , number, hatch]) => hatch ? `url(#${prefix}-${name})` : number < 0 ? 'var(--paper)' : tone(number);

// label: what shares are of, parts: those that there are; bars: [{label, share: activity -> share or null, whole: what the shares are of}]
function profileBars(o) {
  const parts = o.parts || ACTIVITIES;
  const prefix = o.title.toLowerCase().replace(/[^a-z]+/g, '-');
  const shares = bar => parts.map(([name]) => bar.share(name) || 0);
  const used = parts.map((_, place) => place).filter(place => o.bars.some(bar => shares(bar)[place] > 0));
  if (!used.length) { section(o.title, 'Nothing was observed.'); return; }
  const segments = o.bars.flatMap((bar, row) => {
    let from = 0;
    return shares(bar).map((share, place) => { const one = {bar, row, place, share, from}; from += share; return one; }).filter(one => one.share > 0);
  });
  const percent = share => plain(share * 100) + ' %';
  let wideNow = 640;
  const narrow = () => wideNow < 560;
  const room = () => narrow() ? 10 : Math.min(Math.round(wideNow * 0.3), 20 + 7 * Math.max(...o.bars.map(bar => bar.label.length)));
  const short = label => {
    const most = Math.max(6, Math.floor((narrow() ? wideNow - 20 : room() - 16) / 6.8));
    return label.length > most ? label.slice(0, most - 1) + '\u2026' : label;
  };
  const each = () => narrow() ? 54 : 36;
  chart({
    title: o.title, note: o.note,
    name: () => `${o.title}: ${o.bars.length} stacked ${o.bars.length === 1 ? 'bar' : 'bars'} of shares by activity`,
    line: false,
    left: () => room(),
    tall: wide => { wideNow = wide; return 74 + each() * o.bars.length; },
    scales: () => ({
      x: linear(0, 100),
      y: {at: row => 1 - (row + (narrow() ? 0.65 : 0.5)) / o.bars.length, ticks: () => o.bars.map((bar, row) => [row, narrow() ? '' : short(bar.label)])},
      xTitle: `${o.label || 'share of processor time'} [%]`, yTitle: '',
    }),
    count: () => segments.length,
    spot: index => { const {from, share, row} = segments[index]; return [(from + share / 2) * 100, row]; },
    tell: index => { const {bar, place, share} = segments[index]; return `${bar.label}: ${parts[place][1]} ${percent(share)} of ${bar.whole}`; },
    key: () => keys(used.map(place => [svg('svg', {viewBox: '0 0 26 14', 'aria-hidden': 'true'},
      svg('rect', {x: 1, y: 1, width: 24, height: 12, fill: filling(prefix, parts[place]), stroke: tone(parts[place][2])})), parts[place][1]])),
    paint(layer, X, Y) {
      const tall = 24;
      layer.append(hatches(prefix, parts));
      o.bars.forEach((bar, row) => { if (narrow()) layer.append(svg('text', {class: 'quiet', x: X(0) + 4, y: Y(row) - tall / 2 - 5}, short(bar.label))); });
      for (const {row, place, share, from} of segments) {
        const x = X(from * 100), wide = X((from + share) * 100) - x;
        layer.append(svg('rect', {class: 'part', x, y: Y(row) - tall / 2, width: Math.max(wide, 0.5), height: tall, fill: filling(prefix, parts[place]), stroke: tone(parts[place][2])}));
        const text = plain(Math.round(share * 1000) / 10) + ' %';
        if (wide > 10 + 7 * text.length) layer.append(svg('text', {class: 'inside', x: x + wide / 2, y: Y(row) + 4, 'text-anchor': 'middle'}, text));
      }
    },
    table: () => table(o.title, ['', ...used.map(place => parts[place][1])], o.bars.map(bar => [bar.label, ...used.map(place => percent(shares(bar)[place]))])),
  });
}
