import { definitionHashes } from '../../compiler/plan/definition-hashes.ts';
import { checkModels } from '../../compiler/semantic/check-models.ts';
import type { CompiledQuery, CompileResult } from '../../compiler/semantic/compiled-query.ts';
import type { RollupTables } from '../../compiler/semantic/rollups/choose-rollup.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { Answer } from '../../domain/engine.ts';
import type { Environment } from '../../domain/environment.ts';
import type { Project } from '../../domain/project.ts';
import type { Semantics } from '../../domain/semantics.ts';
import { withCells } from '../../domain/with-cells.ts';
import type { OpenedWorld } from '../open-world.ts';
import { askWithRollups, rollupTables } from './rollup-tables.ts';

/** Rows and how they came about. */
export interface SemanticAnswer {
  readonly answer: Answer;
  readonly compiled: CompiledQuery;
  /** Number of rows without limit, when it was asked for. */
  readonly total?: number;
  /** Semantic models and metrics of the folder that are not what the environment was planned with. */
  readonly changed: readonly string[];
}

/** A compiled question, and how it is compiled over rollups where it can be. */
export interface RunnableQuestion {
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
  { plain, withRollups, words, environment, folder, signal }: RunnableQuestion,
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
    readonly withRollups: RunnableQuestion['withRollups'] | undefined;
    readonly semantics: Semantics;
    readonly environment: Environment;
  },
): Promise<CompiledQuery | undefined> {
  if (withRollups === undefined) return undefined;
  const rollups = await rollupTables(world, environment, { index: indexOf(semantics), reads: plain.reads });
  const again = rollups.size === 0 ? undefined : withRollups(rollups);
  return again?.ok === true ? again.compiled : undefined;
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
