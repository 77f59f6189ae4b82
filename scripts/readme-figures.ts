/** What README says about speed, from the files of the benches. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './step.ts';

interface Summary {
  readonly medianMs: number;
  readonly peakRssMb: number;
}
type Series = Readonly<Record<string, Summary>>;

const result = <Result>(bench: string): Result =>
  JSON.parse(readFileSync(join(root, 'bench/results', `${bench}.json`), 'utf8')) as Result;

const seconds = ({ medianMs }: Summary): string => `${Number((medianMs / 1000).toPrecision(2))} s`;

export function readmeFigures(): string {
  const load = result<{
    readonly tools: Readonly<Record<string, { readonly series: Series }>>;
    readonly sizes: readonly { readonly models: number; readonly cold: Summary }[];
  }>('load');
  const plan = result<{ readonly series: Readonly<Record<string, Series>> }>('plan');
  const run = result<{ readonly ratios: Readonly<Record<string, number>> }>('run');
  const loaded = (tool: string, scenario: string): string =>
    seconds(load.tools[tool]?.series[scenario] as Summary);
  const planned = (tool: string, scenario: string): string =>
    seconds(plan.series[tool]?.[scenario] as Summary);
  const ratio = (beginning: string): number | undefined =>
    Object.entries(run.ratios).find(([name]) => name.startsWith(beginning))?.[1];
  const most = load.sizes.at(-1) as (typeof load.sizes)[number];
  return [
    `* **Fast**: 1,000 models load cold in ${loaded('plinth', 'cold')} with columns, types and lineage (SQLMesh ${loaded('sqlmesh', 'cold')}, \`dbt parse\` ${loaded('dbt parse', 'cold')} in the same run), ${loaded('plinth', 'leaf')} after one leaf changed (${loaded('sqlmesh', 'leaf')}, ${loaded('dbt parse', 'leaf')});`,
    `  ${most.models.toLocaleString('en-US')} models in ${seconds(most.cold)} and ${(most.cold.peakRssMb / 1000).toFixed(1)} GB. Two cores, medians, [how it is measured](bench/README.md): \`npm run bench load\`.`,
    `* **Plans in seconds**: a plan of 1,000 models takes ${planned('plinth', 'no-op')} when nothing changed and ${planned('plinth', 'one-change')} when one thing did (SQLMesh ${planned('sqlmesh', 'no-op')} and ${planned('sqlmesh', 'one-change')});`,
    `  200 models with their audits are built in ${ratio('backfill: plinth')} times the time of the same bare statements, and the next day in ${ratio('increment: plinth')} times. [How](bench/README.md): \`npm run bench plan\`, \`npm run bench run\`.`,
    '',
  ].join('\n');
}
