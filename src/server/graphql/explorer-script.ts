/** What the page does, as a script that runs in the browser behind `explorerEditor`. */
export const explorerScript = String.raw`
const byId = (id) => document.getElementById(id);
const types = new Map();
const PAINT_MAX = 300000;
const TABLE_ROWS_MAX = 1000;
let rootName = 'Query';
let answered;

async function ask(body) {
  const token = byId('token').value.trim();
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...(token === '' ? {} : { authorization: 'Bearer ' + token }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

function say(text, isBad) {
  byId('status').textContent = text;
  byId('status').className = isBad ? 'bad' : '';
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function paint(target, text, isJson) {
  if (text.length > PAINT_MAX) { target.textContent = text; return; }
  target.replaceChildren(...painted(text, isJson).map(([className, piece]) => className === '' ? piece : element('span', piece, className)));
}

/* The editor: a textarea over its own text in colours. */
const query = byId('query');
const paper = byId('paper');

function changed() {
  paint(paper, query.value + '\n', false);
  paper.scrollTop = query.scrollTop;
  paper.scrollLeft = query.scrollLeft;
}

function insert(text, from = query.selectionStart, to = query.selectionEnd) {
  query.focus();
  query.setRangeText(text, from, to, 'end');
  changed();
}

const list = byId('suggestions');
let offered = [];
let chosen = 0;

function closeList() {
  list.hidden = true;
  offered = [];
  query.setAttribute('aria-expanded', 'false');
  query.removeAttribute('aria-activedescendant');
}

function openList(isWanted) {
  const at = query.selectionStart;
  const place = at === query.selectionEnd ? placeAt(query.value, at, types, rootName) : undefined;
  offered = place && (isWanted || place.word !== '') ? suggestionsFor(place) : [];
  if (offered.length === 0) return closeList();
  chosen = 0;
  list.replaceChildren(...offered.map(({ name, detail }, i) => {
    const item = element('li');
    item.id = 'suggestion-' + i;
    item.setAttribute('role', 'option');
    item.append(element('code', name), element('span', detail, 'type'));
    item.addEventListener('mousedown', (event) => { event.preventDefault(); chosen = i; take(); });
    return item;
  }));
  const lines = query.value.slice(0, at).split('\n');
  const probe = element('span', 'x'.repeat(100));
  probe.className = 'probe';
  paper.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  const style = getComputedStyle(query);
  list.style.left = Math.max(0, Math.min(parseFloat(style.paddingLeft) + (lines.at(-1).length - place.word.length) * width - query.scrollLeft, query.clientWidth - 260)) + 'px';
  list.style.top = parseFloat(style.paddingTop) + lines.length * parseFloat(style.lineHeight) - query.scrollTop + 'px';
  list.hidden = false;
  query.setAttribute('aria-expanded', 'true');
  choose(0);
}

function choose(index) {
  chosen = (index + offered.length) % offered.length;
  [...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === chosen)));
  list.children[chosen].scrollIntoView({ block: 'nearest' });
  query.setAttribute('aria-activedescendant', 'suggestion-' + chosen);
}

function take() {
  const { name } = offered[chosen];
  const at = query.selectionStart;
  const { word } = placeAt(query.value, at, types, rootName);
  closeList();
  insert(name, at - word.length, at + (/^\w*/.exec(query.value.slice(at))[0].length));
}

/** The next line begins where this one does, and between brackets one step further. */
function newLine() {
  const { value, selectionStart: at } = query;
  const [indent] = /^ */.exec(value.slice(value.lastIndexOf('\n', at - 1) + 1, at));
  const isOpen = /[{([]\s*$/.test(value.slice(0, at));
  const isClosed = /^\s*[})\]]/.test(value.slice(at));
  insert('\n' + indent + (isOpen ? '  ' : ''));
  if (!isOpen || !isClosed) return;
  const back = query.selectionStart;
  insert('\n' + indent);
  query.setSelectionRange(back, back);
}

query.addEventListener('keydown', (event) => {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === 'Enter') { event.preventDefault(); closeList(); run(); }
  else if (event.ctrlKey && event.key === ' ') { event.preventDefault(); openList(true); }
  else if (!list.hidden && ['ArrowDown', 'ArrowUp'].includes(event.key)) { event.preventDefault(); choose(chosen + (event.key === 'ArrowDown' ? 1 : -1)); }
  else if (!list.hidden && ['Enter', 'Tab'].includes(event.key)) { event.preventDefault(); take(); }
  else if (!list.hidden && event.key === 'Escape') { event.preventDefault(); closeList(); }
  else if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); newLine(); }
  else if (event.key === '{') { event.preventDefault(); const at = query.selectionStart; insert('{' + query.value.slice(at, query.selectionEnd) + '}'); query.setSelectionRange(at + 1, at + 1); }
});
query.addEventListener('input', () => { changed(); openList(false); });
query.addEventListener('scroll', () => { changed(); closeList(); });
query.addEventListener('blur', closeList);
query.addEventListener('click', closeList);
byId('variables').addEventListener('keydown', (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(); });

/* Answers. */
async function run() {
  let variables;
  try { variables = JSON.parse(byId('variables').value || '{}'); } catch { return say('the variables are not JSON', true); }
  const begin = performance.now();
  say('asking…');
  byId('run').disabled = true;
  try {
    const { status, body } = await ask({ query: query.value, variables });
    answered = body;
    const ms = Math.round(performance.now() - begin) + ' ms';
    const rows = (body.extensions?.statements ?? []).map((each) => each.rows + (each.rows === 1 ? ' row' : ' rows') + (each.total === undefined ? '' : ' of ' + each.total));
    const errors = body.errors?.length ?? 0;
    say([errors === 1 ? '1 error' : errors > 0 ? errors + ' errors' : '', status === 200 ? '' : String(status), ...rows, ms].filter(Boolean).join(' · '), errors > 0 || status !== 200);
    history.replaceState(null, '', '#query=' + encodeURIComponent(query.value));
    show();
  } catch (error) { say(String(error.message ?? error), true); }
  byId('run').disabled = false;
}

function show() {
  const isTable = byId('as-table').getAttribute('aria-pressed') === 'true';
  showErrors(answered?.errors ?? (answered?.detail ? [{ message: answered.detail, extensions: { code: answered.code } }] : []));
  const table = isTable ? tableOf(answered?.data) : undefined;
  byId('table').hidden = table === undefined;
  byId('answer').hidden = table !== undefined;
  if (table === undefined) paint(byId('answer'), answered === undefined ? '' : JSON.stringify(answered, null, 2), true);
  else byId('table').replaceChildren(tableElement(table));
}

function tableElement({ columns, rows }) {
  const table = element('table');
  const head = element('tr');
  const isNumber = columns.map((_, i) => rows.every((row) => row[i] === null || row[i] === undefined || /^-?[\d.]+(?:e[+-]?\d+)?$/.test(String(row[i]))));
  head.append(...columns.map((name, i) => { const cell = element('th', name, isNumber[i] ? 'number' : ''); cell.scope = 'col'; return cell; }));
  const top = element('thead');
  top.append(head);
  const body = element('tbody');
  for (const row of rows.slice(0, TABLE_ROWS_MAX)) {
    const line = element('tr');
    line.append(...row.map((cell, i) => element('td', cell === null || cell === undefined ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell), isNumber[i] ? 'number' : '')));
    body.append(line);
  }
  const foot = element('caption', rows.length > TABLE_ROWS_MAX ? 'The first ' + TABLE_ROWS_MAX + ' of ' + rows.length + ' rows' : rows.length === 0 ? 'No rows' : '');
  table.append(foot, top, body);
  return table;
}

/** Each error with its code; its place is a way back to the text. */
function showErrors(errors) {
  byId('errors').hidden = errors.length === 0;
  byId('errors').replaceChildren(...errors.map(({ message, locations, extensions }) => {
    const line = element('li');
    const at = locations?.[0];
    if (at) {
      const button = element('button', at.line + ':' + at.column, 'place');
      button.title = 'Go to the place';
      button.addEventListener('click', () => {
        const start = query.value.split('\n').slice(0, at.line - 1).join('\n').length + (at.line > 1 ? 1 : 0) + at.column - 1;
        query.focus();
        query.setSelectionRange(start, start + (/^\w+/.exec(query.value.slice(start))?.[0].length ?? 1));
      });
      line.append(button, ' ');
    }
    line.append(message);
    for (const more of [extensions?.hint, extensions?.code]) if (more) line.append(' ', element('span', more, 'type'));
    return line;
  }));
}

for (const id of ['as-json', 'as-table'])
  byId(id).addEventListener('click', () => {
    for (const each of ['as-json', 'as-table']) byId(each).setAttribute('aria-pressed', String(each === id));
    show();
  });

byId('copy').addEventListener('click', async () => {
  let variables = {};
  try { variables = JSON.parse(byId('variables').value || '{}'); } catch { return say('the variables are not JSON', true); }
  const body = JSON.stringify({ query: query.value, ...(Object.keys(variables).length === 0 ? {} : { variables }) });
  const quoted = "'" + body.replaceAll("'", "'\\''") + "'";
  const token = byId('token').value === '' ? '' : " -H 'authorization: Bearer '\"$TOKEN\"";
  const text = 'curl -s ' + location.origin + location.pathname + " -H 'content-type: application/json'" + token + ' -d ' + quoted;
  try { await navigator.clipboard.writeText(text); say('the curl line is in the clipboard'); } catch { say('the browser does not let this page copy', true); }
});

/* The schema. */
const SHOWN_MAX = 200;
const REF = 'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';
const SCHEMA = '{ __schema { queryType { name } types { kind name description fields { name description args { name description type { ' + REF +
  ' } } type { ' + REF + ' } } inputFields { name description type { ' + REF + ' } } enumValues { name } } } }';

function labelled(target, field) {
  target.append(element('code', field.name), element('span', ' ' + written(field.type), 'type'));
  if (field.description) target.title = field.description;
}

/** A field, and below it what it has, read when it is opened. */
function fieldElement(field) {
  const inner = types.get(named(field.type));
  const isOpenable = (field.args ?? []).length + (inner?.fields ?? []).length + (inner?.inputFields ?? []).length > 0;
  if (!isOpenable) {
    const leaf = element('button', undefined, 'leaf');
    labelled(leaf, field);
    leaf.title = ['Insert it where the cursor is.', field.description, inner?.enumValues?.map((each) => each.name).join(', ')].filter(Boolean).join('\n');
    leaf.addEventListener('click', () => insert(field.name + (field.isArgument ? ': ' : ' ')));
    return leaf;
  }
  const details = element('details');
  const summary = element('summary');
  labelled(summary, field);
  details.append(summary);
  details.addEventListener('toggle', () => {
    if (!details.open || details.childElementCount > 1) return;
    if (field.description) details.append(element('div', field.description, 'about'));
    const group = (title, fields) => { if (fields.length > 0) details.append(element('div', title, 'group'), ...fields.map(fieldElement)); };
    const parts = inner?.fields ?? [];
    group('arguments', (field.args ?? []).map((each) => ({ ...each, isArgument: true })));
    group(field.args?.length ? 'fields' : '', [...parts, ...(inner?.inputFields ?? []).map((each) => ({ ...each, isArgument: true }))]);
  });
  return details;
}

function showSchema() {
  const roots = types.get(rootName)?.fields ?? [];
  const wanted = byId('search').value.trim().toLowerCase();
  const isOwn = ({ name }) => ['_meta', 'statements'].includes(name);
  if (wanted === '') return byId('schema').replaceChildren(...[...roots.filter((each) => !isOwn(each)), ...roots.filter(isOwn)].map(fieldElement));
  const found = [];
  for (const root of roots) {
    if (root.name.toLowerCase().includes(wanted)) found.push({ field: root, path: '' });
    for (const field of types.get(named(root.type))?.fields ?? [])
      if (!isOwn(root) && (field.name.toLowerCase().includes(wanted) || (field.description ?? '').toLowerCase().includes(wanted))) found.push({ field, path: root.name });
  }
  byId('schema').replaceChildren(...found.slice(0, SHOWN_MAX).flatMap(({ field, path }) => [...(path === '' ? [] : [element('div', path, 'group')]), fieldElement(field)]));
  if (found.length === 0) byId('schema').textContent = 'Nothing of that name.';
}

const isLeaf = (field) => ['SCALAR', 'ENUM'].includes(types.get(named(field.type))?.kind) && field.name !== 'compareDateRange';

/** A first question about a root field: some of its columns, by month where it has a time. */
function exampleOf(root) {
  const fields = types.get(named(root.type))?.fields ?? [];
  const leaves = fields.filter(isLeaf).slice(0, 3).map((field) => '    ' + field.name);
  const time = fields.find((field) => types.get(named(field.type))?.fields?.some((each) => each.name === 'month'));
  const inner = time && !leaves.includes('    ts') ? ['    ' + time.name + ' { month }'] : [];
  const limit = root.args.some((each) => each.name === 'limit') ? '(limit: 20)' : '';
  return '{\n  ' + root.name + limit + ' {\n' + [...leaves, ...inner].join('\n') + '\n  }\n}\n';
}

async function load() {
  try {
    const { status, body } = await ask({ query: SCHEMA });
    if (!body.data) {
      if (status === 401) byId('token').focus();
      return say(status === 401 ? 'a token is needed' : (body.detail ?? body.errors?.[0]?.message ?? String(status)), true);
    }
    types.clear();
    for (const type of body.data.__schema.types) types.set(type.name, type);
    rootName = body.data.__schema.queryType.name;
    showSchema();
    const questions = types.get(rootName).fields.filter((field) => !['_meta', 'statements'].includes(field.name));
    byId('examples').replaceChildren(new Option('Example…', ''), ...questions.map((field) => new Option(field.name)));
    if (query.value === '' && questions[0]) query.value = exampleOf(questions[0]);
    changed();
    say(questions.length === 0 ? 'there is nothing here that you may see' : '');
  } catch (error) { say(String(error.message ?? error), true); }
}

byId('examples').addEventListener('change', (event) => {
  const root = types.get(rootName)?.fields.find((field) => field.name === event.target.value);
  if (!root) return;
  query.value = exampleOf(root);
  changed();
  query.focus();
});
byId('search').addEventListener('input', showSchema);
byId('run').addEventListener('click', run);
byId('token').addEventListener('change', load);
byId('token').addEventListener('keydown', (event) => { if (event.key === 'Enter') query.focus(); });

const [, tenant, product] = /\/tenants\/([^/]+)\/data-products\/([^/]+)\//.exec(location.pathname) ?? [];
if (product) {
  const name = decodeURIComponent(product).slice(decodeURIComponent(tenant).length + 1);
  byId('product').textContent = name;
  document.title = name + ' · GraphQL';
}
const [, linked] = /^#query=(.*)$/.exec(location.hash) ?? [];
try { if (linked) query.value = decodeURIComponent(linked); } catch { say('the address holds no query', true); }
changed();
load();
`;
