import { join } from 'node:path';
import { folderResultStore } from '../../src/adapters/results/folder-result-store.ts';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { fillParameters } from '../../src/compiler/semantic/sql/fill-parameters.ts';
import { failure } from '../../src/domain/failure.ts';
import { LEASE_MS } from '../../src/domain/lease.ts';
import type { ResultStore } from '../../src/domain/result-store.ts';
import { SERVER_LIMITS, STATEMENT_LIMITS, type StatementLimits } from '../../src/domain/server-limits.ts';
import type { StateStore, SubmitRequest } from '../../src/domain/state-store.ts';
import { checkStatementOptions } from '../../src/operations/ask/check-statement-options.ts';
import { closeStatements } from '../../src/operations/ask/close-statements.ts';
import { compileQuestion } from '../../src/operations/ask/compile-question.ts';
import { getStatement } from '../../src/operations/ask/get-statement.ts';
import { openStatements } from '../../src/operations/ask/open-statements.ts';
import { statementResult } from '../../src/operations/ask/statement-result.ts';
import { submitCompiled } from '../../src/operations/ask/submit-compiled.ts';
import { noOngoingWork } from '../../src/operations/ongoing-work.ts';
import { productCaches } from '../../src/operations/product-caches.ts';
import { StatementExecutor } from '../../src/runtime/statements/statement-executor.ts';
import {
  accepted,
  KEPT_MS,
  promote,
  requestOf,
  statementOf,
  success,
} from '../conformance/statement-store-fixtures.ts';
import { type ScriptedEngine, scriptedEngine } from '../support/scripted-engine.ts';
import { ADMIN } from '../support/served-product.ts';
import { codeOf, inFolder } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

interface Place {
  readonly state: StateStore;
  readonly results: ResultStore;
  readonly scripted: ScriptedEngine;
}

const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, Math.min(ms, 20))),
};

/** With a state that has an environment, a folder of results, and an engine that does what it is told. */
const inPlace = (code: string, work: (place: Place) => Promise<string | undefined>): DiagnosticCase =>
  acting(code, () =>
    inFolder(async (folder) => {
      const state = await sqliteStateStore({ file: join(folder, 'state.db'), thread: 'never' });
      try {
        await promote(state);
        return await work({
          state,
          results: folderResultStore(join(folder, 'results')),
          scripted: scriptedEngine(),
        });
      } finally {
        await state.close();
      }
    }),
  );

/** How a statement fails at an executor. */
const failing = (
  code: string,
  end: (reading: ScriptedEngine['open'][number]) => void,
  {
    limits = {},
    task = {},
  }: { readonly limits?: Partial<StatementLimits>; readonly task?: Partial<SubmitRequest['task']> } = {},
): DiagnosticCase =>
  inPlace(code, async ({ state, results, scripted }) => {
    const executor = new StatementExecutor({
      engine: scripted.engine,
      statements: state.statements,
      results,
      clock,
      limits: { ...STATEMENT_LIMITS, ...limits },
      worker: 'w1',
    });
    try {
      const request = requestOf({ now: clock.now() });
      await executor.submit(statementOf('s1'), { ...request, task: { ...request.task, ...task } });
      const [reading] = scripted.open;
      if (reading === undefined) return 'nothing is read';
      end(reading);
      return (await executor.wait('s1', { waitMs: 60_000 }))?.statement.error?.code;
    } finally {
      await executor.close(0);
    }
  });

/** What the result of a statement in this state is answered with. */
const fetching = (
  code: string,
  prepare: (state: StateStore) => Promise<unknown>,
  request = {},
): DiagnosticCase =>
  inPlace(code, async ({ state, results, scripted }) => {
    await prepare(state);
    const product = {
      tenant: 'acme',
      slug: 'acme-x',
      limits: SERVER_LIMITS,
      world: { state, clock, engine: scripted.engine },
      workspace: { results },
      caches: productCaches(),
      ongoing: noOngoingWork({ state } as never),
    } as never;
    try {
      return await codeOf(statementResult(product, ADMIN, { id: 's1', format: 'json', ...request }));
    } finally {
      await closeStatements(product);
    }
  });

const submit = async ({ statements }: StateStore, now = Date.now()) =>
  accepted(await statements.submit(statementOf('s1'), requestOf({ now }))).work!;
const finish = async (state: StateStore, at: number) =>
  state.statements.finish(await submit(state, at), {
    worker: 'w1',
    end: success(),
    now: at,
    keptMs: KEPT_MS,
  });

/** What becomes of a compiled question at an executor. */
const submitting = (code: string, executor: unknown): DiagnosticCase =>
  acting(code, () =>
    codeOf(
      submitCompiled(
        { world: {}, caches: {} } as never,
        { executor, limits: STATEMENT_LIMITS } as never,
        {
          submission: { question: { kind: 'sql', sql: 'SELECT 1' } },
          compiled: { texts: [], reads: [], notes: [], isStable: false },
          asker: ADMIN,
          asking: {
            context: {
              environment: { name: 'prod', promotionId: 'v1', promotedAt: 1 },
              tablesBelow: async () => undefined,
            },
            now: 1,
          },
        } as never,
      ),
    ),
  );
const answering = (outcome: unknown) => ({
  submit: async () => outcome,
  // What is refused is never heard of again.
  listen: () => ({ until: async () => undefined, stop: () => undefined }),
});

/** What statements are refused with, fail with, and have no result because of. */
export const statementCases: readonly DiagnosticCase[] = [
  acting(
    'statement.bad-option',
    async () =>
      checkStatementOptions(
        { question: { kind: 'semantic-query', query: {} }, rowLimit: 0 },
        STATEMENT_LIMITS,
      )[0]?.code,
  ),
  acting('statement.bad-parameters', async () => {
    const filled = fillParameters([], [1]);
    return filled.ok ? undefined : filled.diagnostics[0]?.code;
  }),
  acting('statement.not-semantic', async () => {
    const context = { semantics: { semanticModels: [], metrics: [], models: [] } };
    const answer = await compileQuestion({ context } as never, { kind: 'semantic-sql', sql: 'SELECT 1' });
    return answer.ok ? undefined : answer.diagnostics[0]?.code;
  }),
  inPlace('statement.unknown', async ({ state }) =>
    codeOf(getStatement({ world: { state } } as never, ADMIN, { id: 's9' })),
  ),
  fetching('statement.not-finished', (state) => submit(state)),
  fetching('statement.no-result', async (state) => {
    await submit(state);
    await state.statements.cancel('s1', { now: Date.now(), keptMs: KEPT_MS });
  }),
  fetching('statement.expired', (state) => finish(state, Date.now() - KEPT_MS)),
  fetching('statement.unknown-column', (state) => finish(state, Date.now()), { columns: ['two'] }),
  submitting('statement.too-many', answering({ kind: 'full' })),
  submitting('statement.suspended', answering({ kind: 'suspended', until: 1 })),
  submitting('statement.out-of-resources', answering({ kind: 'refused', until: 1 })),
  inPlace('statement.closing', async ({ state, results, scripted }) => {
    const product = {
      limits: SERVER_LIMITS,
      world: { state, clock, engine: scripted.engine },
      workspace: { results },
      caches: productCaches(),
      ongoing: noOngoingWork({ state } as never),
    } as never;
    await openStatements(product);
    const executor = new StatementExecutor({
      engine: scripted.engine,
      statements: state.statements,
      results,
      clock,
      limits: STATEMENT_LIMITS,
      worker: 'w1',
    });
    await closeStatements(product);
    await executor.close(0);
    return codeOf(executor.submit(statementOf('s1'), requestOf()));
  }),
  inPlace('statement.worker-lost', async ({ state }) => {
    await submit(state, 1);
    const beat = (worker: string, now: number) =>
      state.statements.beat(worker, { running: [], now, keptMs: KEPT_MS, refusedMs: 1 });
    const [again] = (await beat('w2', 1)).taken;
    await state.statements.start(again!, 'w2', 2);
    await beat('w3', 1 + 2 * LEASE_MS);
    return (await state.statements.statement('s1'))?.error?.code;
  }),
  failing('statement.bug', (reading) => reading.fail(new TypeError('x is undefined'))),
  failing('statement.timed-out', (reading) => reading.fail(failure('engine.timed-out', { detail: 'late' }))),
  failing('statement.too-many-rows', (reading) => reading.answer([[1], [2]]), {
    task: { rowLimit: 1, onLimit: 'fail' },
  }),
  failing('statement.result-too-large', (reading) => reading.answer([[1], [2]]), {
    limits: { resultBytesMax: 5 },
  }),
];
