/** The value term of an expression. Spellings that mean the same give the same term; everything else keeps its difference. */
import { operandsOf } from '../../../foundation/sql/operands-of.ts';
import type { Binary, Cast, Expression, Literal, TypeName } from '../../../foundation/sql/tree.ts';
import { binaryResult } from '../../../foundation/sql/types/arithmetic.ts';
import { type SqlType, sameType } from '../../../foundation/sql/types/sql-type.ts';
import { typeOf } from '../../../foundation/sql/types/type-names.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import { valueOfCall } from './call-value.ts';
import { everyColumn, valueOfColumn } from './lookup.ts';
import { folded } from './query-change.ts';
import { type ClauseTerms, newTermScope, type TermScope, type TermSession } from './table-terms.ts';
import type { Term, TermPart } from './terms.ts';
import { Unsure } from './unsure.ts';

const DEPTH_MAX = 400;
const PLURAL = /^(second|minute|hour|day|week|month|quarter|year)s$/;
/** Texts that mean another time at each reading once they become a date, which they may without a cast. */
const MOMENTS: ReadonlySet<string> = new Set(['now', 'today', 'tomorrow', 'yesterday']);

/** The value of an expression in a row of the clause's rows. */
export function expressionValue(session: TermSession, clause: ClauseTerms, expression: Expression): Term {
  if (++session.depth > DEPTH_MAX) throw new Unsure('an expression is nested too deeply to be compared');
  const value = computed(session, clause, expression);
  session.depth--;
  return value;
}

function computed(session: TermSession, clause: ClauseTerms, e: Expression): Term {
  const { terms } = session;
  const value = (part: Expression): Term => expressionValue(session, clause, part);
  const values = (parts: readonly Expression[]): Term[] => parts.map(value);
  const scalar = (...parts: readonly TermPart[]): Term => terms.make('scalar', ...parts);
  const unless = (isNegated: boolean, term: Term): Term => (isNegated ? scalar('NOT', term) : term);
  switch (e.kind) {
    case 'column':
      return valueOfColumn(session, clause.scope, e);
    case 'star':
      return terms.make('scalar', 'star', ...everyVisible(clause.scope), ...starText(e, value));
    case 'literal':
      return literal(session, e);
    case 'parameter':
      return scalar('parameter', e.text);
    case 'interval':
      return scalar('interval', value(e.value), (e.unit ?? '').replace(PLURAL, '$1'));
    case 'unary':
      return scalar(e.operator, value(e.operand));
    case 'binary':
      return binary(session, clause, e);
    case 'like':
      // NOT LIKE ANY is not the same everywhere.
      return unless(
        e.negated && e.quantifier === undefined,
        scalar(
          e.operator,
          `${e.negated ? 'NOT ' : ''}${e.quantifier ?? ''}`.replace(/^NOT $/, ''),
          value(e.operand),
          value(e.pattern),
          ...(e.escape ? [value(e.escape)] : []),
        ),
      );
    case 'between':
      return unless(
        e.negated,
        scalar('between', e.symmetric ? 'symmetric' : '', value(e.operand), value(e.low), value(e.high)),
      );
    case 'in':
      return unless(e.negated, isIn(session, clause, e));
    case 'is':
      return unless(e.negated, scalar('IS', e.test === 'UNKNOWN' ? 'NULL' : e.test, value(e.operand)));
    case 'case':
      return scalar(
        'case',
        ...(e.operand === undefined ? ['searched'] : ['simple', value(e.operand)]),
        ...e.whens.flatMap(({ when, then }) => [value(when), value(then)]),
        e.otherwise === undefined ? terms.make('literal', 'null', '') : value(e.otherwise),
      );
    case 'cast':
      return cast(session, e, value);
    case 'call':
      return valueOfCall(session, clause, e);
    case 'exists':
      return terms.make('exists', inner(session, clause, e.query).rows);
    case 'subquery': {
      const { rows, columns, arrival } = inner(session, clause, e.query);
      const made = terms.make('subquery', e.quantifier ?? '', rows, ...columns.map((column) => column.value));
      if (e.quantifier !== 'ARRAY') return made;
      const order = arrival === undefined ? [] : [arrival];
      return session.chosen('ARRAY(…) depends on the order in which rows come', made, ...order);
    }
    case 'list':
    case 'tuple':
      return scalar(e.kind, ...values(e.items));
    case 'struct':
      return scalar('struct', ...e.fields.flatMap((field) => [field.name?.name ?? '', value(field.value)]));
    case 'map':
      return scalar('map', ...e.entries.flatMap((entry) => [value(entry.key), value(entry.value)]));
    case 'subscript':
      return scalar(
        'subscript',
        e.isSlice ? 'slice' : '',
        value(e.operand),
        ...[e.index, e.upper, e.step].map((part) => (part === undefined ? '' : value(part))),
      );
    case 'field':
      // A path into JSON is exact, a field of a struct is found in any case.
      return scalar('field', value(e.operand), e.isVariantPath ? `:${e.field.name}` : folded(e.field.name));
    case 'lambda':
      return lambda(
        session,
        clause,
        e.parameters.map((parameter) => parameter.name),
        [e.body],
      );
    case 'comprehension': {
      const names = [e.variable.name, ...(e.index === undefined ? [] : [e.index.name])];
      const parts = [e.result, ...(e.condition === undefined ? [] : [e.condition])];
      return scalar('comprehension', value(e.source), lambda(session, clause, names, parts));
    }
    case 'at-time-zone':
      return scalar('at time zone', value(e.operand), value(e.zone));
    case 'collate':
      return scalar('collate', value(e.operand), ...e.collation.map((part) => folded(part.name)));
    default:
      return unreachable(e);
  }
}

function inner(session: TermSession, clause: ClauseTerms, query: Parameters<TermSession['termsOf']>[1]) {
  return session.termsOf(session, query, clause.scope, clause.scope.tables);
}

function literal(session: TermSession, e: Literal): Term {
  const isExact = e.type === 'string' || e.type === 'bytes' || e.type === 'bit';
  const text = isExact ? e.text : e.text.replaceAll('_', '').toLowerCase();
  const made = session.terms.make('literal', e.type, e.type === 'null' ? '' : text);
  const isMoment = e.type === 'string' && MOMENTS.has(e.text.trim().toLowerCase());
  return isMoment ? session.chosen(`'${e.text}' may mean another time each day`, made) : made;
}

/** Comparisons that say the same from the other side. */
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=' };

/** AND and OR are sets: their three-valued answer does not depend on order or repetition. Long chains are walked, not recursed. */
function binary(session: TermSession, clause: ClauseTerms, e: Binary): Term {
  const { terms } = session;
  if (e.operator === 'AND' || e.operator === 'OR')
    return terms.make(
      e.operator.toLowerCase(),
      ...operandsOf(e, e.operator).map((part) => expressionValue(session, clause, part)),
    );
  const chain: Binary[] = [];
  let left: Expression = e;
  while (left.kind === 'binary' && left.operator !== 'AND' && left.operator !== 'OR') {
    chain.push(left);
    left = left.left;
  }
  let value = expressionValue(session, clause, left);
  for (const link of chain.reverse()) {
    const right = expressionValue(session, clause, link.right);
    const types = [session.types.get(value), session.types.get(right)];
    value = compared(session, link.operator, value, right);
    if (types[0] !== undefined && types[1] !== undefined)
      session.types.set(value, binaryResult(link.operator, types[0], types[1]));
  }
  return value;
}

function compared(session: TermSession, operator: string, left: Term, right: Term): Term {
  const { terms } = session;
  const turned = TURNED[operator];
  if (turned !== undefined) return terms.make('scalar', turned, right, left);
  if (operator === '=' || operator === '<>' || operator.startsWith('IS '))
    return terms.make(operator, left, right);
  return terms.make('scalar', operator, left, right);
}

/** What a condition demands, each demand once; TRUE demands nothing. */
export function conditionsOf(
  session: TermSession,
  clause: ClauseTerms,
  condition: Expression | undefined,
): readonly Term[] {
  if (condition === undefined) return [];
  const isTrue = (e: Expression): boolean =>
    e.kind === 'literal' && e.type === 'boolean' && folded(e.text) === 'true';
  return operandsOf(condition, 'AND')
    .filter((part) => !isTrue(part))
    .map((part) => expressionValue(session, clause, part));
}

function isIn(session: TermSession, clause: ClauseTerms, e: Extract<Expression, { kind: 'in' }>): Term {
  const { terms } = session;
  const operand = expressionValue(session, clause, e.operand);
  switch (e.set.kind) {
    case 'list':
      return terms.make(
        'scalar',
        'in',
        operand,
        terms.make('set', ...e.set.items.map((item) => expressionValue(session, clause, item))),
      );
    case 'query': {
      const { rows, columns } = inner(session, clause, e.set.query);
      return terms.make('in', operand, rows, ...columns.map((column) => column.value));
    }
    case 'expression':
      return terms.make('scalar', 'in list', operand, expressionValue(session, clause, e.set.expression));
  }
}

/** A cast to the type that the operand already has gives the operand; a rule of DuckDB's types only, others shorten and pad. */
function cast(session: TermSession, e: Cast, value: (part: Expression) => Term): Term {
  const operand = value(e.operand);
  const type = session.dialect === 'duckdb' && isFollowed(e.type) ? knownType(typeOf(e.type)) : undefined;
  const known = session.types.get(operand);
  if (e.format === undefined && type !== undefined && known !== undefined && sameType(known, type))
    return operand;
  const format = e.format === undefined ? [] : [value(e.format)];
  const text = type?.text ?? writtenType(e.type);
  const made = session.terms.make('scalar', e.isTry ? 'try_cast' : 'cast', operand, text, ...format);
  if (type !== undefined) session.types.set(made, type);
  return made;
}

const knownType = (type: SqlType): SqlType | undefined => (type.text.includes('UNKNOWN') ? undefined : type);

/** TIMESTAMP(3) is another type than TIMESTAMP; a text's length means nothing. */
function isFollowed({ name, parameters, fields }: TypeName): boolean {
  const isTimed = parameters.length > 0 && /TIME/i.test(name);
  return !isTimed && fields.every((field) => isFollowed(field.type));
}

/** A type of the user's own, or of a dialect whose lengths count, exactly as written. */
function writtenType(type: TypeName): string {
  const fields = type.fields.map((field) => `${field.name?.name ?? ''} ${writtenType(field.type)}`);
  return `${type.name.toUpperCase()}(${type.parameters.join()})<${fields.join()}>`;
}

/** Parameters are part of the term with what else their names could mean: `j -> '$.a'` may be JSON's arrow. */
function lambda(
  session: TermSession,
  clause: ClauseTerms,
  names: readonly string[],
  parts: readonly Expression[],
): Term {
  const variables = new Set(names.map(folded));
  const scope: TermScope = { ...newTermScope(clause.scope, clause.scope.tables), variables };
  const inside: ClauseTerms = { ...clause, scope };
  const parameters = names.map((name) =>
    valueOfColumn(session, scope, {
      kind: 'column',
      name: { name, quoted: true, span: { start: 0, end: 0 } },
      qualifiers: [],
      span: { start: 0, end: 0 },
    }),
  );
  return session.terms.make(
    'scalar',
    'lambda',
    ...parameters,
    ...parts.map((part) => expressionValue(session, inside, part)),
  );
}

/** Everything a star inside an expression may stand for. */
export function everyVisible(scope: TermScope): TermPart[] {
  let at: TermScope | undefined = scope;
  while (at?.variables !== undefined) at = at.parent;
  return at === undefined
    ? []
    : at.sources.flatMap((source) => [source.alias, ...everyColumn(source.columns)]);
}

function starText(e: Extract<Expression, { kind: 'star' }>, value: (part: Expression) => Term): TermPart[] {
  return [
    ...e.qualifiers.map((part) => folded(part.name)),
    'exclude',
    ...e.exclude.flatMap((part) => [
      ...(part.qualifiers ?? []).map((q) => folded(q.name)),
      folded(part.name),
    ]),
    'replace',
    ...e.replace.flatMap((item) => [folded(item.alias?.name ?? ''), value(item.expression)]),
    'rename',
    ...e.rename.flatMap((item) => [folded(item.from.name), folded(item.to.name)]),
  ];
}
