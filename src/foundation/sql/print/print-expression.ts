import { unreachable } from '../../unreachable.ts';
import { type Chained, isChained } from '../canonical/chained.ts';
import type { Expression, In } from '../tree.ts';
import { backslashPattern } from './backslash-pattern.ts';
import { LEVEL, levelOf } from './levels.ts';
import { writeBinaryTail, writeOperatorHead } from './print-binary.ts';
import { writeCall } from './print-call.ts';
import { writeList, writeStar, writeStruct } from './print-constructor.ts';
import { writeInterval } from './print-interval.ts';
import { nameText, writeLiteral, writeName, writeNames, writePath, writeType } from './print-name.ts';
import { nextOperand, writeZoneHead, writeZoneTail } from './print-time-zone.ts';
import { breakLine, joined, type Printer, refuse, softLine } from './printer.ts';

/** Writes an expression; in parentheses when it holds together less tightly than `level` asks. */
export function writeExpression(p: Printer, expression: Expression, level: number = LEVEL.any): void {
  const chain: Chained[] = [];
  const closes: boolean[] = [];
  let required = level;
  let at = expression;
  while (isChained(at)) {
    const isWrapped =
      levelOf(at) < required || (chain.length > 0 && isFieldOfColumn(chain.at(-1) as Chained, at));
    if (isWrapped) p.out += '(';
    chain.push(at);
    closes.push(isWrapped);
    writeHead(p, at);
    required = firstLevel(at);
    at = nextOperand(p, at);
  }
  const outer = chain.at(-1);
  const isWrapped = levelOf(at) < required || (outer !== undefined && isFieldOfColumn(outer, at));
  if (isWrapped) p.out += '(';
  writeSimple(p, at);
  if (isWrapped) p.out += ')';
  for (let i = chain.length - 1; i >= 0; i--) {
    writeTail(p, chain[i] as Chained);
    if (closes[i]) p.out += ')';
  }
}

/** `(t.a).b` is a field, `t.a.b` a column: a field's operand keeps its parentheses unless it is a path itself. */
function isFieldOfColumn(outer: Chained, operand: Expression): boolean {
  return (
    outer.kind === 'field' && !outer.isVariantPath && operand.kind !== 'field' && operand.kind !== 'subscript'
  );
}

/** How tightly the first operand must hold together. */
function firstLevel(node: Chained): number {
  switch (node.kind) {
    case 'binary': {
      const level = levelOf(node);
      if (level === LEVEL.comparison) return LEVEL.other;
      if (level !== LEVEL.other && level !== LEVEL.any) return level;
      // Dialects disagree about these: only a chain of the same operator goes without parentheses.
      const isSame = node.left.kind === 'binary' && node.left.operator === node.operator;
      return isSame && node.operator !== '^' && node.operator !== '**' ? LEVEL.any : LEVEL.postfix;
    }
    case 'cast':
      return node.form === 'colons' ? LEVEL.postfix : LEVEL.any;
    case 'subscript':
    case 'field':
      // In a::INTEGER[1] the brackets belong to the type.
      return node.operand.kind === 'cast' ? LEVEL.atom : LEVEL.postfix;
    case 'collate':
    case 'at-time-zone':
      return LEVEL.postfix;
    default:
      return LEVEL.other;
  }
}

/** What stands before the first operand. */
function writeHead(p: Printer, node: Chained): void {
  switch (node.kind) {
    case 'binary':
      writeOperatorHead(p, node);
      return;
    case 'cast':
      writeCastHead(p, node);
      return;
    case 'like':
      if (emulatesIlike(p, node)) p.out += 'LOWER(';
      return;
    case 'at-time-zone':
      writeZoneHead(p, node);
      return;
    default:
  }
}

type CastNode = Extract<Chained, { kind: 'cast' }>;
type LikeNode = Extract<Chained, { kind: 'like' }>;

/** `x::t` and `DATE '…'` stay as they are where the target has them. */
function castForm(p: Printer, node: CastNode): CastNode['form'] {
  if (node.isTry || node.format !== undefined) return 'cast';
  if (node.form === 'colons') return p.target.hasColonCast && !p.isTranslating ? 'colons' : 'cast';
  if (
    node.form === 'literal' &&
    (!p.target.hasTypedLiterals ||
      (p.isTranslating && node.type.name !== 'DATE' && node.type.name !== 'TIMESTAMP'))
  )
    return 'cast';
  return node.form;
}

const RENAMES_LITERALS: ReadonlySet<string> = new Set(['bigquery', 'spark', 'databricks']);

function writeCastHead(p: Printer, node: CastNode): void {
  const form = castForm(p, node);
  if (form === 'literal') {
    // The word before a constant is the standard's, whatever the type is called in a cast.
    if (p.isTranslating && !RENAMES_LITERALS.has(p.to)) p.out += node.type.name;
    else writeType(p, node.type);
    p.out += ' ';
  } else if (form === 'cast') {
    if (node.isTry && p.target.tryCast === undefined) refuse(p, 'TRY_CAST', node.span);
    p.out += node.isTry ? `${p.target.tryCast ?? 'TRY_CAST'}(` : 'CAST(';
  }
}

const emulatesIlike = (p: Printer, node: LikeNode): boolean =>
  p.isTranslating && node.operator === 'ILIKE' && !p.target.hasIlike;

/** What follows the first operand. */
function writeTail(p: Printer, node: Chained): void {
  switch (node.kind) {
    case 'binary':
      writeBinaryTail(p, node);
      return;
    case 'cast': {
      const form = castForm(p, node);
      if (form === 'literal') return;
      p.out += form === 'colons' ? '::' : ' AS ';
      writeType(p, node.type);
      if (node.format !== undefined) {
        p.out += ' FORMAT ';
        writeExpression(p, node.format);
      }
      if (form === 'cast') p.out += ')';
      return;
    }
    case 'like':
      writeLikeTail(p, node);
      return;
    case 'between':
      if (node.symmetric && p.isTranslating) refuse(p, 'BETWEEN SYMMETRIC', node.span);
      p.out += `${node.negated ? ' NOT' : ''} BETWEEN ${node.symmetric ? 'SYMMETRIC ' : ''}`;
      writeExpression(p, node.low, LEVEL.other);
      p.out += ' AND ';
      writeExpression(p, node.high, LEVEL.other);
      return;
    case 'in':
      p.out += node.negated ? ' NOT IN ' : ' IN ';
      writeSet(p, node);
      return;
    case 'is':
      p.out += ` IS ${node.negated ? 'NOT ' : ''}${node.test}`;
      return;
    case 'subscript':
      if (p.isTranslating) refuse(p, 'a subscript', node.span);
      p.out += '[';
      if (node.index !== undefined) writeExpression(p, node.index);
      if (node.isSlice) {
        p.out += ':';
        if (node.upper !== undefined) writeExpression(p, node.upper);
        else if (node.step !== undefined) p.out += '-';
        if (node.step !== undefined) {
          p.out += ':';
          writeExpression(p, node.step);
        }
      }
      p.out += ']';
      return;
    case 'field':
      if (p.isTranslating) refuse(p, 'a field of a struct', node.span);
      p.out += node.isVariantPath ? ':' : '.';
      p.out += node.field.name === '*' && !node.field.quoted ? '*' : nameText(p, node.field);
      return;
    case 'at-time-zone':
      writeZoneTail(p, node);
      return;
    case 'collate':
      if (p.isTranslating) refuse(p, 'COLLATE', node.span);
      p.out += ' COLLATE ';
      writePath(p, node.collation);
      return;
    default:
      unreachable(node);
  }
}

function writeLikeTail(p: Printer, node: LikeNode): void {
  const isLowered = emulatesIlike(p, node);
  const isByBackslash = p.isTranslating && p.to === 'bigquery';
  const pattern = isByBackslash ? backslashPattern(p, node) : node.pattern;
  if (isLowered) p.out += ')';
  if (p.isTranslating && node.operator !== 'LIKE' && node.operator !== 'ILIKE')
    refuse(p, node.operator, node.span);
  if (p.isTranslating && node.quantifier !== undefined) refuse(p, `LIKE ${node.quantifier}`, node.span);
  p.out += `${node.negated ? ' NOT' : ''} ${isLowered ? 'LIKE' : node.operator} `;
  if (node.quantifier !== undefined) {
    p.out += `${node.quantifier} `;
    if (node.pattern.kind === 'tuple') writeParenthesised(p, node.pattern.items);
    else writeParenthesised(p, [node.pattern]);
  } else if (isLowered) {
    p.out += 'LOWER(';
    writeExpression(p, pattern);
    p.out += ')';
  } else writeExpression(p, pattern, LEVEL.other);
  if (node.escape !== undefined && !isByBackslash) {
    p.out += ' ESCAPE ';
    writeExpression(p, node.escape, LEVEL.other);
  }
}

function writeSet(p: Printer, node: In): void {
  const { set } = node;
  if (set.kind === 'list') writeParenthesised(p, set.items);
  else if (set.kind === 'query') writeSubquery(p, set.query);
  else {
    if (p.isTranslating) refuse(p, 'IN with a list value', node.span);
    writeExpression(p, set.expression, LEVEL.postfix);
  }
}

function writeParenthesised(p: Printer, items: readonly Expression[]): void {
  p.out += '(';
  joined(p, items, (item) => writeExpression(p, item));
  p.out += ')';
}

/** A query in parentheses, on lines of its own when pretty. */
export function writeSubquery(p: Printer, query: Parameters<Printer['query']>[1]): void {
  p.out += '(';
  p.indent++;
  softLine(p);
  p.query(p, query);
  p.indent--;
  softLine(p);
  p.out += ')';
}

function writeSimple(p: Printer, node: Exclude<Expression, Chained>): void {
  switch (node.kind) {
    case 'column':
      writePath(p, [...node.qualifiers, node.name]);
      return;
    case 'star':
      writeStar(p, node);
      return;
    case 'literal':
      writeLiteral(p, node);
      return;
    case 'parameter':
      p.out += node.text;
      return;
    case 'interval':
      writeInterval(p, node);
      return;
    case 'unary':
      writeUnary(p, node);
      return;
    case 'case':
      writeCase(p, node);
      return;
    case 'call':
      writeCall(p, node);
      return;
    case 'exists':
      p.out += 'EXISTS ';
      writeSubquery(p, node.query);
      return;
    case 'subquery':
      if (node.quantifier !== undefined) p.out += `${node.quantifier} `;
      if (p.isTranslating && node.quantifier === 'ARRAY') refuse(p, 'ARRAY(query)', node.span);
      writeSubquery(p, node.query);
      return;
    case 'list':
      writeList(p, node);
      return;
    case 'tuple':
      if (node.items.length < 2) p.out += 'ROW';
      writeParenthesised(p, node.items);
      return;
    case 'struct':
      writeStruct(p, node);
      return;
    case 'map':
      if (p.isTranslating) refuse(p, 'MAP {…}', node.span);
      p.out += 'MAP {';
      joined(p, node.entries, ({ key, value }) => {
        writeExpression(p, key);
        p.out += ': ';
        writeExpression(p, value);
      });
      p.out += '}';
      return;
    case 'lambda':
      if (node.parameters.length === 1) writePath(p, node.parameters);
      else writeNames(p, node.parameters);
      p.out += ' -> ';
      // Another arrow in the body would take the whole lambda for its left side.
      writeExpression(p, node.body, LEVEL.or);
      return;
    case 'comprehension':
      if (p.isTranslating) refuse(p, 'a list comprehension', node.span);
      p.out += '[';
      writeExpression(p, node.result);
      p.out += ' FOR ';
      writeName(p, node.variable);
      if (node.index !== undefined) p.out += `, ${nameText(p, node.index)}`;
      p.out += ' IN ';
      writeExpression(p, node.source, LEVEL.other);
      if (node.condition !== undefined) {
        p.out += ' IF ';
        writeExpression(p, node.condition);
      }
      p.out += ']';
      return;
    default:
      unreachable(node);
  }
}

function writeUnary(p: Printer, node: Extract<Expression, { kind: 'unary' }>): void {
  switch (node.operator) {
    case 'NOT':
      p.out += 'NOT ';
      writeExpression(p, node.operand, LEVEL.not);
      return;
    case '!':
      writeExpression(p, node.operand, LEVEL.postfix);
      p.out += '!';
      return;
    case '@':
      if (p.isTranslating) p.out += 'ABS(';
      else p.out += '@(';
      writeExpression(p, node.operand);
      p.out += ')';
      return;
    default:
      p.out += node.operator;
      writeExpression(p, node.operand, node.operator === '*' ? LEVEL.atom : LEVEL.postfix);
  }
}

function writeCase(p: Printer, node: Extract<Expression, { kind: 'case' }>): void {
  const isLong = p.isPretty && node.whens.length > 1;
  const line = (): void => {
    if (isLong) breakLine(p);
    else p.out += ' ';
  };
  p.out += 'CASE';
  if (node.operand !== undefined) {
    p.out += ' ';
    writeExpression(p, node.operand);
  }
  p.indent++;
  for (const { when, then } of node.whens) {
    line();
    p.out += 'WHEN ';
    writeExpression(p, when);
    p.out += ' THEN ';
    writeExpression(p, then);
  }
  if (node.otherwise !== undefined) {
    line();
    p.out += 'ELSE ';
    writeExpression(p, node.otherwise);
  }
  p.indent--;
  line();
  p.out += 'END';
}

/** A condition on lines of its own, one conjunct a line when pretty. */
export function writeConjunction(p: Printer, condition: Expression): void {
  if (!p.isPretty) {
    writeExpression(p, condition);
    return;
  }
  const conjuncts: Expression[] = [];
  let at = condition;
  while (at.kind === 'binary' && at.operator === 'AND') {
    conjuncts.push(at.right);
    at = at.left;
  }
  writeExpression(p, at, conjuncts.length > 0 ? LEVEL.not : LEVEL.any);
  p.indent++;
  for (let i = conjuncts.length - 1; i >= 0; i--) {
    breakLine(p);
    p.out += 'AND ';
    writeExpression(p, conjuncts[i] as Expression, LEVEL.not);
  }
  p.indent--;
}
