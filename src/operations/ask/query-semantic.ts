import { definitionHashes } from '../../compiler/plan/definition-hashes.ts';
import { compileQuery } from '../../compiler/semantic/compile-query.ts';
import type { CompiledQuery, CompileResult } from '../../compiler/semantic/compiled-query.ts';
import { type ReadQuery, readSemanticQuery } from '../../compiler/semantic/read-query.ts';
import { withCells } from '../../domain/answer-cells.ts';
import type { Answer } from '../../domain/engine.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import { type Relation, type ViewNaming, viewRelation } from '../../domain/relation.ts';
import type { Caller, SemanticQuery } from '../../domain/semantic-query.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { OpenedWorld } from '../open-world.ts';
import { indexOf, type Semantics } from './query.ts';
import { askWithRollups, type RollupTables, rollupTables } from './rollup-tables.ts';

/** The owner at the command line. */
export const OWNER: Caller = { groups: [], isUnrestricted: true };

/** A question, its caller and its time. */
export interface SemanticRequest {
  readonly query: SemanticQuery;
  readonly caller: Caller;
  /** What relative dates count from. */
  readonly now: number;
  /** Formats that are files have no limit but the query's own. */
  readonly isUnlimited?: boolean;
}

/** Rows and how they came about. */
export interface SemanticAnswer {
  readonly answer: Answer;
  readonly compiled: CompiledQuery;
  /** Number of rows without limit, when it was asked for. */
  readonly total?: number;
  /** Semantic models and metrics of the folder that are not what the environment was planned with. */
  readonly changed: readonly string[];
}

/** Untrusted JSON as a question. */
export function readQuestion(data: unknown): ReadQuery {
  return readSemanticQuery(data);
}

/** A question as SQL over the views of an environment, of which nothing but its name need be known. */
export function compileSemantic(
  project: Semantics,
  { query, caller, now, isUnlimited }: SemanticRequest,
  {
    naming,
    dialect,
    rollups,
  }: { readonly naming: ViewNaming; readonly dialect: Dialect; readonly rollups?: RollupTables },
): CompileResult {
  return compileQuery(indexOf(project), query, {
    dialect,
    relationOf: relationsOf(project, naming),
    caller,
    now,
    ...(isUnlimited === true ? { isUnlimited } : {}),
    ...(rollups === undefined ? {} : { rollups }),
  });
}

/** Where the rows of models are: views of the environment; tables of others keep their name in every one. */
export function relationsOf(semantics: Semantics, naming: ViewNaming): (model: string) => Relation {
  const kinds = kindsOf(semantics);
  return (model) =>
    viewRelation(
      model,
      kinds.get(model) === 'external' ? { environment: 'prod', suffixTarget: 'schema' } : naming,
    );
}

type Kinds = ReadonlyMap<string, Model['kind']['kind']>;

const knownKinds = new WeakMap<Semantics['models'], Kinds>();

/** Counted out once: there may be thousands of models, and few of them in a question. */
function kindsOf({ models }: Semantics): Kinds {
  const known = knownKinds.get(models) ?? new Map(models.map(({ name, kind }) => [name, kind.kind]));
  knownKinds.set(models, known);
  return known;
}

type Entries = ReadonlyMap<string, EnvironmentEntry>;

const knownEntries = new WeakMap<Environment['entries'], Entries>();

function entriesOf({ entries }: Environment): Entries {
  const known = knownEntries.get(entries) ?? new Map(entries.map((entry) => [entry.model, entry]));
  knownEntries.set(entries, known);
  return known;
}

/** A compiled question, and how it is compiled over rollups where it can be. */
export interface AskedQuestion {
  readonly plain: CompiledQuery;
  readonly withRollups?: (rollups: RollupTables) => CompileResult;
  /** Members or tables that were named, as far as they are known. */
  readonly words: readonly string[];
  readonly environment: Environment;
  /** When the definitions are those of the folder: it, to report what was edited since. */
  readonly folder?: Project;
  readonly signal?: AbortSignal;
}

/** Runs a question on the rows an environment shows. What the environment does not have is reported with the next step. */
export async function answerQuestion(
  world: OpenedWorld,
  semantics: Semantics,
  { plain, withRollups, words, environment, folder, signal }: AskedQuestion,
): Promise<SemanticAnswer> {
  const { engine } = world;
  checkModels(semantics, environment, plain.reads);
  const rolled = await rolledUp(world, { semantics, environment, plain, withRollups });
  const options = signal === undefined ? {} : { signal };
  const { compiled, answered } = await askWithRollups(
    { plain, rolled },
    async ({ sql, totalSql }) => {
      const [answer, counted] = await Promise.all([
        engine.query(sql, options),
        totalSql === undefined ? undefined : engine.query(totalSql, options),
      ]);
      return { answer, total: counted === undefined ? undefined : Number(counted.rows[0]?.[0]) };
    },
    ({ answer, total }) => answer.rows.length === 0 || total === 0,
  );
  const { answer, total } = answered;
  return {
    answer: withCells(answer),
    compiled,
    ...(total === undefined ? {} : { total }),
    changed: folder === undefined ? [] : changedSemantics(folder, environment, { words, reads: plain.reads }),
  };
}

/** The question over rollups, when one of those that the environment shows can answer it. */
async function rolledUp(
  world: OpenedWorld,
  {
    semantics,
    environment,
    plain,
    withRollups,
  }: {
    readonly plain: CompiledQuery;
    readonly withRollups: AskedQuestion['withRollups'] | undefined;
    readonly semantics: Semantics;
    readonly environment: Environment;
  },
): Promise<CompiledQuery | undefined> {
  if (withRollups === undefined) return undefined;
  const rollups = await rollupTables(world, environment, { index: indexOf(semantics), reads: plain.reads });
  const again = rollups.size === 0 ? undefined : withRollups(rollups);
  return again?.ok === true ? again.compiled : undefined;
}

/** Every model that is read has a view in the environment. */
export function checkModels(project: Semantics, environment: Environment, reads: readonly string[]): void {
  const kinds = kindsOf(project);
  const shown = entriesOf(environment);
  for (const name of reads) {
    if (kinds.get(name) === 'external') continue;
    const entry = shown.get(name);
    if (entry === undefined)
      throw failure(
        'query.unknown-model',
        { name, environment: environment.name },
        { hint: `plinth plan ${environment.name} builds it` },
      );
    if (entry.version === undefined) throw failure('query.no-table', { model: name });
  }
}

/** The semantic models over what was read, and the metrics that were named, as far as they were edited since the last plan. */
function changedSemantics(
  project: Project,
  { definitions }: Environment,
  { words, reads }: { readonly words: readonly string[]; readonly reads: readonly string[] },
): readonly string[] {
  const read = new Set(reads);
  const named = new Set(words.map((word) => word.split('.')[0]?.toLowerCase()));
  const keys = [
    ...project.semanticModels
      .filter(({ model }) => read.has(model.value))
      .map(({ name }) => `semantic:${name.value}`),
    ...project.metrics
      .filter(({ name }) => named.has(name.value.toLowerCase()))
      .map(({ name }) => `metric:${name.value}`),
  ];
  const hashes = definitionHashes(project);
  return keys.filter((key) => definitions[key] !== hashes[key]).map((key) => key.slice(key.indexOf(':') + 1));
}
