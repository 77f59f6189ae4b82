import type { YamlEntry, YamlNode, YamlScalar } from '../../../foundation/yaml/tree.ts';

const OF_ONE_GATEWAY = new Set([
  'connection',
  'state_connection',
  'test_connection',
  'state_schema',
  'scheduler',
  'variables',
  'model_defaults',
]);

/**
 * Spellings that SQLMesh still reads, brought to the one that is documented; places stay where they are.
 *
 *   gateway: {connection: …}   or   gateways: {connection: …}     →  gateways: {local: {connection: …}}
 */
export function withCurrentKeys(root: YamlNode): YamlNode {
  if (root.kind !== 'map') return root;
  const has = (name: string): boolean => root.entries.some(({ key }) => key.text === name);
  const entries = root.entries.map((entry): YamlEntry => {
    const name = entry.key.text;
    if (name === 'gateways' || (name === 'gateway' && !has('gateways')))
      return { key: renamed(entry.key, 'gateways'), value: byName(entry.value, entry.key) };
    return entry;
  });
  return { ...root, entries };
}

function byName(value: YamlNode, at: YamlScalar): YamlNode {
  const isOne =
    value.kind === 'map' &&
    value.entries.length > 0 &&
    value.entries.every(({ key }) => OF_ONE_GATEWAY.has(key.text)) &&
    value.entries.some(({ key, value: inner }) => key.text === 'connection' && hasType(inner));
  return isOne ? { ...value, entries: [{ key: renamed(at, 'local'), value }] } : value;
}

/** A gateway may be called `connection`; what has a type is the connection itself. */
function hasType(value: YamlNode): boolean {
  return value.kind === 'map' && value.entries.some(({ key }) => key.text === 'type');
}

function renamed(key: YamlScalar, name: string): YamlScalar {
  return { ...key, text: name, value: name };
}
