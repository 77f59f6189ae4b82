import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load, loadGenerated } from '../semantic-compile.ts';
import { factsOf, METRIC_KINDS, metricFiles, metricflowManifest, metricName } from './metricflow-manifest.ts';

interface Manifest {
  readonly semantic_models: readonly {
    readonly name: string;
    readonly entities: readonly { readonly name: string; readonly type: string; readonly expr: string }[];
    readonly measures: readonly { readonly name: string; readonly agg: string; readonly expr: string }[];
  }[];
  readonly metrics: readonly { readonly name: string; readonly type: string }[];
}

test('both tools get the same models, joins and metrics', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-metricflow-'));
  try {
    const { project } = await loadGenerated(folder, { semanticModels: 20, membersEach: 40 });
    const facts = factsOf(project);
    mkdirSync(join(folder, 'models', 'metrics'));
    for (const [name, text] of metricFiles(facts))
      writeFileSync(join(folder, 'models', 'metrics', name), text);
    const loaded = (await load(folder)).project;
    const manifest = metricflowManifest(loaded, facts) as Manifest;
    expect(facts.map(({ name }) => name)).toEqual(['fact_0_1', 'fact_1_0', 'fact_1_1']);
    const wanted = facts.flatMap(({ name }) => METRIC_KINDS.map((kind) => metricName(name, kind)));
    expect(loaded.metrics.map(({ name }) => name.value).toSorted()).toEqual(wanted.toSorted());
    expect(manifest.metrics.map(({ name }) => name)).toEqual(expect.arrayContaining(wanted));
    expect(manifest.semantic_models).toHaveLength(20);
    const fact = manifest.semantic_models.find(({ name }) => name === 'fact_1_0');
    expect(fact?.entities).toEqual(
      expect.arrayContaining([
        { name: 'fact_1_0', type: 'primary', expr: 'id' },
        { name: 'dim_1_2', type: 'foreign', expr: 'dim_1_2_id' },
      ]),
    );
    expect(fact?.measures.slice(0, 2)).toEqual([
      { name: 'fact_1_0_m0', agg: 'sum', expr: 'c1' },
      {
        name: 'fact_1_0_m1',
        agg: 'count',
        expr: "CASE WHEN (status = 'done' AND c2 > 1) THEN 1 END",
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
