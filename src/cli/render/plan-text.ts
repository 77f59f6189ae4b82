import type { ImpactReport } from '../../domain/impact.ts';
import type { Change, Estimate, Plan } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import type { WiderAccess } from '../../domain/wider-access.ts';
import type { Style, Terminal } from '../terminal.ts';
import { impactText } from './impact-text.ts';
import { durationText, intervalText } from './intervals.ts';
import { cut, leftOut, listed } from './listed.ts';
import { printable } from './printable.ts';
import { counted, grouped, pad } from './table.ts';

/** What is printed beside the plan itself. */
export interface PlanTextParts {
  readonly impact: ImpactReport;
  readonly estimates: ReadonlyMap<string, Estimate>;
  /** Stages in words, for `--explain`. */
  readonly explained?: readonly string[] | undefined;
  readonly hasDiff: boolean;
}

const DIFF_LINES_MAX = 80;
/** New semantic models and metrics up to this many are named. */
const NEW_MAX = 5;

const GROUPS = [
  { change: 'direct', title: 'Changed', glyph: '~', word: 'changed', style: 'yellow' },
  { change: 'indirect', title: 'Changed by what they read', glyph: '>', word: 'downstream', style: 'cyan' },
  { change: 'metadata', title: 'Metadata only', glyph: '.', word: 'metadata', style: 'dim' },
  { change: 'added', title: 'Added', glyph: '+', word: 'added', style: 'green' },
  { change: 'removed', title: 'Removed', glyph: '-', word: 'removed', style: 'red' },
] as const satisfies readonly {
  change: Change['change'];
  title: string;
  glyph: string;
  word: string;
  style: Style;
}[];

/** The plan as text: changes with the difference of their SQL, what they reach, what will be filled, a last line that counts. */
export function planText(terminal: Terminal, plan: Plan, parts: PlanTextParts): readonly string[] {
  const lines = [heading(plan)];
  if (plan.changes.length > 0) lines.push('', ...changeLines(terminal, plan.changes, parts.hasDiff));
  if (plan.statements !== undefined) lines.push('', ...hookLines(plan.statements));
  if (plan.hasOtherAccess === true)
    lines.push('', 'Changed in config.yaml', '  ~ access, groups of users or the default environment');
  const again = shownAgain(plan);
  if (again.length > 0) {
    const shown = cut(terminal, again);
    lines.push('', 'Shown again', ...shown.map((model) => `  ${printable(model)}`));
    lines.push(...leftOut(again.length - shown.length, 'view'));
  }
  lines.push(...impactText(terminal, parts.impact));
  if (plan.missing.length > 0) lines.push('', 'Fills', ...fillLines(terminal, plan, parts.estimates));
  const left = leftToOthers(plan);
  if (left.length > 0) lines.push('', 'Leaves to later runs', ...restatedLines(terminal, left));
  if (parts.explained !== undefined && parts.explained.length > 0)
    lines.push(
      '',
      'Stages',
      ...parts.explained.map((text, index) => `  ${pad(String(index + 1), 3, 'right')}  ${printable(text)}`),
    );
  const { widerAccess = [] } = plan;
  if (widerAccess.length > 0)
    lines.push('', 'Wider access: needs --allow-wider-access', ...widerLines(terminal, widerAccess));
  lines.push('', summary(plan, parts.estimates));
  return lines;
}

function heading({ id, environment, basePromotionId, changes, stages, restatements }: Plan): string {
  if (changes.length === 0 && stages.length === 0 && restatements.length === 0)
    return `${environment} is up to date (plan ${id})`;
  const isNew = basePromotionId === undefined ? ', which is new' : '';
  return `Plan ${id} for ${environment}${isNew}`;
}

/** Statements of before_all and after_all that are other than they were. */
export function hookLines(statements: NonNullable<Plan['statements']>): readonly string[] {
  if (statements.length === 0) return [];
  return ['Changed around plans and runs', ...statements.map((name) => `  ~ ${name}`)];
}

/** Who sees what now, and what afterwards. */
function widerLines(terminal: Terminal, wider: readonly WiderAccess[]): readonly string[] {
  const shown = cut(terminal, wider);
  return [
    ...shown.flatMap((each) => {
      const who = each.who === '*' ? 'all callers' : each.who;
      const what = each.kind === 'semantic' ? `semantic ${each.name}` : `${each.name} in config.yaml`;
      return [
        terminal.style('yellow', `  ! ${printable(who)}  ${printable(what)}  ${printable(each.reason)}`),
        ...seenLines(each).map((line) => `      ${printable(line)}`),
      ];
    }),
    ...leftOut(wider.length - shown.length, 'line'),
  ];
}

function seenLines(wider: WiderAccess): readonly string[] {
  const names = (list: readonly string[]): string => (list.length === 0 ? 'none' : listed(list));
  if (wider.kind === 'access') return [`${names(wider.before)} → ${names(wider.after)}`];
  const { before, after, models } = wider;
  return [
    ...(before.rows === after.rows ? [] : [`rows: ${before.rows} → ${after.rows}`]),
    ...(names(before.masked) === names(after.masked)
      ? []
      : [`masked: ${names(before.masked)} → ${names(after.masked)}`]),
    ...(models.length === 0 ? [] : [`SQL may read ${listed(models)}`]),
  ];
}

/** Models that did not change and whose views are made again, because they are gone. */
function shownAgain({ basePromotionId, changes, stages }: Plan): readonly string[] {
  if (basePromotionId === undefined) return [];
  const changed = new Set(changes.map(({ name }) => name));
  return stages
    .flatMap((stage) => (stage.kind === 'promote' ? stage.views : []))
    .map(({ entry }) => entry.model)
    .filter((model) => !changed.has(model));
}

/** Changes by what happened to them, each in a line, the difference of its SQL below it. */
export function changeLines(
  terminal: Terminal,
  changes: readonly Change[],
  hasDiff: boolean,
): readonly string[] {
  return GROUPS.flatMap(({ change: group, title, glyph, style }) => {
    const own = changes.filter(({ change }) => change === group);
    // Semantic models and metrics are only counted when they are new and many: there is nothing to say about them yet.
    const semantic = own.filter(({ kind }) => kind === 'semantic' || kind === 'metric');
    const isListed = ({ kind }: Change): boolean =>
      kind === 'model' ||
      kind === 'rollup' ||
      (semantic.length <= NEW_MAX && (kind === 'semantic' || kind === 'metric'));
    const listedOnes = group === 'added' ? own.filter(isListed) : own;
    const others = own.filter((each) => !listedOnes.includes(each));
    if (own.length === 0) return [];
    const shown = cut(terminal, listedOnes);
    const label = ({ kind, name }: Change): string => (kind === 'model' ? name : `${kind} ${name}`);
    const width = Math.min(40, Math.max(0, ...shown.map((each) => label(each).length)));
    return [
      '',
      title,
      ...shown.flatMap((each) => {
        const words = [`  ${glyph} ${printable(label(each)).padEnd(width)}`, ...wordsOf(each)].join('  ');
        return [
          terminal.style(style, words.trimEnd()),
          ...columnLine(each),
          ...(hasDiff && each.sqlDiff !== undefined ? diffLines(terminal, each.sqlDiff) : []),
        ];
      }),
      ...leftOut(listedOnes.length - shown.length, 'change'),
      ...(group === 'added' && others.length > 0
        ? [terminal.style(style, `  ${glyph} ${countedKinds(others)}`)]
        : []),
    ];
  }).slice(1);
}

const KIND_WORDS = {
  model: 'model',
  rollup: 'rollup',
  semantic: 'semantic model',
  metric: 'metric',
  dq: 'dq pack',
  audit: 'audit',
  test: 'model test',
} as const satisfies Record<Change['kind'], string>;

function countedKinds(changes: readonly Change[]): string {
  const kinds = Map.groupBy(changes, ({ kind }) => kind);
  return [...kinds].map(([kind, list]) => counted(list.length, KIND_WORDS[kind])).join(', ');
}

/** Category and why; what is new or gone has neither. */
function wordsOf({ change, category, reason, because = [] }: Change): readonly string[] {
  if (change === 'added' || change === 'removed') return [];
  const cause =
    change !== 'indirect' || because.length === 0 || because.some((name) => reason.includes(name))
      ? ''
      : `because of ${because.slice(0, 3).join(', ')}${because.length > 3 ? ' …' : ''}`;
  return [
    ...(category === null || category === 'metadata' ? [] : [category]),
    printable([reason, cause].filter((text) => text !== '').join(', ')),
  ];
}

function columnLine({ kind, change, columns: { added, removed, changed } }: Change): readonly string[] {
  if (change === 'added' || change === 'removed') return [];
  const parts = [
    ...(added.length === 0 ? [] : [`+ ${listed(added)}`]),
    ...(removed.length === 0 ? [] : [`- ${listed(removed)}`]),
    ...(changed.length === 0 ? [] : [`~ ${listed(changed)}`]),
  ];
  return parts.length === 0
    ? []
    : [`      ${kind === 'semantic' ? 'members' : 'columns'}  ${printable(parts.join('   '))}`];
}

function diffLines(terminal: Terminal, diff: string): readonly string[] {
  const lines = diff.split('\n').filter((line) => !/^(?:---|\+\+\+) /.test(line));
  const shown = terminal.isVerbose ? lines : lines.slice(0, DIFF_LINES_MAX);
  const style = (line: string): Style =>
    line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
  return [
    ...shown.map((line) => `      ${terminal.style(style(line), printable(line))}`.trimEnd()),
    ...leftOut(lines.length - shown.length, 'line').map((line) => `    ${line}`),
  ];
}

function fillLines(
  terminal: Terminal,
  { missing }: Plan,
  estimates: ReadonlyMap<string, Estimate>,
): readonly string[] {
  const shown = cut(terminal, missing);
  const width = Math.min(48, Math.max(...shown.map(({ model }) => model.length)));
  return [
    ...shown.flatMap(({ model, ranges }) => {
      const estimate = estimates.get(model);
      const cost =
        estimate === undefined
          ? ''
          : `  about ${durationText(estimate.ms)}, ${counted(estimate.rows, 'row')}`;
      const line = `  ${printable(model).padEnd(width)}  ${intervalText(ranges).padEnd(24)}${cost}`.trimEnd();
      const pieces = terminal.isVerbose && ranges.length > 1 ? ranges : [];
      return [line, ...pieces.map((range) => `${' '.repeat(width + 6)}${intervalText([range])}`)];
    }),
    ...leftOut(missing.length - shown.length, 'table'),
  ];
}

/** What has to be filled again and is not filled by the plan itself. */
function leftToOthers({ restatements, missing }: Plan): Plan['restatements'] {
  const own = new Set(missing.map(tableKey));
  return restatements.filter(({ table }) => !own.has(tableKey(table)));
}

function restatedLines(terminal: Terminal, restatements: Plan['restatements']): readonly string[] {
  const shown = cut(terminal, restatements);
  const width = Math.min(48, Math.max(...shown.map(({ table }) => table.model.length)));
  return [
    ...shown.map(({ table, ranges }) =>
      `  ${printable(table.model).padEnd(width)}  ${intervalText(ranges)}`.trimEnd(),
    ),
    ...leftOut(restatements.length - shown.length, 'table'),
  ];
}

function summary(
  { changes, missing, statements = [], widerAccess = [] }: Plan,
  estimates: ReadonlyMap<string, Estimate>,
): string {
  const count = (change: Change['change']): number => changes.filter((each) => each.change === change).length;
  const parts = GROUPS.map(({ change, word }) => [count(change), word] as const)
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${grouped(number)} ${word}`);
  const breaking = changes.filter(({ category }) => category === 'breaking').length;
  const ms = [...estimates.values()].reduce((sum, estimate) => sum + estimate.ms, 0);
  return [
    parts.length === 0 && statements.length === 0 ? 'No changes' : parts.join(', '),
    ...(statements.length === 0 ? [] : [`${statements.join(' and ')} changed`]),
    ...(widerAccess.length === 0 ? [] : ['wider access']),
    ...(breaking === 0 ? [] : [`${grouped(breaking)} breaking`]),
    missing.length === 0 ? 'nothing to fill' : `${counted(missing.length, 'table')} to fill`,
    ...(estimates.size === 0 ? [] : [`about ${durationText(ms)} of work`]),
  ]
    .filter((text) => text !== '')
    .join(' · ');
}
