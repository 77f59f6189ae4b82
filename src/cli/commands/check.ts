import type { CheckEvent } from '../../domain/check-event.ts';
import { checkResultJson, incidentJson } from '../../domain/check-json.ts';
import type { CheckResult, Incident } from '../../domain/check-result.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { type BacktestedCheck, backtestChecks } from '../../operations/quality/backtest-checks.ts';
import { check } from '../../operations/quality/check.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { backtestJson, backtestText } from '../render/backtest-text.ts';
import { tallyText } from '../render/check-text.ts';
import { runProgress } from '../render/run-progress.ts';
import { counted } from '../render/table.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { values, switches, terminal } = context;
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const environment = environmentOf(world.config, context.arguments[0]);
  const [selection, pack] = [values.get('select'), values.get('pack')];
  const wanted = {
    environment,
    ...(selection === undefined ? {} : { selection }),
    ...(pack === undefined ? {} : { packs: pack.split(',').map((name) => name.trim()) }),
  };
  if (switches.has('backtest')) return backtested(environment, await backtestChecks(world, wanted));
  const events = check(world, { ...wanted, trigger: 'demand', signal: context.interruption().stop });
  const progress = runProgress(terminal);
  const results: CheckResult[] = [];
  const incidents: Incident[] = [];
  const take = (event: CheckEvent): void => {
    // On a terminal each model is forgotten once it is drawn.
    if (event.event === 'model.checked' && terminal.mode === 'json') results.push(...event.results);
    if ('incident' in event) incidents.push(event.incident);
    progress.show(event);
  };
  try {
    for (;;) {
      const next = await events.next();
      if (next.done !== true) {
        take(next.value);
        continue;
      }
      const tally = next.value;
      return {
        exitCode: tally.fail + tally.error > 0 ? EXIT.workFailed : EXIT.ok,
        data: {
          environment,
          tally,
          results: results.map(checkResultJson),
          incidents: incidents.map(incidentJson),
        },
        print: ({ note }) => note(`${tallyText(tally)} in ${environment}`),
      };
    }
  } finally {
    progress.end();
  }
}

function backtested(environment: string, tested: readonly BacktestedCheck[]): CommandAnswer {
  return {
    data: { environment, rules: tested.map(backtestJson) },
    print: (terminal) => {
      for (const each of tested) terminal.out(backtestText(terminal, each));
      terminal.note(`${counted(tested.length, 'anomaly rule')} in ${environment}`);
    },
  };
}
