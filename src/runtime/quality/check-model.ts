import type {
  CheckContext,
  CheckedTable,
  CheckQuery,
  QueryRefusal,
} from '../../compiler/quality/check-plan.ts';
import { expandChecks } from '../../compiler/quality/expand-checks.ts';
import { packSources } from '../../compiler/quality/pack-sources.ts';
import { planChecks } from '../../compiler/quality/plan-checks.ts';
import { probeChecks } from '../../compiler/quality/probe-checks.ts';
import type { CheckResult, CheckTrigger, FailingSample } from '../../domain/check-result.ts';
import { momentOf } from '../../domain/clock.ts';
import { versionOf } from '../../domain/data-version.ts';
import type { DqPack } from '../../domain/dq-pack.ts';
import type { Answer } from '../../domain/engine.ts';
import { Failure } from '../../domain/failure.ts';
import type { TableId } from '../../domain/relation.ts';
import type { World } from '../world.ts';
import { checkMemory } from './check-memory.ts';
import { readAnswer } from './read-answer.ts';

/** One execution of checks. */
export interface CheckRun {
  readonly id: string;
  readonly environment: string;
  readonly trigger: CheckTrigger;
  /** The run whose changes are checked. */
  readonly changedBy?: string;
  /** The plan that brought the packs. */
  readonly definedBy?: string;
}

/** Models of the environment. */
export interface CheckedModels {
  readonly tableOf: (model: string) => CheckedTable | undefined;
  /** Tables that the rows of a model are made of; undefined: they may change without a write of Plinth. */
  readonly sourcesOf: (model: string) => readonly TableId[] | undefined;
}

export interface ModelRequest extends CheckedModels {
  readonly run: CheckRun;
  /** Number of the first result in the run: ids of results sort as they were made. */
  readonly first: number;
  readonly signal?: AbortSignal;
}

/** Data that changes between two queries of a model: they are asked again, this often. */
const TRIES = 3;
const ROWS_MAX = 10_001;

/** Evaluates all packs of one model; every check of them gets a result. */
export async function checkModel(
  world: World,
  packs: readonly DqPack[],
  request: ModelRequest,
): Promise<readonly CheckResult[]> {
  const { run, tableOf, first } = request;
  const at = momentOf(world.clock);
  const checks = expandChecks(packs, tableOf);
  const sources = packSources(packs, request.sourcesOf);
  const dataVersion = await versionNow(world, sources);
  const memory = await checkMemory(world, { environment: run.environment, dataVersion, now: at }, checks);
  const context: CheckContext = {
    tableOf,
    dialect: world.engine.dialect,
    packing: world.engine.capabilities.scanPacking,
    now: at,
    dataVersion,
    ...memory,
  };
  const probe = await probeChecks(checks, context);
  const probed = await askAll(world, probe.queries, request, undefined);
  const plan = await planChecks(checks, { ...context, distinctOf: probe.distinctOf(probed.answers) });
  const asked = await askAll(world, plan.queries, request, sources);
  const decided = plan.decide(asked.answers);
  const hide = world.hide ?? ((text: string) => text);
  const results: CheckResult[] = [];
  for (const [index, { sampleSql, samplesLimit, ...found }] of decided.entries()) {
    const isWrong = found.outcome === 'fail' || found.outcome === 'warn';
    const sample =
      isWrong && sampleSql !== undefined
        ? await sampleOf(world, sampleSql, samplesLimit, request)
        : undefined;
    results.push({
      ...found,
      sql: hide(found.sql),
      ...(found.reason === undefined ? {} : { reason: hide(found.reason) }),
      id: `${run.id}.${String(first + index).padStart(5, '0')}`,
      environment: run.environment,
      runId: run.id,
      trigger: run.trigger,
      ...(run.changedBy === undefined ? {} : { changedBy: run.changedBy }),
      ...(run.definedBy === undefined ? {} : { definedBy: run.definedBy }),
      at,
      ms: Math.round(asked.msOf(found.check)),
      dataVersion: asked.dataVersion,
      ...(found.shares === undefined
        ? {}
        : { baselineShares: memory.shares?.get(found.check)?.baseline ?? found.shares }),
      ...(sample === undefined ? {} : { sample }),
    });
  }
  return results;
}

interface Asked {
  readonly answers: ReadonlyMap<string, Answer | QueryRefusal>;
  readonly dataVersion: string;
  readonly msOf: (check: string) => number;
}

/** Answers of one state of the data, as far as the data holds still. */
async function askAll(
  world: World,
  queries: readonly CheckQuery[],
  { signal }: ModelRequest,
  versionsOf: readonly TableId[] | undefined,
): Promise<Asked> {
  for (let tries = 1; ; tries++) {
    const answers = new Map<string, Answer | QueryRefusal>();
    const took = new Map<string, number>();
    const versions = new Set<string>();
    const ask = async (query: CheckQuery): Promise<void> => {
      const start = performance.now();
      try {
        const answer = await readAnswer(world.engine, query.sql, {
          rowsMax: ROWS_MAX,
          ...(versionsOf === undefined ? {} : { versionsOf }),
          ...(signal === undefined ? {} : { signal }),
        });
        answers.set(query.id, answer);
        versions.add(versionOf(answer.versions));
      } catch (error) {
        if (!(error instanceof Failure) || signal?.aborted === true) throw error;
        answers.set(query.id, { code: error.code, message: error.message });
        for (const other of query.instead ?? []) await ask(other);
      }
      const ms = performance.now() - start;
      for (const check of query.serves) took.set(check, (took.get(check) ?? 0) + ms);
    };
    for (const query of queries) await ask(query);
    if (versions.size <= 1 || tries === TRIES)
      return {
        answers,
        dataVersion: [...versions].at(-1) ?? (await versionNow(world, versionsOf)),
        msOf: (check) => took.get(check) ?? 0,
      };
  }
}

async function versionNow({ engine }: World, tables: readonly TableId[] | undefined): Promise<string> {
  return versionOf(tables && (await engine.dataVersions(tables)));
}

/** Rows that a rule found wrong; a sample that cannot be read does not change what was found. */
async function sampleOf(
  world: World,
  sql: string,
  limit: number,
  { signal }: ModelRequest,
): Promise<FailingSample | undefined> {
  if (limit === 0) return undefined;
  try {
    const { columns, rows } = await readAnswer(world.engine, sql, {
      rowsMax: limit + 1,
      ...(signal === undefined ? {} : { signal }),
    });
    return {
      columns: columns.map(({ name }) => name),
      rows: rows.slice(0, limit),
      isPart: rows.length > limit,
    };
  } catch (error) {
    if (error instanceof Failure && signal?.aborted !== true) return undefined;
    throw error;
  }
}
