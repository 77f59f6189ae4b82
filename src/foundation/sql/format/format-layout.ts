import { clausesOf, conditionsOf, type FormatClause, isQuery, partsOf } from './format-clauses.ts';
import { type FormatGroup, type FormatLeaf, type FormatNode, keyAt } from './format-nodes.ts';
import {
  type FormatWriter,
  fits,
  newLine,
  widthOf,
  writeInline,
  writeLeaf,
  writeTrailing,
} from './format-writer.ts';

/** Subqueries up to this length stay on the line they are on. */
const SHORT_QUERY = 60;

/** A query, one clause after the other, each on a line of its own. */
export function writeQuery(w: FormatWriter, nodes: readonly FormatNode[]): void {
  const clauses = clausesOf(nodes);
  clauses.forEach((clause, i) => {
    if (i > 0) newLine(w);
    writeClause(w, clause);
  });
}

function writeClause(w: FormatWriter, { kind, head, body }: FormatClause): void {
  writeInline(w, head);
  switch (kind) {
    case 'with':
      writeCommonTables(w, body);
      return;
    case 'select':
      writeParts(w, partsOf(body));
      return;
    case 'from':
      writeFrom(w, body);
      return;
    case 'join':
      writeJoin(w, body);
      return;
    case 'condition':
      writeCondition(w, body);
      return;
    case 'list':
      if (fits(w, widthOf(body))) writeInline(w, body);
      else writeParts(w, partsOf(body));
      return;
    case 'set':
      if (body.length === 0) return;
      newLine(w);
      writeExpression(w, body);
      return;
    case 'rest':
      writeExpression(w, body);
  }
}

/** Each part on a line of its own, one level deeper. */
function writeParts(w: FormatWriter, parts: readonly (readonly FormatNode[])[]): void {
  w.indent++;
  newLine(w);
  writeLines(w, parts, (part) => writeExpression(w, part));
  w.indent--;
}

/** A line each; where commas begin lines, the one that ends a part goes to the next, without the comment behind it. */
function writeLines(
  w: FormatWriter,
  parts: readonly (readonly FormatNode[])[],
  write: (part: readonly FormatNode[]) => void,
): void {
  let comma: FormatLeaf | undefined;
  parts.forEach((part, i) => {
    if (i > 0) newLine(w);
    if (comma !== undefined) writeLeaf(w, { ...comma, trailing: [] });
    const last = part.at(-1);
    comma =
      w.options.hasLeadingCommas && i < parts.length - 1 && last?.kind === 'leaf' && last.key === ','
        ? last
        : undefined;
    write(comma === undefined ? part : part.slice(0, -1));
    if (comma !== undefined) writeTrailing(w, comma.trailing);
  });
}

function writeCommonTables(w: FormatWriter, body: readonly FormatNode[]): void {
  writeLines(w, partsOf(body), (part) => {
    for (const node of part) {
      if (node.kind === 'group' && isQuery(node.items)) writeBrokenQuery(w, node);
      else writeExpression(w, [node]);
    }
  });
}

function writeBrokenQuery(w: FormatWriter, group: FormatGroup): void {
  writeLeaf(w, group.open);
  w.indent++;
  newLine(w);
  writeQuery(w, group.items);
  w.indent--;
  newLine(w);
  writeLeaf(w, group.close);
}

function writeFrom(w: FormatWriter, body: readonly FormatNode[]): void {
  const parts = partsOf(body);
  if (parts.length === 1 || fits(w, widthOf(body))) writeExpression(w, body);
  else writeParts(w, parts);
}

/** On one line when it fits, else ON or USING goes to the next with a condition a line. */
function writeJoin(w: FormatWriter, body: readonly FormatNode[]): void {
  const at = body.findIndex(
    (node) => node.kind === 'leaf' && (node.keyword === 'ON' || node.keyword === 'USING'),
  );
  if (at < 0 || fits(w, widthOf(body))) {
    writeExpression(w, body);
    return;
  }
  writeExpression(w, body.slice(0, at));
  w.indent++;
  newLine(w);
  writeInline(w, body.slice(at, at + 1));
  writeConditions(w, conditionsOf(body.slice(at + 1)), 0);
  w.indent--;
}

/** A single condition follows its word, several get a line each. */
function writeCondition(w: FormatWriter, body: readonly FormatNode[]): void {
  const conditions = conditionsOf(body);
  if (conditions.length === 1 && fits(w, widthOf(body))) {
    writeInline(w, body);
    return;
  }
  w.indent++;
  newLine(w);
  writeConditions(w, conditions, 0);
  w.indent--;
}

function writeConditions(
  w: FormatWriter,
  conditions: readonly (readonly FormatNode[])[],
  deeper: number,
): void {
  w.indent += deeper;
  conditions.forEach((condition, i) => {
    if (i > 0) newLine(w);
    writeSequence(w, condition);
  });
  w.indent -= deeper;
}

/** An expression: on this line when it fits, else broken at AND and OR, and inside what does not fit. */
export function writeExpression(w: FormatWriter, nodes: readonly FormatNode[]): void {
  if (nodes.length === 0) return;
  if (isQuery(nodes) && nodes[0]?.kind === 'leaf') {
    writeQuery(w, nodes);
    return;
  }
  const isShort = fits(w, widthOf(nodes)) && !nodes.some(isLongQuery);
  const conditions = conditionsOf(nodes);
  if (isShort || conditions.length === 1) {
    writeSequence(w, nodes);
    return;
  }
  writeSequence(w, conditions[0] as readonly FormatNode[]);
  newLineDeeper(w, conditions.slice(1));
}

function newLineDeeper(w: FormatWriter, conditions: readonly (readonly FormatNode[])[]): void {
  w.indent++;
  for (const condition of conditions) {
    newLine(w);
    writeSequence(w, condition);
  }
  w.indent--;
}

function isLongQuery(node: FormatNode): boolean {
  return node.kind === 'group' && isQuery(node.items) && widthOf(node.items) > SHORT_QUERY;
}

/** One node after the other; groups that do not fit are broken. */
function writeSequence(w: FormatWriter, nodes: readonly FormatNode[]): void {
  nodes.forEach((node, i) => {
    if (node.kind === 'leaf') {
      writeLeaf(w, node);
      return;
    }
    // What clings to the closing sign must fit on the line too.
    const tail = widthOf(nodes.slice(i + 1, i + 2));
    const width = widthOf([node]) + (tail === Number.POSITIVE_INFINITY ? 0 : tail);
    if (fits(w, width) && !holdsLongQuery(node)) writeInline(w, [node]);
    else writeBroken(w, node);
  });
}

function holdsLongQuery(node: FormatNode): boolean {
  return node.kind === 'group' && (isLongQuery(node) || node.items.some(holdsLongQuery));
}

function writeBroken(w: FormatWriter, group: FormatGroup): void {
  if (group.open.key === 'CASE') writeCase(w, group);
  else if (isQuery(group.items)) writeBrokenQuery(w, group);
  else if (group.items.length === 0) writeInline(w, [group]);
  else {
    writeLeaf(w, group.open);
    const parts = partsOf(group.items);
    writeParts(w, parts.length > 1 ? parts : windowParts(group.items));
    newLine(w);
    writeLeaf(w, group.close);
  }
}

/** `PARTITION BY … ORDER BY … ROWS …` of a window, each on its line. */
function windowParts(nodes: readonly FormatNode[]): readonly (readonly FormatNode[])[] {
  const parts: FormatNode[][] = [[]];
  nodes.forEach((node, i) => {
    const key = keyAt(nodes, i);
    const begins =
      (key === 'ORDER' && keyAt(nodes, i + 1) === 'BY') ||
      ((key === 'ROWS' || key === 'RANGE') && keyAt(nodes, i + 1) === 'BETWEEN');
    if (begins && (parts.at(-1) as FormatNode[]).length > 0) parts.push([]);
    (parts.at(-1) as FormatNode[]).push(node);
  });
  return parts;
}

function writeCase(w: FormatWriter, group: FormatGroup): void {
  writeLeaf(w, group.open);
  const branches: FormatNode[][] = [[]];
  for (const node of group.items) {
    if (node.kind === 'leaf' && (node.keyword === 'WHEN' || node.keyword === 'ELSE')) branches.push([]);
    (branches.at(-1) as FormatNode[]).push(node);
  }
  const [operand, ...rest] = branches;
  writeExpression(w, operand as FormatNode[]);
  w.indent++;
  for (const branch of rest) {
    newLine(w);
    writeExpression(w, branch);
  }
  w.indent--;
  newLine(w);
  writeLeaf(w, group.close);
}

/** `MODEL (…)`: a property a line, with a blank between a property or kind and its parenthesis. */
export function writeHeader(w: FormatWriter, nodes: readonly FormatNode[]): void {
  const [word, group, ...rest] = withSpaces(nodes) as [FormatNode, FormatGroup, ...FormatNode[]];
  writeInline(w, [word]);
  writeLeaf(w, group.open);
  w.indent++;
  newLine(w);
  writeLines(w, partsOf(withSpaces(group.items)), (part) => writeSequence(w, part));
  w.indent--;
  newLine(w);
  writeLeaf(w, group.close);
  writeInline(w, rest);
}

function withSpaces(nodes: readonly FormatNode[]): readonly FormatNode[] {
  return nodes.map((node, i) =>
    node.kind === 'leaf' &&
    keyAt(nodes, i + 1) === '(' &&
    node.token.kind === 'word' &&
    keyAt(nodes, i - 1) !== '@'
      ? { ...node, isSpaced: true }
      : node,
  );
}
