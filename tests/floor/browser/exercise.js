// Put behind the page's own script by the test: uses the page as a reader would and notes what comes of it.
(async () => {
  const notes = [];
  const check = (name, holds) => { if (!holds) notes.push(name); };
  const frame = () => new Promise(done => setTimeout(done, 60));
  const key = (node, key, more) => node.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, ...more}));
  try {
    const pictures = [...document.querySelectorAll('svg.picture')];
    // flows alone are a timeline and a table
    check('there are charts', pictures.length + document.querySelectorAll('canvas').length >= (document.body.dataset.system === 'agents' ? 1 : 2));
    for (const picture of pictures) {
      const title = picture.closest('section').querySelector('h2').textContent, label = picture.getAttribute('aria-label');
      check(`${title}: a name`, label && label.length > 20);
      check(`${title}: can be focused`, picture.tabIndex === 0);
      check(`${title}: numbers are numbers`, !/NaN|Infinity|undefined/.test(picture.outerHTML));
      picture.focus();
      check(`${title}: takes the focus`, document.activeElement === picture);
      const readout = picture.closest('section').querySelector('output');
      key(picture, 'ArrowRight');
      check(`${title}: tells its points`, readout.textContent.length > 5 && !/NaN|undefined/.test(readout.textContent));
      const first = readout.textContent;
      key(picture, 'End');
      // a bar of one part has one point
      const only = /stacked bar/.test(label) && picture.closest('section').querySelectorAll('.keys li').length === 1;
      check(`${title}: moves on`, only || readout.textContent !== first);
      const details = picture.closest('section').querySelector('details');
      // one stacked bar has a table of one row
      const bars = /stacked bars?/.test(label);
      details.open = true;
      await frame();
      check(`${title}: a table`, details.querySelectorAll('tbody tr').length > (bars ? 0 : 1) && !/NaN|undefined/.test(details.textContent));
      details.open = false;
    }
    const canvas = document.querySelector('canvas');
    if (canvas) {
      const section = canvas.closest('section'), readout = section.querySelector('output');
      const ofJobs = section.querySelector('h2').textContent === 'Jobs on processors';
      canvas.focus();
      key(canvas, 'ArrowRight');
      const says = ofJobs ? /^Job \d+: .+, from .+ to .+, for .+; wait .+; submitted .+; estimate .+; processors \d/ : /^.+: .+, from .+ to .+, for ./;
      check('Gantt: tells a span: ' + readout.textContent, says.test(readout.textContent) && !/NaN|undefined/.test(readout.textContent));
      const job = readout.textContent, whole = canvas.getAttribute('aria-label');
      key(canvas, 'ArrowRight');
      check('Gantt: tells the next span', readout.textContent !== job);
      key(canvas, '+');
      await frame();
      const zoomed = canvas.getAttribute('aria-label');
      check('Gantt: + zooms', zoomed !== whole);
      key(canvas, '0');
      await frame();
      check('Gantt: 0 shows all', canvas.getAttribute('aria-label') === whole);
      const box = canvas.getBoundingClientRect();
      const point = {clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, bubbles: true, cancelable: true};
      canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -300, ctrlKey: true, ...point}));
      await frame();
      check('Gantt: the wheel zooms', canvas.getAttribute('aria-label') !== whole);
      section.querySelector('button[aria-label="Show the whole run"]').click();
      await frame();
      check('Gantt: the button shows all', canvas.getAttribute('aria-label') === whole);
      const begun = performance.now();
      for (let turn = 0; turn < 10; turn++) { key(canvas, turn % 2 ? '-' : '+'); dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint')); }
      document.body.dataset.paint = ((performance.now() - begun) / 20).toFixed(1);
      const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const colours = new Set();
      for (let i = 0; i < pixels.length; i += 4) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
      check('Gantt: bars of many colours', colours.size > (ofJobs ? 8 : 3));
      const by = section.querySelector('select'), before = canvas.toDataURL();
      by.selectedIndex = by.options.length - 1;
      by.dispatchEvent(new Event('change'));
      await frame();
      dispatchEvent(new Event('beforeprint'));
      check('Gantt: another colouring', by.options.length < 2 || canvas.toDataURL() !== before);
      const arrows = section.querySelector('input[type=checkbox]');
      if (arrows) {
        const without = canvas.toDataURL();
        arrows.checked = true;
        arrows.dispatchEvent(new Event('change'));
        dispatchEvent(new Event('beforeprint'));
        check('Gantt: arrows', canvas.toDataURL() !== without);
      }
      const found = section.querySelector('input:not([type])');
      found.value = section.querySelector('output').textContent.split(':')[0].replace(/^(Job|Task|Forecaster) /, '').split(',')[0];
      found.dispatchEvent(new Event('change'));
      check('Gantt: finds a span', !/ is drawn/.test(readout.textContent));
      const details = section.querySelector('details');
      details.open = true;
      await frame();
      check('Gantt: a table', details.querySelectorAll('tbody tr').length > 1 && !/NaN|undefined/.test(details.textContent));
      details.open = false;
    }
    for (const section of document.querySelectorAll('section')) {
      const picture = section.querySelector('svg.picture'), selects = [...section.querySelectorAll('select[id^=values-]')];
      const label = () => picture.getAttribute('aria-label');
      for (const select of selects.filter(select => select.options.length > 1)) {
        const before = label();
        select.selectedIndex = select.options.length - 1;
        select.dispatchEvent(new Event('change'));
        check(`Values: another ${select.id}`, label() !== before);
      }
      const slider = section.querySelector('input[type=range]');
      if (slider && !slider.hidden) {
        const before = label();
        slider.value = 500;
        slider.dispatchEvent(new Event('input'));
        check('Values: a later part', label() !== before);
      }
      if (selects.length) {
        key(picture, 'ArrowRight');
        check('Values: tells a point', /measured/.test(section.querySelector('output').textContent) && !/NaN|undefined/.test(section.textContent));
      }
    }
    if (document.body.dataset.drawn === 'compared-runs') {
      // many charts are painted one after the other
      const until = async holds => { for (let turn = 0; turn < 40 && !holds(); turn++) await frame(); return holds(); };
      const canvases = [...document.querySelectorAll('canvas')], labels = () => [...canvases, ...pictures].map(node => node.getAttribute('aria-label'));
      const whole = labels(), moved = () => labels().every((label, place) => label !== whole[place]), back = () => labels().join() === whole.join();
      key(canvases[0], '+');
      check('Runs: a Gantt chart zooms all', await until(moved));
      key(pictures[0], '0');
      check('Runs: a curve shows all again', await until(back));
      document.querySelector('.held button[aria-label="Zoom in on time"]').click();
      check('Runs: the button zooms all', await until(moved));
      document.querySelector('.held button[aria-label="Show the whole time"]').click();
      check('Runs: the button shows all', await until(back));
      const told = () => canvases.map(canvas => canvas.closest('section').querySelector('output').textContent.split(':')[0]);
      key(canvases[1], 'ArrowRight');
      check('Runs: what is looked at is told of each: ' + told(), new Set(told()).size === 1);
      const legend = document.querySelector('.legend'), lines = () => pictures[0].querySelectorAll('svg svg path:not(.mark)').length, before = lines();
      legend.click();
      check('Runs: the legend hides a run', lines() === before - 1 && legend.getAttribute('aria-pressed') === 'false');
      legend.click();
      check('Runs: and shows it', lines() === before && legend.getAttribute('aria-pressed') === 'true');
      const show = document.querySelector('button[aria-label^="Show the first difference"]');
      show.click();
      check('Runs: the first difference is shown', await until(moved));
      document.querySelector('.held button[aria-label="Show the whole time"]').click();
      await until(back);
    }
    if (document.body.dataset.drawn === 'study') {
      const data = JSON.parse(document.getElementById('data').textContent);
      const select = document.querySelector('#metric');
      const before = document.querySelector('svg.picture').getAttribute('aria-label');
      select.selectedIndex = select.selectedIndex === 1 ? 2 : 1;
      select.dispatchEvent(new Event('change'));
      check('Study: another metric is drawn', document.querySelector('svg.picture').getAttribute('aria-label') !== before);
      check('Study: intervals', document.querySelectorAll('path.interval').length > 2);
      const [curves, changes] = document.querySelectorAll('svg.picture');
      const sectionOf = node => node.closest('section');
      const picked = sectionOf(curves).querySelector('#scale-y');
      check('Study: a linear axis where values span less than two decades', picked.value === 'linear' && !picked.hidden);
      const marks = () => [...curves.querySelectorAll('circle, polygon')].length;
      picked.value = 'log';
      picked.dispatchEvent(new Event('change'));
      check('Study: a logarithmic axis', /logarithmic/.test(curves.getAttribute('aria-label')) && !/NaN|Infinity/.test(curves.outerHTML));
      const entry = sectionOf(curves).querySelector('.keys button'), many = marks();
      entry.focus();
      entry.click();
      check('Study: the key hides a series', marks() < many && entry.getAttribute('aria-pressed') === 'false' && document.activeElement === entry);
      entry.click();
      check('Study: the key shows it again', marks() === many && entry.getAttribute('aria-pressed') === 'true');
      check('Study: saturated points are hollow', curves.querySelectorAll('[fill="var(--paper)"]').length === 1 && /Hollow marks: saturated/.test(sectionOf(curves).textContent));
      select.selectedIndex = 0;
      select.dispatchEvent(new Event('change'));
      // the forest plot reads out the figures that stand in the matrix
      const told = [], readout = sectionOf(changes).querySelector('output');
      key(changes, 'Home');
      for (let turn = 0; turn < 20; turn++) { if (!told.includes(readout.textContent)) told.push(readout.textContent); key(changes, 'ArrowRight'); }
      const first = data.findings.matrices[0], cells = first.rows.slice(1).flatMap(row => row.cells.map((cell, at) => [row.label, first.columns[at].split(' ')[1], cell]));
      check('Study: as many changes as cells', told.length === cells.length);
      for (const [setting, level, cell] of cells) {
        const line = told.find(text => text.startsWith(`${setting} at workload.load = ${level}: `));
        check(`Study: the change of point ${cell.point}: ${line}`, line && Math.abs(parseFloat(line.split(': ')[1]) - parseFloat(cell.figure)) <= 0.051 && line.includes(cell.verdict));
      }
      const sorted = [...document.querySelectorAll('.sortable')].find(one => /half-width of the interval/.test(one.textContent));
      const column = [...sorted.querySelectorAll('thead th')].findIndex(one => one.textContent.startsWith('wait-time.mean ['));
      const order = () => [...sorted.querySelectorAll('tbody tr')].map(row => data.points[row.cells[0].textContent].metrics['wait-time.mean'].mean);
      const head = sorted.querySelectorAll('thead th')[column], rises = list => list.every((value, i) => i === 0 || list[i - 1] <= value);
      check('Study: every point has a row', order().length === data.points.length && !rises(order()));
      head.querySelector('button').click();
      check('Study: a head sorts', rises(order()) && head.getAttribute('aria-sort') === 'ascending');
      head.querySelector('button').click();
      check('Study: and the other way round', rises(order().reverse()) && head.getAttribute('aria-sort') === 'descending');
      check('Study: warnings', document.body.textContent.includes('saturated'));
      check('Study: failures', document.body.textContent.includes('--replication 3'));
    }
    // as wide as a phone
    document.documentElement.style.width = '330px';
    document.body.style.width = '330px';
    await frame();
    await frame();
    for (const node of document.querySelectorAll('header, section, figure, svg.picture, canvas, .bar > *')) {
      check(`narrow: ${node.tagName} ${node.id} fits`, node.getBoundingClientRect().right <= 331);
    }
    document.documentElement.style.width = document.body.style.width = '';
    check('nothing was loaded', performance.getEntriesByType('resource').length === 0);
  } catch (error) {
    notes.push(String(error.stack));
  }
  document.body.dataset.wrong = JSON.stringify(notes);
  document.body.dataset.done = 'yes';
})();
