import { brokenJson } from '../../domain/broken-json.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { environmentName } from '../../domain/environment.ts';
import { Failure, failure } from '../../domain/failure.ts';
import { impactFor, OWNER_READER } from '../../domain/impact-for.ts';
import { impactJson } from '../../domain/impact-json.ts';
import type { Plan, PlanOptions } from '../../domain/plan.ts';
import { planJson } from '../../domain/plan-json.ts';
import type { PlannedWork } from '../../domain/planned-work.ts';
import { testResultJson } from '../../domain/test-result-json.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { plan } from '../../operations/change/plan.ts';
import { writePlanFile } from '../../operations/change/plan-file.ts';
import { type OpenedWorld, openWorld } from '../../operations/open-world.ts';
import { type BrokenPerspective, brokenForOwner } from '../../operations/perspectives/broken-by-plan.ts';
import { ask } from '../ask.ts';
import type { CommandAnswer, CommandContext } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { loadForCommand } from '../load-for-command.ts';
import { refusal } from '../refusal.ts';
import { brokenText } from '../render/broken-text.ts';
import { planText } from '../render/plan-text.ts';
import { showEvent } from '../render/run-progress.ts';
import { counted } from '../render/table.ts';
import { printTestResult } from '../render/test-results.ts';
import { badValue, timeOption, waitOption } from '../times.ts';
import { applied, refuseUnallowed } from './apply.ts';

export async function run(context: CommandContext): Promise<CommandAnswer> {
  const { switches, values, terminal, arguments: words } = context;
  const options = planOptions(context);
  const waitMs = waitOption(context);
  const workspace = await context.workspace();
  // The warehouse is opened by another process, while this one loads the project without many pauses: so it is asked for first.
  const opening = openWorld(workspace);
  await opening.catch(() => undefined);
  const loaded = await loadForCommand(context);
  const planNow = (): Promise<PlannedWork> =>
    plan(workspace, loaded, {
      world: opening,
      environment: words[0],
      options,
      skipTests: switches.has('skip-tests'),
    });
  const planned = await planNow();
  const { sources } = planned;
  const diagnostics = [...optionWarnings(context), ...planned.diagnostics];
  const settings = loaded.project.config.plan;
  for (const event of planned.recovered) showEvent(terminal, event);
  showTests(context, planned);
  if (planned.plan === undefined) return refusal(diagnostics, sources);
  const world = await opening;
  const output = values.get('output');
  if (output !== undefined) writePlanFile(world, output, planned.plan);
  const broken = await brokenForOwner(world, planned.plan);
  const isShown = switches.has('explain') || output !== undefined || terminal.mode === 'json';
  if (terminal.mode !== 'json')
    for (const line of planText(terminal, planned.plan, {
      impact: impactFor(planned.impact, OWNER_READER),
      estimates: planned.estimates,
      explained: switches.has('explain') ? planned.explained : undefined,
      hasDiff: !switches.has('no-diff') && !settings.noDiff,
    }).concat(brokenText(broken)))
      terminal.out(line);
  const preview = previewJson(context, planned, broken);
  if (isShown && !switches.has('yes')) {
    const isChanged = switches.has('exit-code') && hasWork(planned.plan);
    if (output !== undefined) terminal.note(`The plan is in ${output}; plinth apply ${output} does it.`);
    return {
      ...(isChanged ? { exitCode: EXIT.changes } : {}),
      data: { ...preview, applied: false },
      diagnostics,
      sources,
    };
  }
  if (!hasWork(planned.plan)) return { data: { ...preview, applied: true }, diagnostics, sources };
  refuseUnallowed(context, planned.plan);
  if (
    !settings.autoApply &&
    !(await ask(context, {
      question: `Apply this plan to ${planned.plan.environment}?`,
      action: `apply this plan to ${planned.plan.environment}`,
    }))
  )
    return { print: ({ note }) => note('Nothing was changed.'), diagnostics, sources };
  const answer = await appliedInTurn(context, world, { planned, waitMs, who: workspace.who, planNow });
  return {
    ...answer,
    diagnostics: [...diagnostics, ...(answer.diagnostics ?? [])],
    sources: new Map([...(answer.sources ?? []), ...sources]),
  };
}

/**
 * A plan that waited finds the environment changed. A plan that is made again and shows nothing else than what was agreed to is applied in its
 * place; one that shows nothing any more was done by the one that came first.
 */
async function appliedInTurn(
  context: CommandContext,
  world: OpenedWorld,
  turn: {
    readonly planned: PlannedWork;
    readonly waitMs: number | undefined;
    readonly who: string;
    readonly planNow: () => Promise<PlannedWork>;
  },
): Promise<CommandAnswer> {
  const { planned, waitMs, who, planNow } = turn;
  const agreed = planned.plan as Plan;
  const until = world.clock.now() + (waitMs ?? 0);
  for (let present = agreed; ; ) {
    try {
      const restMs = Math.max(0, until - world.clock.now());
      return await applied(context, world, {
        plan: present,
        who,
        waitMs: waitMs === undefined ? undefined : restMs,
      });
    } catch (error) {
      const isMoved = error instanceof Failure && error.code === 'environment.moved';
      if (waitMs === undefined || !isMoved) throw error;
      const again = (await planNow()).plan;
      if (again === undefined) throw error;
      if (!hasWork(again)) {
        const print: CommandAnswer['print'] = ({ note }) =>
          note(
            `${again.environment} is already as this plan would make it: another command applied it meanwhile.`,
          );
        return { data: { ...planJson(agreed), applied: true }, print };
      }
      if (shown(again) !== shown(agreed)) throw error;
      present = again;
    }
  }
}

function previewJson(
  { switches }: CommandContext,
  planned: PlannedWork,
  broken: readonly BrokenPerspective[],
): Readonly<Record<string, unknown>> {
  return {
    ...planJson(planned.plan as Plan),
    tests: planned.tests.map((result) => testResultJson(result, planned.sources)),
    ...impactJson(impactFor(planned.impact, OWNER_READER)),
    perspectives: broken.map(brokenJson),
    estimates: [...planned.estimates].map(([model, estimate]) => ({ model, ...estimate })),
    ...(switches.has('explain') ? { explained: planned.explained } : {}),
  };
}

/** How the tests ended that the plan touches: in one line, and those that fail with their rows. */
function showTests({ terminal }: CommandContext, { tests, sources }: PlannedWork): void {
  if (tests.length === 0 || terminal.mode === 'json') return;
  const failing = tests.filter(({ kind }) => kind !== 'passed');
  for (const result of failing) printTestResult(terminal, result, sources);
  terminal.note(`${counted(tests.length, 'test')} of what changes: ${tests.length - failing.length} passed`);
}

/** Without a stage there may still be tables to leave to the runs of other environments. */
const hasWork = ({ stages, restatements }: Plan): boolean => stages.length > 0 || restatements.length > 0;

/** What a plan says it will do, whichever it is and whenever it was made. */
function shown(plan: Plan): string {
  const { plan_id: _id, created_at: _at, execution_time: _time, stages: _stages, ...rest } = planJson(plan);
  return JSON.stringify(rest);
}

/** Options of other tools that are taken, and said to do nothing. */
function optionWarnings({ switches }: CommandContext): readonly Diagnostic[] {
  if (!switches.has('include-unmodified')) return [];
  const why = 'an environment always shows every model of the project';
  return [diagnostic('cli.option-without-effect', { option: '--include-unmodified', why })];
}

/** Everything a command line can say about how a plan is made. */
export function planOptions(context: CommandContext): PlanOptions {
  const { switches, values, lists } = context;
  for (const name of ['start', 'end', 'effective-from']) timeOption(context, name);
  if (switches.has('skip-backfill') && switches.has('empty-backfill'))
    throw failure('cli.conflicting-options', { one: '--skip-backfill', other: '--empty-backfill' });
  for (const name of ['skip-backfill', 'empty-backfill'])
    if (switches.has(name) && lists.has('backfill-model'))
      throw failure('cli.conflicting-options', { one: `--${name}`, other: '--backfill-model' });
  const createFrom = values.get('create-from');
  const texts = {
    ...given('selection', values.get('select')),
    ...given('start', values.get('start')),
    ...given('end', values.get('end')),
    ...given('effectiveFrom', values.get('effective-from')),
  };
  return {
    ...texts,
    restateModels: lists.get('restate-model') ?? [],
    isForwardOnly: switches.has('forward-only'),
    skipBackfill: switches.has('skip-backfill'),
    emptyBackfill: switches.has('empty-backfill'),
    noGaps: switches.has('no-gaps'),
    allowDestructiveModels: lists.get('allow-destructive-model') ?? [],
    categories: Object.fromEntries((lists.get('category') ?? []).map(categoryOf)),
    withRun: switches.has('run'),
    isShared: switches.has('shared'),
    ignoreCron: switches.has('ignore-cron'),
    backfillModels: lists.get('backfill-model') ?? [],
    ...(createFrom === undefined ? {} : { createFrom: environmentName(createFrom) }),
  };
}

const given = <Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [key in Name]?: string } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [key in Name]: string });

const CATEGORIES = ['breaking', 'non-breaking', 'forward-only'] as const;

function categoryOf(text: string): readonly [string, (typeof CATEGORIES)[number]] {
  const at = text.lastIndexOf('=');
  const category = CATEGORIES.find((each) => each === text.slice(at + 1));
  if (at > 0 && category !== undefined) return [text.slice(0, at), category];
  throw badValue('category', text, `a model and its category, such as marts.orders=${CATEGORIES.join('|')}`);
}
