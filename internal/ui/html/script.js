'use strict';
// The page draws only what is in view: the objects around the scroll position, and one window of the
// timeline, which the server draws as a report does.
(() => {
  const $ = id => document.getElementById(id);
  const make = (tag, text, name) => { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; if (name) e.className = name; return e; };
  const counted = (n, what) => n === 1 ? '1 ' + what : n + ' ' + what + 's';
  const query = fields => new URLSearchParams(Object.entries(fields).filter(([, value]) => value)).toString();
  async function ask(path, options) {
    const response = await fetch(path, options);
    const text = await response.text();
    let answer = {};
    try { answer = text ? JSON.parse(text) : {}; } catch { answer = { error: { message: text } }; }
    if (!response.ok) throw Object.assign(new Error(answer.message || answer.error?.message || response.statusText), { code: '' });
    if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code || '' });
    return answer;
  }

  // ---- Objects
  const rowHeight = 34, columns = 5, around = 4;
  const columnOf = { BucketClass: 0, BucketAccessClass: 0, BucketClaim: 1, BucketAccess: 1, Bucket: 2, Secret: 2, backend: 3, account: 3, driver: 4 };
  const labels = { backend: 'backend bucket', account: 'account', driver: 'driver' };
  const nodes = new Map();   // by ID
  const drawn = new Map();   // elements by their place
  let rows = [], rowOf = new Map(), focus = { row: 0, column: 1 }, pending = false, chosen = '';

  const kindOf = id => id.slice(0, id.indexOf('/'));
  const nameOf = id => id.slice(id.lastIndexOf('/') + 1);
  const linked = (node, kind) => (node?.links || []).filter(link => kindOf(link) === kind);
  const known = id => nodes.get(id) || { id, kind: kindOf(id), name: kindOf(id) === 'backend' || kindOf(id) === 'account' ? id.slice(id.indexOf('/') + 1) : nameOf(id), state: 'none', absent: true };

  // layout gives every chain a row: class, claim, Bucket, backend bucket, driver; and below each claim
  // its accesses: class, access, Secret, account.
  function layout() {
    const words = $('find').value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = [...nodes.values()].sort((a, b) => (a.created || '').localeCompare(b.created || '') || a.id.localeCompare(b.id));
    const accesses = new Map(), used = new Set();
    for (const node of all) {
      if (node.kind !== 'BucketAccess') continue;
      const claim = linked(node, 'BucketClaim')[0] || '';
      if (!accesses.has(claim)) accesses.set(claim, []);
      accesses.get(claim).push(node);
    }
    const made = [];
    const add = ids => { const row = []; for (const id of ids) if (id) { row[columnOf[kindOf(id)]] = id; used.add(id); } made.push(row); };
    const chain = (bucket, before) => add([...before, bucket, linked(nodes.get(bucket), 'backend')[0], linked(nodes.get(bucket), 'driver')[0]]);
    const addAccess = node => {
      const secrets = linked(node, 'Secret');
      add([linked(node, 'BucketAccessClass')[0], node.id, secrets[0], linked(node, 'account')[0]]);
      for (const secret of secrets.slice(1)) add([secret]);
    };
    for (const node of all) {
      if (node.kind !== 'BucketClaim') continue;
      chain(linked(node, 'Bucket')[0], [linked(node, 'BucketClass')[0], node.id]);
      for (const access of accesses.get(node.id) || []) addAccess(access);
    }
    for (const node of all) {
      if (used.has(node.id)) continue;
      if (node.kind === 'Bucket') chain(node.id, []);
      if (node.kind === 'BucketAccess') addAccess(node);
    }
    for (const node of all) if (!used.has(node.id) && (node.kind === 'backend' || node.kind === 'account')) add([node.id]);
    for (const node of all) if (!used.has(node.id) && node.kind.endsWith('Class')) add([node.id, linked(node, 'driver')[0]]);
    for (const node of all) if (!used.has(node.id) && node.kind === 'driver') add([node.id]);
    rows = words.length ? made.filter(row => words.every(word => row.some(id => id && id.toLowerCase().includes(word)))) : made;
    rowOf = new Map();
    rows.forEach((row, at) => row.forEach(id => { if (id && !rowOf.has(id)) rowOf.set(id, at); }));
    let count = 0;
    for (const node of nodes.values()) if (node.kind !== 'Secret') count++;
    $('count').textContent = counted(count, 'object');
  }

  function draw() {
    pending = false;
    layout();
    view();
    options();
  }
  const later = () => { if (!pending) { pending = true; requestAnimationFrame(draw); } };

  function view() {
    const graph = $('graph'), width = Math.max(graph.clientWidth, 540) / columns;
    const first = Math.max(0, Math.floor(graph.scrollTop / rowHeight) - around);
    const last = Math.min(rows.length, Math.ceil((graph.scrollTop + graph.clientHeight) / rowHeight) + around);
    $('nodes').style.height = rows.length * rowHeight + 8 + 'px';
    const shown = new Set(), lines = [];
    const x = column => column * width + 6, y = row => row * rowHeight + 5;
    for (let at = first; at < last; at++) {
      let before = -1;
      for (let column = 0; column < columns; column++) {
        const id = rows[at][column];
        if (!id) continue;
        // A class or a driver is drawn in every row: its place is the row's, others keep their element when they move.
        const place = column === 0 || column === 4 ? id + ' ' + (rows[at].find((other, c) => other && c > 0 && c < 4) || at) : id;
        if (shown.has(place)) continue;
        shown.add(place);
        element(place, id, at, column, x(column), y(at), width - 22);
        if (before >= 0) lines.push(`M${x(before) + width - 22} ${y(at) + 14}H${x(column)}`);
        before = column;
      }
      for (const claim of linked(nodes.get(rows[at][1]), 'BucketClaim')) {
        const from = rowOf.get(claim);
        if (from !== undefined && from !== at) lines.push(`M${x(1) - 5} ${y(from) + 14}V${y(at) + 14}h5M${x(1) - 5} ${y(from) + 14}h5`);
      }
    }
    for (const [place, e] of drawn) if (!shown.has(place)) { e.remove(); drawn.delete(place); }
    const edges = $('edges');
    edges.style.height = $('nodes').style.height;
    if (!edges.firstChild) edges.append(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
    edges.firstChild.setAttribute('d', lines.join(''));
  }

  function element(place, id, row, column, x, y, width) {
    let e = drawn.get(place);
    if (!e) {
      e = make('button');
      e.type = 'button';
      e.append(make('span'), make('small'));
      drawn.set(place, e);
      $('nodes').append(e);
    }
    const node = known(id), what = labels[node.kind] || node.kind;
    const bad = (node.conditions || []).find(c => c.state === 'awful' || c.state === 'poor');
    const waits = (node.conditions || []).find(c => c.state === 'unknown' && c.reason);
    const finalizers = (node.finalizers || []).length;
    const why = node.kind === 'driver' && bad ? bad.type + ' ' + bad.status : node.deleting ? `deleting, ${finalizers} finalizer${finalizers === 1 ? '' : 's'}` : bad ? bad.reason || bad.type : node.state === 'good' ? 'ready' : node.absent ? 'not there' : node.state === 'unknown' ? 'waiting' + (waits ? ', ' + waits.reason : '') : '';
    const name = node.namespace ? node.namespace + '/' + node.name : node.name;
    const look = ['node', node.kind, node.state, node.deleting ? 'deleting' : '', node.absent ? 'absent' : '', node.gone ? 'gone' : ''].filter(Boolean).join(' ');
    if (e.className !== look) e.className = look;
    if (e.dataset.name !== name) { e.firstChild.textContent = name; e.dataset.name = name; }
    const text = what + (why ? ': ' + why : '');
    if (e.lastChild.textContent !== text) { e.lastChild.textContent = text; e.title = name + '\n' + text; e.setAttribute('aria-label', what + ' ' + name + (why ? ', ' + why : '')); }
    e.dataset.id = id; e.dataset.row = row; e.dataset.column = column;
    e.style.transform = `translate(${x}px,${y}px)`;
    e.style.width = width + 'px';
    e.tabIndex = row === focus.row && column === focus.column ? 0 : -1;
    e.setAttribute('aria-current', String(id === chosen));
  }

  function moveFocus(key) {
    let { row, column } = focus;
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const by = key === 'ArrowRight' ? 1 : -1;
      do column += by; while (column >= 0 && column < columns && !rows[row]?.[column]);
      if (column < 0 || column >= columns) return;
    } else {
      row = { ArrowUp: row - 1, ArrowDown: row + 1, Home: 0, End: rows.length - 1 }[key];
      if (!rows[row]) return;
      if (!rows[row][column]) column = rows[row].findIndex(Boolean);
    }
    focus = { row, column };
    focusNode();
  }
  function focusNode() {
    const graph = $('graph'), top = focus.row * rowHeight;
    if (top < graph.scrollTop) graph.scrollTop = top;
    if (top + 2 * rowHeight > graph.scrollTop + graph.clientHeight) graph.scrollTop = top + 2 * rowHeight - graph.clientHeight;
    view();
    const id = rows[focus.row]?.[focus.column];
    [...drawn.values()].find(e => e.dataset.id === id && Number(e.dataset.row) === focus.row)?.focus({ preventScroll: true });
  }

  // ---- Details
  let opened = 0, back = null;
  function open(title, ...content) {
    const closed = $('detail').hidden;
    if (closed) back = document.activeElement;
    $('detail').hidden = false;
    if (closed) $('detail').focus({ preventScroll: true }); // the next Tab goes to its contents
    $('detail-title').textContent = title;
    $('detail-body').replaceChildren(...content);
    $('detail').scrollTop = 0;
  }
  function close() {
    if ($('detail').hidden) return;
    $('detail').hidden = true;
    $('detail-body').replaceChildren();
    chosen = ''; opened++;
    later();
    back?.focus?.();
  }
  const button = (text, action) => { const b = make('button', text); b.type = 'button'; b.addEventListener('click', action); return b; };
  const fragment = html => { const t = document.createElement('template'); t.innerHTML = html; return t.content; };
  function table(header, lines) {
    const t = make('table'), head = make('tr'), body = make('tbody');
    header.forEach(text => head.append(make('th', text)));
    for (const line of lines) { const row = make('tr'); line.forEach(cell => { const td = make('td'); td.append(cell); row.append(td); }); body.append(row); }
    const top = make('thead'); top.append(head); t.append(top, body);
    return t;
  }

  async function openObject(id) {
    const mine = ++opened, node = known(id);
    chosen = id;
    const parts = [];
    if (node.deleting) parts.push(make('p', 'It is being deleted. Finalizers that hold it: ' + ((node.finalizers || []).join(', ') || 'none'), 'bad-text'));
    else if (node.finalizers?.length) parts.push(make('p', 'Finalizers: ' + node.finalizers.join(', ')));
    if (node.conditions?.length) parts.push(make('h3', 'Conditions'), table(['Type', 'Status', 'Reason', 'Message'], node.conditions.map(c => [c.type, make('span', c.status, 'state ' + c.state), c.reason || '', c.message || ''])));
    const actions = make('p');
    actions.append(button('Show only it in the timeline', () => filter(id)), ' ', button('Browse with it', () => { $('access').value = nodePath(node); $('store').scrollIntoView(); }));
    if (node.kind !== 'BucketAccess') actions.lastChild.hidden = true;
    open((labels[node.kind] || node.kind) + ' ' + nodePath(node), actions, ...parts, make('p', 'loading'));
    view();
    const [object, story] = await Promise.allSettled([ask('object?' + query({ id })), ask('timeline?' + query({ about: id, kinds: allKinds().join(',') }))]);
    if (mine !== opened) return;
    if (object.status === 'fulfilled') {
      const yaml = make('pre', object.value.yaml);
      yaml.id = 'yaml'; yaml.tabIndex = 0;
      parts.push(make('h3', 'YAML'), yaml, make('h3', 'Events'));
      const events = object.value.events || [];
      parts.push(events.length ? table(['At', 'Reason', 'Message', ''], events.slice(-50).map(e => [new Date(e.at).toLocaleTimeString(), e.reason, e.message, e.count > 1 ? '×' + e.count : ''])) : make('p', 'none'));
    } else parts.push(make('p', object.reason.message, 'bad-text'));
    if (story.status === 'fulfilled') { const own = make('div'); own.id = 'own'; own.append(fragment(story.value.html)); parts.push(make('h3', 'Its timeline'), own); }
    open($('detail-title').textContent, actions, ...parts);
  }
  const nodePath = node => node.namespace ? node.namespace + '/' + node.name : node.name;

  async function openEvent(seq) {
    const mine = ++opened;
    let answer;
    try { answer = await ask('event?seq=' + seq); } catch (error) { if (mine === opened) open('Event ' + seq, make('p', error.message, 'bad-text')); return; }
    if (mine !== opened) return;
    const { event, html } = answer, content = make('div');
    content.append(fragment(html));
    content.querySelector('details')?.setAttribute('open', '');
    const actions = make('p');
    if (event.seam !== 'log') actions.append(button('Fail the next of these', () => prefill(event)));
    open('Event ' + seq, actions, content);
  }

  // ---- Timeline
  const allKinds = () => [...document.querySelectorAll('input[name=kind]')].map(box => box.value);
  const kinds = () => [...document.querySelectorAll('input[name=kind]:checked')].map(box => box.value);
  let seq = 0, change = '0', shownChange = '', paused = false, until = 0, after = 0, shown = { first: 0, last: 0 }, about = '', drawing = false, again = false, lastDrawn = 0;
  async function drawTimeline() {
    if (drawing) { again = true; return; }
    drawing = true;
    try {
      const asked = change;
      const answer = await ask('timeline?' + query({ until, after, about, kinds: kinds().join(',') || 'none' }));
      shownChange = asked;
      shown = answer;
      const chart = $('chart'), focused = chart.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
      const before = chart.querySelector('.scroll'), left = before?.scrollLeft || 0, top = chart.scrollTop;
      const atEnd = !before || left + before.clientWidth >= before.scrollWidth - 4;
      chart.replaceChildren(fragment(answer.html));
      for (const mark of chart.querySelectorAll('a.mark')) mark.tabIndex = -1;
      const stop = (focused && chart.querySelector(`a.mark[href="${CSS.escape(focused)}"]`)) || chart.querySelector('a.mark');
      if (stop) { stop.setAttribute('tabindex', '0'); if (focused) stop.focus({ preventScroll: true }); }
      const scroll = chart.querySelector('.scroll');
      if (scroll) scroll.scrollLeft = atEnd && !paused ? scroll.scrollWidth : left;
      chart.scrollTop = top;
      $('older').disabled = !answer.older;
      $('newer').disabled = !paused;
      $('span').textContent = answer.last ? `events ${answer.first} to ${answer.last}${paused ? ' of ' + seq : ', live'}` : 'no events';
    } catch (error) { $('span').textContent = error.message; }
    drawing = false;
    lastDrawn = performance.now();
    if (again) { again = false; drawTimeline(); }
  }
  function pause(on) {
    paused = on;
    $('pause').setAttribute('aria-pressed', String(on));
    $('pause').textContent = on ? 'continue' : 'pause';
    after = 0;
    until = on ? shown.last || seq : 0;
    drawTimeline();
  }
  function scroll(earlier) {
    if (earlier) {
      if (!shown.first) return;
      pauseQuietly(); after = 0; until = Math.max(1, shown.first - 1);
    } else {
      if (!paused) return;
      if (shown.last >= seq) { pause(false); return; }
      until = 0; after = shown.last;
    }
    drawTimeline();
  }
  function pauseQuietly() { paused = true; $('pause').setAttribute('aria-pressed', 'true'); $('pause').textContent = 'continue'; }
  function filter(id) {
    about = id;
    $('about').hidden = !id;
    $('about').textContent = id ? id + ' ✕' : '';
    until = 0; after = 0; paused = false; $('pause').setAttribute('aria-pressed', 'false'); $('pause').textContent = 'pause';
    drawTimeline();
  }
  setInterval(() => { if (!paused && change !== shownChange && !document.hidden && performance.now() - lastDrawn > 400) drawTimeline(); }, 250);

  function walk(mark, key) {
    const chart = mark.closest('.chart'), marks = [...chart.querySelectorAll('a.mark')];
    const left = m => m.getBoundingClientRect().left;
    const inOrder = marks.sort((a, b) => left(a) - left(b));
    const next = inOrder[inOrder.indexOf(mark) + (key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1)];
    if (!next) return;
    mark.setAttribute('tabindex', '-1'); next.setAttribute('tabindex', '0');
    next.focus();
  }

  // ---- Store
  const most = 100;
  function options() {
    const fill = (list, values) => {
      const want = values.slice(0, most), have = [...list.children].map(o => o.value);
      if (want.join('\n') !== have.join('\n')) list.replaceChildren(...want.map(value => { const o = make('option'); o.value = value; return o; }));
    };
    const accesses = [], buckets = [];
    for (const node of nodes.values()) {
      if (node.kind === 'BucketAccess') accesses.push(nodePath(node));
      if (node.kind === 'backend') buckets.push(node.name);
    }
    fill($('accesses'), ['admin', ...accesses.sort()]);
    fill($('buckets'), buckets.sort());
  }
  const place = () => ({ access: $('access').value, claim: $('claim').value, bucket: $('bucket').value });
  function answered(element, text, bad) { element.textContent = text; element.classList.toggle('bad', Boolean(bad)); }
  const failure = error => (error.code ? error.code + ': ' : '') + error.message;
  let next = '', browsed = 0; // only the latest question has its answer shown, whichever comes last
  async function list(more, done) {
    const mine = ++browsed;
    try {
      const answer = await ask('keys?' + query({ ...place(), prefix: $('prefix').value, next: more ? next : '' }));
      if (mine !== browsed) return;
      next = answer.next || '';
      const body = $('keys').querySelector('tbody');
      body.replaceChildren();
      for (const group of answer.groups || []) { const row = make('tr'), cell = make('td'); cell.append(button(group, () => { $('prefix').value = group; list(); })); row.append(cell, make('td'), make('td')); body.append(row); }
      for (const key of answer.keys) {
        const row = make('tr'), cell = make('td');
        cell.append(button(key.key, () => read(key.key)));
        row.append(cell, make('td', key.size, 'num'), make('td', key.modified ? new Date(key.modified).toLocaleTimeString() : ''));
        body.append(row);
      }
      $('keys').hidden = false; $('more').hidden = !next;
      answered($('store-answer'), done || `${counted(answer.keys.length, 'object')} of bucket ${answer.bucket}`);
    } catch (error) {
      if (mine !== browsed) return;
      $('keys').hidden = true; $('more').hidden = true;
      answered($('store-answer'), done ? `${done}; the list: ${failure(error)}` : failure(error), !done);
    }
  }
  async function read(key) {
    const mine = ++browsed;
    try {
      const answer = await ask('content?' + query({ ...place(), key }));
      if (mine !== browsed) return;
      $('content').hidden = false;
      $('content').textContent = answer.binary ? `${counted(answer.size, 'byte')} that are no text` : answer.text + (answer.cut ? `\n… of ${answer.size} bytes` : '');
      answered($('store-answer'), key + ', ' + counted(answer.size, 'byte'));
    } catch (error) { if (mine === browsed) { $('content').hidden = true; answered($('store-answer'), failure(error), true); } }
  }
  async function upload() {
    const key = $('key').value, body = $('file').files[0] || $('text').value, mine = ++browsed;
    try {
      await ask('upload?' + query({ ...place(), key }), { method: 'POST', body, headers: { 'Content-Type': 'application/octet-stream' } });
      if (mine === browsed) await list(false, 'uploaded ' + key);
    } catch (error) { if (mine === browsed) answered($('store-answer'), failure(error), true); }
  }

  // ---- Faults and components
  const codes = { api: 'Conflict', rpc: 'Unavailable', store: 'SlowDown', process: 'Error' };
  let count = 0;
  function prefill(event) {
    $('f-name').value = 'page-' + ++count;
    $('f-seam').value = event.seam;
    $('f-component').value = event.component;
    $('f-operation').value = event.operation.name;
    $('f-subject').value = '';
    $('f-effect').value = 'fail'; $('f-value').value = codes[event.seam] || ''; $('f-nth').value = 1;
    $('faults').scrollIntoView();
    $('f-name').focus();
  }
  async function addFault() {
    const effect = $('f-effect').value, value = $('f-value').value;
    const fault = { name: $('f-name').value, match: { seam: $('f-seam').value, component: $('f-component').value, operation: $('f-operation').value, subject: $('f-subject').value, nth: Number($('f-nth').value) || 0 }, effect: {} };
    if (effect === 'fail' || effect === 'loseReply') fault.effect[effect] = value;
    else if (effect === 'delay') fault.effect.delay = Math.round(Number(value) * 1e9) || 0;
    else if (effect === 'before' || effect === 'after') fault.effect.crash = effect;
    else fault.effect[effect] = true;
    try {
      await ask('faults', { method: 'POST', body: JSON.stringify(fault), headers: { 'Content-Type': 'application/json' } });
      answered($('fault-answer'), 'added ' + fault.name);
    } catch (error) { answered($('fault-answer'), error.message, true); }
  }
  async function removeFault(name) {
    try { await ask('faults/' + encodeURIComponent(name), { method: 'DELETE' }); answered($('fault-answer'), 'removed ' + name); } catch (error) { answered($('fault-answer'), error.message, true); }
  }
  const words = fields => Object.entries(fields).map(([name, value]) => value === true ? name : `${name} ${name === 'delay' || name === 'for' || name === 'down' ? value / 1e9 + 's' : typeof value === 'object' ? JSON.stringify(value) : value}`).join(', ');
  function showFaults(all) {
    $('fault-list').replaceChildren(...all.slice(0, most).map(f => {
      const row = make('tr'), last = make('td');
      const remove = button('remove', () => removeFault(f.name));
      remove.setAttribute('aria-label', 'Remove fault ' + f.name);
      last.append(remove);
      row.append(make('td', f.name), make('td', words(f.match)), make('td', words(f.effect)), make('td', f.matched, 'num'), make('td', f.applied, 'num'), last);
      return row;
    }));
  }
  async function steer(name, verb) {
    answered($('fault-answer'), `${verb} ${name} …`);
    try { await ask('component?' + query({ name, do: verb }), { method: 'POST' }); answered($('fault-answer'), `${verb} ${name}: done`); } catch (error) { answered($('fault-answer'), error.message, true); }
  }
  function showComponents(all) {
    $('components').replaceChildren(...all.slice(0, most).map(c => {
      const row = make('tr'), last = make('td');
      for (const verb of c.state === 'Running' ? ['crash', 'restart', 'stop'] : ['start']) {
        const b = button(verb, () => steer(c.name, verb));
        b.setAttribute('aria-label', verb + ' ' + c.name);
        last.append(b, ' ');
      }
      row.append(make('td', c.name), make('td', c.state, c.state === 'Running' ? '' : 'bad-text'), make('td', c.incarnation || '', 'num'), last);
      return row;
    }));
  }

  // ---- The stream
  function connect() {
    const source = new EventSource('stream');
    let fresh = true;
    source.onopen = () => { $('dot').className = 'dot on'; $('state').textContent = 'live'; fresh = true; };
    source.addEventListener('stopped', () => { source.close(); $('dot').className = 'dot off'; $('state').textContent = 'the emulator has stopped; this page shows its last state'; });
    source.onerror = () => { $('dot').className = 'dot off'; $('state').textContent = 'the emulator does not answer'; };
    source.onmessage = message => {
      const update = JSON.parse(message.data);
      if (fresh) { nodes.clear(); fresh = false; }
      for (const node of update.nodes || []) nodes.set(node.id, node);
      for (const id of update.gone || []) {
        const node = nodes.get(id);
        if (!node) continue;
        node.gone = true;
        setTimeout(() => { if (nodes.get(id) === node) { nodes.delete(id); later(); } }, 600);
      }
      if (update.nodes || update.gone) later();
      if (update.faults) showFaults(update.faults);
      if (update.components) showComponents(update.components);
      seq = update.seq;
      change = seq + ' ' + update.actions; // users also do what the journal has no event for
      $('actions').textContent = update.actions ? counted(update.actions, 'step') : '';
    };
  }

  // ---- Input
  $('graph').addEventListener('scroll', view, { passive: true });
  new ResizeObserver(view).observe($('graph'));
  $('find').addEventListener('input', () => { $('graph').scrollTop = 0; later(); });
  $('pause').addEventListener('click', () => pause(!paused));
  $('older').addEventListener('click', () => scroll(true));
  $('newer').addEventListener('click', () => scroll(false));
  $('about').addEventListener('click', () => filter(''));
  $('detail-close').addEventListener('click', close);
  $('more').addEventListener('click', () => list(true));
  for (const [form, action] of [['browse', () => list()], ['upload', upload], ['add', addFault]]) $(form).addEventListener('submit', event => { event.preventDefault(); action(); });
  document.addEventListener('change', event => { if (event.target.name === 'kind') drawTimeline(); });
  document.addEventListener('click', event => {
    const node = event.target.closest('.node');
    if (node) { focus = { row: Number(node.dataset.row), column: Number(node.dataset.column) }; openObject(node.dataset.id); return; }
    const mark = event.target.closest('a.mark');
    if (mark) { event.preventDefault(); const found = /-e(\d+)$/.exec(mark.getAttribute('href')); if (found) openEvent(found[1]); }
  });
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape') { close(); return; }
    if (event.target.matches('input, select, textarea')) return;
    const arrow = event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End';
    const mark = event.target.closest('a.mark');
    if (mark && event.key.startsWith('Arrow')) { walk(mark, event.key); event.preventDefault(); return; }
    if (arrow && event.target.closest('#graph')) { if (event.target.id === 'graph') focusNode(); else moveFocus(event.key); event.preventDefault(); return; }
    const keys = { '/': () => $('find').focus(), p: () => pause(!paused), '[': () => scroll(true), ']': () => scroll(false) };
    if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
  });
  connect();
})();
