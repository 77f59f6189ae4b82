import type { TestValue } from '../../../domain/model-test.ts';
import type { YamlNode } from '../../../foundation/yaml/tree.ts';

/** A node of a model test as the value of a cell; numbers and times keep their text. */
export function cellValue(node: YamlNode): TestValue {
  if (node.kind === 'list') return { kind: 'list', items: node.items.map(cellValue) };
  if (node.kind === 'map')
    return {
      kind: 'struct',
      fields: Object.fromEntries(node.entries.map(({ key, value }) => [key.text, cellValue(value)])),
    };
  if (typeof node.value === 'number') return { kind: 'number', text: node.text };
  return node.style === 'plain' && TIME.test(node.text) ? { kind: 'time', text: node.text } : node.value;
}

/** What YAML calls a timestamp. */
const TIME = /^\d{4}-\d\d?-\d\d?(?:[Tt ]+\d\d?:\d\d:\d\d(?:\.\d*)?\s*(?:Z|[+-]\d\d?(?::\d\d)?)?)?$/;
