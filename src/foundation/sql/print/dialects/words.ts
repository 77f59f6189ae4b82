import type { FunctionRule, RuleCall } from '../dialect-spelling.ts';

/** Reserved in the standard and nearly everywhere; each dialect adds its own. */
const STANDARD =
  'all and any as asc between both case cast check collate column constraint create cross current_date current_time current_timestamp default desc distinct else end except exists false fetch for foreign from full grant group having in inner intersect interval into is join leading left like limit natural not null offset on or order outer primary references right rows select some table then to trailing true union unique using values when where window with';

/** The standard's reserved words and a dialect's own. */
export function reservedWords(own: string): ReadonlySet<string> {
  return new Set([...STANDARD.split(' '), ...own.split(' ')]);
}

/** Functions that a dialect writes as DuckDB does, but for the case of their letters. */
export function alike(names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, name.toUpperCase()]));
}

/** A rule whose second argument is a strftime format: `$f` is that format in the dialect's letters; a letter without an equal refuses the call. */
export function formatted(
  template: string,
  letters: Readonly<Record<string, string>>,
  quote: string,
): FunctionRule {
  return (rule: RuleCall) => {
    const value = rule.call.arguments[1]?.value;
    if (value?.kind !== 'literal' || value.type !== 'string') return undefined;
    const format = translateFormat(value.text, letters, quote);
    return format === undefined
      ? undefined
      : rule.fill(template.replace('$f', () => `'${format.replaceAll("'", "''")}'`));
  };
}

function translateFormat(
  format: string,
  letters: Readonly<Record<string, string>>,
  quote: string,
): string | undefined {
  let out = '';
  for (const part of format.match(/%.|[A-Za-z]+|[^%A-Za-z]+/gs) ?? []) {
    if (part === '%%') out += letters['%'] ?? '%';
    else if (part.startsWith('%')) {
      const letter = letters[part[1] as string];
      if (letter === undefined) return undefined;
      out += letter;
    } else out += /^[A-Za-z]/.test(part) ? quote + part + quote : part;
  }
  return out;
}

/** DuckDB's GREATEST and LEAST pass over NULLs; where the engine's own return NULL, pairs with COALESCE do the same. */
export function passingNulls(name: string): FunctionRule {
  return ({ argument, count }) => {
    let out = argument(0);
    for (let i = 1; i < count; i++) out = `COALESCE(${name}(${out}, ${argument(i)}), ${out}, ${argument(i)})`;
    return out;
  };
}

/** DuckDB's concat leaves NULLs out and takes any type; string constants need neither. */
export function concatWithoutNulls(type: string): FunctionRule {
  return ({ argument, count, call }) => {
    const parts = Array.from({ length: count }, (_, i) => {
      const value = call.arguments[i]?.value;
      const isString = value?.kind === 'literal' && value.type === 'string';
      return isString ? argument(i) : `COALESCE(CAST(${argument(i)} AS ${type}), '')`;
    });
    return `CONCAT(${parts.join(', ')})`;
  };
}

/** One template for each first argument (a unit such as 'month'), singular. */
export function byUnit(templates: Readonly<Record<string, string>>): FunctionRule {
  return ({ word, fill }) => {
    const unit = word(0)?.replace(/s$/, '');
    const template = unit === undefined ? undefined : templates[unit];
    return template === undefined ? undefined : fill(template);
  };
}

/** `year(x)` and its like from one template with `$U` for the unit. */
export function parts(template: string, names: readonly string[]): Readonly<Record<string, FunctionRule>> {
  return Object.fromEntries(names.map((name) => [name, template.replaceAll('$U', name.toUpperCase())]));
}
