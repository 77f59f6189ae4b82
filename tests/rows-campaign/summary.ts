import type { KindName } from './definition.ts';
import { EDITS } from './edits.ts';
import { THEMES } from './features.ts';
import type { Played } from './play.ts';
import type { Problem } from './verify-work.ts';

/** Every kind that a campaign must have written or read through. */
const KINDS: readonly KindName[] = [
  'view',
  'full',
  'embedded',
  'time-range',
  'unique-key',
  'partition',
  'unmanaged',
  'scd-time',
  'scd-column',
  'seed',
  'external',
];

/** Every step that a long campaign must have done. */
const STEPS: readonly string[] = [
  ...EDITS.map((name) => `edit ${name}`),
  ...['late', 'delete', 'change', 'bad', 'repair', 'retype'].map((change) => `rows ${change}`),
  ...['advance', 'hold', 'release', 'kill', 'janitor', 'invalidate', 'rollback prod', 'rollback dev'],
  ...['run prod', 'run prod select', 'run dev'],
  ...[
    '',
    ' restate',
    ' restate start/end',
    ' select',
    ' forward-only',
    ' forward-only effective-from',
    ' skip-backfill',
    ' run',
  ].map((more) => `plan prod${more}`),
  ...['', ' restate', ' select', ' forward-only', ' start/end'].map((more) => `plan dev${more}`),
];

/** Every sort of step that a short campaign must have done, too. */
const SHORT_STEPS: readonly string[] = [
  ...['kill', 'hold', 'release', 'rollback prod', 'run prod', 'plan dev', 'plan prod'],
  ...['restate', 'restate start/end', 'select', 'forward-only'].map((more) => `plan prod ${more}`),
  ...['bad', 'late', 'delete', 'retype'].map((change) => `rows ${change}`),
];

const RELATIONS: readonly string[] = [
  'prod alone',
  'dev shares all tables with prod',
  'dev has tables of its own',
];

/** More refusals than this share of the steps, and the campaign says little. */
const REFUSED_MAX = 0.1;

/** A case that failed, as small as it could be made. */
export interface FoundProblem {
  readonly seed: number;
  readonly theme: string;
  readonly problems: readonly Problem[];
  readonly reproduction: string;
}

/** What a campaign came to. */
export interface CampaignSummary {
  readonly seed: number;
  readonly wanted: number;
  /** Steps that did something; edits that fitted nothing are not among them. */
  readonly steps: number;
  readonly nothing: number;
  readonly cases: number;
  readonly byTheme: Readonly<Record<string, number>>;
  readonly byStep: Readonly<Record<string, number>>;
  readonly byKind: Readonly<Record<string, number>>;
  readonly byRelation: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  /** Plans and runs that an audit stopped, as it should. */
  readonly failed: number;
  /** Views compared with the oracle, each also as a kept and as a fresh answer; and how many of those were kept. */
  readonly comparisons: number;
  readonly keptAnswers: number;
  /** Questions about a model that was shown and that the statements did not know yet. */
  readonly lateNames: number;
  readonly minutes: number;
  readonly problems: readonly FoundProblem[];
  /** Why it counts for nothing, in words. */
  readonly shortcomings: readonly string[];
}

export function summarise(
  cases: readonly { readonly theme: string; readonly played: readonly Played[] }[],
  about: {
    readonly seed: number;
    readonly wanted: number;
    readonly minutes: number;
    readonly problems: readonly FoundProblem[];
    /** Whether everything there is must have occurred. */
    readonly isLong: boolean;
  },
): CampaignSummary {
  const { isLong, ...rest } = about;
  const all = cases.flatMap(({ played }) => played);
  const done = all.filter(({ result }) => result !== 'nothing');
  const refused = done.filter(({ result }) => result === 'refused');
  const summary = {
    ...rest,
    steps: done.length,
    nothing: all.length - done.length,
    cases: cases.length,
    byTheme: counts(cases.map(({ theme }) => theme)),
    byStep: counts(done.map(({ name }) => name)),
    byKind: counts(done.flatMap(({ kinds }) => kinds)),
    byRelation: counts(done.map(({ relation }) => relation)),
    refused: counts(refused.map(({ name, code = '' }) => `${code} (${name})`)),
    failed: done.filter(({ result }) => result === 'failed').length,
    comparisons: total(done, ({ comparisons }) => comparisons),
    keptAnswers: total(done, ({ kept }) => kept),
    lateNames: total(done, ({ lateNames }) => lateNames),
  };
  return { ...summary, shortcomings: shortcomingsOf(summary, { isLong, refused: refused.length }) };
}

/** Sorts of steps that a long campaign has not done yet. */
export function missingSteps(played: readonly Played[]): readonly string[] {
  const done = new Set(played.filter(({ result }) => result !== 'nothing').map(({ name }) => name));
  return STEPS.filter((name) => !done.has(name));
}

function shortcomingsOf(
  summary: Omit<CampaignSummary, 'shortcomings'>,
  { isLong, refused }: { readonly isLong: boolean; readonly refused: number },
): readonly string[] {
  const missing = (
    what: string,
    wanted: readonly string[],
    found: Readonly<Record<string, number>>,
  ): readonly string[] => {
    const left = wanted.filter((name) => found[name] === undefined);
    return left.length === 0 ? [] : [`no ${what}: ${left.join(', ')}`];
  };
  return [
    ...(summary.steps < summary.wanted ? [`${summary.steps} steps instead of ${summary.wanted}`] : []),
    ...(refused > summary.steps * REFUSED_MAX ? [`${refused} of ${summary.steps} steps were refused`] : []),
    ...(summary.keptAnswers === 0 ? ['no answer was a kept one'] : []),
    ...missing('model of kind', KINDS, summary.byKind),
    ...missing(
      'case of theme',
      THEMES.map(({ name }) => name),
      summary.byTheme,
    ),
    ...missing('step', isLong ? STEPS : SHORT_STEPS, summary.byStep),
    ...(isLong ? missing('relation', RELATIONS, summary.byRelation) : []),
  ];
}

function total(all: readonly Played[], of: (played: Played) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0);
}

function counts(names: readonly string[]): Readonly<Record<string, number>> {
  const found = [...Map.groupBy(names, (name) => name)].map(([name, list]) => [name, list.length] as const);
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same for people. */
export function summaryText(summary: CampaignSummary): string {
  const { steps, wanted, cases, minutes, problems, shortcomings, refused, lateNames } = summary;
  const list = (found: Readonly<Record<string, number>>): string =>
    Object.entries(found)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ');
  return [
    `${steps} steps of ${wanted} in ${cases} cases, ${minutes} min (${Math.round(steps / Math.max(minutes, 0.01))} a minute), seed ${summary.seed}`,
    `themes: ${list(summary.byTheme)}`,
    `kinds: ${list(summary.byKind)}`,
    `steps: ${list(summary.byStep)}`,
    `environments: ${list(summary.byRelation)}`,
    `refused: ${list(refused) || 'nothing'}; stopped by an audit: ${summary.failed}; edits that fitted nothing: ${summary.nothing}`,
    `compared: ${summary.comparisons} views, ${summary.keptAnswers} of them also as kept answers; names known late: ${lateNames}`,
    ...problems.map(({ reproduction }) => `PROBLEM ${reproduction}`),
    ...shortcomings.map((text) => `SHORT OF ITS AIM: ${text}`),
    `problems: ${problems.length}`,
  ].join('\n');
}

export const isFine = ({ problems, shortcomings }: CampaignSummary): boolean =>
  problems.length === 0 && shortcomings.length === 0;
