// The share of rows whose value is at most so much, on a logarithmic axis.
const share = value => value == null ? '\u2014' : plain(value * 100) + ' %';
// o: title, curve, what (the rows), xTitle, show, note, floor (the least value there is), low (the least that is distinguished)
function shares(o) {
  const {curve} = o, positive = curve.x.filter(x => x > 0), n = curve.x.length, greatest = curve.x[n - 1] || 1;
  const low = o.floor || 10 ** Math.floor(Math.log10(Math.max(o.low || greatest / 1e9, positive[0] || 1)) + 1e-9), high = Math.max(low * 10, greatest);
  const below = n ? curve.share[curve.x.filter(x => x < low).length - 1] || 0 : 0;
  return chart({
    title: o.title, note: o.note(below),
    name: () => `${o.title}, on a logarithmic axis`,
    scales: () => ({x: log(low, high), y: linear(0, 100), xTitle: o.xTitle, yTitle: `share of the ${o.what} at or below [%]`}),
    count: () => n,
    spot: index => [Math.max(low, curve.x[index]), curve.share[index] * 100],
    tell: index => `${plain(curve.share[index] * 100)} % of the ${o.what}: at most ${o.show(curve.x[index])}`,
    paint(layer, X, Y) {
      const points = [];
      let height = 0;
      curve.x.forEach((x, index) => { points.push([Math.max(low, x), height]); height = curve.share[index] * 100; points.push([Math.max(low, x), height]); });
      layer.append(svg('path', {d: path(points, X, Y), fill: 'none', stroke: colour(0), 'stroke-width': 2}));
    },
    table() {
      const rows = [1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100].map(percent => {
        const index = curve.share.findIndex(part => part * 100 >= percent - 1e-9);
        return [`${percent} %`, n ? o.show(curve.x[index < 0 ? n - 1 : index]) : '\u2014'];
      });
      return table(o.title, [`share of the ${o.what}`, 'at most'], rows);
    },
  });
}
