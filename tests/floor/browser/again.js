// Put behind the script of the page of a study that runs: chooses as a reader would, reads the page again, and notes what was lost.
(async () => {
  const frame = () => new Promise(done => setTimeout(done, 60));
  const pick = id => document.getElementById(id);
  const points = () => [...document.querySelectorAll('section table')].find(table => table.querySelector('th button'));
  const entry = () => document.querySelector('.keys button');
  const table = () => document.querySelector('details.table');
  const state = () => JSON.stringify([
    pick('metric').value, pick('scale-y').value, pick('scale-x').value, entry().getAttribute('aria-pressed'), table().open,
    [...points().querySelectorAll('th[aria-sort]')].map(head => [head.textContent, head.getAttribute('aria-sort')]), points().querySelector('tbody').textContent,
  ]);
  const choose = (id, value) => { pick(id).value = value; pick(id).dispatchEvent(new Event('change')); };
  await frame();
  if (!sessionStorage.getItem('before')) {
    const untouched = state();
    choose('metric', pick('metric').options[1].value);
    choose('scale-y', 'log');
    choose('scale-x', 'log');
    entry().click();
    table().open = true;
    const heads = points().querySelectorAll('th button');
    heads[heads.length - 1].click();
    heads[heads.length - 1].click();
    await frame();
    sessionStorage.setItem('before', JSON.stringify([untouched, state()]));
    location.reload();
    return;
  }
  const [untouched, before] = JSON.parse(sessionStorage.getItem('before'));
  document.body.dataset.wrong = untouched !== before && before === state() ? 'nothing' : state();
  document.body.dataset.done = 'yes';
  // it is not read again: the browser waits for the end of all that it is told to do
  for (let timer = setTimeout(() => {}, 0); timer > 0; timer--) clearTimeout(timer);
})();
