import type { Relation } from './columns.ts';
import { columnsInScope, deriveFilter, type Source } from './expressions.ts';
import type { GraphNode } from './graph.ts';
import type { Random } from './random.ts';
import { type Anchor, groupList, type ListWish, rowList, type SelectList } from './select-list.ts';

// A query is a pipeline of SELECTs over the parents:
//
//   import CTEs ──▶ join ──▶ [windowed] ──▶ [refined] ──▶ final SELECT (rows | groups | union | distinct | star)
//
// Every step keeps two promises that make the audits of the project true on any data: the key is unique and not
// NULL, the date is not NULL. Joins therefore meet the other side's unique key.
// ‹ref:…›, ‹ratio:…¦…›, ‹start› and ‹end› mark what each tool spells in its own way.

/** A parent as the query sees it. */
export interface Parent {
  readonly node: GraphNode;
  readonly relation: Relation;
}

type Shape = 'rows' | 'groups' | 'union' | 'distinct' | 'star';

/** The SQL of a model with tool-neutral marks, and what it produces. */
export interface ModelQuery {
  readonly text: string;
  readonly relation: Relation;
  readonly shape: Shape;
  readonly cteCount: number;
}

interface Pipeline {
  readonly ctes: string[];
  cteLeft: number;
  readonly random: Random;
}

interface From {
  readonly sources: readonly Source[];
  readonly text: string;
  readonly where: readonly string[];
  readonly anchor: Anchor;
}

/** Writes the query of one model from what its parents produce. */
export function buildQuery(node: GraphNode, parents: readonly Parent[], random: Random): ModelQuery {
  const { traits } = node;
  const pipeline: Pipeline = {
    ctes: [],
    cteLeft: random.pick([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6]),
    random,
  };
  const shape = chooseShape(node, random);
  let from = joinParents({ node, parents, pipeline, shape });
  if (shape === 'star') return starQuery(from, pipeline);

  let windowsLeft = traits.hasWindow ? random.int(1, 3) : 0;
  let hasMacro = traits.usesMacro;
  if (
    windowsLeft > 0 &&
    (shape !== 'rows' || random.chance(0.5)) &&
    (pipeline.cteLeft > 0 || shape !== 'rows')
  ) {
    from = throughCte('windowed', from, { windowCount: windowsLeft, hasMacro, columnsWanted: 12 }, pipeline);
    windowsLeft = 0;
    hasMacro = false;
  }
  for (const name of ['refined', 'enriched', 'cleaned']) {
    if (pipeline.cteLeft > 0 && random.chance(0.7)) {
      from = throughCte(
        name,
        from,
        { windowCount: 0, hasMacro: false, columnsWanted: random.int(8, 16) },
        pipeline,
      );
    }
  }
  const wish: ListWish = {
    sources: from.sources,
    anchor: from.anchor,
    columnsWanted: node.columnsWanted,
    windowCount: windowsLeft,
    hasMacro,
    derivedShare: 0.45,
  };
  return finish(shape, from, wish, pipeline);
}

function chooseShape({ traits, layer }: GraphNode, random: Random): Shape {
  if (traits.isStar) return 'star';
  if (traits.isIncremental) return 'rows';
  const roll = random.float();
  if (layer !== 'staging' && roll < 0.3) return 'groups';
  if (roll > 0.94) return 'union';
  return roll > 0.88 ? 'distinct' : 'rows';
}

function finish(shape: Shape, from: From, wish: ListWish, pipeline: Pipeline): ModelQuery {
  const { random } = pipeline;
  const cteCount = pipeline.ctes.length;
  if (shape === 'groups') {
    const groups = groupFrom(from, random);
    const list = groupList({ ...wish, sources: groups.sources, anchor: groups.anchor }, random);
    const having = random.chance(0.3) ? '\nHAVING COUNT(*) >= 1' : '';
    const text = `${select(list, groups)}\nGROUP BY ${groups.by}${having}`;
    return { text: withCtes(pipeline, text), relation: list.relation, shape, cteCount };
  }
  const list = rowList(wish, random);
  if (shape === 'union') {
    const test = `COALESCE(${columnsInScope(from.sources)[0]!.sql} % 2 = 0, FALSE)`;
    const halves = [test, `NOT ${test}`].map((half) =>
      select(list, { ...from, where: [...from.where, half] }),
    );
    const relation = list.relation;
    return { text: withCtes(pipeline, halves.join('\nUNION ALL\n')), relation, shape, cteCount };
  }
  const text = select(list, from, shape === 'distinct' ? 'SELECT DISTINCT' : 'SELECT');
  // Keeps every row, because the key is unique already.
  const { key, date } = from.anchor;
  const isQualified = wish.windowCount > 0 && random.chance(0.25);
  const newest = `\nQUALIFY ROW_NUMBER() OVER (PARTITION BY ${key.sql} ORDER BY ${date.sql} DESC) = 1`;
  return {
    text: withCtes(pipeline, isQualified ? text + newest : text),
    relation: list.relation,
    shape,
    cteCount,
  };
}

function starQuery(from: From, pipeline: Pipeline): ModelQuery {
  const { random } = pipeline;
  const primary = from.sources[0]!;
  const others = from.sources.slice(1);
  const extra = others.flatMap(({ alias, relation }) => {
    const name = `${relation.date}_of_${alias}`;
    return [
      {
        sql: `${alias}.${relation.date} AS ${name}`,
        column: { name, family: 'date', isBounded: true } as const,
      },
    ];
  });
  const dropped = random.chance(0.2)
    ? primary.relation.columns.find(
        (c) => c.name !== primary.relation.key && c.name !== primary.relation.date,
      )
    : undefined;
  const star = dropped === undefined ? `${primary.alias}.*` : `${primary.alias}.* EXCLUDE (${dropped.name})`;
  const columns = primary.relation.columns.filter((c) => c !== dropped);
  const lines = [others.length === 0 && dropped === undefined ? '*' : star, ...extra.map((e) => e.sql)];
  const relation: Relation = { ...primary.relation, columns: [...columns, ...extra.map((e) => e.column)] };
  const text = withCtes(pipeline, select({ lines, relation }, from));
  return { text, relation, shape: 'star', cteCount: pipeline.ctes.length };
}

interface JoinWish {
  readonly node: GraphNode;
  readonly parents: readonly Parent[];
  readonly pipeline: Pipeline;
  readonly shape: Shape;
}

function joinParents({ node, parents, pipeline, shape }: JoinWish): From {
  const { random } = pipeline;
  const isIncremental = node.traits.isIncremental;
  const first = parents[0]!;
  const primary = importParent(first, 0, pipeline);
  const { alias } = primary.source;
  const where: string[] = [];
  if (isIncremental) where.push(`${alias}.${first.relation.date} BETWEEN ‹start› AND ‹end›`);
  const sources: Source[] = [primary.source];
  let text = `FROM ${primary.text}`;
  let anchor = anchorOf(primary.source);
  parents.slice(1).forEach((parent, i) => {
    const joined = joinOne({
      parent,
      position: i + 1,
      left: primary.source,
      isPlain: isIncremental || i > 0 || shape === 'star',
      pipeline,
    });
    if (joined.where !== undefined) where.push(joined.where);
    if (joined.source !== undefined) sources.push(joined.source);
    if (joined.anchor !== undefined) anchor = joined.anchor;
    text += joined.text;
  });
  if (shape !== 'star' && random.chance(0.4)) where.push(deriveFilter(sources.slice(0, 1), random));
  return { sources, text, where, anchor };
}

interface Joined {
  readonly text: string;
  readonly source?: Source;
  readonly where?: string;
  readonly anchor?: Anchor;
}

function joinOne(wish: {
  parent: Parent;
  position: number;
  left: Source;
  isPlain: boolean;
  pipeline: Pipeline;
}): Joined {
  const { parent, position, left, isPlain, pipeline } = wish;
  const { random } = pipeline;
  const roll = random.float();
  const leftKey = `${left.alias}.${left.relation.key}`;
  const foreign = columnsInScope([left]).filter((c) => c.family === 'id' && c.sql !== leftKey);
  const on = foreign.length > 0 ? random.pick(foreign).sql : leftKey;
  const alias = `${parent.node.entity[0]!}${position}`;
  const ref = `‹ref:${parent.node.schema}.${parent.node.name}›`;
  if (roll < 0.08) {
    const exists = `EXISTS (SELECT 1 FROM ${ref} AS ${alias} WHERE ${alias}.${parent.relation.key} = ${on}) OR ${on} IS NOT NULL`;
    return { text: '', where: `(${exists})` };
  }
  if (roll < 0.14) {
    const inside = `${on} IN (SELECT ${alias}.${parent.relation.key} FROM ${ref} AS ${alias})`;
    return { text: '', where: `(${inside} OR ${on} >= 0)` };
  }
  if (roll < 0.18) {
    const { key, date } = parent.relation;
    const one = `(SELECT COUNT(*) AS total_rows, MAX(${alias}.${date}) AS newest FROM ${ref} AS ${alias})`;
    const relation: Relation = {
      columns: [
        { name: 'total_rows', family: 'integer', isBounded: false },
        { name: 'newest', family: 'date', isBounded: true },
      ],
      key,
      date: 'newest',
    };
    return { text: `\nCROSS JOIN ${one} AS ${alias}`, source: { alias, relation } };
  }
  const right = importParent(parent, position, pipeline);
  const rightKey = `${right.source.alias}.${parent.relation.key}`;
  if (!isPlain && roll < 0.3) {
    const rightDate = `${right.source.alias}.${parent.relation.date}`;
    const leftDate = `${left.alias}.${left.relation.date}`;
    const isFull = roll < 0.24;
    const condition = `ON ${leftKey} = ${rightKey}`;
    const anchor: Anchor = isFull
      ? {
          key: { sql: `COALESCE(${leftKey}, ${rightKey})`, name: left.relation.key },
          date: { sql: `COALESCE(${leftDate}, ${rightDate})`, name: left.relation.date },
        }
      : {
          key: { sql: rightKey, name: parent.relation.key },
          date: { sql: rightDate, name: parent.relation.date },
        };
    return {
      text: `\n${isFull ? 'FULL' : 'RIGHT'} JOIN ${right.text}\n  ${condition}`,
      source: right.source,
      anchor,
    };
  }
  const kind = roll > 0.85 ? 'INNER JOIN' : 'LEFT JOIN';
  const isSameName = left.relation.key === parent.relation.key;
  const condition =
    isSameName && position === 1 && roll < 0.4 ? `USING (${parent.relation.key})` : `ON ${on} = ${rightKey}`;
  return { text: `\n${kind} ${right.text}\n  ${condition}`, source: right.source };
}

// A parent comes in directly, as an inline subquery, or through an import CTE that keeps a part of its columns.
function importParent(
  parent: Parent,
  position: number,
  pipeline: Pipeline,
): { source: Source; text: string } {
  const { random } = pipeline;
  const alias = `${parent.node.entity[0]!}${position}`;
  const ref = `‹ref:${parent.node.schema}.${parent.node.name}›`;
  const asIs = { source: { alias, relation: parent.relation }, text: `${ref} AS ${alias}` };
  const isInline = random.chance(0.08);
  if (!isInline && (pipeline.cteLeft === 0 || random.chance(0.4))) return asIs;
  const { key, date, columns } = parent.relation;
  const rest = columns.filter((c) => c.name !== key && c.name !== date);
  const kept = new Set(random.sample(rest, Math.min(10, rest.length)));
  const relation: Relation = {
    key,
    date,
    columns: columns.filter((c) => c.name === key || c.name === date || kept.has(c)),
  };
  const where = random.chance(0.5) ? [deriveFilter([asIs.source], random)] : [];
  const lines = relation.columns.map((c) => `${alias}.${c.name}`);
  const inner = select({ lines, relation }, { text: `FROM ${ref} AS ${alias}`, where });
  if (isInline) return { source: { alias, relation }, text: `(\n${indent(inner)}\n) AS ${alias}` };
  const name = `${parent.node.entity}_${position + 1}`;
  addCte(name, inner, pipeline);
  return { source: { alias, relation }, text: `${name} AS ${alias}` };
}

function throughCte(
  name: string,
  from: From,
  wish: Pick<ListWish, 'windowCount' | 'hasMacro' | 'columnsWanted'>,
  pipeline: Pipeline,
): From {
  const list = rowList(
    { sources: from.sources, anchor: from.anchor, derivedShare: 0.25, ...wish },
    pipeline.random,
  );
  addCte(name, select(list, from), pipeline);
  const source: Source = { alias: name, relation: list.relation };
  return { sources: [source], text: `FROM ${name}`, where: [], anchor: anchorOf(source) };
}

function groupFrom(from: From, random: Random): From & { readonly by: string } {
  const ids = columnsInScope(from.sources.slice(0, 1)).filter(
    (c) => c.family === 'id' && c.sql !== from.anchor.key.sql,
  );
  const by = ids.length > 0 ? random.pick(ids) : undefined;
  const sql = by?.sql ?? from.anchor.key.sql;
  const anchor: Anchor = {
    key: { sql, name: by?.name ?? from.anchor.key.name },
    date: {
      sql: `MAX(${from.anchor.date.sql})`,
      name: `last_${from.anchor.date.name.replace(/^(last_)+/, '')}`,
    },
  };
  return { ...from, where: [...from.where, `${sql} IS NOT NULL`], anchor, by: sql };
}

function anchorOf({ alias, relation }: Source): Anchor {
  return {
    key: { sql: `${alias}.${relation.key}`, name: relation.key },
    date: { sql: `${alias}.${relation.date}`, name: relation.date },
  };
}

function addCte(name: string, text: string, pipeline: Pipeline): void {
  pipeline.ctes.push(`${name} AS (\n${indent(text)}\n)`);
  pipeline.cteLeft--;
}

function withCtes({ ctes }: Pipeline, text: string): string {
  return ctes.length === 0 ? text : `WITH ${ctes.join(', ')}\n${text}`;
}

function select(list: SelectList, from: Pick<From, 'text' | 'where'>, verb = 'SELECT'): string {
  const where = from.where.length === 0 ? '' : `\nWHERE ${from.where.join('\n  AND ')}`;
  return `${verb}\n${list.lines.map((line) => `  ${line}`).join(',\n')}\n${from.text}${where}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
