/*
 * Columns of models with the types that only the engine knows. Nothing is built for it: a model that the plan changes, and
 * whose table is not as it will be, is stood in for by an empty query of its columns, which may have to be asked for first:
 *
 *   READ_CSV ◀── s.trips (changed) ◀── s.child (changed)        types of s.child? ─▶ types of s.trips? ─▶ READ_CSV
 */
import { hasWholeTypes } from '../../compiler/plan/schema-change.ts';
import { renderRows, type TableSource } from '../../compiler/render/render-snapshot.ts';
import type { AnswerColumn, Engine } from '../../domain/engine.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Column, Model } from '../../domain/model.ts';
import { physicalRelation } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import type { Contents, LoadedSnapshot } from './contents.ts';
import { subquery } from './materialize/table-write.ts';

export interface ColumnQuestion {
  readonly engine: Engine;
  readonly contents: Contents;
  /** What names mean once the plan is applied. */
  readonly entries: readonly EnvironmentEntry[];
  /** Fingerprints of what the plan introduces. */
  readonly fresh: ReadonlySet<string>;
  readonly executionTime: number;
}

/**
 * Answers with the columns of a model, each with its whole type. When not even the engine can say, columns that the table has
 * already (`present`) keep the type they have there, and others are `plan.type-unknown`.
 */
export function askedColumns(
  question: ColumnQuestion,
): (model: string, present?: readonly AnswerColumn[]) => Promise<readonly Column[]> {
  const { engine, contents, entries, fresh, executionTime } = question;
  const byModel = new Map(entries.map((entry) => [entry.model, entry]));
  const known = new Map<string, Promise<readonly Column[]>>();

  const of = (name: string, present: readonly AnswerColumn[] = []): Promise<readonly Column[]> => {
    const found = known.get(name) ?? find(name, present);
    known.set(name, found);
    return found;
  };

  async function find(name: string, present: readonly AnswerColumn[]): Promise<readonly Column[]> {
    const entry = byModel.get(name);
    if (entry === undefined) throw new Error(`${name} is not in the environment`);
    const { content, surroundings } = await contents.snapshot(entry.fingerprint);
    const { model } = content;
    if (hasWholeTypes(model)) return model.columns;
    const thisModel = physicalRelation(
      { model: name, version: entry.version ?? '' },
      engine.capabilities.identifierMax,
    );
    try {
      const sources = await sourcesOf(model);
      const query = await renderRows(content, {
        surroundings,
        range: { start: executionTime - DAY_MS, end: executionTime },
        executionTime,
        runtimeStage: 'evaluating',
        thisModel,
        tableOf: (read) => sources.get(read),
        dialect: engine.dialect,
      });
      const answer = await engine.query(`SELECT * FROM ${subquery(query)} AS plinth__query WHERE FALSE`);
      return completed(model, answer.columns, present);
    } catch (error) {
      if (!(error instanceof Failure) || error.isRetryable || error.code === 'plan.type-unknown') throw error;
      if (!model.hasAllColumns) throw typeUnknown(model, detailOf(error));
      return completed(model, [], present, detailOf(error));
    }
  }

  /** What the query reads, down through EMBEDDED models. */
  async function sourcesOf(model: Model): Promise<ReadonlyMap<string, TableSource>> {
    const names = await contents.namesAmong(entries);
    const sources = new Map<string, TableSource>();
    const open = [...model.dependencies];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const entry = byModel.get(name);
      const source = names(name);
      if (entry === undefined || source === undefined || sources.has(name) || name === model.name) continue;
      sources.set(name, source);
      if ('content' in source) open.push(...source.content.model.dependencies);
      else if (fresh.has(entry.fingerprint))
        sources.set(name, emptyTable(await contents.snapshot(entry.fingerprint), await of(name)));
    }
    return sources;
  }

  function emptyTable({ content, surroundings }: LoadedSnapshot, columns: readonly Column[]): TableSource {
    const { dialect } = engine;
    const list = columns.map(({ name, type }) => `CAST(NULL AS ${type}) AS ${quoteName(name, dialect)}`);
    const query = { text: `SELECT ${list.join(', ')} WHERE FALSE`, start: 0, isJinja: false };
    const source = {
      kind: 'sql',
      query,
      preStatements: [],
      postStatements: [],
      onVirtualUpdate: [],
    } as const;
    const model = { ...content.model, dialect, source: { ...source, comments: [] } };
    return { content: { ...content, model } satisfies SnapshotContent, surroundings };
  }

  return of;
}

/** The columns of the model where they are known, those of the answer where they are not. */
function completed(
  model: Model,
  asked: readonly AnswerColumn[],
  present: readonly AnswerColumn[],
  detail = 'its query gives no such column',
): readonly Column[] {
  if (!model.hasAllColumns) return asked.map(({ name, type }) => ({ ...described(model, name), name, type }));
  const types = new Map([...present, ...asked].map(({ name, type }) => [name.toLowerCase(), type]));
  return model.columns.map((column) => {
    const type = isWholeType(column.type) ? column.type : types.get(column.name.toLowerCase());
    if (type === undefined || !isWholeType(type)) throw typeUnknown(model, detail, column.name);
    return { ...column, type };
  });
}

/** What the engine said, without the words of ours around it. */
const detailOf = ({ message }: Failure): string =>
  message.replace(/^The engine refused a statement: /, '').replace(/\.$/, '');

function described({ columns }: Model, name: string): Partial<Column> {
  return columns.find((column) => column.name.toLowerCase() === name.toLowerCase()) ?? {};
}

function typeUnknown(model: Model, detail: string, named?: string): Failure {
  const column = named ?? model.columns.find(({ type }) => !isWholeType(type))?.name ?? 'a column';
  return failure('plan.type-unknown', { model: model.name, column, detail });
}
