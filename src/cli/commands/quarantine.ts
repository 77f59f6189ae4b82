import { failure } from '../../domain/failure.ts';
import type { HeldSelection } from '../../domain/quarantine.ts';
import { runJson } from '../../domain/run-json.ts';
import { listQuarantine } from '../../operations/change/list-quarantine.ts';
import { runSources } from '../../operations/change/run-sources.ts';
import { discardQuarantine, releaseQuarantine } from '../../operations/change/settle-quarantine.ts';
import { showQuarantine } from '../../operations/change/show-quarantine.ts';
import { environmentOf, openWorld } from '../../operations/open-world.ts';
import { checkAfter } from '../../operations/quality/check-after.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { followRun, runAnswer } from '../follow-run.ts';
import { heldGroupJson, heldGroupsTable, heldRowsJson, heldRowsTable } from '../render/held-rows.ts';
import { counted } from '../render/table.ts';
import { countOption, waitOption } from '../times.ts';

const LISTED = 20;
const CHOOSING = ['run', 'audit', 'where', 'all'];
const DECIDING = ['reason', 'wait'];
/** Options of each action beside --env. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  list: [],
  show: ['run', 'audit', 'limit'],
  release: [...CHOOSING, ...DECIDING, 'accept'],
  discard: [...CHOOSING, ...DECIDING],
};

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const [action = 'list', model] = context.arguments;
  refuseOtherOptions(context, action);
  if (action === 'list') return list(context, model);
  if (model === undefined)
    throw failure('cli.missing-argument', { command: `quarantine ${action}`, argument: 'a model' });
  if (action === 'show') return show(context, model);
  return settle(context, model, action === 'release' ? 'release' : 'discard');
}

function refuseOtherOptions({ values, switches }: CommandContext, action: string): void {
  const allowed = OPTIONS[action] ?? [];
  const known = Object.values(OPTIONS).flat();
  const other = [...values.keys(), ...switches].find(
    (name) => known.includes(name) && !allowed.includes(name),
  );
  if (other !== undefined)
    throw failure('cli.unknown-option', { name: `--${other}`, command: `quarantine ${action}` });
}

function selectionOf({ values }: CommandContext): HeldSelection {
  const [runId, audit, where] = ['run', 'audit', 'where'].map((name) => values.get(name));
  return {
    ...(runId === undefined ? {} : { runId }),
    ...(audit === undefined ? {} : { audit }),
    ...(where === undefined ? {} : { where }),
  };
}

async function list(context: CommandContext, model: string | undefined): Promise<CommandAnswer> {
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, context.values.get('env'));
  const groups = await listQuarantine(world, { environment, ...(model === undefined ? {} : { model }) });
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  return {
    data: { environment, rows, held: groups.map(heldGroupJson) },
    print: (terminal) => {
      if (groups.length > 0) terminal.out(heldGroupsTable(terminal, groups));
      terminal.note(
        rows === 0 ? `No rows are held back in ${environment}.` : `${counted(rows, 'row')} held back`,
      );
    },
  };
}

async function show(context: CommandContext, model: string): Promise<CommandAnswer> {
  const world = await openWorld(await context.workspace());
  const environment = environmentOf(world.config, context.values.get('env'));
  const { where: _, ...selection } = selectionOf(context);
  const limit = countOption(context, 'limit') ?? LISTED;
  const held = await showQuarantine(world, { environment, model, selection, limit });
  return {
    data: { environment, ...heldRowsJson(held) },
    print: (terminal) => {
      if (held.rows.length > 0) terminal.out(heldRowsTable(terminal, held));
      terminal.note(`${counted(held.rows.length, 'row')} of ${held.total}`);
    },
  };
}

async function settle(
  context: CommandContext,
  model: string,
  decision: 'release' | 'discard',
): Promise<CommandAnswer> {
  const { executionTime, switches, values } = context;
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  const world = await openWorld(workspace);
  const environment = environmentOf(world.config, values.get('env'));
  const reason = values.get('reason');
  const request = {
    ...{ environment, model, executionTime, selection: selectionOf(context), isAll: switches.has('all') },
    ...(reason === undefined ? {} : { reason }),
    ...(switches.has('accept') ? { isAccepted: true as const } : {}),
  };
  // Who has the folder and the warehouse may do everything with it.
  const signal = context.interruption();
  const options = { who: workspace.who, waitMs, signal, permits: () => true };
  const act = decision === 'release' ? releaseQuarantine : discardQuarantine;
  const done = await followRun(context, checkAfter(world, act(world, request, options), signal.stop));
  const [own] = done.models.filter(({ balance }) => balance !== undefined);
  const left = done.models.find(({ status }) => status === 'built')?.rows ?? 0;
  const word = decision === 'release' ? 'released' : 'discarded';
  return {
    ...runAnswer(done, runJson(done)),
    sources: await runSources(workspace, world, { run: done }),
    print: (terminal) =>
      terminal.note(
        `${counted(left, 'row')} ${word}${own?.balance === undefined ? '' : `, ${own.balance.quarantined} of those chosen still held back`} (run ${done.id})`,
      ),
  };
}
