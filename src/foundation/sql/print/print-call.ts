import { PORTABLE_FUNCTIONS } from '../functions/portable-functions.ts';
import type { Argument, Call, Expression, FrameBound, Identifier, OrderItem, WindowSpec } from '../tree.ts';
import type { FunctionRule, RuleCall } from './dialect-spelling.ts';
import { LEVEL } from './levels.ts';
import { nameText, writePath } from './print-name.ts';
import { captured, joined, type Printer, refuse } from './printer.ts';

export function writeCall(p: Printer, call: Call): void {
  if (p.isTranslating) writeTranslated(p, call);
  else {
    writePlain(p, call, undefined);
    writeDecorations(p, call);
  }
}

/** Brings the call into DuckDB's words, then into the target's. */
function writeTranslated(p: Printer, original: Call): void {
  const neutral = withoutFilter(p, read(p, original));
  const name = neutral.name.name.toLowerCase();
  const rule = neutral.qualifiers.length > 0 ? undefined : ruleOf(p, name, neutral);
  if (rule === undefined) {
    if (p.to !== 'duckdb' && p.to !== 'generic' && !isPortable(neutral, name))
      refuse(p, `the function ${neutral.name.name}`, neutral.span);
    writePlain(p, neutral, undefined);
  } else if (typeof rule === 'string' && !IS_TEMPLATE.test(rule)) {
    writePlain(p, neutral, rule);
  } else writeRule(p, neutral, rule);
  writeDecorations(p, neutral);
}

/** A rule that is more than another name. */
const IS_TEMPLATE = /[$(]|^CURRENT_/;

const isPortable = (call: Call, name: string): boolean =>
  call.syntax === 'trim' || call.syntax === 'substring' || PORTABLE_FUNCTIONS.has(name);

function ruleOf(p: Printer, name: string, call: Call): FunctionRule | undefined {
  const { functions } = p.target;
  const key = call.syntax === 'extract' ? 'date_part' : name;
  const exact = `${key}/${call.arguments.length}`;
  if (Object.hasOwn(functions, exact)) return functions[exact];
  return Object.hasOwn(functions, key) ? functions[key] : undefined;
}

/** The source's call in DuckDB's words. */
function read(p: Printer, call: Call): Call {
  const { reads } = p.source;
  const name = call.name.name.toLowerCase();
  if (!Object.hasOwn(reads, name) || call.qualifiers.length > 0) {
    if (
      p.from !== 'duckdb' &&
      p.from !== 'generic' &&
      call.syntax === 'plain' &&
      !PORTABLE_FUNCTIONS.has(name)
    )
      refuse(p, `the function ${call.name.name} of ${p.from}`, call.span);
    return call;
  }
  const rule = reads[name];
  if (typeof rule === 'string') return { ...call, name: { ...call.name, name: rule } };
  const rewritten = rule?.(call);
  if (rewritten === undefined) refuse(p, `the function ${call.name.name} of ${p.from}`, call.span);
  return rewritten ?? call;
}

/** Without FILTER, an aggregate of CASE passes over the same rows. */
function withoutFilter(p: Printer, call: Call): Call {
  const { filter, ...rest } = call;
  if (filter === undefined || p.target.hasFilter) return call;
  const first = call.arguments[0];
  const then: Expression =
    call.isStar || first === undefined
      ? { kind: 'literal', type: 'number', text: '1', span: call.span }
      : first.value;
  const value: Expression = { kind: 'case', whens: [{ when: filter, then }], span: call.span };
  return { ...rest, isStar: false, arguments: [{ value }, ...call.arguments.slice(1)] };
}

function writeRule(p: Printer, call: Call, rule: FunctionRule): void {
  const argument = (index: number, level: number = LEVEL.any): string => {
    const value = call.arguments[index]?.value;
    if (value === undefined)
      refuse(p, `${call.name.name} with ${call.arguments.length} arguments`, call.span);
    return value === undefined ? 'NULL' : captured(p, () => p.expression(p, value, level));
  };
  const word = (index: number): string | undefined => {
    const value = call.arguments[index]?.value;
    if (value?.kind === 'literal' && value.type === 'string' && /^\w+$/.test(value.text))
      return value.text.toLowerCase();
    return value?.kind === 'column' && value.qualifiers.length === 0
      ? value.name.name.toLowerCase()
      : undefined;
  };
  const fill = (template: string): string => fillTemplate(p, call, template, { argument, word });
  const text =
    typeof rule === 'string'
      ? fill(rule)
      : rule({ call, count: call.arguments.length, argument, word, fill });
  if (text === undefined) refuse(p, `this use of ${call.name.name}`, call.span);
  p.out += text ?? captured(p, () => writePlain(p, call, undefined));
}

function fillTemplate(
  p: Printer,
  call: Call,
  template: string,
  ask: { readonly argument: (index: number, level?: number) => string; readonly word: RuleCall['word'] },
): string {
  if (call.isDistinct && !template.includes('$d') && !template.includes('DISTINCT'))
    refuse(p, `${call.name.name} of DISTINCT values`, call.span);
  if (call.orderBy.length > 0 && !/\$o/i.test(template))
    refuse(p, `ORDER BY inside ${call.name.name}`, call.span);
  return template.replace(
    /\$(?:(w?)(\d)|([*doO]))/g,
    (
      match,
      isWord: string | undefined,
      index: string | undefined,
      sign: string | undefined,
      offset: number,
    ) => {
      switch (sign) {
        case '*':
          return call.arguments.map((_argument, i) => ask.argument(i)).join(', ');
        case 'd':
          return call.isDistinct ? 'DISTINCT ' : '';
        case 'o':
        case 'O': {
          if (call.orderBy.length === 0) return sign === 'O' ? `ORDER BY ${ask.argument(0)}` : '';
          return `${sign === 'o' ? ' ' : ''}ORDER BY ${captured(p, () => writeOrder(p, call.orderBy, p.to !== 'bigquery'))}`;
        }
        default: {
          const at = Number(index) - 1;
          if (isWord !== 'w')
            return ask.argument(
              at,
              isArgument(template, offset, offset + match.length) ? LEVEL.any : LEVEL.postfix,
            );
          const word = ask.word(at);
          if (word === undefined) refuse(p, `${call.name.name} with a computed unit`, call.span);
          return (word ?? '').toUpperCase();
        }
      }
    },
  );
}

/** Whether `$1` stands alone between commas, parentheses or words of a call, so that it needs no parentheses of its own. */
function isArgument(template: string, start: number, end: number): boolean {
  return (
    /(?:\(|, |\$d|FROM |BY )$/.test(template.slice(0, start)) &&
    /^(?:,|\)| AS| FROM| ORDER| SEPARATOR| USING|\$[oO])/.test(template.slice(end))
  );
}

/** The call under its own or another name. */
function writePlain(p: Printer, call: Call, newName: string | undefined): void {
  if (call.syntax === 'keyword' && newName === undefined) {
    p.out += call.name.name.toUpperCase();
    return;
  }
  if (call.syntax !== 'plain' && call.syntax !== 'keyword' && newName === undefined) {
    writeSpecial(p, call);
    return;
  }
  if (call.qualifiers.length > 0) {
    writePath(p, call.qualifiers);
    p.out += '.';
  }
  p.out +=
    newName ??
    (call.name.quoted
      ? nameText(p, call.name)
      : p.isTranslating
        ? call.name.name.toUpperCase()
        : call.name.name);
  p.out += '(';
  if (call.isDistinct) p.out += 'DISTINCT ';
  if (call.isStar) p.out += '*';
  joined(p, call.arguments, (argument) => writeArgument(p, argument));
  if (call.nulls !== undefined && p.target.ignoreNulls === 'inside') p.out += ` ${call.nulls} NULLS`;
  if (call.orderBy.length > 0) {
    p.out += call.arguments.length > 0 || call.isStar ? ' ORDER BY ' : 'ORDER BY ';
    writeOrder(p, call.orderBy);
  }
  if (call.modifier !== undefined) {
    if (p.isTranslating) refuse(p, call.modifier, call.span);
    p.out += ` ${call.modifier}`;
  }
  p.out += ')';
}

function writeArgument(p: Printer, { name, value }: Argument): void {
  if (name !== undefined)
    p.out += `${nameText(p, name)} ${p.to === 'duckdb' || p.to === 'generic' ? ':=' : '=>'} `;
  // f(a -> b) would be a lambda.
  p.expression(p, value, value.kind === 'binary' ? LEVEL.or : LEVEL.any);
}

/** EXTRACT, POSITION, SUBSTRING, TRIM and OVERLAY in words. */
function writeSpecial(p: Printer, call: Call): void {
  const values = call.arguments.map(({ value }) => value);
  const write = (index: number, level: number = LEVEL.any): void =>
    p.expression(p, values[index] as Expression, level);
  p.out += `${call.name.name.toUpperCase()}(`;
  switch (call.syntax) {
    case 'extract': {
      const unit = values[0];
      p.out += unit?.kind === 'literal' ? unit.text.toUpperCase() : '';
      p.out += ' FROM ';
      write(1);
      break;
    }
    case 'position':
      write(0, LEVEL.other);
      p.out += ' IN ';
      write(1);
      break;
    case 'trim':
      if (call.modifier !== undefined) p.out += `${call.modifier} `;
      if (values.length > 1) write(1);
      p.out += values.length > 1 ? ' FROM ' : call.modifier !== undefined ? 'FROM ' : '';
      write(0);
      break;
    default: {
      const words = call.syntax === 'overlay' ? [' PLACING ', ' FROM ', ' FOR '] : [' FROM ', ' FOR '];
      for (let i = 0; i < values.length; i++) {
        if (i > 0) p.out += words[i - 1];
        write(i);
      }
    }
  }
  p.out += ')';
}

/** WITHIN GROUP, FILTER, IGNORE NULLS and OVER. */
function writeDecorations(p: Printer, call: Call): void {
  if (call.withinGroup.length > 0) {
    p.out += ' WITHIN GROUP (ORDER BY ';
    writeOrder(p, call.withinGroup);
    p.out += ')';
  }
  if (call.filter !== undefined) {
    p.out += ' FILTER (WHERE ';
    p.expression(p, call.filter);
    p.out += ')';
  }
  if (call.nulls !== undefined && p.target.ignoreNulls !== 'inside') {
    if (p.isTranslating && p.target.ignoreNulls === undefined && call.nulls === 'IGNORE')
      refuse(p, 'IGNORE NULLS', call.span);
    p.out += ` ${call.nulls} NULLS`;
  }
  if (call.over === undefined) return;
  p.out += ' OVER ';
  if ('partitionBy' in call.over) writeWindow(p, call.over);
  else p.out += nameText(p, call.over satisfies Identifier);
}

/** Where NULLs go without a word differs by dialect, so a translation says it (BigQuery refuses the words inside aggregates). */
export function writeOrder(p: Printer, items: readonly OrderItem[], saysNulls = p.isTranslating): void {
  joined(p, items, (item) => {
    const nulls = item.nulls ?? (saysNulls && p.isTranslating ? impliedNulls(p, item) : undefined);
    if (nulls !== undefined && !p.target.hasNullsOrder) {
      // Without NULLS FIRST | LAST, being NULL is sorted by first.
      if (nulls !== defaultNulls(p.target.nullsSort, item.direction)) {
        const isLast = nulls === 'LAST';
        if (p.to === 'tsql') p.out += 'CASE WHEN ';
        p.expression(p, item.expression, LEVEL.other);
        if (p.to === 'tsql') p.out += ` IS NULL THEN ${isLast ? '1 ELSE 0' : '0 ELSE 1'} END, `;
        else p.out += isLast ? ' IS NULL, ' : ' IS NOT NULL, ';
      }
      p.expression(p, item.expression);
      p.out += item.direction === 'DESC' ? ' DESC' : '';
      return;
    }
    p.expression(p, item.expression);
    if (item.direction !== undefined && !(p.isTranslating && item.direction === 'ASC'))
      p.out += ` ${item.direction}`;
    if (nulls !== undefined) p.out += ` NULLS ${nulls}`;
  });
}

function defaultNulls(
  sort: 'last' | 'largest' | 'smallest',
  direction: 'ASC' | 'DESC' | undefined,
): 'FIRST' | 'LAST' {
  if (sort === 'last') return 'LAST';
  return (sort === 'largest') === (direction !== 'DESC') ? 'LAST' : 'FIRST';
}

function impliedNulls(p: Printer, item: OrderItem): 'FIRST' | 'LAST' | undefined {
  const wanted = defaultNulls(p.source.nullsSort, item.direction);
  return wanted === defaultNulls(p.target.nullsSort, item.direction) ? undefined : wanted;
}

export function writeWindow(p: Printer, spec: WindowSpec): void {
  const parts: string[] = [];
  if (spec.base !== undefined) parts.push(nameText(p, spec.base));
  if (spec.partitionBy.length > 0)
    parts.push(
      `PARTITION BY ${captured(p, () => joined(p, spec.partitionBy, (item) => p.expression(p, item)))}`,
    );
  if (spec.orderBy.length > 0) parts.push(`ORDER BY ${captured(p, () => writeOrder(p, spec.orderBy))}`);
  const { frame } = spec;
  if (frame !== undefined) {
    const start = captured(p, () => writeBound(p, frame.start));
    const bounds =
      frame.end === undefined
        ? start
        : `BETWEEN ${start} AND ${captured(p, () => writeBound(p, frame.end as FrameBound))}`;
    parts.push(`${frame.unit} ${bounds}${frame.exclude === undefined ? '' : ` EXCLUDE ${frame.exclude}`}`);
  }
  p.out += `(${parts.join(' ')})`;
}

function writeBound(p: Printer, bound: FrameBound): void {
  if (bound.offset !== undefined) {
    p.expression(p, bound.offset, LEVEL.other);
    p.out += ' ';
  }
  p.out += bound.kind.replaceAll('-', ' ').toUpperCase();
}
