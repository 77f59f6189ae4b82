import { environmentName } from '../../domain/environment.ts';
import type { Run } from '../../domain/run.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { type OpenedWorld, openWorld } from '../../operations/open-world.ts';
import { ownPlatform } from '../../operations/own-platform.ts';
import { attendDeliveries } from '../../operations/serve/attend-deliveries.ts';
import { scheduledRun } from '../../operations/serve/scheduled-run.ts';
import { worker } from '../../operations/serve/worker.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { runProgress } from '../render/run-progress.ts';
import { runSummary } from '../render/run-text.ts';
import { schedulerJson, schedulerText } from '../render/scheduler-event.ts';
import { counted } from '../render/table.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { terminal, switches, executionTime } = context;
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const named = context.arguments.map(environmentName);
  const environments =
    named.length === 0 ? [environmentName(world.config.environments.defaultTarget)] : named;
  const progress = runProgress(terminal);
  const acting = {
    who: workspace.who,
    ...context.interruption(),
    onRunEvent: progress.show,
  };
  try {
    if (switches.has('once')) return await once(world, { environments, executionTime, acting });
    const { stop } = acting;
    const left = new AbortController();
    const delivering = attendDeliveries(ownPlatform(workspace, world), {
      ...{ stop: AbortSignal.any([stop, left.signal]), claims: false },
      onConsole: (_, line) => terminal.note(`${isoInstant(world.clock.now())}  ${line}`),
      onDeliveryProblem: (_, error) =>
        terminal.note(`Nothing is sent for now: ${error instanceof Error ? error.message : error}`),
    });
    try {
      for await (const event of worker(world, { ...acting, environments })) {
        const now = world.clock.now();
        if (terminal.mode === 'json') terminal.write(`${schedulerJson(event, now)}\n`);
        else terminal.note(`${isoInstant(now)}  ${schedulerText(event)}`);
      }
    } finally {
      left.abort();
      await delivering;
    }
  } finally {
    progress.end();
  }
  return { data: { environments }, print: ({ note }) => note('The worker has ended.') };
}

async function once(
  world: OpenedWorld,
  {
    environments,
    executionTime,
    acting,
  }: {
    readonly environments: readonly string[];
    readonly executionTime: number;
    readonly acting: Parameters<typeof scheduledRun>[2];
  },
): Promise<CommandAnswer> {
  const runs: Run[] = [];
  for (const environment of environments) {
    const { run: done } = await scheduledRun(world, { environment, executionTime }, acting);
    if (done !== undefined) runs.push(done);
  }
  const isFailed = runs.some(({ status }) => status !== 'succeeded');
  return {
    ...(isFailed ? { exitCode: EXIT.workFailed } : {}),
    data: {
      environments,
      runs: runs.map(({ id, environment, status }) => ({ run_id: id, environment, status })),
    },
    print: ({ note }) => {
      for (const done of runs) note(runSummary(done));
      if (runs.length === 0) note(`Nothing was due in ${counted(environments.length, 'environment')}.`);
    },
  };
}
