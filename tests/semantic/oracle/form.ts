/*
 * Expressions of generated schemas are small closed forms that exist twice: as SQL text for the YAML (`formSql`), and computed here
 * (`evaluateForm`) with SQL's three-valued logic. Nothing parses anything.
 */
import { aggregate } from './aggregate.ts';
import { divide, minus, plus, type Rational, rational, times } from './rational.ts';
import { type ColumnType, compareValues, isRational, keyOf, literalSql, type Value } from './value.ts';

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Form =
  /** `{name}`, or `{model.name}`: a column, a dimension or (in derived measures) a measure. */
  | { readonly kind: 'reference'; readonly model?: string; readonly name: string }
  | { readonly kind: 'literal'; readonly type: ColumnType; readonly value: Value }
  | { readonly kind: 'plus' | 'minus' | 'times' | 'divide'; readonly left: Form; readonly right: Form }
  | { readonly kind: 'choose'; readonly when: Form; readonly yes: Form; readonly no: Form }
  | { readonly kind: 'coalesce' | 'concat'; readonly left: Form; readonly right: Form }
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly left: Form; readonly right: Form }
  | { readonly kind: 'is-null' | 'not'; readonly of: Form }
  | { readonly kind: 'and' | 'or'; readonly left: Form; readonly right: Form }
  /** An aggregate written in SQL inside a derived measure. */
  | {
      readonly kind: 'aggregate';
      readonly type: 'count' | 'sum' | 'min' | 'max' | 'avg' | 'count_distinct';
      readonly of?: Form;
    }
  /** A window over the groups of the answer: an aggregate of all, of those with the same `by`, or the rank from the greatest down. */
  | {
      readonly kind: 'over';
      readonly type: 'sum' | 'max' | 'count' | 'rank';
      readonly of: Form;
      readonly by?: Form;
    };

export type Reference = Extract<Form, { kind: 'reference' }>;
export type AggregateForm = Extract<Form, { kind: 'aggregate' }>;
export type OverForm = Extract<Form, { kind: 'over' }>;

const SIGNS = { plus: '+', minus: '-', times: '*', divide: '/' } as const;

export function formSql(form: Form): string {
  switch (form.kind) {
    case 'reference':
      return form.model === undefined ? `{${form.name}}` : `{${form.model}.${form.name}}`;
    case 'literal':
      return literalSql(form.value, form.type);
    case 'plus':
    case 'minus':
    case 'times':
    case 'divide':
      return `(${formSql(form.left)} ${SIGNS[form.kind]} ${formSql(form.right)})`;
    case 'choose':
      return `CASE WHEN ${formSql(form.when)} THEN ${formSql(form.yes)} ELSE ${formSql(form.no)} END`;
    case 'coalesce':
      return `COALESCE(${formSql(form.left)}, ${formSql(form.right)})`;
    case 'concat':
      return `(${formSql(form.left)} || ${formSql(form.right)})`;
    case 'compare':
      return `(${formSql(form.left)} ${form.operator} ${formSql(form.right)})`;
    case 'is-null':
      return `(${formSql(form.of)} IS NULL)`;
    case 'not':
      return `(NOT ${formSql(form.of)})`;
    case 'and':
    case 'or':
      return `(${formSql(form.left)} ${form.kind.toUpperCase()} ${formSql(form.right)})`;
    case 'aggregate': {
      if (form.of === undefined) return 'COUNT(*)';
      if (form.type === 'count_distinct') return `COUNT(DISTINCT ${formSql(form.of)})`;
      return `${form.type.toUpperCase()}(${formSql(form.of)})`;
    }
    case 'over': {
      const by = form.by === undefined ? '' : `PARTITION BY ${formSql(form.by)}`;
      return form.type === 'rank'
        ? `rank() OVER (${by} ORDER BY ${formSql(form.of)} DESC NULLS LAST)`
        : `${form.type}(${formSql(form.of)}) OVER (${by})`;
    }
  }
}

/** Where the parts of a form that are not closed get their values. */
export interface FormContext {
  reference(reference: Reference): Value;
  aggregate(aggregate: AggregateForm): Value;
  over(window: OverForm): Value;
}

export function evaluateForm(form: Form, context: FormContext): Value {
  const value = (part: Form): Value => evaluateForm(part, context);
  switch (form.kind) {
    case 'reference':
      return context.reference(form);
    case 'aggregate':
      return context.aggregate(form);
    case 'over':
      return context.over(form);
    case 'literal':
      return form.value;
    case 'plus':
    case 'minus':
    case 'times':
    case 'divide':
      return arithmetic(form.kind, value(form.left), value(form.right));
    case 'choose':
      return value(form.when) === true ? value(form.yes) : value(form.no);
    case 'coalesce':
      return value(form.left) ?? value(form.right);
    case 'concat': {
      const [left, right] = [value(form.left), value(form.right)];
      return left === null || right === null ? null : `${left as string}${right as string}`;
    }
    case 'compare': {
      const [left, right] = [value(form.left), value(form.right)];
      return left === null || right === null ? null : holds(form.operator, compareValues(left, right));
    }
    case 'is-null':
      return value(form.of) === null;
    case 'not': {
      const of = value(form.of);
      return of === null ? null : of === false;
    }
    case 'and': {
      const both = [value(form.left), value(form.right)];
      return both.includes(false) ? false : both.includes(null) ? null : true;
    }
    case 'or': {
      const both = [value(form.left), value(form.right)];
      return both.includes(true) ? true : both.includes(null) ? null : false;
    }
  }
}

/** What a window is in each of some groups, in their order. */
export function overGroups({ type, of, by }: OverForm, groups: readonly FormContext[]): readonly Value[] {
  const keys = groups.map((each) => (by === undefined ? '' : keyOf(evaluateForm(by, each))));
  const values = groups.map((each) => evaluateForm(of, each));
  const found = new Map<string, (value: Value) => Value>();
  for (const key of new Set(keys)) {
    const peers = values.filter((_, i) => keys[i] === key);
    if (type === 'rank') found.set(key, ranks(peers));
    else {
      const whole = aggregate(type, peers);
      found.set(key, () => whole);
    }
  }
  return values.map((value, i) => found.get(keys[i] as string)?.(value) ?? null);
}

/** From the greatest down, NULLs last; equal values have one rank. */
function ranks(values: readonly Value[]): (value: Value) => Value {
  const present = values.filter((value) => value !== null).sort((a, b) => compareValues(b, a));
  const first = new Map<string, number>();
  present.forEach((value, i) => {
    if (!first.has(keyOf(value))) first.set(keyOf(value), i + 1);
  });
  return (value) => rational(value === null ? present.length + 1 : (first.get(keyOf(value)) as number));
}

function holds(operator: Comparison, order: number): boolean {
  if (operator === '=') return order === 0;
  if (operator === '<>') return order !== 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function arithmetic(kind: keyof typeof SIGNS, left: Value, right: Value): Value {
  if (left === null || right === null) return null;
  const [a, b] = [number(left), number(right)];
  if (kind === 'plus') return plus(a, b);
  if (kind === 'minus') return minus(a, b);
  return kind === 'times' ? times(a, b) : (divide(a, b) ?? null);
}

function number(value: Value): Rational {
  if (!isRational(value)) throw new Error('a number is needed');
  return value;
}

export const reference = (name: string, model?: string): Form =>
  model === undefined ? { kind: 'reference', name } : { kind: 'reference', model, name };
export const int = (value: number): Form => ({ kind: 'literal', type: 'int', value: rational(value) });
export const text = (value: string): Form => ({ kind: 'literal', type: 'text', value });
export const compare = (operator: Comparison, left: Form, right: Form): Form => ({
  kind: 'compare',
  operator,
  left,
  right,
});

/** All references of a form; those inside aggregates apart, because they are about rows. */
export function referencesOf(form: Form): {
  readonly outside: Reference[];
  readonly aggregates: AggregateForm[];
} {
  const outside: Reference[] = [];
  const aggregates: AggregateForm[] = [];
  const visit = (part: Form): void => {
    if (part.kind === 'reference') outside.push(part);
    else if (part.kind === 'aggregate') aggregates.push(part);
    else
      for (const key of ['left', 'right', 'of', 'by', 'when', 'yes', 'no'] as const) {
        const child = (part as unknown as Readonly<Record<string, Form | undefined>>)[key];
        if (child !== undefined) visit(child);
      }
  };
  visit(form);
  return { outside, aggregates };
}
