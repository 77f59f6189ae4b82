/**
 * A project that uses what SQLMesh projects use (bakery, written for this test) loads here as SQLMesh loads it.
 * sqlmesh-facts.json was recorded from SQLMesh itself by record_facts.py, which also ran the project's three tests there.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/domain/engine.ts';
import type { Model } from '../../src/domain/model.ts';
import { lint } from '../../src/operations/project/lint.ts';
import { type LoadedWorkspace, loadProject } from '../../src/operations/project/load-project.ts';
import { render } from '../../src/operations/project/render.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';
import { plainDuckdb } from '../support/plain-duckdb.ts';

interface Fact {
  readonly kind: string;
  readonly cron: string;
  readonly start: string;
  readonly owner: string | null;
  readonly tags: readonly string[];
  readonly audits: readonly string[];
  readonly grains: readonly string[];
  readonly dependsOn: readonly string[];
  readonly columns: Readonly<Record<string, string>>;
  readonly sql: string | null;
}

const facts = JSON.parse(readFileSync(new URL('sqlmesh-facts.json', import.meta.url), 'utf8')) as {
  readonly tests: { readonly run: number; readonly failed: number };
  readonly standaloneAudits: readonly string[];
  readonly models: Readonly<Record<string, Fact>>;
};

const folder = mkdtempSync(join(tmpdir(), 'plinth-bakery-'));
let workspace: Workspace;
let loaded: LoadedWorkspace;

beforeAll(async () => {
  cpSync(new URL('project', import.meta.url), folder, { recursive: true });
  workspace = openWorkspace({ folder, variables: {}, executionTime: 0 });
  loaded = await loadProject(workspace);
});
afterAll(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true });
});

const modelOf = (name: string): Model => {
  const found = loaded.project.models.find((model) => model.name === name);
  if (found === undefined) throw new Error(`no model ${name}`);
  return found;
};

test('nothing is wrong with it; what has no effect or cannot be built yet is said once', () => {
  const said = loaded.diagnostics.map(({ severity, code, message }) => [
    severity,
    code,
    message.split(' ', 1)[0],
  ]);
  expect(said).toEqual([
    ['note', 'model.unused-property', 'cron'],
    ['warning', 'yaml.key-not-yet', 'a'],
    ['note', 'config.key-without-effect', 'roles'],
    ['note', 'config.key-without-effect', 'model_naming'],
    ['note', 'config.key-without-effect', 'enable_preview'],
    ['note', 'config.key-without-effect', 'physical_schema_mapping'],
    ['note', 'config.key-without-effect', 'disable_anonymized_analytics'],
    ['note', 'config.key-without-effect', 'log_limit'],
    ['note', 'config.key-without-effect', 'environment_check_interval'],
    ['warning', 'model.kind-not-yet', 'Models'],
    ['note', 'model.unused-property', 'grants'],
    ['note', 'model.unused-property', 'grants_target_layer'],
    ['note', 'model.unused-property', 'references'],
    ['note', 'model.unused-property', 'partition_by_time_column'],
    ['note', 'model.unused-property', 'partitioned_by'],
    ['note', 'model.unused-property', 'clustered_by'],
    ['note', 'model.unused-property', 'physical_version'],
    ['note', 'model.unused-property', 'physical_properties'],
    ['note', 'model.unused-property', 'virtual_properties'],
    ['note', 'model.unused-property', 'storage_format'],
    ['note', 'model.unused-property', 'table_format'],
    ['note', 'model.unused-property', 'optimize_query'],
    ['note', 'model.unused-property', 'formatting'],
    ['note', 'model.unused-property', 'batch_size'],
    ['note', 'model.unused-property', 'references'],
  ]);
});

test('it has the models, audits and tests that SQLMesh finds', () => {
  expect(loaded.project.models.map(({ name }) => name).sort()).toEqual(Object.keys(facts.models).sort());
  expect(loaded.project.audits.map(({ name }) => name)).toEqual([
    'no_huge_sales',
    'every_shop_sells',
    'quiet_audit',
  ]);
  expect(loaded.project.audits.filter(({ isStandalone }) => isStandalone).map(({ name }) => name)).toEqual(
    facts.standaloneAudits,
  );
  expect(loaded.project.tests.length).toBe(facts.tests.run);
  expect(facts.tests.failed).toBe(0);
});

test('the lint rules it names are known here', async () => {
  const { diagnostics, ran } = await lint(workspace, loaded);
  expect(diagnostics.filter(({ code }) => code === 'lint.unknown-rule')).toEqual([]);
  const severities = Object.fromEntries(ran.map(({ name, severity }) => [name, severity]));
  expect(severities).toMatchObject({ 'ambiguous-or-invalid-column': 'error', 'no-select-star': 'warning' });
  expect(Object.keys(severities)).not.toContain('no-missing-external');
});

const KINDS: Readonly<Record<string, string>> = { SCD_TYPE_2: 'scd-type-2-by-time' };

describe.each(Object.entries(facts.models))('%s', (name, fact) => {
  test('has the properties that SQLMesh reads', () => {
    const model = modelOf(name);
    expect({
      kind: model.kind.kind,
      cron: model.cron,
      start: model.start ?? 'None',
      owner: model.owner ?? null,
      tags: model.tags,
      audits: model.audits.map((audit) => audit.name),
      grains: model.grains.map((grain) => (grain.length === 1 ? grain[0] : `(${grain.join(', ')})`)),
      dependsOn: model.dependencies,
    }).toEqual({
      kind: KINDS[fact.kind] ?? fact.kind.toLowerCase().replaceAll('_', '-'),
      cron: fact.cron,
      start: fact.start,
      owner: fact.owner,
      tags: fact.tags,
      audits: fact.audits,
      grains: fact.grains,
      dependsOn: fact.dependsOn,
    });
  });

  test('has the columns that SQLMesh finds, with the same types where SQLMesh is right about DuckDB', () => {
    const { columns } = modelOf(name);
    expect(columns.map((column) => column.name.toLowerCase())).toEqual(Object.keys(fact.columns));
    const wrong = DIFFERENT_TYPES[name] ?? {};
    for (const [column, type] of Object.entries(fact.columns)) {
      const ours = columns.find((each) => each.name.toLowerCase() === column)?.type;
      if (type === 'UNKNOWN') expect(ours).not.toBe('UNKNOWN');
      else expect([column, ours]).toEqual([column, wrong[column] ?? canonical(type)]);
    }
  });
});

/** What DuckDB itself says where SQLMesh says something else; `rows` below proves it. */
const DIFFERENT_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'bakery.operators': { rye: 'HUGEINT', difference: 'HUGEINT', rye_again: 'HUGEINT', roll_again: 'HUGEINT' },
  'bakery.plain': { one: 'BIGINT' },
  'bakery.report': { cents: 'DECIMAL(18,0)' },
};

function canonical(type: string): string {
  return type
    .replace(/^TEXT$/, 'VARCHAR')
    .replace(/^INT$/, 'INTEGER')
    .replace(/, /g, ',');
}

describe('rows', () => {
  /** The day for which SQLMesh rendered its queries. */
  const times = { start: 0, end: 86_400_000, execution: 0 };

  test('our query and that of SQLMesh give the same rows in DuckDB, model after model', async () => {
    const engine = await plainDuckdb(folder);
    await engine.execute("ATTACH ':memory:' AS kiln");
    await engine.execute('USE kiln');
    const differing: unknown[] = [];
    for (const model of loaded.project.models) {
      const schema = model.name.split('.')[0];
      await engine.execute(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      if (model.source.kind === 'external') {
        await engine.execute(
          `CREATE TABLE ${model.name} (${model.columns.map(({ name, type }) => `"${name}" ${type}`).join(', ')})`,
          ...(ROWS[model.name] ?? []),
        );
        continue;
      }
      const { query } = await render(loaded, { model, times, dialect: 'duckdb' });
      const ours = query.replace("'seeds/", `'${folder}/seeds/`);
      const theirs = facts.models[model.name]?.sql ?? undefined;
      await engine.execute(`CREATE TABLE ${model.name} AS ${ours}`);
      if (theirs === undefined) continue;
      const rows = await engine.query(`SELECT * FROM ${model.name} ORDER BY ALL`);
      const expected = await engine.query(`SELECT * FROM (${theirs}) ORDER BY ALL`);
      if (JSON.stringify(values(rows)) !== JSON.stringify(values(expected)))
        differing.push({ model: model.name, ours: values(rows), theirs: values(expected) });
      else if (rows.rows.length === 0) differing.push(`${model.name} is empty`);
    }
    expect(differing).toEqual([]);
  });
});

const ROWS: Readonly<Record<string, readonly string[]>> = {
  'pos.tickets': [
    "INSERT INTO pos.tickets VALUES (1, TIMESTAMP '1970-01-01 08:00:00', 1, 'rye', 2, 3.50), (2, TIMESTAMP '1970-01-01 09:30:00', 1, 'roll', 30, 0.60), (3, TIMESTAMP '1970-01-01 10:00:00', 2, 'rye', 24, 3.80), (4, TIMESTAMP '1970-01-01 11:00:00', 2, 'rye', 1, 3.90), (5, TIMESTAMP '1970-02-01 08:00:00', 2, 'roll', 7, 0.65)",
  ],
};

function values({ rows }: Answer): unknown {
  return JSON.parse(
    JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  );
}
