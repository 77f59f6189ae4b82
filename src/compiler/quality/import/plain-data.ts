import type { Data } from '../../../foundation/yaml/data.ts';
import { entryOf, type YamlMap, type YamlNode } from '../../../foundation/yaml/tree.ts';

/** The content of a node without its places. */
export function plainData(node: YamlNode): Data {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainData);
    case 'map':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plainData(value)]));
  }
}

/** The text of a scalar under a key, as it is written (`0.30`); undefined for anything else. */
export function textAt(map: YamlMap, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = entryOf(map, key)?.value;
    if (value?.kind === 'scalar' && value.value !== null) return value.text;
  }
  return undefined;
}

/** The texts of a list of scalars, or of one scalar. */
export function textsOf(node: YamlNode | undefined): readonly string[] {
  if (node === undefined) return [];
  if (node.kind === 'list') return node.items.flatMap(textsOf);
  return node.kind === 'scalar' && node.value !== null ? [node.text] : [];
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
