import type { SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { difference } from './answers.ts';
import { Undecided } from './base.ts';
import { evaluateRanges, type FactsOfCase, type OracleAnswer } from './evaluate.ts';
import { hasMaskedRows, namesOne, seenBy } from './policies.ts';
import { type Compile, type Database, NOW } from './project.ts';
import { Refused } from './refused.ts';
import { showValue } from './value.ts';
import type { World } from './world.ts';
import { modelYaml, tablesSql } from './yaml.ts';

/** What became of one question. */
export type Outcome =
  | {
      readonly kind: 'same';
      readonly facts: FactsOfCase;
      readonly rows: number;
      readonly hasMaskedRows: boolean;
    }
  | { readonly kind: 'refused'; readonly codes: readonly string[] }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'different'; readonly what: string; readonly story: string };

export interface Around {
  readonly compile: (...asked: Parameters<Compile>) => ReturnType<Compile>;
  readonly database: Database;
  /** Of the caller; absent: the owner, for whom policies do not count. */
  readonly groups?: readonly string[];
}

/** What leads over a denied model is refused; a member that is made of its rows is as one that is not there. */
const HIDDEN = ['policy.no-access', 'semantic.unknown-member'];

/** Asks the oracle and the compiler the same question. The database has the tables of the world. */
export async function runCase(
  world: World,
  query: SemanticQuery,
  { compile, database, groups }: Around,
): Promise<Outcome> {
  const seen = groups === undefined ? { world, denied: [] } : seenBy(world, groups);
  let expected: readonly OracleAnswer[] | Refused;
  try {
    // Permission first: nothing else is said of a question that names what is denied.
    if (namesOne(world, query, seen.denied)) throw new Refused(['policy.no-access']);
    expected = evaluateRanges(seen.world, query, NOW);
    if (expected.some(({ facts }) => facts.walked.some((name) => seen.denied.includes(name))))
      expected = new Refused(HIDDEN);
  } catch (error) {
    if (error instanceof Undecided) return { kind: 'undecided' };
    if (!(error instanceof Refused)) throw error;
    const isNamed = error.codes.every((code) => code === 'policy.no-access');
    expected = seen.denied.length > 0 && !isNamed ? new Refused([...error.codes, ...HIDDEN]) : error;
  }
  const different = (what: string, sql?: string, got?: unknown): Outcome => ({
    kind: 'different',
    what,
    story: storyOf(
      world,
      { ...query, ...(groups === undefined ? {} : { groups }) },
      { expected, what, ...(sql === undefined ? {} : { sql }), got },
    ),
  });
  let result: ReturnType<Compile>;
  try {
    result = compile(query, groups === undefined ? undefined : { groups, isUnrestricted: false });
  } catch (error) {
    return different(`the compiler threw ${error instanceof Error ? error.stack : error}`);
  }
  if (expected instanceof Refused) {
    const { codes } = expected;
    if (result.ok)
      return different(`answered what must be refused: ${codes.join(' or ')}`, result.compiled.sql);
    const others = result.diagnostics.filter(({ code }) => !codes.includes(code));
    if (others.length > 0)
      return different(
        `refused with ${others.map(({ code }) => code).join(', ')} instead of ${codes.join(' or ')}`,
      );
    return { kind: 'refused', codes: [...new Set(result.diagnostics.map(({ code }) => code))] };
  }
  // An expression may touch a model that no path leads through.
  if (!result.ok && seen.denied.length > 0 && result.diagnostics.every(({ code }) => HIDDEN.includes(code)))
    return { kind: 'undecided' };
  if (!result.ok)
    return different(
      `refused without need: ${result.diagnostics.map(({ code, message }) => `${code} ${message}`).join('; ')}`,
    );
  const { sql, totalSql, columns } = result.compiled;
  let got: Awaited<ReturnType<Database['query']>>;
  try {
    got = await database.query(sql);
  } catch (error) {
    return different(`DuckDB: ${error instanceof Error ? error.message : error}`, sql);
  }
  const names = columns.map(({ name }) => name);
  const problem = isCompared(query)
    ? compareBlocks(expected, query, names, got.rows)
    : difference(expected[0] as OracleAnswer, query, { columns: names, rows: got.rows });
  if (problem !== undefined) return different(problem, sql, got.rows);
  const rowCount = expected.reduce((sum, { rows }) => sum + rows.length, 0);
  if (query.total === true) {
    const total = totalSql === undefined ? undefined : (await database.query(totalSql)).rows[0]?.[0];
    if (Number(total) !== rowCount)
      return different(`total ${total} instead of ${rowCount}`, totalSql ?? sql);
  }
  return {
    kind: 'same',
    facts: (expected[0] as OracleAnswer).facts,
    rows: got.rows.length,
    hasMaskedRows: hasMaskedRows(seen.world, query),
  };
}

const isCompared = (query: SemanticQuery): boolean =>
  query.timeDimensions?.some(({ compareDateRange }) => compareDateRange !== undefined) === true;

/** The rows of all ranges after one another; the first column tells them apart, in words that are its own. */
function compareBlocks(
  expected: readonly OracleAnswer[],
  query: SemanticQuery,
  [first, ...columns]: readonly string[],
  rows: readonly (readonly unknown[])[],
): string | undefined {
  if (first !== 'compareDateRange') return `the first column is ${first}`;
  const words = new Set<unknown>();
  let at = 0;
  for (const answer of expected) {
    const offset = query.offset ?? 0;
    const length = answer.rows.slice(offset, offset + (query.limit ?? 10_000)).length;
    const block = rows.slice(at, at + length);
    at += length;
    const own = new Set(block.map(([word]) => word));
    if (own.size > 1 || [...own].some((word) => words.has(word)))
      return `the ranges are mixed up: ${[...own].join(', ')}`;
    for (const word of own) words.add(word);
    const problem = difference(answer, query, { columns, rows: block.map((row) => row.slice(1)) });
    if (problem !== undefined) return `${[...own].join(', ')}: ${problem}`;
  }
  return rows.length === at ? undefined : `${rows.length} rows instead of ${at}`;
}

function storyOf(
  world: World,
  query: SemanticQuery,
  told: {
    readonly expected: readonly OracleAnswer[] | Refused;
    readonly what: string;
    readonly sql?: string;
    readonly got?: unknown;
  },
): string {
  const { expected } = told;
  return [
    `## ${told.what}`,
    ...world.models.map((model) => `### ${model.name}\n${modelYaml(model)}`),
    `### data\n${tablesSql(world).slice(2).join(';\n')};`,
    `### query\n${JSON.stringify(query)}`,
    expected instanceof Refused
      ? `### expected\n${expected.message}`
      : expected
          .map(({ columns, rows }) => {
            const lines = rows.map((row) => row.slice(0, columns.length).map(showValue).join(' | '));
            return `### expected (before limit and offset)\n${[columns.join(' | '), ...lines].join('\n')}`;
          })
          .join('\n\n'),
    ...(told.sql === undefined ? [] : [`### SQL\n${told.sql}`]),
    ...(told.got === undefined
      ? []
      : [`### got\n${(told.got as unknown[]).map((row) => JSON.stringify(row)).join('\n')}`]),
  ].join('\n\n');
}
