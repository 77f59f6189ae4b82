import type { Data, DataRecord } from '../../../foundation/yaml/data.ts';
import type { YamlEntry, YamlNode } from '../../../foundation/yaml/tree.ts';
import { refused, type Translation } from './imported-check.ts';
import { plainData } from './plain-data.ts';
import type { SodaCheck } from './soda-check.ts';
import { SODA_FORMATS_OURS, sodaFormatPattern } from './soda-formats.ts';

/** What a validity or missing setting becomes, or why our rules cannot say it. */
type Said = { readonly options: DataRecord; readonly differs?: string } | { readonly why: string };

const number =
  (key: string) =>
  (node: YamlNode): Said => {
    const value = node.kind === 'scalar' ? Number(node.text) : Number.NaN;
    return Number.isFinite(value) ? { options: { [key]: value } } : { why: `${key} is not a number` };
  };
const list =
  (key: string) =>
  (node: YamlNode): Said => {
    const value = plainData(node);
    const items = Array.isArray(value) ? (value as readonly Data[]) : [value];
    return { options: { [key]: items } };
  };
const text =
  (key: string) =>
  (node: YamlNode): Said =>
    node.kind === 'scalar' ? { options: { [key]: node.text } } : { why: `${key} is not a text` };

/** Every setting of values that SodaCL has. */
export const SODA_VALIDITY: Readonly<Record<string, (node: YamlNode) => Said>> = {
  'valid values': list('valid_values'),
  'invalid values': list('invalid_values'),
  'valid regex': text('valid_regex'),
  'valid min': number('valid_min'),
  'valid max': number('valid_max'),
  'valid length': number('valid_length'),
  'valid min length': number('valid_min_length'),
  'valid max length': number('valid_max_length'),
  'missing values': list('missing_values'),
  'missing regex': text('missing_regex'),
  'valid format': (node) => formatOf(node, 'valid'),
  'missing format': (node) => {
    const name = node.kind === 'scalar' ? node.text : '';
    const pattern = sodaFormatPattern(name);
    return pattern === undefined
      ? { why: `the format ${name} of missing values has no counterpart` }
      : { options: { missing_regex: pattern } };
  },
  'invalid regex': text('invalid_regex'),
  'invalid format': (node) => formatOf(node, 'invalid'),
  'include null': () => ({ why: 'our rules do not count NULL as invalid' }),
};

function formatOf(node: YamlNode, sort: 'valid' | 'invalid'): Said {
  const name = node.kind === 'scalar' ? node.text.trim().toLowerCase() : '';
  if (Object.hasOwn(SODA_FORMATS_OURS, name)) {
    const ours = SODA_FORMATS_OURS[name] as string;
    return {
      options: { [`${sort}_format`]: ours },
      differs: `the pattern behind the format ${ours} is ours`,
    };
  }
  const pattern = sodaFormatPattern(name);
  return pattern === undefined
    ? { why: `the format ${name} is not known` }
    : { options: { [`${sort}_regex`]: pattern } };
}

/** Options of what is missing and valid in a column, from the check and from the configuration of its column. */
export function validityOptions(
  check: SodaCheck,
  metric: string,
  column: string | undefined,
): { readonly options: DataRecord; readonly differs: readonly string[] } | Translation {
  const wanted = /^(?:in)?valid_/.test(metric)
    ? /^(?:in)?valid |^missing |^include /
    : /^missing_/.test(metric)
      ? /^missing /
      : undefined;
  const differs: string[] = [];
  let options: DataRecord = {};
  const entries = new Map<string, YamlNode>();
  for (const { key, value } of check.ofColumn(column) as readonly YamlEntry[])
    if (wanted?.test(key.text) === true) entries.set(key.text, value);
  for (const key of Object.keys(SODA_VALIDITY)) {
    const value = check.node(key);
    if (value === undefined) continue;
    if (wanted?.test(key) === true) entries.set(key, value);
    else differs.push(`${key} has no meaning for ${metric} and is left out`);
  }
  for (const [key, value] of entries) {
    const said = SODA_VALIDITY[key]?.(value) ?? { why: `${key} is not known` };
    if ('why' in said)
      return refused(said.why, 'write it as failed rows with a fail_condition that is true for wrong rows');
    const twice = Object.keys(said.options).find((each) => Object.hasOwn(options, each));
    if (twice !== undefined)
      return refused(`two settings want to be ${twice}`, 'write two rules, one for each');
    options = { ...options, ...said.options };
    if (said.differs !== undefined) differs.push(said.differs);
  }
  return { options, differs };
}
