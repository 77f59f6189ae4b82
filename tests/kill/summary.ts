import type { KillResult } from './kill-once.ts';
import type { StateKind } from './kill-state.ts';

/** Polls a second, over the kills: the middle one and the slowest. */
interface Rate {
  readonly median: number;
  readonly slowest: number;
}

/** What a campaign came to. */
export interface CampaignSummary {
  /** Where the state lay. */
  readonly state: StateKind;
  readonly seed: number;
  readonly kills: number;
  readonly wanted: number;
  /** Killed between the first intent and the last commit, and their share. */
  readonly whileWriting: number;
  readonly shareWhileWriting: number;
  /** Processes that came to their end before the call they should have died at: they count for nothing. */
  readonly survived: number;
  /** By scenario and victim. */
  readonly byKind: Readonly<Record<string, number>>;
  readonly reader: {
    /** Answers while a keeper was there; the whole time counts for those that lost none. */
    readonly answersPerSecond: Rate;
    /** The same by who was killed. */
    readonly byVictim: Readonly<Record<string, Rate>>;
    /** Kills during which fewer than a hundred a second were answered. */
    readonly below100: number;
    readonly asked: number;
    readonly answered: number;
    readonly seconds: number;
    /** The part of them in which a killed keeper had not been replaced. */
    readonly deafSeconds: number;
  };
  /** Answers of a server that were compared with the warehouse after kills, and how many of them it had kept. */
  readonly compared: { readonly all: number; readonly kept: number };
  readonly medianMs: number;
  readonly minutes: number;
  /** Journal steps per scenario, and how many of them have no call that only they make. */
  readonly steps: Readonly<Record<string, string>>;
  readonly problems: readonly {
    readonly what: string;
    readonly folder: string;
    readonly found: readonly string[];
  }[];
  /** Why it ended before its time. */
  readonly stopped?: string;
}

const KILLED_SHARE = 0.9;

/** Answers a second while there was somebody to answer. */
export function answersPerSecond({ answered, readerMs, deafMs }: KillResult): number {
  return Math.round((answered / Math.max(1, readerMs - deafMs)) * 1000);
}

/** What the kills had in common; those that did not happen are only counted. */
export function summarise(
  results: readonly KillResult[],
  about: Pick<CampaignSummary, 'state' | 'seed' | 'wanted' | 'steps' | 'minutes'> & {
    readonly stopped?: string | undefined;
  },
): CampaignSummary {
  const killed = results.filter(({ wasKilled }) => wasKilled);
  const whileWriting = killed.filter(({ wasWriting }) => wasWriting).length;
  const rates = killed.map(answersPerSecond);
  const sum = (of: (result: KillResult) => number): number => killed.reduce((all, one) => all + of(one), 0);
  const { stopped, ...rest } = about;
  return {
    ...rest,
    kills: killed.length,
    whileWriting,
    shareWhileWriting: Math.round((whileWriting / Math.max(1, killed.length)) * 1000) / 1000,
    survived: results.length - killed.length,
    byKind: counts(killed.map(({ scenario, victim }) => `${scenario}, ${victim}`)),
    reader: {
      answersPerSecond: rateOf(rates),
      byVictim: Object.fromEntries(
        [...Map.groupBy(killed, seenAs)].map(([victim, list]) => [
          victim,
          rateOf(list.map(answersPerSecond)),
        ]),
      ),
      below100: rates.filter((rate) => rate < 100).length,
      asked: sum(({ asked }) => asked),
      answered: sum(({ answered }) => answered),
      seconds: Math.round(sum(({ readerMs }) => readerMs) / 1000),
      deafSeconds: Math.round(sum(({ deafMs }) => deafMs) / 1000),
    },
    compared: {
      all: sum(({ compared }) => compared.all),
      kept: sum(({ compared }) => compared.kept),
    },
    medianMs: middle(killed.map(({ ms }) => ms)),
    problems: [
      ...results
        .filter(({ problems }) => problems.length > 0)
        .map(({ scenario, victim, spot, at, folder, problems }) => ({
          what: `${scenario}, ${victim}, ${spot.calls} ${at}`,
          folder,
          found: problems,
        })),
      ...tooFew(about, killed),
    ],
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** A campaign that did less than it says has found nothing. Of journal steps a few may not be reached, of a scenario never all. */
function tooFew(
  { wanted, steps }: Pick<CampaignSummary, 'wanted' | 'steps'>,
  killed: readonly KillResult[],
): CampaignSummary['problems'] {
  const idle = Object.keys(steps).filter((name) => !killed.some(({ scenario }) => scenario === name));
  const found = [
    ...(wanted === 0 || killed.length < wanted * KILLED_SHARE
      ? [`${killed.length} of ${wanted} kills happened`]
      : []),
    ...(wanted >= Object.keys(steps).length ? idle.map((name) => `no kill in ${name}`) : []),
  ];
  return found.length === 0 ? [] : [{ what: 'the campaign', folder: '', found }];
}

/** The same for people: a row per scenario, a column per victim. */
export function summaryTable(summary: CampaignSummary): string {
  const { byKind, reader, problems } = summary;
  const kinds = Object.entries(byKind).map(([kind, n]) => {
    const at = kind.lastIndexOf(', ');
    return { scenario: kind.slice(0, at), victim: kind.slice(at + 2), n };
  });
  const victims = ['command', 'worker', 'keeper', 'connection'];
  const rows = [...Map.groupBy(kinds, ({ scenario }) => scenario)].map(([scenario, list]) => [
    scenario,
    ...victims.map((victim) => String(list.find((one) => one.victim === victim)?.n ?? '')),
  ]);
  const total = victims.map((victim) =>
    String(kinds.reduce((all, one) => all + (one.victim === victim ? one.n : 0), 0)),
  );
  const lines = [['killed', ...victims], ...rows, ['all', ...total]].map(([name = '', ...cells]) =>
    [name.padEnd(36), ...cells.map((cell) => cell.padStart(11))].join(''),
  );
  return [
    ...lines,
    '',
    `${summary.kills} kills of ${summary.wanted} (${summary.survived} did not happen), ${(summary.shareWhileWriting * 100).toFixed(1)} % while writing, ${summary.minutes} min, state in ${summary.state}, seed ${summary.seed}`,
    `reader, answers a second while there was a keeper: median ${reader.answersPerSecond.median}, slowest ${reader.answersPerSecond.slowest}, below 100 in ${reader.below100} kills`,
    ...Object.entries(reader.byVictim).map(
      ([victim, rate]) => `  ${victim.padEnd(34)}median ${rate.median}, slowest ${rate.slowest}`,
    ),
    `reader in all: ${reader.asked} asked, ${reader.answered} answered in ${reader.seconds} s, of which ${reader.deafSeconds} s without a keeper`,
    `cached answers: ${summary.compared.all} compared with the warehouse, ${summary.compared.kept} of them kept`,
    `problems: ${problems.length}${summary.stopped === undefined ? '' : ` (stopped early: ${summary.stopped})`}`,
    ...problems.map(({ what, folder, found }) => `  ${what} in ${folder}: ${found.join(' | ')}`),
  ].join('\n');
}

/** A keeper below strace answers more slowly than one that is killed by the clock. */
function seenAs({ victim, spot }: KillResult): string {
  return victim === 'keeper'
    ? spot.calls === 'moment'
      ? 'keeper, by the clock'
      : 'keeper, below strace'
    : victim;
}

function counts(names: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...Map.groupBy(names, (name) => name)].map(([name, list]) => [name, list.length]),
  );
}

function rateOf(rates: readonly number[]): Rate {
  return { median: middle(rates), slowest: rates.length === 0 ? 0 : Math.min(...rates) };
}

function middle(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
