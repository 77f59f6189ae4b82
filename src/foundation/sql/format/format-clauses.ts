import { type FormatNode, firstLeaf, keyAt } from './format-nodes.ts';

/** One clause of a query: its words, and what follows them up to the next clause. */
export interface FormatClause {
  readonly kind: 'with' | 'select' | 'from' | 'join' | 'condition' | 'list' | 'set' | 'rest';
  readonly head: readonly FormatNode[];
  readonly body: readonly FormatNode[];
}

/** Whether nodes are a query: they begin with SELECT, WITH, FROM, VALUES or PIVOT, or with a query in parentheses and a set operation. */
export function isQuery(nodes: readonly FormatNode[]): boolean {
  const first = nodes[0];
  if (first === undefined) return false;
  if (first.kind === 'group') {
    if (first.open.key !== '(' || !isQuery(first.items)) return false;
    return nodes.length === 1 || clauseAt(nodes, 1) !== undefined;
  }
  if (first.token.kind !== 'word') return false;
  switch (first.key) {
    case 'SELECT':
      return true;
    case 'WITH':
      return nodes.length > 2;
    case 'FROM':
      return nodes.length > 1;
    case 'VALUES':
      return nodes[1]?.kind === 'group';
    default:
      return false;
  }
}

/** A query cut into its clauses. */
export function clausesOf(nodes: readonly FormatNode[]): readonly FormatClause[] {
  const clauses: FormatClause[] = [];
  let kind: FormatClause['kind'] = 'rest';
  let head: readonly FormatNode[] = [];
  let body: FormatNode[] = [];
  const finish = (): void => {
    if (head.length > 0 || body.length > 0) clauses.push({ kind, head, body });
  };
  for (let i = 0; i < nodes.length; ) {
    const found = clauseAt(nodes, i);
    // WITH ends where its query begins, so SELECT and the like after it are clauses of their own.
    if (found === undefined) {
      body.push(nodes[i] as FormatNode);
      i++;
      continue;
    }
    finish();
    kind = found.kind;
    head = nodes.slice(i, i + found.length);
    body = [];
    i += found.length;
  }
  finish();
  return clauses;
}

const JOIN_WORDS = new Set([
  'NATURAL',
  'ASOF',
  'INNER',
  'LEFT',
  'RIGHT',
  'FULL',
  'CROSS',
  'SEMI',
  'ANTI',
  'POSITIONAL',
  'OUTER',
  'LATERAL',
]);

/** The clause that begins at `i`, with the number of nodes in its head. */
function clauseAt(
  nodes: readonly FormatNode[],
  i: number,
): { readonly kind: FormatClause['kind']; readonly length: number } | undefined {
  const node = nodes[i];
  if (node === undefined || node.kind !== 'leaf' || node.token.kind !== 'word') return undefined;
  const before = keyAt(nodes, i - 1);
  if (before === '.' || before === '@' || before === 'AS' || keyAt(nodes, i + 1) === '.') return undefined;
  const next = keyAt(nodes, i + 1);
  switch (node.key) {
    case 'WITH':
      return i === 0 ? { kind: 'with', length: next === 'RECURSIVE' ? 2 : 1 } : undefined;
    case 'SELECT':
      return { kind: 'select', length: selectHead(nodes, i) };
    case 'FROM':
      return before === 'DISTINCT' ? undefined : { kind: 'from', length: 1 };
    case 'WHERE':
    case 'HAVING':
    case 'QUALIFY':
      return { kind: 'condition', length: 1 };
    case 'GROUP':
    case 'ORDER':
      return next === 'BY' ? { kind: 'list', length: 2 } : undefined;
    case 'VALUES':
      return nodes[i + 1]?.kind === 'group' && BEFORE_VALUES.has(before)
        ? { kind: 'list', length: 1 }
        : undefined;
    case 'WINDOW':
    case 'LIMIT':
    case 'OFFSET':
    case 'FETCH':
      return { kind: 'list', length: 1 };
    case 'UNION':
    case 'INTERSECT':
    case 'EXCEPT':
    case 'MINUS':
      return setOperation(nodes, i, before);
    default:
      return joinAt(nodes, i);
  }
}

/** What VALUES follows when it is a query and not MySQL's function. */
const BEFORE_VALUES = new Set(['', 'ALL', 'DISTINCT', 'UNION', 'EXCEPT', 'INTERSECT', 'NAME']);

function selectHead(nodes: readonly FormatNode[], i: number): number {
  let length = 1;
  if (keyAt(nodes, i + length) === 'DISTINCT') {
    length++;
    if (keyAt(nodes, i + length) === 'ON' && keyAt(nodes, i + length + 1) === '(') length += 2;
  } else if (keyAt(nodes, i + length) === 'ALL') length++;
  if (
    keyAt(nodes, i + length) === 'TOP' &&
    keyAt(nodes, i + length + 1) !== ',' &&
    keyAt(nodes, i + length + 1) !== '.'
  )
    length += 2;
  if (keyAt(nodes, i + length) === 'AS') length += 2;
  return Math.min(length, nodes.length - i);
}

/** `* EXCEPT (a)` is a star's, the rest is between two queries. */
function setOperation(
  nodes: readonly FormatNode[],
  i: number,
  before: string,
): { readonly kind: 'set'; readonly length: number } | undefined {
  if (before === '*' || before === '' || before === ',') return undefined;
  let length = 1;
  if (['ALL', 'DISTINCT'].includes(keyAt(nodes, i + length))) length++;
  if (keyAt(nodes, i + length) === 'BY') length += 2;
  const operand = nodes[i + length];
  const isOperand =
    operand !== undefined &&
    (operand.kind === 'group'
      ? isQuery(operand.items)
      : ['SELECT', 'FROM', 'VALUES', 'WITH', 'TABLE'].includes(operand.key));
  return isOperand || firstLeafIsMacro(operand) ? { kind: 'set', length } : undefined;
}

const firstLeafIsMacro = (node: FormatNode | undefined): boolean =>
  node !== undefined && firstLeaf(node).token.kind === 'at';

function joinAt(
  nodes: readonly FormatNode[],
  i: number,
): { readonly kind: 'join'; readonly length: number } | undefined {
  let length = 0;
  while (JOIN_WORDS.has(keyAt(nodes, i + length)) && length < 4) length++;
  return keyAt(nodes, i + length) === 'JOIN' ? { kind: 'join', length: length + 1 } : undefined;
}

/** Nodes between commas; each part but the last ends with its comma. */
export function partsOf(nodes: readonly FormatNode[]): readonly (readonly FormatNode[])[] {
  const parts: FormatNode[][] = [[]];
  for (const node of nodes) {
    (parts.at(-1) as FormatNode[]).push(node);
    if (node.kind === 'leaf' && node.key === ',' && node.token.kind === 'symbol') parts.push([]);
  }
  if ((parts.at(-1) as FormatNode[]).length === 0) parts.pop();
  return parts;
}

/** Conditions between AND and OR; each but the first begins with its word. The AND of BETWEEN belongs to its condition. */
export function conditionsOf(nodes: readonly FormatNode[]): readonly (readonly FormatNode[])[] {
  const parts: FormatNode[][] = [[]];
  let isBetween = false;
  for (const node of nodes) {
    const key = node.kind === 'leaf' ? node.keyword : '';
    if (key === 'BETWEEN') isBetween = true;
    if ((key === 'AND' && !isBetween) || key === 'OR') parts.push([]);
    if (key === 'AND') isBetween = false;
    (parts.at(-1) as FormatNode[]).push(node);
  }
  return parts;
}
