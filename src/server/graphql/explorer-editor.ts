/*
 * What the page knows of GraphQL, as a script that runs in the browser: tokens, colours, the place of the cursor in the
 * schema, and answers as tables. It knows no element of the page, so that tests can call it.
 */
export const explorerEditor = String.raw`
const TOKEN = /"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#[^\n]*|[A-Za-z_]\w*|\.\.\.|[{}()[\]:!$@=|&]|-?\d[\w.+-]*/g;
const named = (type) => (type.ofType ? named(type.ofType) : type.name);
const written = (type) => type.kind === 'NON_NULL' ? written(type.ofType) + '!' : type.kind === 'LIST' ? '[' + written(type.ofType) + ']' : type.name;

function tokensOf(text) {
  return [...text.matchAll(TOKEN)].map((found) => ({ text: found[0], start: found.index, end: found.index + found[0].length }));
}

const isName = (text) => /^[A-Za-z_]/.test(text);

/** Where a place of a document is in the schema: what could be written there, and the word that is being written. */
function placeAt(text, at, types, rootName) {
  const stack = [];
  let previous = '';
  let before = '';
  let field;
  let part;
  let condition;
  let word = '';
  const typed = (type) => (type ? types.get(named(type)) : undefined);
  const inside = () => stack.at(-1);
  for (const token of tokensOf(text)) {
    if (token.start >= at) break;
    const { text: now } = token;
    if (token.end >= at && isName(now)) { word = now.slice(0, at - token.start); break; }
    if (token.end > at) return undefined;
    if (now[0] === '#' || now[0] === '"') { if (now[0] === '"') previous = '"'; continue; }
    const top = inside();
    if (now === '{') {
      if (top === undefined) stack.push({ kind: 'fields', type: types.get(condition ?? rootName) });
      else if (top.kind === 'fields') stack.push({ kind: 'fields', type: condition ? types.get(condition) : typed(field?.type) });
      else stack.push({ kind: 'object', type: typed(part?.type), back: part });
      condition = undefined;
    } else if (now === '(') stack.push(top?.kind === 'fields' ? { kind: 'arguments', field } : { kind: 'variables' });
    else if (now === '[') stack.push({ kind: 'list', back: part });
    else if (now === '}' || now === ')' || now === ']') {
      const left = stack.pop();
      if (left?.back) part = left.back;
    } else if (isName(now)) {
      if (previous === 'on' && (before === '...' || isName(before))) condition = now;
      else if (top?.kind === 'fields' && previous !== '...' && previous !== '@') field = top.type?.fields?.find((each) => each.name === now);
      else if (top?.kind === 'arguments' && previous !== ':') part = top.field?.args?.find((each) => each.name === now);
      else if (top?.kind === 'object' && previous !== ':') part = top.type?.inputFields?.find((each) => each.name === now);
    }
    before = previous;
    previous = now;
  }
  const top = inside();
  const isValue = top?.kind === 'list' || (previous === ':' && top?.kind !== 'fields' && top !== undefined);
  if (isValue) {
    const type = typed(part?.type);
    const values = type?.name === 'Boolean' ? ['true', 'false'] : (type?.enumValues ?? []).map((each) => each.name);
    return { word, items: values.map((name) => ({ name, detail: type.name })) };
  }
  const of = (list) => (list ?? []).map((each) => ({ name: each.name, detail: written(each.type), about: each.description }));
  if (top?.kind === 'fields') return { word, items: of(top.type?.fields) };
  if (top?.kind === 'arguments') return { word, items: of(top.field?.args) };
  if (top?.kind === 'object') return { word, items: of(top.type?.inputFields) };
  return undefined;
}

/** What fits to the word: names that begin with it, then those that contain it. */
function suggestionsFor({ word, items }) {
  const small = word.toLowerCase();
  const begins = items.filter((each) => each.name.toLowerCase().startsWith(small));
  const contains = items.filter((each) => !begins.includes(each) && each.name.toLowerCase().includes(small));
  const all = [...begins, ...contains];
  return all.length === 1 && all[0].name === word ? [] : all;
}

/** Pieces of a text with the class that colours them. */
function painted(text, isJson) {
  const pieces = [];
  let at = 0;
  const tokens = tokensOf(text);
  tokens.forEach((token, i) => {
    if (token.start > at) pieces.push(['', text.slice(at, token.start)]);
    const next = tokens[i + 1]?.text;
    pieces.push([classOf(token.text, next, tokens[i - 1]?.text, isJson), token.text]);
    at = token.end;
  });
  if (at < text.length) pieces.push(['', text.slice(at)]);
  return pieces;
}

function classOf(text, next, previous, isJson) {
  if (text[0] === '#') return 'c';
  if (text[0] === '"') return isJson && next === ':' ? 'k' : 's';
  if (/^-?\d/.test(text) || ['true', 'false', 'null'].includes(text)) return 'n';
  if (text === '$' || previous === '$') return 'v';
  if (['query', 'fragment', 'on', '...', '@'].includes(text) || previous === '@') return 'w';
  return isName(text) && next === ':' ? 'k' : '';
}

/** Rows of the first list of an answer, and the names of their cells. */
function tableOf(data) {
  const list = Object.values(data ?? {}).find((each) => Array.isArray(each));
  if (!list) return undefined;
  const columns = [];
  const rows = list.map((row) => {
    const cells = new Map();
    const walk = (value, path) => {
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) for (const [key, each] of Object.entries(value)) walk(each, path === '' ? key : path + '.' + key);
      else { if (!columns.includes(path)) columns.push(path); cells.set(path, value); }
    };
    walk(row, '');
    return cells;
  });
  return { columns, rows: rows.map((cells) => columns.map((column) => cells.get(column))) };
}
`;
