import type { TestValue } from '../../../domain/model-test.ts';
import type { YamlNode } from '../../../foundation/yaml/tree.ts';

/** A node of a model test as the value of a cell; numbers keep their text. */
export function cellValue(node: YamlNode): TestValue {
  if (node.kind === 'list') return { kind: 'list', items: node.items.map(cellValue) };
  if (node.kind === 'map')
    return {
      kind: 'struct',
      fields: Object.fromEntries(node.entries.map(({ key, value }) => [key.text, cellValue(value)])),
    };
  return typeof node.value === 'number' ? { kind: 'number', text: node.text } : node.value;
}
