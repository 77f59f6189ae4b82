/** The process that plans for a server: compiling a project blocks its thread for seconds, in which the server would answer no other request. */
import { apiWords } from '../../domain/diagnostics/api-words.ts';
import { Failure } from '../../domain/failure.ts';
import { planJson } from '../../domain/plan-json.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { plan } from '../change/plan.ts';
import { openWorld } from '../open-world.ts';
import { loadProject } from '../project/load-project.ts';
import { openWorkspace } from '../workspace.ts';
import type { PlanAnswer, PlanWork } from './plan-work.ts';

async function answerTo(work: PlanWork): Promise<PlanAnswer> {
  const { who, environment, options, ...opened } = work;
  const workspace = { ...openWorkspace(opened), who };
  try {
    const world = openWorld(workspace);
    // Opened before loading; `plan` waits for it too, and reports why it cannot be opened.
    await world.catch(() => undefined);
    const planned = await plan(workspace, await loadProject(workspace, environment), {
      world,
      environment,
      options,
    });
    if (planned.plan === undefined)
      return { kind: 'refused', diagnostics: planned.diagnostics.filter((each) => hasErrors([each])) };
    const { plan: made, explained, impact, estimates, diagnostics } = planned;
    const body = {
      id: made.id,
      status: 'planned',
      who,
      ...planJson(made),
      explained,
      estimates: [...estimates].map(([model, estimate]) => ({ model, ...estimate })),
      warnings: diagnostics
        .map(apiWords)
        .map(({ code, message, hint }) => ({ code, message, hint: hint ?? null })),
    };
    return { kind: 'planned', id: made.id, body: JSON.stringify(body), impact };
  } finally {
    await workspace.close();
  }
}

async function answered(work: PlanWork): Promise<PlanAnswer> {
  try {
    return await answerTo(work);
  } catch (error) {
    if (error instanceof Failure) return { kind: 'failed', diagnostic: error.diagnostic };
    return { kind: 'bug', detail: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// The caller has disconnected: like a kill, which planning survives at any moment.
process.once('disconnect', () => process.exit());
process.once('message', async (work: PlanWork) => {
  const answer = await answered(work);
  process.send?.(answer, () => process.disconnect());
});
