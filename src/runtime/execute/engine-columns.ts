/*
 * Columns of models with the types that only the engine knows. Nothing is built for it: a model that the plan changes, and
 * whose table is not as it will be, is stood in for by an empty query of its columns, which may have to be asked for first:
 *
 *   READ_CSV ◀── s.trips (changed) ◀── s.child (changed)        types of s.child? ─▶ types of s.trips? ─▶ READ_CSV
 */
import { hasWholeTypes } from '../../compiler/plan/schema-change.ts';
import { renderRows, type TableSource } from '../../compiler/render/render-snapshot.ts';
import type { AnswerColumn, EngineReader } from '../../domain/engine.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { Column, Model } from '../../domain/model.ts';
import { physicalRelation, type Relation } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { isWholeType } from '../../foundation/sql/types/type-names.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import type { Contents, LoadedSnapshot } from './contents.ts';
import { subquery } from './materialize/table-write.ts';

export interface ColumnQuestion {
  readonly engine: EngineReader;
  readonly contents: Contents;
  /** What names mean once the plan is applied. */
  readonly entries: readonly EnvironmentEntry[];
  /** Fingerprints of what the plan introduces. */
  readonly fresh: ReadonlySet<string>;
  readonly executionTime: number;
  /** Where every query that may be asked is asked, whatever loading knows of its columns. */
  readonly check?: QueryCheck;
}

export interface QueryCheck {
  /** False where the engine cannot say yet: what the query reads is made by statements before it, or is missing. */
  mayAsk(model: Model): boolean;
  /** What the engine has to say against the query of a model, once for each. */
  refuse(model: Model, error: Failure): void;
}

/**
 * Answers with the columns of a model, each with its whole type. When not even the engine can say, columns that the table has
 * already (`present`) keep the type they have there, and others are `plan.type-unknown`.
 */
export function engineColumns(
  question: ColumnQuestion,
): (model: string, present?: readonly AnswerColumn[]) => Promise<readonly Column[]> {
  const columns = new AskedColumns(question);
  return (model, present = []) => columns.of(model, present);
}

class AskedColumns {
  readonly #question: ColumnQuestion;
  readonly #entries: ReadonlyMap<string, EnvironmentEntry>;
  readonly #known = new Map<string, Promise<readonly Column[]>>();

  constructor(question: ColumnQuestion) {
    this.#question = question;
    this.#entries = new Map(question.entries.map((entry) => [entry.model, entry]));
  }

  of(name: string, present: readonly AnswerColumn[]): Promise<readonly Column[]> {
    const found = this.#known.get(name) ?? this.#find(name, present);
    this.#known.set(name, found);
    return found;
  }

  async #find(name: string, present: readonly AnswerColumn[]): Promise<readonly Column[]> {
    const { engine, contents, check } = this.#question;
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new Error(`${name} is not in the environment`);
    const loaded = await contents.snapshot(entry.fingerprint);
    const { model } = loaded.content;
    const isAsked = check !== undefined && model.source.kind === 'sql' && check.mayAsk(model);
    if (!isAsked && hasWholeTypes(model)) return model.columns;
    if (!isAsked && check !== undefined) throw typeUnknown(model, 'the engine cannot be asked yet');
    const thisModel = physicalRelation(
      { model: name, version: entry.version ?? '' },
      engine.capabilities.identifierMax,
    );
    try {
      const query = await this.#queryOf(entry, loaded, thisModel);
      if (query === undefined && hasWholeTypes(model)) return model.columns;
      if (query === undefined) throw typeUnknown(model, 'it reads itself');
      const text = `SELECT * FROM ${subquery(query)} AS plinth__query WHERE FALSE`;
      const columns = (await engine.prepare(text)) ?? (await engine.query(text)).columns;
      return check === undefined ? completed(model, columns, present) : built(model, columns);
    } catch (error) {
      if (!(error instanceof Failure) || error.isRetryable || error.code === 'plan.type-unknown') throw error;
      return this.#withoutEngine(model, present, error);
    }
  }

  /** The query over tables that are there, or stood in for; undefined where it names a table of its own that is not there. */
  async #queryOf(
    entry: EnvironmentEntry,
    { content, compileContext }: LoadedSnapshot,
    thisModel: Relation,
  ): Promise<string | undefined> {
    const { engine, fresh, executionTime } = this.#question;
    const sources = await this.#sourcesOf(content.model, entry);
    const query = await renderRows(content, {
      compileContext,
      range: { start: executionTime - DAY_MS, end: executionTime },
      executionTime,
      runtimeStage: 'evaluating',
      thisModel,
      ownRows: sources.get(entry.model),
      tableOf: (read) => sources.get(read),
      dialect: engine.dialect,
    });
    // `@this_model` names the table itself, for which nothing stands in.
    return fresh.has(entry.fingerprint) && query.includes(thisModel.name) ? undefined : query;
  }

  #withoutEngine(model: Model, present: readonly AnswerColumn[], error: Failure): readonly Column[] {
    const { check } = this.#question;
    if (check !== undefined) {
      check.refuse(model, error);
      // What reads it is not asked: it would only say the same again.
      throw typeUnknown(model, detailOf(error));
    }
    if (!model.hasAllColumns) throw typeUnknown(model, detailOf(error));
    return completed(model, [], present, detailOf(error));
  }

  /** What the query reads, down through EMBEDDED models. */
  async #sourcesOf(model: Model, own: EnvironmentEntry): Promise<ReadonlyMap<string, TableSource>> {
    const { engine, contents, entries, fresh, check } = this.#question;
    const names = await contents.namesAmong(entries);
    const sources = new Map<string, TableSource>();
    if (check !== undefined && model.reads[model.name] !== undefined) {
      const past = fresh.has(own.fingerprint) ? undefined : names(model.name);
      if (past === undefined && !hasWholeTypes(model)) throw typeUnknown(model, 'it reads itself');
      sources.set(
        model.name,
        past ?? emptyTable(await contents.snapshot(own.fingerprint), model.columns, engine.dialect),
      );
    }
    const open = [...model.dependencies];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const entry = this.#entries.get(name);
      const source = names(name);
      if (entry === undefined || source === undefined || sources.has(name) || name === model.name) continue;
      sources.set(name, source);
      if ('content' in source) open.push(...source.content.model.dependencies);
      else if (fresh.has(entry.fingerprint)) {
        const loaded = await contents.snapshot(entry.fingerprint);
        sources.set(name, emptyTable(loaded, await this.of(name, []), engine.dialect));
      }
    }
    return sources;
  }
}

/** A query of these columns, without rows, in place of a table. */
function emptyTable(
  { content, compileContext }: LoadedSnapshot,
  columns: readonly Column[],
  dialect: Dialect,
): TableSource {
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
  return { content: { ...content, model } satisfies SnapshotContent, compileContext };
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

/** The columns of the table that is built from a query with these columns: declared ones, and those of a history's periods. */
function built(model: Model, asked: readonly AnswerColumn[]): readonly Column[] {
  if (model.declaredColumns !== undefined && hasWholeTypes(model)) return model.columns;
  const names = new Set(asked.map(({ name }) => name.toLowerCase()));
  const { kind } = model;
  const periods = 'validFromName' in kind ? [kind.validFromName, kind.validToName] : [];
  return [
    ...asked.map(({ name, type }) => ({ name, type })),
    ...periods.flatMap((name) =>
      'timeDataType' in kind && !names.has(name.toLowerCase()) ? [{ name, type: kind.timeDataType }] : [],
    ),
  ];
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
