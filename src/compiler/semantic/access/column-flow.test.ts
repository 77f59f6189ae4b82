import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TemporaryProject, temporaryProject } from '../../../../tests/support/temporary-project.ts';
import type { Project } from '../../../domain/project.ts';
import { ColumnFlow, type ColumnsByModel } from './column-flow.ts';

const model = (name: string, query: string, more = 'kind FULL'): string =>
  `MODEL (name ${name}, ${more});\n${query}\n`;

/** Each reads `raw.people`; what it carries of the column `email` is in its name. */
const FILES: Readonly<Record<string, string>> = {
  'config.yaml': 'model_defaults: {start: 2025-01-01}\n',
  'external_models.yaml': '- {name: ext.open}\n- {name: ext.known, columns: {id: int, email: text}}\n',
  'audits/eu.sql':
    "AUDIT (name eu, on_failure quarantine);\nSELECT * FROM @this_model WHERE country <> 'EU'\n",
  'models/raw.sql': model(
    'raw.people',
    "SELECT 1 AS id, 'a' AS email, 'EU' AS country, DATE '2025-01-01' AS day",
  ),
  'models/one.sql': model('one.mail', 'SELECT id, lower(email) AS mail FROM raw.people'),
  'models/none.sql': model('none.ids', "SELECT id FROM raw.people WHERE country = 'EU'"),
  'models/all.sql': model('all.filtered', "SELECT id FROM raw.people WHERE email LIKE 'a%'"),
  'models/star.sql': model('one.star', 'SELECT * FROM raw.people'),
  'models/far.sql': model('one.far', 'SELECT mail, id FROM one.mail'),
  'models/scd.sql': model(
    'all.history',
    'SELECT id, email FROM raw.people',
    'kind SCD_TYPE_2_BY_COLUMN (unique_key id, columns [email])',
  ),
  'models/keyed.sql': model(
    'all.merged',
    'SELECT id, email FROM raw.people',
    'kind INCREMENTAL_BY_UNIQUE_KEY (unique_key email)',
  ),
  'models/key.sql': model(
    'one.merged',
    'SELECT id, email FROM raw.people',
    'kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id)',
  ),
  'models/held.sql': model('all.held', 'SELECT id, country, email FROM raw.people', 'kind FULL, audits (eu)'),
  'models/said.sql': `${model('all.said', 'SELECT 1 AS one', 'kind FULL').trimEnd()};\nCREATE TEMP TABLE IF NOT EXISTS t AS SELECT * FROM raw.people;\n`,
  'models/macro.sql': `${model('none.set', 'SELECT id FROM raw.people', 'kind FULL').trimEnd()};\nANALYZE @this_model;\n`,
  'models/stage.sql': model(
    'all.staged',
    "SELECT id, @IF(@runtime_stage = 'creating', country, email) AS some FROM raw.people",
  ),
  'models/unknown.sql': model('two.open', 'SELECT o.a FROM ext.open AS o'),
  'models/known.sql': model('two.known', 'SELECT id FROM ext.known'),
  'models/self.sql': model(
    'one.past',
    'SELECT id, email AS now, lag AS older FROM raw.people LEFT JOIN (SELECT now AS lag FROM one.past) AS p ON TRUE',
    'kind FULL',
  ),
};

let project: TemporaryProject;
let loaded: Project;
beforeAll(async () => {
  project = temporaryProject(FILES);
  const { project: found, diagnostics } = await project.load();
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors).toEqual([]);
  loaded = found;
});
afterAll(() => project.delete());

const flow = (): ColumnFlow =>
  new ColumnFlow(loaded.models.map((each) => ({ model: each, audits: loaded.audits })));
const shown = (columns: ColumnsByModel): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...columns].sort().map(([name, each]) => [name, each === 'all' ? each : [...each].sort()]),
  );
const of = (name: string, ...columns: readonly string[]): ColumnsByModel =>
  new Map([[name, new Set(columns)]]);

test('a column is carried by value, and by condition into every column; what is not certain carries', () => {
  expect(shown(flow().carriers(of('raw.people', 'email')))).toEqual({
    'all.filtered': 'all',
    'all.held': 'all',
    'all.history': 'all',
    'all.merged': 'all',
    'all.said': 'all',
    'all.staged': 'all',
    'one.far': ['mail'],
    'one.mail': ['mail'],
    'one.merged': ['email'],
    'one.past': ['now', 'older'],
    'one.star': ['email'],
    'raw.people': ['email'],
  });
});

test('rows that an audit holds back are decided by all that is read', () => {
  expect(shown(flow().carriers(of('raw.people', 'country')))).toMatchObject({
    'all.held': 'all',
    'none.ids': 'all',
  });
});

test('of a table whose columns are not known everything is carried, of others what is read', () => {
  expect(shown(flow().carriers(of('ext.open', 'b')))).toEqual({ 'ext.open': ['b'], 'two.open': 'all' });
  expect(shown(flow().carriers(of('ext.known', 'email')))).toEqual({ 'ext.known': ['email'] });
});

test('where a column comes from: by value, and by what decides about its rows', () => {
  expect(shown(flow().origins(of('one.far', 'mail'), 'value'))).toEqual({
    'one.far': ['mail'],
    'one.mail': ['mail'],
    'raw.people': ['email'],
  });
  expect(shown(flow().origins(of('none.ids', 'id'), 'value'))['raw.people']).toEqual(['id']);
  expect(shown(flow().origins(of('none.ids', 'id'), 'row'))['raw.people']).toEqual(['country', 'id']);
});

test('a model that was stored before it was known what decides is decided by all that it reads', () => {
  const older = loaded.models.map(({ deciding: _, ...each }) => ({ model: each, audits: [] }));
  expect(shown(new ColumnFlow(older).carriers(of('raw.people', 'email')))).toMatchObject({
    'one.mail': 'all',
    'one.far': 'all',
  });
  expect(shown(new ColumnFlow(older).carriers(of('raw.people', 'email')))).not.toHaveProperty('none.ids');
});

test('models of two environments are what either says of them', () => {
  const [raw, mail] = ['raw.people', 'one.mail'].map((name) =>
    loaded.models.find((each) => each.name === name),
  );
  if (raw === undefined || mail === undefined) throw new Error('they are loaded');
  const other = {
    ...mail,
    lineage: mail.lineage.map((each) => ({ ...each, sources: [{ model: 'raw.people', column: 'country' }] })),
  };
  const both = new ColumnFlow([raw, mail, other].map((each) => ({ model: each, audits: [] })));
  expect(shown(both.carriers(of('raw.people', 'email')))['one.mail']).toEqual(['mail']);
  expect(shown(both.carriers(of('raw.people', 'country')))['one.mail']).toEqual(['id', 'mail']);
});
