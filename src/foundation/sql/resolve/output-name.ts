/**
 * What DuckDB calls a column that has no alias: the text of its expression, printed by rules of its own.
 *
 *   a+1 → (a + 1)    count(*) → count_star()    x::int → CAST(x AS INTEGER)    s LIKE 'a%' → (s ~~ 'a%')
 *
 * Exact for constants, columns, operators, calls, casts, CASE, windows, lists and structs. Queries inside expressions are printed
 * only as far as `(SELECT …)`; DuckDB prints them in full.
 */
import { operandsOf } from '../operands-of.ts';
import type {
  Call,
  Case,
  Cast,
  Expression,
  FrameBound,
  IntervalLiteral,
  Like,
  Literal,
  OrderItem,
  Select,
  WindowSpec,
} from '../tree.ts';
import { quoteName } from '../types/names.ts';
import { castTypeText } from './cast-type-text.ts';
import { literalName } from './literal-name.ts';

const DEPTH_MAX = 300;

/** The name DESCRIBE shows for an expression without an alias. */
export function outputName(expression: Expression, windows: Select['windows'] = []): string {
  return new Printer(windows).print(expression);
}

const OPERATORS: Readonly<Record<string, string>> = { '<>': '!=', '==': '=', '~': '~' };
const LIKES: Readonly<Record<string, string>> = { LIKE: '~~', ILIKE: '~~*', GLOB: '~~~' };

class Printer {
  private depth = 0;
  private readonly windows: Select['windows'];

  constructor(windows: Select['windows']) {
    this.windows = windows;
  }

  print(e: Expression): string {
    if (++this.depth > DEPTH_MAX) {
      this.depth--;
      return '…';
    }
    const printed = this.node(e);
    this.depth--;
    return printed;
  }

  private list(items: readonly Expression[]): string {
    return items.map((item) => this.print(item)).join(', ');
  }

  private node(e: Expression): string {
    switch (e.kind) {
      case 'column':
        return [...e.qualifiers, e.name].map((part) => quoteName(part.name, true)).join('.');
      case 'star':
        return '*';
      case 'literal':
        return literalName(e);
      case 'parameter':
        return e.text;
      case 'interval':
        return this.interval(e);
      case 'unary':
        return this.unary(e.operator, e.operand);
      case 'binary':
        return this.binary(e);
      case 'like':
        return this.like(e);
      case 'between': {
        const between = `(${this.print(e.operand)} BETWEEN ${this.print(e.low)} AND ${this.print(e.high)})`;
        return e.negated ? `(NOT ${between})` : between;
      }
      case 'in':
        return this.in(e);
      case 'is':
        return this.is(e);
      case 'case':
        return this.case(e);
      case 'cast':
        return this.cast(e);
      case 'call':
        return this.call(e);
      case 'exists':
        return 'EXISTS(SELECT …)';
      case 'subquery':
        return '(SELECT …)';
      case 'list':
        return `main.list_value(${this.list(e.items)})`;
      case 'tuple':
        return `main."row"(${this.list(e.items)})`;
      case 'struct':
        return `main.struct_pack(${e.fields.map((field) => (field.name === undefined ? '' : `${quoteName(field.name.name, true)} := `) + this.print(field.value)).join(', ')})`;
      case 'map':
        return `main."map"(main.list_value(${this.list(e.entries.map((entry) => entry.key))}), main.list_value(${this.list(e.entries.map((entry) => entry.value))}))`;
      case 'subscript': {
        if (!e.isSlice)
          return `${this.print(e.operand)}[${e.index === undefined ? '' : this.print(e.index)}]`;
        const bounds = [e.index, e.upper].map((bound) => (bound === undefined ? '' : this.print(bound)));
        if (e.step !== undefined) bounds.push(this.print(e.step));
        return `${this.print(e.operand)}[${bounds.join(':')}]`;
      }
      case 'field':
        return `(${this.print(e.operand)}).${quoteName(e.field.name, true)}`;
      case 'lambda': {
        const names = e.parameters.map((parameter) => quoteName(parameter.name, true));
        return `(${names.length === 1 ? names[0] : `main."row"(${names.join(', ')})`} -> ${this.print(e.body)})`;
      }
      case 'comprehension':
        return this.comprehension(e);
      case 'at-time-zone':
        return `main.timezone(${this.print(e.zone)}, ${this.print(e.operand)})`;
      case 'collate':
        return `${this.print(e.operand)} COLLATE ${e.collation.map((part) => part.name).join('.')}`;
    }
  }

  private unary(operator: string, operand: Expression): string {
    if (operator === '-' && isNumber(operand)) return negated(literalName(operand as Literal));
    if (operator === '-' && operand.kind === 'unary' && operand.operator === '-' && isNumber(operand.operand))
      return literalName(operand.operand as Literal);
    if (operator === 'NOT') {
      const inverse = opposite(operand);
      return inverse === undefined ? `(NOT ${this.print(operand)})` : this.print(inverse);
    }
    return operator === '!' ? `((${this.print(operand)})!)` : `${operator}(${this.print(operand)})`;
  }

  /** AND and OR are one list however they were nested; all other chains nest to the left. */
  private binary(e: Extract<Expression, { kind: 'binary' }>): string {
    if (e.operator === 'AND' || e.operator === 'OR')
      return `(${operandsOf(e, e.operator)
        .map((each) => this.print(each))
        .join(` ${e.operator} `)})`;
    const chain: { operator: string; right: Expression }[] = [];
    let left: Expression = e;
    while (left.kind === 'binary' && left.operator !== 'AND' && left.operator !== 'OR') {
      chain.push({ operator: left.operator, right: left.right });
      left = left.left;
    }
    let printed = this.print(left);
    for (const { operator, right } of chain.reverse()) {
      if (operator === '~' || operator === '!~') {
        const match = `regexp_full_match(${printed}, ${this.print(right)})`;
        printed = operator === '~' ? match : `(NOT ${match})`;
      } else printed = `(${printed} ${OPERATORS[operator] ?? operator} ${this.print(right)})`;
    }
    return printed;
  }

  private like(e: Like): string {
    const operand = this.print(e.operand);
    const pattern = this.print(e.pattern);
    if (e.escape !== undefined)
      return `${e.negated ? 'not_' : ''}${e.operator.toLowerCase()}_escape(${operand}, ${pattern}, ${this.print(e.escape)})`;
    const symbol = LIKES[e.operator];
    if (symbol !== undefined) return `(${operand} ${e.negated ? '!' : ''}${symbol} ${pattern})`;
    const match = `regexp_full_match(${operand}, ${pattern})`;
    return e.negated ? `(NOT ${match})` : match;
  }

  private in(e: Extract<Expression, { kind: 'in' }>): string {
    const operand = this.print(e.operand);
    switch (e.set.kind) {
      case 'list':
        return `(${operand} ${e.negated ? 'NOT ' : ''}IN (${this.list(e.set.items)}))`;
      case 'query':
        return e.negated ? `(NOT (${operand} = ANY(SELECT …)))` : `(${operand} = ANY(SELECT …))`;
      case 'expression': {
        const contains = `contains(${this.print(e.set.expression)}, ${operand})`;
        return e.negated ? `(NOT ${contains})` : contains;
      }
    }
  }

  private is(e: Extract<Expression, { kind: 'is' }>): string {
    const operand = this.print(e.operand);
    if (e.test === 'TRUE' || e.test === 'FALSE')
      return `(CAST(${operand} AS BOOLEAN) IS ${e.negated ? '' : 'NOT '}DISTINCT FROM ${e.test.toLowerCase()})`;
    return `(${operand} IS ${e.negated ? 'NOT ' : ''}NULL)`;
  }

  private case(e: Case): string {
    const operand = e.operand === undefined ? undefined : this.print(e.operand);
    const whens = e.whens.map(({ when, then }) => {
      const condition = operand === undefined ? this.print(when) : `(${operand} = ${this.print(when)})`;
      return ` WHEN (${condition}) THEN (${this.print(then)})`;
    });
    return `CASE ${whens.join('')} ELSE ${e.otherwise === undefined ? 'NULL' : this.print(e.otherwise)} END`;
  }

  private cast(e: Cast): string {
    return `${e.isTry ? 'TRY_CAST' : 'CAST'}(${this.print(e.operand)} AS ${castTypeText(e.type)})`;
  }

  private interval(e: IntervalLiteral): string {
    if (e.unit === undefined) return `CAST(${this.print(e.value)} AS INTERVAL)`;
    const unit = e.unit.endsWith('s')
      ? e.unit
      : e.unit === 'century'
        ? 'centuries'
        : e.unit === 'millennium'
          ? 'millennia'
          : `${e.unit}s`;
    const value = `CAST(${this.print(e.value)} AS DOUBLE)`;
    if (unit === 'seconds' || unit === 'milliseconds') return `to_${unit}(${value})`;
    const whole = unit === 'hours' || unit === 'minutes' || unit === 'microseconds' ? 'BIGINT' : 'INTEGER';
    return `to_${unit}(CAST(trunc(${value}) AS ${whole}))`;
  }

  private comprehension(e: Extract<Expression, { kind: 'comprehension' }>): string {
    const variable = quoteName(e.variable.name, true);
    const source = this.print(e.source);
    if (e.condition === undefined)
      return `main.list_apply(${source}, (lambda ${variable}: ${this.print(e.result)}))`;
    const pack = `main.struct_pack("filter" := ${this.print(e.condition)}, result := ${this.print(e.result)})`;
    const filtered = `main.list_filter(main.list_apply(${source}, (lambda ${variable}: ${pack})), (lambda elem: main.struct_extract(elem, 'filter')))`;
    return `main.list_apply(${filtered}, (lambda elem: main.struct_extract(elem, 'result')))`;
  }

  private call(e: Call): string {
    const name = e.name.name.toLowerCase();
    const values = e.arguments.map((argument) => argument.value);
    switch (name) {
      case 'coalesce':
      case 'ifnull':
        return `COALESCE(${this.list(values)})`;
      case 'if':
        if (values.length === 3)
          return `CASE  WHEN (${this.print(values[0] as Expression)}) THEN (${this.print(values[1] as Expression)}) ELSE ${this.print(values[2] as Expression)} END`;
        break;
      case 'date':
        if (values.length === 1) return `CAST(${this.print(values[0] as Expression)} AS DATE)`;
        break;
      case 'try':
        return `TRY(${this.list(values)})`;
      case 'grouping':
      case 'grouping_id':
        return `GROUPING(${this.list(values)})`;
      case 'list':
      case 'array_agg': {
        const order =
          e.orderBy.length === 1 && !e.isDistinct && e.over === undefined && e.filter === undefined
            ? e.orderBy[0]
            : undefined;
        if (
          order !== undefined &&
          values.length === 1 &&
          this.print(order.expression) === this.print(values[0] as Expression)
        ) {
          const direction =
            order.direction === 'DESC'
              ? 'DESCENDING'
              : order.direction === 'ASC'
                ? 'ASCENDING'
                : 'ORDER_DEFAULT';
          return `list_sort(${name}(${this.list(values)}), '${direction}', '${order.nulls === undefined ? 'ORDER_DEFAULT' : `NULLS ${order.nulls}`}')`;
        }
        break;
      }
    }
    if (e.syntax === 'keyword') return e.name.name;
    return this.plainCall(e, name, values);
  }

  private plainCall(e: Call, name: string, values: readonly Expression[]): string {
    const head = this.callHead(e, name);
    const named = e.arguments.map(
      (argument) =>
        (argument.name === undefined ? '' : `${quoteName(argument.name.name, true)} := `) +
        this.print(argument.value),
    );
    let inside = e.syntax === 'position' ? [...named].reverse().join(', ') : named.join(', ');
    if (e.isStar || (name === 'count' && values.length === 0)) inside = '';
    if (e.isDistinct) inside = `DISTINCT ${inside}`;
    const order = e.withinGroup.length > 0 && name !== 'mode' ? e.withinGroup : e.orderBy;
    if (order.length > 0) inside += `${inside === '' ? '' : ' '}ORDER BY ${this.order(order)}`;
    if (e.nulls === 'IGNORE') inside += ' IGNORE NULLS';
    let printed = `${head}(${inside})`;
    if (e.withinGroup.length > 0 && name === 'mode')
      printed += ` WITHIN GROUP ( ORDER BY ${this.order(e.withinGroup)})`;
    if (e.filter !== undefined) printed += ` FILTER (WHERE ${this.print(e.filter)})`;
    if (e.over !== undefined)
      printed += ` OVER ${this.window('partitionBy' in e.over ? e.over : { base: e.over, partitionBy: [], orderBy: [] })}`;
    return printed;
  }

  private callHead(e: Call, name: string): string {
    if (e.syntax === 'extract') return 'main.date_part';
    if (e.syntax === 'trim' || name === 'trim')
      return `main.${e.modifier === 'LEADING' ? 'ltrim' : e.modifier === 'TRAILING' ? 'rtrim' : '"trim"'}`;
    if (name === 'substring') return 'main."substring"';
    if (e.syntax !== 'plain') return `main.${quoteName(name)}`;
    if (name === 'count' && e.over === undefined && (e.isStar || e.arguments.length === 0))
      return 'count_star';
    if (e.withinGroup.length > 0 && name.startsWith('percentile_'))
      return `quantile_${name.slice('percentile_'.length)}`;
    return [...e.qualifiers.map((part) => quoteName(part.name, true)), quoteName(name)].join('.');
  }

  private order(items: readonly OrderItem[]): string {
    return items
      .map(
        (item) =>
          this.print(item.expression) +
          (item.direction === undefined ? '' : ` ${item.direction}`) +
          (item.nulls === undefined ? '' : ` NULLS ${item.nulls}`),
      )
      .join(', ');
  }

  private window(written: WindowSpec): string {
    const spec = this.complete(written);
    const parts: string[] = [];
    if (spec.partitionBy.length > 0) parts.push(`PARTITION BY ${this.list(spec.partitionBy)}`);
    if (spec.orderBy.length > 0) parts.push(`ORDER BY ${this.order(spec.orderBy)}`);
    if (spec.frame !== undefined) {
      const { unit, start, end, exclude } = spec.frame;
      parts.push(
        `${unit} BETWEEN ${this.bound(start)} AND ${end === undefined ? 'CURRENT ROW' : this.bound(end)}${exclude === undefined ? '' : ` EXCLUDE ${exclude}`}`,
      );
    }
    return `(${parts.join(' ')})`;
  }

  /** A window that builds on a named one is printed with what it takes from there. */
  private complete(spec: WindowSpec, steps = 0): WindowSpec {
    const key = spec.base?.name.toLowerCase();
    const named = this.windows.find((window) => window.name.name.toLowerCase() === key);
    if (named === undefined || steps > DEPTH_MAX) return spec;
    const base = this.complete(named.spec, steps + 1);
    const frame = spec.frame ?? base.frame;
    const orderBy = spec.orderBy.length > 0 ? spec.orderBy : base.orderBy;
    return { partitionBy: base.partitionBy, orderBy, ...(frame !== undefined && { frame }) };
  }

  private bound(bound: FrameBound): string {
    const words = bound.kind.replace('-', ' ').toUpperCase();
    return bound.offset === undefined ? words : `${this.print(bound.offset)} ${words}`;
  }
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
  'IS DISTINCT FROM': 'IS NOT DISTINCT FROM',
  'IS NOT DISTINCT FROM': 'IS DISTINCT FROM',
};

/** DuckDB turns a comparison under NOT around. */
function opposite(e: Expression): Expression | undefined {
  if (e.kind === 'in' && !e.negated && e.set.kind === 'list') return { ...e, negated: true };
  const operator = e.kind === 'binary' ? OPPOSITES[e.operator] : undefined;
  return e.kind === 'binary' && operator !== undefined ? { ...e, operator } : undefined;
}

function isNumber(e: Expression): boolean {
  return e.kind === 'literal' && e.type === 'number';
}

function negated(number: string): string {
  if (/^0+$/.test(number)) return '0';
  return number.startsWith('-') ? number.slice(1) : `-${number}`;
}
