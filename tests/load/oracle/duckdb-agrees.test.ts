/** What we say about a query without running it is what DuckDB says: column names, types, and that its planner accepts the rendered SQL. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { writeProject } from '../../../bench/generate/write-project.ts';
import { renderQuery, type TableStandIn } from '../../../src/compiler/render/render-query.ts';
import type { Model } from '../../../src/domain/model.ts';
import { type LoadedWorkspace, loadProject } from '../../../src/operations/project/load-project.ts';
import { generateSample } from '../../../src/operations/project/sample/generate-sample.ts';
import { openWorkspace, type Workspace } from '../../../src/operations/workspace.ts';
import { type PlainDuckdb, plainDuckdb } from '../../support/plain-duckdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-agrees-'));
const opened: Workspace[] = [];
afterAll(async () => {
  for (const workspace of opened) await workspace.close();
  rmSync(folder, { recursive: true });
});

const TIMES = { start: Date.UTC(2025, 0, 1), end: Date.UTC(2025, 0, 2), execution: Date.UTC(2025, 0, 2) };

async function load(path: string): Promise<{ loaded: LoadedWorkspace; engine: PlainDuckdb }> {
  const workspace = openWorkspace({ folder: path, variables: {}, executionTime: TIMES.execution });
  opened.push(workspace);
  return { loaded: await loadProject(workspace), engine: await plainDuckdb(path) };
}

/** Renders every model, lets DuckDB plan and describe it, and makes an empty table of it for those that read it. */
async function disagreements(
  { project, compileContext }: LoadedWorkspace,
  engine: PlainDuckdb,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const embedded = new Map<string, string>();
  const columns = new Map(project.models.map((model) => [model.name, model.columns]));
  const standIn = (name: string): TableStandIn | undefined => {
    const sql = embedded.get(name);
    return sql === undefined ? undefined : { kind: 'query', sql };
  };
  for (const model of project.models) {
    const [schema] = model.name.split('.');
    await engine.execute(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    if (model.kind.kind === 'external') {
      await engine.execute(
        `CREATE TABLE ${model.name} (${model.columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')})`,
      );
      continue;
    }
    const sql = await renderQuery(model, compileContext, {
      times: TIMES,
      standIn,
      columnsOf: (table) => columns.get(table),
    });
    if (model.kind.kind === 'embedded') embedded.set(model.name, sql);
    try {
      await engine.query(`EXPLAIN ${sql}`);
      const described = (await engine.query(`DESCRIBE ${sql}`)).rows.map(([name, type]) => `${name} ${type}`);
      const ours = model.columns
        .filter(({ name }) => !managed(model).includes(name))
        .map(({ name, type }) => `${name} ${type}`);
      for (let i = 0; i < Math.max(described.length, ours.length); i++)
        if (described[i] !== ours[i])
          wrong.push(`${model.name} column ${i + 1}: DuckDB says ${described[i]}, we say ${ours[i]}`);
      const extra = managed(model).map((name) => `, CAST(NULL AS TIMESTAMP) AS ${name}`);
      if (model.kind.kind !== 'embedded')
        await engine.execute(`CREATE TABLE ${model.name} AS SELECT *${extra.join('')} FROM (${sql}) LIMIT 0`);
    } catch (error) {
      wrong.push(`${model.name}: ${(error as Error).message}`);
    }
  }
  return wrong;
}

function managed({ kind }: Model): readonly string[] {
  return 'validFromName' in kind ? [kind.validFromName, kind.validToName] : [];
}

describe('DuckDB agrees with us', () => {
  test('on every model of shop', async () => {
    const path = join(folder, 'shop');
    cpSync(join(import.meta.dirname, '../../../examples/shop'), path, { recursive: true });
    mkdirSync(join(path, 'data'));
    await generateSample({
      scale: 1,
      write: (name, chunk) => {
        if (name.startsWith('seeds/')) return;
        mkdirSync(dirname(join(path, name)), { recursive: true });
        return appendFile(join(path, name), chunk);
      },
    });
    const { loaded, engine } = await load(path);
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(loaded.project.models.length).toBeGreaterThan(15);
    expect(await disagreements(loaded, engine)).toEqual([]);
  });
  test('on every model of the generated project', async () => {
    const total = Number(process.env['PLINTH_AGREE_MODELS'] ?? 250);
    writeProject(join(folder, 'generated'), total, 0);
    const { loaded, engine } = await load(join(folder, 'generated/blocks'));
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(loaded.project.models).toHaveLength(total);
    expect(
      loaded.project.models
        .filter((model) => model.columns.some(({ type }) => type === 'UNKNOWN'))
        .map(({ name }) => name),
    ).toEqual([]);
    expect(await disagreements(loaded, engine)).toEqual([]);
  });
});
