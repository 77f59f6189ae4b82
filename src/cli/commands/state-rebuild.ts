import type { RebuiltEnvironment } from '../../domain/rebuilt-environment.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { adoptRebuild } from '../../operations/change/adopt-rebuild.ts';
import { type StateRebuild, stateRebuild } from '../../operations/change/state-rebuild.ts';
import { openWorld } from '../../operations/open-world.ts';
import { ask } from '../ask.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { printable } from '../render/printable.ts';
import { counted } from '../render/table.ts';

const HISTORY = [
  'scd-type-2-by-time',
  'scd-type-2-by-column',
  'incremental-unmanaged',
  'incremental-by-unique-key',
];

/** `plinth state rebuild`: says what can be proven, asks where something cannot, and builds the state. */
export async function rebuild(context: CommandContext): Promise<CommandAnswer> {
  const { terminal, switches } = context;
  const isAfresh = switches.has('afresh');
  const workspace = await context.workspace();
  const loaded = isAfresh ? undefined : await loadForCommand(context);
  if (loaded !== undefined && hasErrors(loaded.diagnostics))
    return refusal(loaded.diagnostics, loaded.sources);
  const world = await openWorld(workspace);
  const found = await stateRebuild(workspace, world, loaded);
  const isWhole = found.environments.every(
    ({ unproven, reason, hasSemantics }) => unproven.length === 0 && reason === undefined && hasSemantics,
  );
  const lines = linesOf(found);
  if (terminal.mode !== 'json') for (const line of lines) terminal.out(line);
  const isAsked = isAfresh || !isWhole;
  const question = isAfresh
    ? `Begin the state ${world.names.state} afresh? The next plan rebuilds every model. Rows that cannot be computed again (histories, appended rows) stay only in the tables set aside.`
    : `Build the state ${world.names.state} with what is proven, and leave the rest to the next plan?`;
  const action = isAfresh ? 'begin the state afresh' : 'build the state with what is proven';
  if (isAsked && !(await ask(context, { question, action })))
    return { print: ({ note }) => note('Nothing was changed.') };
  await adoptRebuild(world, found);
  return {
    data: {
      state: world.names.state,
      warehouse: world.names.warehouse,
      afresh: isAfresh,
      environments: found.environments.map(
        ({ name, promotionId, proven, unproven, reason, hasSemantics }) => ({
          name,
          promotion_id: promotionId,
          proven,
          unproven,
          semantics: hasSemantics,
          ...(reason === undefined ? {} : { reason }),
        }),
      ),
      set_aside: found.setAside,
    },
    print: ({ note }) => {
      note(
        `The state ${world.names.state} is there again. History, rollbacks, restatements under way, users, tokens and grants are not: only an export has them.`,
      );
      note('Next: plinth plan');
    },
  };
}

function linesOf({ environments, setAside }: StateRebuild): readonly string[] {
  if (environments.length === 0 && setAside.length === 0)
    return ['The warehouse has nothing that a plan has made: there is nothing to lose.'];
  const lines = environments.flatMap(environmentLines);
  if (setAside.length > 0)
    lines.push(
      '',
      `Set aside: ${counted(setAside.length, 'table')} that no environment is proven to show. No plan takes their rows over; those that a view reads stay, the janitor drops the others after janitor.snapshot_ttl`,
      ...setAside.map((name) => `  ${printable(name)}`),
    );
  return lines;
}

function environmentLines({
  name,
  promotionId,
  proven,
  unproven,
  reason,
  hasSemantics,
}: RebuiltEnvironment): readonly string[] {
  const shown = proven.length + unproven.length;
  const head = `${name} shows promotion ${promotionId}`;
  if (reason !== undefined && shown === 0) return [`${head}: not known again, because ${reason}`];
  return [
    `${head}: ${proven.length} of ${counted(shown, 'model')} proven`,
    ...unproven.map(({ model, kind, reason: why }) => {
      const lost = HISTORY.includes(kind)
        ? '; its rows cannot be made again: go back to the project as it was last applied, and rebuild from that'
        : '';
      return `  NOT PROVEN ${printable(model)}: ${why}${lost}`;
    }),
    ...(unproven.length === 0
      ? []
      : [
          '  Until the next plan their views stay as they are: no run refreshes them, and plinth query does not know them.',
        ]),
    ...(hasSemantics
      ? []
      : [
          '  NOT PROVEN the semantic models and metrics: until the next plan only callers who are exempt from policies are answered.',
        ]),
  ];
}
