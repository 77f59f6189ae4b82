import { plainValue } from '../../../foundation/yaml/plain-value.ts';
import { readYaml } from '../../../foundation/yaml/read-yaml.ts';
import type { YamlEntry, YamlMap, YamlNode, YamlScalar } from '../../../foundation/yaml/tree.ts';

const PREFIX = 'PLINTH__';
const EMPTY: YamlMap = { kind: 'map', entries: [], start: 0, end: 0 };

/** Puts `PLINTH__SECTION__KEY` variables into the tree of config.yaml before it is checked, so that the schema types them. Existing keys are found whatever their case. */
export function applyOverrides(
  root: YamlNode | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): YamlNode | undefined {
  const names = Object.keys(environment)
    .filter((name) => name.toUpperCase().startsWith(PREFIX))
    .sort();
  let result = root;
  for (const name of names) {
    const path = name.slice(PREFIX.length).split('__');
    if (path.some((part) => part === '')) continue;
    if (result !== undefined && result.kind !== 'map') return result;
    result = replaced(result ?? EMPTY, path, { name: `$${name}`, text: environment[name] ?? '' });
  }
  return result;
}

function replaced(
  map: YamlMap,
  path: readonly string[],
  value: { readonly name: string; readonly text: string },
): YamlMap {
  const [head = '', ...rest] = path;
  const at = map.entries.findIndex((entry) => entry.key.text.toLowerCase() === head.toLowerCase());
  const old = map.entries[at];
  const inner = old?.value.kind === 'map' ? old.value : EMPTY;
  const node = rest.length === 0 ? valueNode(value) : replaced(inner, rest, value);
  const entry: YamlEntry = { key: old?.key ?? scalar(head.toLowerCase(), value.name), value: node };
  const entries = old === undefined ? [...map.entries, entry] : map.entries.with(at, entry);
  return { ...map, entries };
}

function scalar(text: string, shownAs: string): YamlScalar {
  return { kind: 'scalar', value: plainValue(text), text, style: 'plain', start: 0, end: 0, shownAs };
}

/** Lists and maps are written as in YAML: `[a, b]`. */
function valueNode(value: { readonly name: string; readonly text: string }): YamlNode {
  if (!/^\s*[[{]/.test(value.text)) return scalar(value.text, value.name);
  const { root, problems } = readYaml(value.text);
  return root === undefined || problems.length > 0
    ? scalar(value.text, value.name)
    : marked(root, value.name);
}

function marked(node: YamlNode, name: string): YamlNode {
  if (node.kind === 'scalar') return { ...node, start: 0, end: 0, shownAs: name };
  if (node.kind === 'list')
    return { ...node, items: node.items.map((item) => marked(item, name)), start: 0, end: 0 };
  const entries = node.entries.map(({ key, value }) => ({
    key: { ...key, start: 0, end: 0, shownAs: name },
    value: marked(value, name),
  }));
  return { ...node, entries, start: 0, end: 0 };
}
