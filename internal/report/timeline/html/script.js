'use strict';
// All that this page shows is in it already. The script lays out one entry at a
// time, which keeps a page with many of them quick, and moves about in it.
(() => {
  const root = document.documentElement;
  const main = document.getElementById('main');
  const list = document.getElementById('list');
  const find = document.getElementById('find');
  const detail = document.getElementById('detail');
  const links = [...list.querySelectorAll('a')];
  let current = null;
  root.classList.add('js');

  // A browser with scripts keeps what is in noscript as text: it costs nothing
  // until it is looked at.
  function layOut(section) {
    const hidden = section.querySelector(':scope > noscript');
    if (!hidden) return;
    const template = document.createElement('template');
    template.innerHTML = hidden.textContent;
    hidden.replaceWith(template.content);
    for (const mark of section.querySelectorAll('.mark')) mark.setAttribute('tabindex', '-1');
    section.querySelector('.mark')?.setAttribute('tabindex', '0');
  }

  function show(section) {
    layOut(section);
    if (section === current) return;
    pick(null);
    current?.classList.remove('current');
    section.classList.add('current');
    current = section;
    main.scrollTop = 0;
    for (const link of links) {
      const chosen = link.hash === '#' + section.id;
      link.toggleAttribute('aria-current', chosen);
      if (chosen) link.scrollIntoView({ block: 'nearest' });
    }
  }

  // An address is #s3 or #name=claim for a scenario, #s3-e17 for an event in it, #s3-p2 for a step.
  function go() {
    const id = decodeURIComponent(location.hash.slice(1));
    const first = list.querySelector('a[data-first]');
    const named = id.startsWith('name=') ? document.getElementById(id)?.closest('section') : null;
    const section = named || document.getElementById(id.split('-')[0] || (first ? first.hash.slice(1) : ''));
    if (!section || section.parentElement !== main) {
      if (!current && first) show(document.getElementById(first.hash.slice(1)));
      return;
    }
    show(section);
    if (!named && id.includes('-')) reveal(id);
  }

  function reveal(id) {
    const target = document.getElementById(id);
    if (!target) return;
    pick(null);
    const row = target.closest('.row');
    const kind = [...row.classList].find(name => current.querySelector('.on-' + name));
    if (kind) current.querySelector('.on-' + kind).checked = true;
    if (row.tagName === 'DETAILS') row.open = true;
    row.classList.remove('no');
    row.classList.add('chosen');
    current.querySelector('.mark[href="#' + CSS.escape(id) + '"]')?.classList.add('chosen');
    row.scrollIntoView({ block: 'center' });
    (row.querySelector('summary') || row).focus({ preventScroll: true });
  }

  // pick shows what a mark stands for below the picture, which stays in view.
  function pick(mark) {
    for (const old of current?.querySelectorAll('.chosen') ?? []) old.classList.remove('chosen');
    detail.hidden = !mark;
    if (!mark) return;
    const address = mark.getAttribute('href');
    const row = document.getElementById(address.slice(1))?.closest('.row')?.cloneNode(true);
    if (!row) return;
    mark.classList.add('chosen');
    row.removeAttribute('class');
    row.classList.add('row');
    if (row.tagName === 'DETAILS') row.open = true;
    for (const element of [row, ...row.querySelectorAll('[id]')]) element.removeAttribute('id');
    document.getElementById('detail-row').replaceChildren(row);
    document.getElementById('detail-link').setAttribute('href', address);
    detail.scrollTop = 0;
    history.replaceState(null, '', address);
  }

  function filterScenarios() {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const item of list.children) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every(word => text.includes(word));
      if (!item.hidden) left++;
    }
    document.getElementById('none').hidden = left > 0;
  }

  function filterEvents(input) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of input.closest('.view').querySelectorAll('.row')) {
      const text = words.length ? row.textContent.toLowerCase() : '';
      row.classList.toggle('no', !words.every(word => text.includes(word)));
    }
  }

  function order(slowestFirst) {
    const number = item => Number(item.dataset.order.slice(1));
    const share = item => parseFloat(item.querySelector('.share rect').getAttribute('width'));
    const items = [...list.children];
    items.sort((a, b) => slowestFirst ? share(b) - share(a) : number(a) - number(b));
    list.append(...items);
  }

  function zoom(view, factor) {
    const plot = view.querySelector('.plot');
    if (!plot) return;
    const scroll = plot.parentElement;
    const middle = (scroll.scrollLeft + scroll.clientWidth / 2) / scroll.scrollWidth;
    const times = factor ? Math.min(64, Math.max(1, (Number(plot.dataset.times) || 1) * factor)) : 1;
    plot.dataset.times = times;
    plot.style.width = times * 100 + '%';
    scroll.scrollLeft = middle * scroll.scrollWidth - scroll.clientWidth / 2;
  }

  // The marks of a picture are one stop of the Tab key; arrows go from one to the next.
  function walk(mark, key) {
    const lanes = [...current.querySelectorAll('.plot > g')].map(g => [...g.querySelectorAll('.mark')].filter(visible)).filter(l => l.length);
    const lane = lanes.findIndex(l => l.includes(mark));
    const left = m => m.getBoundingClientRect().left;
    let next = null;
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const inOrder = [...lanes[lane]].sort((a, b) => left(a) - left(b));
      next = inOrder[inOrder.indexOf(mark) + (key === 'ArrowRight' ? 1 : -1)];
    } else {
      const other = lanes[lane + (key === 'ArrowDown' ? 1 : -1)];
      next = other?.reduce((a, b) => Math.abs(left(b) - left(mark)) < Math.abs(left(a) - left(mark)) ? b : a);
    }
    if (!next) return;
    mark.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
    if (!detail.hidden) pick(next);
  }

  // A page from a file may have no clipboard: then the command is selected, to be copied by key.
  async function copy(button) {
    const command = button.parentElement.querySelector('code');
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(command);
      button.textContent = 'Selected';
    }
  }

  const visible = element => getComputedStyle(element).display !== 'none';

  function step(by) {
    const shown = links.filter(link => link.offsetParent !== null);
    shown.sort((a, b) => a.compareDocumentPosition(b) & 4 ? -1 : 1);
    const next = shown[shown.findIndex(link => link.hasAttribute('aria-current')) + by];
    if (next) { next.click(); next.focus(); }
  }

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches('input[type=search]');
    if (event.key === 'Escape' && typing) { event.target.value = ''; event.target.dispatchEvent(new Event('input', { bubbles: true })); event.target.blur(); return; }
    if (typing) return;
    if (event.key === 'Escape') pick(null);
    const mark = event.target.closest('.mark');
    if (mark && event.key.startsWith('Arrow')) { walk(mark, event.key); event.preventDefault(); return; }
    const keys = {
      '/': () => find.focus(), j: () => step(1), k: () => step(-1),
      '+': () => zoom(current, 2), '-': () => zoom(current, 0.5), 0: () => zoom(current, 0),
    };
    if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
  });
  document.addEventListener('input', event => {
    if (event.target === find) filterScenarios();
    if (event.target.matches('.grep')) filterEvents(event.target);
    if (event.target.id === 'slowest') order(event.target.checked);
  });
  document.addEventListener('click', event => {
    const button = event.target.closest('button[data-zoom]');
    if (button) zoom(button.closest('.view'), Number(button.dataset.zoom));
    if (event.target.closest('#detail-close')) pick(null);
    if (event.target.matches('.copy')) copy(event.target);
    const mark = event.target.closest('.mark');
    if (mark && !event.ctrlKey && !event.metaKey) { pick(mark); event.preventDefault(); return; }
    const link = event.target.closest('a[href^="#s"]');
    if (link && link.hash === location.hash) go();
  });
  addEventListener('hashchange', go);
  go();
})();
