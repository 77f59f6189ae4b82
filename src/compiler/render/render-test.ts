/*
 * What a test of a model runs, in the dialect of the engine that runs it:
 *
 *   query of the model ─▶ macros with the variables of the test ─▶ tables of the test for what it reads ─▶ the engine's
 *   dialect ─▶ the clock stands still ─▶ the query, and one for each common table expression
 */
import type { Model } from '../../domain/model.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { frozenClock } from '../../foundation/sql/functions/frozen-clock.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { splice } from '../../foundation/sql/splice.ts';
import type { Query } from '../../foundation/sql/tree.ts';
import type { ExpansionContext } from '../macros/expansion.ts';
import type { CompileContext } from '../resolve/compile-context.ts';
import { inDialect } from './in-dialect.ts';
import { renderInlined } from './render-inlined.ts';

/** One query whose rows a test compares. */
export interface TestQuery {
  readonly sql: string;
  /** Whether the query itself says in which order its rows come. */
  readonly isOrdered: boolean;
}

export interface RenderedTest {
  readonly query: TestQuery;
  /** The common table expressions of the query by lower-case name; undefined when the query cannot be read. */
  readonly ctes: ReadonlyMap<string, TestQuery> | undefined;
}

export interface TestRendering {
  readonly models: readonly Model[];
  readonly compileContext: CompileContext;
  readonly times: ExpansionContext['times'];
  /** Win over those of the project. */
  readonly variables: ExpansionContext['variables'];
  /** The table of the test for a table that the model reads; undefined for one that the test does not give. */
  readonly tableSql: (name: string, dialect: Dialect) => string | undefined;
  readonly dialect: Dialect;
  /** What the clock of the query says. */
  readonly now: number;
}

/** The query of a model as a test runs it. Parents without a table of their own that the test does not give are written out. */
export async function renderTest(model: Model, rendering: TestRendering): Promise<RenderedTest> {
  const { models, times, tableSql, dialect, now } = rendering;
  const written = await renderInlined({ models, compileContext: withVariables(rendering) }, model, {
    times,
    runtimeStage: 'testing',
    isSelfReplaced: true,
    tableSql,
    isInlined: ({ name, kind, dialect: own }) =>
      kind.kind === 'embedded' && tableSql(name, own) === undefined,
  });
  const text = await inDialect(written, model, dialect);
  const parsed = parseQuery(text, dialect);
  if (!parsed.ok) return { query: { sql: text, isOrdered: false }, ctes: undefined };
  const sql = splice(text, frozenClock(parsed.value, now, dialect));
  const frozen = sql === text ? parsed : parseQuery(sql, dialect);
  return {
    query: { sql, isOrdered: isOrdered(parsed.value) },
    ctes: frozen.ok ? ctesOf(frozen.value, sql) : undefined,
  };
}

function withVariables({ compileContext, variables }: TestRendering): CompileContext {
  if (Object.keys(variables).length === 0) return compileContext;
  return {
    ...compileContext,
    macroContext(definition, columnsOf) {
      const context = compileContext.macroContext(definition, columnsOf);
      return { ...context, variables: { ...context.variables, ...variables } };
    },
  };
}

const isOrdered = ({ orderBy }: Query): boolean => orderBy === 'ALL' || orderBy.length > 0;

/** Each with all of them in front of it: one may read another, and itself. */
function ctesOf(query: Query, text: string): ReadonlyMap<string, TestQuery> {
  if (query.with === undefined) return new Map();
  const { recursive, tables } = query.with;
  const all = tables.map(({ span }) => text.slice(span.start, span.end)).join(',\n');
  const head = `WITH ${recursive ? 'RECURSIVE ' : ''}${all}`;
  return new Map(
    tables.map(({ name, query: own }) => [
      name.name.toLowerCase(),
      {
        sql: `${head}\nSELECT * FROM ${text.slice(name.span.start, name.span.end)}`,
        isOrdered: isOrdered(own),
      },
    ]),
  );
}
