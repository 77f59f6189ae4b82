/** Our column lineage against the SQL library's own, on whole projects; every difference is listed with its reason. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeProject } from '../../../bench/generate/write-project.ts';
import type { Model } from '../../../src/domain/model.ts';
import {
  createLibraryClient,
  type LibraryClient,
} from '../../../src/foundation/sql/library/library-client.ts';
import { parseQuery } from '../../../src/foundation/sql/parse/parse-query.ts';
import type { SchemaOf } from '../../../src/foundation/sql/query-facts.ts';
import { resolveQuery } from '../../../src/foundation/sql/resolve/resolve-query.ts';
import { type LoadedWorkspace, loadProject } from '../../../src/operations/project/load-project.ts';
import { render } from '../../../src/operations/project/render.ts';
import { generateSample } from '../../../src/operations/project/sample/generate-sample.ts';
import { openWorkspace } from '../../../src/operations/workspace.ts';
import { everyNth, IS_LONG } from '../../support/long-form.ts';
import {
  compareLineage,
  type LineageComparison,
  type LineageDifference,
} from '../../support/sql/compare-lineage.ts';

/** The library takes 10 to 30 ms a column: the short form asks about a part of the project of 1,000 models. */
const TOTAL = IS_LONG ? 1000 : 150;
/** Of those, one in so many is asked about in the short form. */
const EVERY = 3;
const TIMES = { start: Date.UTC(2025, 0, 1), end: Date.UTC(2025, 0, 2), execution: Date.UTC(2025, 0, 2) };

const folder = mkdtempSync(join(tmpdir(), 'plinth-lineage-'));
// One for each core of a small machine: the library keeps its thread busy.
const clients = [createLibraryClient(), createLibraryClient()];
afterAll(async () => {
  for (const client of clients) await client.close();
  rmSync(folder, { recursive: true });
});

async function load(path: string): Promise<LoadedWorkspace> {
  const workspace = openWorkspace({ folder: path, variables: {}, executionTime: TIMES.execution });
  try {
    const loaded = await loadProject(workspace);
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return loaded;
  } finally {
    await workspace.close();
  }
}

/** A difference in `tests/goldens/lineage/<project>.json`; whoever adds one looks at the SQL and says why it is the library that is wrong. */
interface ListedDifference extends LineageDifference {
  readonly model: string;
  readonly reason: string;
}

function listed(project: string): readonly ListedDifference[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../../goldens/lineage/${project}.json`), 'utf8'));
}

interface Comparison {
  readonly asked: readonly string[];
  readonly same: number;
  readonly different: readonly (LineageDifference & { readonly model: string })[];
}

/** The rendered query of every model, macros and embedded models expanded, resolved by us and by the library. */
async function compareProject(loaded: LoadedWorkspace, every = 1): Promise<Comparison> {
  const { models } = loaded.project;
  const byName = new Map(models.map((model) => [model.name, model]));
  const schemaOf: SchemaOf = (parts) => byName.get(parts.join('.'));
  const compareModel = async (model: Model, client: LibraryClient): Promise<LineageComparison> => {
    const { query: sql } = await render(loaded, { model, times: TIMES });
    const parsed = parseQuery(sql, model.dialect);
    if (!parsed.ok) throw new Error(`${parsed.error.message} in ${sql}`);
    const facts = resolveQuery(parsed.value, schemaOf);
    if (!model.dependencies.some((name) => byName.get(name)?.kind.kind === 'embedded'))
      expect(sourcesOf(model), model.name).toEqual(
        facts.columns.map(({ sources }) => sources.map(({ table, column }) => `${table}.${column}`)),
      );
    return compareLineage(client, sql, facts, schemaOf);
  };
  const queue = everyNth(
    models.filter(({ source }) => source.kind === 'sql'),
    every,
  ).slice();
  const asked = queue.map(({ name }) => name);
  const found = new Map<string, LineageComparison>();
  await Promise.all(
    clients.map(async (client) => {
      for (let model = queue.pop(); model !== undefined; model = queue.pop())
        found.set(model.name, await compareModel(model, client));
    }),
  );
  const ordered = models.flatMap(({ name }) => {
    const comparison = found.get(name);
    return comparison === undefined ? [] : [{ name, ...comparison }];
  });
  return {
    asked,
    same: ordered.reduce((sum, { same }) => sum + same, 0),
    different: ordered.flatMap(({ name, different }) => different.map((each) => ({ model: name, ...each }))),
  };
}

/** What the project says of each column that comes from the query. */
function sourcesOf(model: Model): readonly (readonly string[])[] {
  return model.lineage.map(({ sources }) => sources.map((source) => `${source.model}.${source.column}`));
}

function expectAgreement({ asked, same, different }: Comparison, project: string): void {
  const known = listed(project).filter(({ model }) => asked.includes(model));
  expect(different).toEqual(known.map(({ reason, ...difference }) => difference));
  expect(same / (same + different.length)).toBeGreaterThanOrEqual(0.99);
}

describe('the SQL library sees the same column lineage', () => {
  test('on every model of shop', { timeout: 120_000 }, async () => {
    const path = join(folder, 'shop');
    cpSync(join(import.meta.dirname, '../../../examples/shop'), path, { recursive: true });
    await generateSample({
      scale: 1,
      write: (name, chunk) => {
        if (name.startsWith('seeds/')) return;
        mkdirSync(dirname(join(path, name)), { recursive: true });
        return appendFile(join(path, name), chunk);
      },
    });
    const comparison = await compareProject(await load(path));
    expect(comparison.same).toBeGreaterThan(100);
    expectAgreement(comparison, 'shop');
  });

  test('on every model of the generated project', { timeout: 1_200_000 }, async () => {
    writeProject(join(folder, 'generated'), TOTAL, 0);
    const comparison = await compareProject(await load(join(folder, 'generated/blocks')), EVERY);
    expect(comparison.same).toBeGreaterThan(10 * comparison.asked.length);
    expectAgreement(comparison, `generated-${TOTAL}`);
  });
});
