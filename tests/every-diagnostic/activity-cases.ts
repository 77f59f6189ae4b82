import { resultSample } from '../../src/operations/quality/result-sample.ts';
import { cancelRun } from '../../src/operations/serve/cancel-run.ts';
import { previewPlan } from '../../src/operations/serve/preview-plan.ts';
import { startChecks } from '../../src/operations/serve/start-checks.ts';
import { startPlan } from '../../src/operations/serve/start-work.ts';
import { ADMIN, PLAN_OPTIONS, servedProduct } from '../support/served-product.ts';
import { codeOf } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

const FILES = {
  'config.yaml': 'name: acted\n',
  'models/one.sql': 'MODEL (name s.one, kind FULL);\nSELECT 1 AS a',
};

type Product = Awaited<ReturnType<typeof servedProduct>>['product'];

const withProduct = (code: string, act: (product: Product) => Promise<unknown>): DiagnosticCase =>
  acting(code, async () => {
    const { product, close } = await servedProduct(FILES, { isPlanned: false });
    try {
      return await codeOf(act(product));
    } finally {
      await close();
    }
  });

const preview = (product: Product, signal: AbortSignal): Promise<unknown> =>
  previewPlan(product, { environment: undefined, options: PLAN_OPTIONS, who: 'a test', signal });

/** What is wrong with plans and runs that a server is asked for. */
export const activityCases: readonly DiagnosticCase[] = [
  withProduct('plan.not-found', (product) => startPlan(product, 'p_nothing', { who: 'a test' })),
  withProduct('dq.not-found', (product) => resultSample(product, ADMIN, 'c_nothing.00000')),
  withProduct('dq.too-many-runs', async (product) => {
    const ended = Promise.resolve();
    for (const id of ['c_1', 'c_2', 'c_3', 'c_4'])
      product.ongoing.checks.set(id, { id, environment: 'prod', models: 1, startedAt: 1, ended });
    await startChecks(product, { environment: undefined });
  }),
  withProduct('run.not-found', (product) => cancelRun(product, 'r_nothing')),
  withProduct('activity.too-many-plans', async (product) => {
    const leave = new AbortController();
    const first = Array.from({ length: 8 }, () => preview(product, leave.signal));
    const [refused] = await Promise.allSettled([preview(product, leave.signal)]);
    leave.abort();
    await Promise.allSettled(first);
    if (refused?.status === 'rejected') throw refused.reason;
  }),
];
