/*
 * Whether a perspective can be asked of an environment as it is, or as a plan would make it: compiled and not run, without policies, since it
 * is about what is there and not about who asks.
 */
import type { Perspective } from '../../../domain/perspective.ts';
import type { ViewNaming } from '../../../domain/relation.ts';
import { type Caller, OWNER } from '../../../domain/semantic-query.ts';
import type { Semantics } from '../../../domain/semantics.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseModelledQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { splice } from '../../../foundation/sql/splice.ts';
import { tableUses } from '../../../foundation/sql/table-uses.ts';
import { columnsRead } from '../access/columns-read.ts';
import { compileSemantic } from '../compile-semantic.ts';
import { readSemanticQuery } from '../read-query.ts';
import { ASKED_DIALECT } from '../sql/asked-dialect.ts';
import { OPEN_TABLES } from '../sql/compile-semantic-sql.ts';
import { bareTables, compileSqlQuestion, hasSemanticTable } from '../sql/compile-sql-question.ts';
import { fillParameters, parametersOf } from '../sql/fill-parameters.ts';
import { fillPerspective } from './fill-perspective.ts';
import { sampleValue } from './parameter-value.ts';

/** What a question is asked of. */
export interface AskedSide {
  readonly semantics: Semantics;
  /** Of each model, by lower-case name. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly naming: ViewNaming;
  readonly dialect: Dialect;
  readonly now: number;
}

export type Asked = Pick<Perspective, 'query' | 'params'>;

/** Why a semantic question, or SQL over semantic models, cannot be asked; undefined when it can, or when that is not known. */
export function problemOn(side: AskedSide, perspective: Asked): string | undefined {
  const answer = compiledOn(side, perspective);
  return answer.ok ? undefined : answer.because;
}

/** What the answer is made of; undefined when it cannot be asked. */
export function readsOn(side: AskedSide, perspective: Asked, caller: Caller = OWNER): Reads | undefined {
  const answer = compiledOn(side, perspective, caller);
  return answer.ok ? answer.reads : undefined;
}

export interface Reads {
  /** As the engine gets it; as it was asked when it reads models by their names. */
  readonly sql: string;
  /** Whether tables of the text are views of the environment. */
  readonly isCompiled: boolean;
  /** Models whose rows it is made of. */
  readonly models: readonly string[];
  /** Semantic models and metrics that it names. */
  readonly semantics: readonly string[];
  /** What its words mean: `model.member`, or a metric. */
  readonly members: readonly string[];
}

type OnSide = { readonly ok: true; readonly reads: Reads } | { readonly ok: false; readonly because: string };

function compiledOn(side: AskedSide, perspective: Asked, caller: Caller = OWNER): OnSide {
  const { semantics, naming, dialect, now } = side;
  const values = Object.fromEntries(perspective.params.map((param) => [param.name, sampleValue(param)]));
  const filled = fillPerspective(perspective, values);
  if (!filled.ok) return refusedFor(filled.diagnostics);
  const { question } = filled;
  if (question.kind === 'semantic-query') {
    const read = readSemanticQuery(question.query);
    if (!read.ok) return refusedFor(read.diagnostics);
    const compiled = compileSemantic(semantics, { query: read.query, caller, now }, { naming, dialect });
    if (!compiled.ok) return refusedFor(compiled.diagnostics);
    return {
      ok: true,
      reads: {
        models: compiled.compiled.reads,
        semantics: compiled.compiled.semantics,
        members: compiled.compiled.members,
        sql: compiled.compiled.sql,
        isCompiled: true,
      },
    };
  }
  const sql = withConstants(question.sql, question.parameters);
  const names = bareTables(sql);
  if (!hasSemanticTable(semantics, OWNER, names)) {
    const [unknown] = names;
    if (unknown !== undefined)
      return { ok: false, because: `there is no semantic model or metric ${unknown}` };
    return {
      ok: true,
      reads: { models: tablesOf(sql) ?? [], semantics: [], members: [], sql, isCompiled: false },
    };
  }
  const models = [...side.columns.keys()];
  const tables = { ...OPEN_TABLES, columns: (model: string) => side.columns.get(model.toLowerCase()) ?? [] };
  const compiled = compileSqlQuestion(semantics, { sql, caller, now, models, tables }, { naming, dialect });
  if (!compiled.ok) return refusedFor(compiled.diagnostics);
  const { reads, semantics: named, members } = compiled.compiled;
  return {
    ok: true,
    reads: {
      models: reads,
      semantics: [...names, ...named],
      members,
      sql: compiled.compiled.sql,
      isCompiled: true,
    },
  };
}

const refusedFor = ([first]: readonly Diagnostic[]): OnSide => ({
  ok: false,
  because: first?.message.replace(/\.$/, '') ?? 'it is refused',
});

/** Tables that SQL names with their schema, in lower case; undefined when it cannot be read. */
function tablesOf(sql: string): readonly string[] | undefined {
  const parsed = parseModelledQuery(sql, ASKED_DIALECT);
  if (!parsed.ok) return undefined;
  return tableUses(parsed.value)
    .filter(({ parts, isFile }) => parts.length > 1 && !isFile)
    .map(({ parts }) =>
      parts
        .map(({ name }) => name)
        .join('.')
        .toLowerCase(),
    );
}

/** A model or a column that SQL reads on one side and that the other has not. */
export function lostBetween(before: AskedSide, after: AskedSide, { query }: Asked): string | undefined {
  if (query.kind !== 'sql') return undefined;
  const parsed = parseModelledQuery(query.sql, ASKED_DIALECT);
  if (!parsed.ok) return undefined;
  const named = tablesOf(query.sql) ?? [];
  const read = columnsRead(parsed.value, (parts) => {
    const model = parts.join('.').toLowerCase();
    const columns = before.columns.get(model);
    return columns === undefined ? undefined : { model, columns };
  });
  for (const model of new Set(named.filter((each) => before.columns.has(each)))) {
    const columns = after.columns.get(model);
    if (columns === undefined) return `there is no model ${model}`;
    const there = new Set(columns.map((each) => each.toLowerCase()));
    const asked = read(model);
    const gone = asked === 'all' ? undefined : [...asked].find((each) => !there.has(each));
    if (gone !== undefined) return `there is no column ${gone} in ${model}`;
  }
  return undefined;
}

function withConstants(sql: string, parameters: readonly unknown[]): string {
  const filled = fillParameters(parametersOf(sql), parameters);
  return filled.ok ? splice(sql, filled.edits) : sql;
}
