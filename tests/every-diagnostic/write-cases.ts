import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apply, days as planDays, planFor, projectOf, testPlace } from '../support/execution-support.ts';
import { days, openWarehouse, type Warehouse, type WriteOptions } from '../support/materialize-warehouse.ts';
import { codeOf } from './code-of.ts';
import { acting, type DiagnosticCase, loading } from './diagnostic-case.ts';

interface WriteCase {
  /** Properties of the model s.m, which reads x.src (k INT, v TEXT, d DATE). */
  readonly properties: string;
  readonly query?: string;
  readonly rows?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: WriteOptions;
  readonly before?: (warehouse: Warehouse) => Promise<unknown>;
}

/** The code of the failure with which one batch of s.m is refused. */
const writing = (code: string, each: WriteCase): DiagnosticCase =>
  acting(code, async () => {
    const { query = 'SELECT k, v, d FROM x.src', rows, files, options, before } = each;
    const warehouse = await openWarehouse({
      'models/m.sql': `MODEL (name s.m, ${each.properties});\n${query}`,
      'external_models.yaml': '- {name: x.src, columns: {k: INT, v: TEXT, d: DATE}}\n',
      ...files,
    });
    try {
      await warehouse.execute('CREATE SCHEMA x');
      await warehouse.execute('CREATE TABLE x.src (k INT, v TEXT, d DATE)');
      if (rows !== undefined) await warehouse.execute(`INSERT INTO x.src VALUES ${rows}`);
      await before?.(warehouse);
      return await codeOf(warehouse.write('s.m', options));
    } finally {
      await warehouse.close();
    }
  });

const DAY = days('2024-01-01', '2024-01-02');

/** What a write finds in the rows, and what its audits do. */
export const writeCases: readonly DiagnosticCase[] = [
  writing('audit.duplicate-key', {
    properties: 'kind INCREMENTAL_BY_UNIQUE_KEY (unique_key k)',
    rows: "(1, 'a', NULL), (1, 'b', NULL)",
  }),
  writing('audit.null-key', {
    properties: 'kind SCD_TYPE_2_BY_COLUMN (unique_key k, columns [v])',
    rows: "(NULL, 'a', NULL)",
  }),
  writing('audit.outside-interval', {
    properties: "kind INCREMENTAL_BY_TIME_RANGE (time_column d, strict_time 'error')",
    rows: "(1, 'a', '2025-06-01')",
    options: { range: DAY },
  }),
  writing('audit.filled-twice', {
    properties: 'kind INCREMENTAL_UNMANAGED (disable_restatement false)',
    rows: "(1, 'a', NULL)",
    before: async (warehouse) => {
      await warehouse.write('s.m', { range: days('2023-12-31', '2024-01-01') });
      await warehouse.write('s.m', { range: DAY });
    },
    options: { range: DAY, isRestatement: true },
  }),
  writing('audit.own-columns-unknown', {
    properties: 'kind INCREMENTAL_UNMANAGED',
    query: 'SELECT me.*, 1 AS k FROM s.m AS me',
  }),
  writing('audit.cannot-run', {
    properties: 'kind FULL, audits (mine)',
    files: { 'audits/a.sql': 'AUDIT (name mine);\nSELECT * FROM nowhere.at_all\n' },
  }),
  writing('audit.row-balance', {
    properties: 'kind FULL, audits (chance)',
    query: 'SELECT i FROM range(10000) AS t(i)',
    files: {
      'audits/a.sql':
        'AUDIT (name chance, on_failure quarantine);\nSELECT * FROM @this_model WHERE random() < 0.5\n',
    },
  }),
  acting('audit.seed-changed', async () => {
    const warehouse = await openWarehouse({
      'models/m.sql': "MODEL (name s.m, kind SEED (path '../seeds/m.csv'), columns (a INT))",
      'seeds/m.csv': 'a\n1\n',
    });
    try {
      writeFileSync(join(warehouse.folder, 'seeds/m.csv'), 'a\n2\n');
      return await codeOf(warehouse.write('s.m'));
    } finally {
      await warehouse.close();
    }
  }),
  acting('audit.failed', async () => {
    const place = testPlace();
    try {
      const world = await place.open();
      const project = await projectOf({
        's.m': ['FULL', 'SELECT -1 AS price', 'audits (forall(criteria := (price > 0)))'],
      });
      const { run } = await apply(world, await planFor(world, project, { fill: { 's.m': planDays(0, 1) } }));
      return run.error?.code;
    } finally {
      await place.remove();
    }
  }),
  loading('audit.cannot-quarantine', {
    'audits/a.sql':
      'AUDIT (name mine, on_failure quarantine);\nSELECT * FROM @this_model WHERE i < 0 LIMIT 5;\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL, audits («mine»));\nSELECT 1 AS i\n',
  }),
];
