/** A page to explore the schema and ask questions, all in one text: nothing is loaded from elsewhere. */
export const explorerPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphQL</title>
<style>
:root { color-scheme: light dark; --line: light-dark(#d5d9de, #3a4048); --soft: light-dark(#f4f6f8, #20242a); --accent: light-dark(#0b5cad, #6cb2f5); }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / 19rem 1fr 1fr; font: 14px/1.45 system-ui, sans-serif; }
header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; padding: .5rem .8rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1rem; margin: 0 auto 0 0; }
h2 { font-size: .8rem; margin: 0; padding: .4rem .8rem; background: var(--soft); border-bottom: 1px solid var(--line); }
section { min-height: 0; min-width: 0; display: flex; flex-direction: column; border-right: 1px solid var(--line); }
textarea, pre { flex: 1; width: 100%; margin: 0; padding: .7rem .8rem; border: 0; resize: none; overflow: auto; background: transparent; color: inherit; font: 13px/1.5 ui-monospace, monospace; tab-size: 2; }
textarea.small { flex: 0 0 7rem; }
button, select, input { font: inherit; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: 4px; background: var(--soft); color: inherit; }
button.go { background: var(--accent); color: light-dark(#fff, #000); border-color: transparent; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; }
#schema { overflow: auto; padding: .4rem .8rem 2rem; }
details { padding-left: .8rem; } #schema > details { padding-left: 0; }
summary { cursor: pointer; } .leaf { padding-left: 1.6rem; }
code { font: 13px ui-monospace, monospace; } .type { opacity: .65; font-size: 12px; }
.about { opacity: .75; font-size: 12px; padding-left: 1.6rem; }
#status { font-size: 12px; opacity: .75; } .bad { color: light-dark(#b00020, #ff8a8a); }
@media (max-width: 60rem) { body { height: auto; grid-template: auto / 1fr; } section { min-height: 18rem; } header { grid-column: 1; } }
</style>
<header>
  <h1>GraphQL</h1>
  <label>Example <select id="examples"></select></label>
  <label>Token <input id="token" type="password" autocomplete="off" size="14" placeholder="plt_…"></label>
  <span id="status" role="status"></span>
  <button class="go" id="run" title="Ctrl+Enter">Run</button>
</header>
<section aria-label="Schema"><h2>Schema</h2><div id="schema">…</div></section>
<section><h2><label for="query">Query</label></h2><textarea id="query" spellcheck="false"></textarea>
  <h2><label for="variables">Variables</label></h2><textarea id="variables" class="small" spellcheck="false">{}</textarea></section>
<section aria-label="Answer"><h2>Answer</h2><pre id="answer" tabindex="0"></pre></section>
<script>
'use strict';
const byId = (id) => document.getElementById(id);
const types = new Map();
let rootFields = [];

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

async function run() {
  let variables;
  try { variables = JSON.parse(byId('variables').value || '{}'); } catch { return say('the variables are no JSON', true); }
  const begin = performance.now();
  say('…');
  try {
    const { status, body } = await ask({ query: byId('query').value, variables });
    byId('answer').textContent = JSON.stringify(body, null, 2);
    const problem = body.errors?.length ? body.errors.length + ' error(s)' : status === 200 ? '' : String(status);
    say((problem ? problem + ', ' : '') + Math.round(performance.now() - begin) + ' ms', problem !== '');
  } catch (error) { say(String(error.message ?? error), true); }
}

const REF = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
const SCHEMA = '{ __schema { queryType { name } types { kind name description fields { name description args { name type { ' + REF +
  ' } } type { ' + REF + ' } } inputFields { name description type { ' + REF + ' } } enumValues { name } } } }';

const named = (type) => (type.ofType ? named(type.ofType) : type.name);
const written = (type) => type.kind === 'NON_NULL' ? written(type.ofType) + '!' : type.kind === 'LIST' ? '[' + written(type.ofType) + ']' : type.name;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A field, and below it what it has; read when it is opened. */
function fieldElement(field) {
  const inner = types.get(named(field.type));
  const parts = [...(field.args ?? []), ...(inner?.fields ?? []), ...(inner?.inputFields ?? [])];
  const line = element('code', field.name);
  const type = element('span', ' ' + written(field.type), 'type');
  if (parts.length === 0) {
    const leaf = element('div', undefined, 'leaf');
    leaf.append(line, type);
    leaf.title = [field.description, inner?.enumValues?.map((each) => each.name).join(', ')].filter(Boolean).join('\\n');
    return leaf;
  }
  const details = element('details');
  const summary = element('summary');
  summary.append(line, type);
  details.append(summary);
  details.addEventListener('toggle', () => {
    if (!details.open || details.childElementCount > 1) return;
    if (field.description) details.append(element('div', field.description, 'about'));
    for (const argument of field.args ?? []) details.append(fieldElement({ ...argument, name: '(' + argument.name + ':)' }));
    for (const each of [...(inner?.fields ?? []), ...(inner?.inputFields ?? [])]) details.append(fieldElement(each));
  });
  return details;
}

const isLeaf = (field) => ['SCALAR', 'ENUM'].includes(types.get(named(field.type))?.kind);

/** A first question about a root field: some of its columns. */
function exampleOf(root) {
  const fields = types.get(named(root.type))?.fields ?? [];
  const leaves = fields.filter(isLeaf).slice(0, 3).map((field) => '    ' + field.name);
  const time = fields.find((field) => types.get(named(field.type))?.fields?.some((each) => each.name === 'month'));
  const inner = time && !leaves.includes('    ts') ? ['    ' + time.name + ' { month }'] : [];
  const limit = root.args.some((each) => each.name === 'limit') ? '(limit: 20)' : '';
  return '{\\n  ' + root.name + limit + ' {\\n' + [...leaves, ...inner].join('\\n') + '\\n  }\\n}\\n';
}

async function load() {
  try {
    const { status, body } = await ask({ query: SCHEMA });
    if (!body.data) return say(status === 401 ? 'a token is needed' : (body.detail ?? body.errors?.[0]?.message ?? String(status)), true);
    types.clear();
    for (const type of body.data.__schema.types) types.set(type.name, type);
    rootFields = types.get(body.data.__schema.queryType.name).fields;
    byId('schema').replaceChildren(...rootFields.map(fieldElement));
    const questions = rootFields.filter((field) => !['_meta', 'statements'].includes(field.name));
    byId('examples').replaceChildren(...questions.map((field) => new Option(field.name)));
    if (byId('query').value === '' && questions[0]) byId('query').value = exampleOf(questions[0]);
    say('');
  } catch (error) { say(String(error.message ?? error), true); }
}

byId('examples').addEventListener('change', (event) => {
  const root = rootFields.find((field) => field.name === event.target.value);
  if (root) byId('query').value = exampleOf(root);
});
byId('run').addEventListener('click', run);
byId('token').addEventListener('change', load);
for (const id of ['query', 'variables'])
  byId(id).addEventListener('keydown', (event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(); });
load();
</script>
</html>
`;
