import type { Data } from '../../../foundation/yaml/data.ts';
import { plainValue } from '../../../foundation/yaml/plain-value.ts';

/** A value as one line of YAML: as it is where that is unmistakable, else in double quotes. */
export function yamlScalar(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain = /^[A-Za-z_][A-Za-z0-9_ ./()<>=+*^-]*$/.test(value) && !value.endsWith(' ');
  // Readers of YAML 1.1 take these words for truth values.
  const isWord = /^(?:y|n|yes|no|on|off|true|false|null|nan)$/i.test(value);
  return isPlain && !isWord && plainValue(value) === value ? value : JSON.stringify(value);
}

/** A rule's text as a key or item: commas, quotes and percent signs stand as they are. */
export function yamlRule(text: string): string {
  const isPlain =
    text.length < 900 &&
    /^[A-Za-z_][^#\t\n\r:{}\\]*$/.test(text) &&
    !text.endsWith(' ') &&
    !/\p{C}/u.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** The lines of `key: value`, indented; long texts of several lines as blocks. */
export function yamlEntry(key: string, value: Data, indent: string): readonly string[] {
  const name = yamlRule(key);
  if (Array.isArray(value)) {
    const items = value as readonly Data[];
    if (items.every((item) => item === null || typeof item !== 'object'))
      return [`${indent}${name}: [${items.map((item) => flowScalar(item)).join(', ')}]`];
    return [`${indent}${name}:`, ...items.flatMap((item) => yamlItem(item, `${indent}  `))];
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    if (entries.length === 0) return [`${indent}${name}: {}`];
    return [`${indent}${name}:`, ...entries.flatMap(([each, one]) => yamlEntry(each, one, `${indent}  `))];
  }
  if (typeof value === 'string' && isBlock(value))
    return [
      `${indent}${name}: |-`,
      ...value.split('\n').map((line) => (line === '' ? '' : `${indent}  ${line}`)),
    ];
  return [`${indent}${name}: ${yamlScalar(value as string)}`];
}

/** An item of a list: a scalar, or a map of one rule and its options. */
export function yamlItem(item: Data, indent: string): readonly string[] {
  if (item === null || typeof item !== 'object')
    return [`${indent}- ${typeof item === 'string' ? yamlRule(item) : JSON.stringify(item)}`];
  const flow = flowItem(item as Readonly<Record<string, Data>>);
  if (flow !== undefined && flow.length <= 110) return [`${indent}- ${flow}`];
  const [first = '', ...rest] = Object.entries(item as Readonly<Record<string, Data>>).flatMap(
    ([key, value]) => yamlEntry(key, value, `${indent}  `),
  );
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

/** `rule: {name: a, filter: "b > 1"}`, where the options are few and flat. */
function flowItem(item: Readonly<Record<string, Data>>): string | undefined {
  const [[key, options] = ['', null], second] = Object.entries(item);
  if (second !== undefined || options === null || typeof options !== 'object' || Array.isArray(options))
    return undefined;
  const parts = Object.entries(options).map(([name, value]) => {
    if (Array.isArray(value)) {
      const isFlat = value.every((each) => each === null || typeof each !== 'object');
      return isFlat ? `${yamlRule(name)}: [${value.map(flowScalar).join(', ')}]` : undefined;
    }
    const isText = typeof value === 'string' && value.includes('\n');
    return isText || (value !== null && typeof value === 'object')
      ? undefined
      : `${yamlRule(name)}: ${flowScalar(value)}`;
  });
  return parts.includes(undefined) ? undefined : `${yamlRule(key)}: {${parts.join(', ')}}`;
}

function flowScalar(value: Data): string {
  return typeof value === 'string' && !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(value)
    ? JSON.stringify(value)
    : yamlScalar(value as string);
}

/** Several lines that a block keeps exactly. */
function isBlock(value: string): boolean {
  return (
    value.includes('\n') && !/^\s|\s$|[ \t]\n|\n\s*\n\s*\n$|\t|\r/.test(value) && !/[^\P{C}\n]/u.test(value)
  );
}
