import type { CellResult } from './cells.ts';
import { ENVIRONMENT_PLACES } from './environment-places.ts';
import { KEPT_DOORS } from './kept-answers.ts';
import { NAME_PLACES } from './name-places.ts';
import { COMMAND_PLACES } from './pair-cells.ts';
import { PASSIVE_DOORS } from './passive-doors.ts';
import { QUESTION_DOORS } from './question-doors.ts';
import { ENVIRONMENTS } from './world.ts';

export const PHASES = [
  'open',
  'closed',
  'group taken',
  'rollback refused',
  'rolled back',
  'closed again',
  'lost',
] as const;
export type Phase = (typeof PHASES)[number];

export interface Counted extends CellResult {
  readonly seed: number;
  readonly scheme: string;
  readonly phase: Phase;
}

/** How often something was asked, how often there was something to hide from the caller, and something to show. */
export interface Count {
  cells: number;
  hiding: number;
  showing: number;
}

export interface Summary {
  readonly seed: number;
  readonly wanted: number;
  readonly cells: number;
  readonly hiding: number;
  readonly showing: number;
  readonly undecided: number;
  readonly worlds: number;
  readonly seconds: number;
  readonly by: Readonly<Record<Dimension, Readonly<Record<string, Count>>>>;
  /** By operation: answers with cells in them. */
  readonly loud: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

const DIMENSIONS = ['caller', 'door', 'relation', 'environment', 'phase', 'scheme', 'operation'] as const;
type Dimension = (typeof DIMENSIONS)[number];

export function summarise(
  results: readonly Counted[],
  about: Pick<Summary, 'seed' | 'wanted' | 'worlds' | 'seconds'> & { readonly others: readonly string[] },
): Summary {
  const by = Object.fromEntries(DIMENSIONS.map((name) => [name, {}])) as Record<
    Dimension,
    Record<string, Count>
  >;
  const loud: Record<string, number> = {};
  for (const result of results) {
    for (const name of DIMENSIONS)
      for (const value of name === 'operation' ? result.operations : [result[name]]) {
        const count = by[name][value] ?? { cells: 0, hiding: 0, showing: 0 };
        by[name][value] = count;
        count.cells++;
        if (result.hides) count.hiding++;
        if (result.shows) count.showing++;
      }
    for (const operation of result.isLoud ? result.operations : [])
      loud[operation] = (loud[operation] ?? 0) + 1;
  }
  const { others, ...rest } = about;
  return {
    ...rest,
    cells: results.length,
    hiding: results.filter(({ hides }) => hides).length,
    showing: results.filter(({ shows }) => shows).length,
    undecided: results.filter(({ isUndecided }) => isUndecided).length,
    by,
    loud,
    problems: [
      ...others,
      ...results.flatMap(({ problems, seed, phase, caller, door, environment, what }) =>
        problems.map(
          (problem) =>
            `world ${seed}, ${phase}, ${caller} by ${door} in ${environment}: ${problem} <- ${what}`,
        ),
      ),
    ],
  };
}

/** What a campaign must have asked: everything that there is, and enough of it that matters. */
export function unexercised(
  { by, loud, cells, wanted, undecided }: Summary,
  expected: {
    readonly callers: readonly string[];
    readonly schemes: readonly string[];
    readonly phases: readonly Phase[];
  },
): readonly string[] {
  const missing: string[] = [];
  const need = (dimension: Dimension, names: readonly string[]): void => {
    for (const name of names)
      if ((by[dimension][name]?.cells ?? 0) === 0) missing.push(`${dimension} ${name} was never asked`);
  };
  if (cells < wanted) missing.push(`${cells} cells were asked, not ${wanted}`);
  // What the rules leave open is looked through and not verified: it must stay the exception.
  if (undecided > cells * 0.15) missing.push(`${undecided} of ${cells} cells are undecided`);
  need('caller', expected.callers);
  need('scheme', expected.schemes);
  need('phase', expected.phases);
  need('environment', [...ENVIRONMENTS, 'any']);
  need('relation', [
    'upstream',
    'itself',
    'downstream',
    'beside',
    'own',
    'harmless',
    'vault',
    'rollup',
    'semantics',
  ]);
  need('door', [
    ...QUESTION_DOORS.map(({ name }) => name),
    ...PASSIVE_DOORS.map(({ operation }) => operation),
    ...KEPT_DOORS.map(({ name }) => name),
    ...NAME_PLACES.map(({ name }) => `name in ${name}`),
    ...Object.keys(COMMAND_PLACES).map((name) => `name in ${name}`),
    ...Object.keys(ENVIRONMENT_PLACES).map((operation) => `environment in ${operation}`),
  ]);
  for (const { name } of QUESTION_DOORS) {
    if ((by.door[name]?.hiding ?? 0) === 0) missing.push(`door ${name} had never anything to hide`);
    if ((by.door[name]?.showing ?? 0) === 0) missing.push(`door ${name} had never anything to show`);
  }
  for (const { operation, isLoud } of PASSIVE_DOORS)
    if (isLoud && (loud[operation] ?? 0) === 0)
      missing.push(`${operation} never told a cell to anybody: it proves nothing`);
  return missing;
}

export function summaryText({ by, problems, ...summary }: Summary): string {
  const lines = [
    `${summary.cells} cells in ${summary.worlds} worlds (${summary.seconds} s): ${summary.hiding} had something to hide, ${summary.showing} something to show, ${summary.undecided} are left open by the rules`,
  ];
  for (const name of ['caller', 'phase', 'environment', 'relation', 'scheme', 'door'] as const) {
    lines.push(`by ${name}: cells, hiding, showing`);
    for (const [value, { cells, hiding, showing }] of Object.entries(by[name]))
      lines.push(
        `  ${value.padEnd(46)} ${String(cells).padStart(6)} ${String(hiding).padStart(6)} ${String(showing).padStart(6)}`,
      );
  }
  lines.push(
    `${problems.length} problems`,
    ...problems.slice(0, 60).map((problem) => `  ${problem.slice(0, 700)}`),
  );
  return lines.join('\n');
}
