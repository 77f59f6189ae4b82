import { entryOf, type YamlMap, type YamlNode } from '../../../foundation/yaml/tree.ts';
import { refused, rule, rules, type Translation } from './imported-check.ts';
import { ruleColumn } from './names-in-rules.ts';
import { textAt } from './plain-data.ts';

const LETTERS: Readonly<Record<string, string>> = { minute: 'm', hour: 'h', day: 'd' };

/** The freshness of a source's table, its own or that of the source; undefined when none is asked for. */
export function sourceFreshness(
  table: YamlMap,
  source: YamlMap,
): { readonly at: YamlNode; readonly translation: Translation } | undefined {
  const own = setting(table, 'freshness');
  const at = own ?? setting(source, 'freshness');
  if (at === undefined || at.kind !== 'map') return undefined;
  const column = loadedAt(table) ?? loadedAt(source);
  const query = textAt(table, 'loaded_at_query') ?? textAt(source, 'loaded_at_query');
  const [warn, error] = [age(at, 'warn_after'), age(at, 'error_after')];
  if (warn === undefined && error === undefined) return undefined;
  if (warn === 'unreadable' || error === 'unreadable')
    return {
      at,
      translation: refused(
        'the age is not a count and a period',
        'write warn_after: {count: 12, period: hour}',
      ),
    };
  const name = column === undefined ? undefined : ruleColumn(column);
  if (name === undefined)
    return {
      at,
      translation: refused(
        query === undefined
          ? 'the loaded_at_field is missing; dbt asks the metadata of the warehouse'
          : 'the time of loading comes from an expression or a query',
        'name a column of times: freshness(loaded_at) < 26h',
      ),
    };
  const filter = textAt(at, 'filter');
  const most = error ?? (warn as string);
  return {
    at,
    translation: rules([
      rule(`freshness(${name}) <= ${most}`, {
        ...(error === undefined
          ? { severity: 'warning' }
          : warn === undefined
            ? {}
            : { warn: `when > ${warn}` }),
        ...(filter === undefined ? {} : { filter }),
      }),
    ]),
  };
}

/** A plain column; expressions have no place in our rule. */
function loadedAt(node: YamlMap): string | undefined {
  const config = entryOf(node, 'config')?.value;
  const text =
    textAt(node, 'loaded_at_field') ??
    (config?.kind === 'map' ? textAt(config, 'loaded_at_field') : undefined);
  return text !== undefined && /^(?:[A-Za-z_]\w*|"[^"]+")$/.test(text.trim()) ? text.trim() : undefined;
}

function setting(node: YamlMap, key: string): YamlNode | undefined {
  const config = entryOf(node, 'config')?.value;
  return entryOf(node, key)?.value ?? (config?.kind === 'map' ? entryOf(config, key)?.value : undefined);
}

function age(freshness: YamlMap, key: string): string | 'unreadable' | undefined {
  const node = entryOf(freshness, key)?.value;
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) return undefined;
  if (node.kind !== 'map') return 'unreadable';
  const [count, period] = [textAt(node, 'count'), LETTERS[textAt(node, 'period')?.toLowerCase() ?? '']];
  return count === undefined || period === undefined || !/^\d+$/.test(count)
    ? 'unreadable'
    : `${count}${period}`;
}
