import type { Change, Plan } from '../../domain/plan.ts';
import type { Estimate } from '../../operations/estimate.ts';
import type { Impact } from '../../operations/impact.ts';
import type { Style, Terminal } from '../terminal.ts';
import { durationText, intervalText } from './intervals.ts';
import { printable } from './printable.ts';
import { counted, grouped, pad } from './table.ts';

/** What is printed beside the plan itself. */
export interface PlanTextParts {
  readonly impact: readonly Impact[];
  readonly estimates: ReadonlyMap<string, Estimate>;
  /** Stages in words, for `--explain`. */
  readonly explained?: readonly string[] | undefined;
  readonly hasDiff: boolean;
}

/** Longer lists are cut, unless `--verbose`. */
const LIST_MAX = 60;
const DIFF_LINES_MAX = 80;

const LOOKS = {
  added: { glyph: '+', word: 'added', style: 'green' },
  removed: { glyph: '-', word: 'removed', style: 'red' },
  direct: { glyph: '~', word: 'changed', style: 'yellow' },
  indirect: { glyph: '>', word: 'downstream', style: 'cyan' },
  metadata: { glyph: '.', word: 'metadata', style: 'dim' },
} as const satisfies Record<Change['change'], { glyph: string; word: string; style: Style }>;

/** The plan for people: changes with the difference of their SQL, what they reach, what will be filled, a last line that counts. */
export function planText(terminal: Terminal, plan: Plan, parts: PlanTextParts): readonly string[] {
  const lines = [heading(plan)];
  if (plan.changes.length > 0) lines.push('', ...changeLines(terminal, plan.changes, parts.hasDiff));
  if (parts.impact.length > 0) lines.push('', 'Reaches', ...impactLines(terminal, parts.impact));
  if (plan.missing.length > 0) lines.push('', 'Fills', ...fillLines(terminal, plan, parts.estimates));
  if (parts.explained !== undefined && parts.explained.length > 0)
    lines.push(
      '',
      'Stages',
      ...parts.explained.map((text, index) => `  ${pad(String(index + 1), 3, 'right')}  ${printable(text)}`),
    );
  lines.push('', summary(plan, parts.estimates));
  return lines;
}

function heading({ id, environment, basePromotionId, changes, stages }: Plan): string {
  if (changes.length === 0 && stages.length === 0) return `${environment} is up to date (plan ${id})`;
  const isNew = basePromotionId === undefined ? ', which is new' : '';
  return `Plan ${id} for ${environment}${isNew}`;
}

/** One line for each change, its SQL below it. */
export function changeLines(
  terminal: Terminal,
  changes: readonly Change[],
  hasDiff: boolean,
): readonly string[] {
  const shown = cut(terminal, changes);
  const width = Math.min(48, Math.max(...shown.map(({ name }) => name.length)));
  const lines = shown.flatMap((change) => {
    const { glyph, word, style } = LOOKS[change.change];
    const what = pad(change.kind === 'model' ? word : `${word} ${change.kind}`, 16);
    const category = pad(categoryWord(change), 22);
    const name = printable(change.name);
    const head = `  ${glyph} ${name.padEnd(width)}  ${what}  ${category}  ${printable(reasonOf(change))}`;
    return [
      terminal.style(style, head.trimEnd()),
      ...columnLine(change),
      ...(hasDiff && change.sqlDiff !== undefined ? diffLines(terminal, change.sqlDiff) : []),
    ];
  });
  return [...lines, ...leftOut(changes.length - shown.length, 'change')];
}

function categoryWord({ change, category }: Change): string {
  if (category === 'metadata') return 'nothing is rebuilt';
  if (change === 'added' || change === 'removed' || category === null) return '';
  return category;
}

function reasonOf({ reason, because }: Change): string {
  if (because === undefined || because.length === 0 || reason.includes(because[0] as string)) return reason;
  return `${reason}${reason === '' ? '' : ' '}(because of ${because.slice(0, 3).join(', ')}${because.length > 3 ? ' …' : ''})`;
}

function columnLine({ change, columns: { added, removed, changed } }: Change): readonly string[] {
  if (change === 'added' || change === 'removed') return [];
  const parts = [
    ...(added.length === 0 ? [] : [`+ ${listed(added)}`]),
    ...(removed.length === 0 ? [] : [`- ${listed(removed)}`]),
    ...(changed.length === 0 ? [] : [`~ ${listed(changed)}`]),
  ];
  return parts.length === 0 ? [] : [`      columns  ${printable(parts.join('   '))}`];
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

function impactLines(terminal: Terminal, impact: readonly Impact[]): readonly string[] {
  const shown = cut(terminal, impact);
  const width = Math.min(40, Math.max(...shown.map(({ name }) => name.length)));
  return [
    ...shown.map(({ kind, name, members, through }) => {
      const what = members.length === 0 ? '' : `${listed(members)} `;
      return `  ${pad(kind, 9)} ${printable(name).padEnd(width)}  ${printable(`${what}through ${listed(through)}`)}`;
    }),
    ...leftOut(impact.length - shown.length, 'name'),
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
    ...shown.map(({ model, ranges }) => {
      const estimate = estimates.get(model);
      const cost =
        estimate === undefined
          ? ''
          : `  about ${durationText(estimate.ms)}, ${counted(estimate.rows, 'row')}`;
      return `  ${printable(model).padEnd(width)}  ${pad(intervalText(ranges), 24)}${cost}`.trimEnd();
    }),
    ...leftOut(missing.length - shown.length, 'table'),
  ];
}

function summary({ changes, missing }: Plan, estimates: ReadonlyMap<string, Estimate>): string {
  const count = (change: Change['change']): number => changes.filter((each) => each.change === change).length;
  const parts = (Object.keys(LOOKS) as Change['change'][])
    .map((change) => [count(change), LOOKS[change].word] as const)
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${grouped(number)} ${word}`);
  const breaking = changes.filter(({ category }) => category === 'breaking').length;
  const ms = [...estimates.values()].reduce((sum, estimate) => sum + estimate.ms, 0);
  return [
    parts.length === 0 ? 'No changes' : parts.join(', '),
    ...(breaking === 0 ? [] : [`${grouped(breaking)} breaking`]),
    missing.length === 0 ? 'nothing to fill' : `${counted(missing.length, 'table')} to fill`,
    ...(estimates.size === 0 ? [] : [`about ${durationText(ms)} of work`]),
  ].join(' · ');
}

function cut<Item>(terminal: Terminal, items: readonly Item[]): readonly Item[] {
  return terminal.isVerbose || items.length <= LIST_MAX ? items : items.slice(0, LIST_MAX - 10);
}

const leftOut = (count: number, noun: string): readonly string[] =>
  count <= 0 ? [] : [`    … and ${counted(count, noun)} more; --verbose shows all`];

function listed(names: readonly string[]): string {
  return names.length <= 6
    ? names.join(', ')
    : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;
}
