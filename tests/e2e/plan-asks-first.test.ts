/** The text of every new or changed model is asked of the engine before a plan builds anything. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { envelope, runPlinth, type TemporaryProject, temporaryProject } from './run-plinth.ts';

let project: TemporaryProject;
beforeEach(() => {
  project = temporaryProject({
    'config.yaml':
      "name: p\nmodel_defaults: {start: '2025-01-01'}\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\n",
    'raw/trips.csv': 'trip_id,fare,day\n1,2.5,2025-01-01\n',
    'seeds/zones.csv': 'zone,label\n1,north\n',
    'models/zones.sql':
      "MODEL (name raw.zones, kind SEED (path '../seeds/zones.csv'), columns (zone INT, label TEXT));\n",
    'models/trips.sql': "MODEL (name staging.trips, kind FULL);\nSELECT * FROM read_csv('raw/trips.csv')\n",
    'models/history.sql':
      'MODEL (name staging.history, kind SCD_TYPE_2_BY_COLUMN (unique_key trip_id, columns *));\nSELECT * FROM staging.trips\n',
    'models/totals.sql':
      'MODEL (name marts.totals, kind FULL);\nSELECT day, sum(fare) AS fares FROM staging.trips GROUP BY day\n',
    'models/own.sql':
      'MODEL (name marts.own, kind INCREMENTAL_BY_TIME_RANGE (time_column day));\nSELECT t.day, t.fares + coalesce((SELECT max(fares) FROM marts.own), 0) AS fares FROM marts.totals AS t WHERE t.day BETWEEN @start_ds AND @end_ds\n',
    'models/upper.sql':
      'MODEL (name marts.upper, kind VIEW);\nSELECT h.trip_id, h.valid_from, z.label, t.fares FROM staging.history AS h JOIN marts.totals AS t USING (day) LEFT JOIN raw.zones AS z ON z.zone = h.trip_id\n',
  });
});
afterEach(() => project.remove());

const json = async (...args: readonly string[]): Promise<ReturnType<typeof envelope>> =>
  envelope(await runPlinth([...args, '--json'], { cwd: project.folder }));
const refusals = async (): Promise<readonly string[]> => {
  const { error, diagnostics } = await json('plan', '--yes', '--execution-time', '2025-01-04');
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return [...(error === undefined || error === null ? [] : [error]), ...errors]
    .map(({ code, file, line, message }) => `${code} ${file}:${line} ${String(message).split('\n')[0]}`)
    .sort();
};
const tables = async (): Promise<unknown> => (await json('query', '--sql', 'SELECT 1 AS a')).error?.['code'];

test('models over models that are not built yet are asked, and a right project is planned', async () => {
  expect(await refusals()).toEqual([]);
  const { data } = await json('query', '--sql', 'SELECT count(*) AS n FROM marts.upper');
  expect(JSON.stringify(data)).toContain('1');
});

test('unknown columns and functions of new models are errors with their places, all at once, and nothing is built', async () => {
  project.write(
    'models/totals.sql',
    'MODEL (name marts.totals, kind FULL);\nSELECT\n  day,\n  summ(fare) AS fares\nFROM staging.trips\nGROUP BY day\n',
  );
  project.write(
    'models/history.sql',
    'MODEL (name staging.history, kind SCD_TYPE_2_BY_COLUMN (unique_key trip_id, columns *));\nSELECT *, strptime(day, fare)\nAS x FROM staging.trips\n',
  );
  project.write(
    'models/upper.sql',
    "MODEL (name marts.upper, kind VIEW);\nSELECT label\n AS l FROM raw.zones WHERE date_tunc('day', now()) > now()\n",
  );
  const found = await refusals();
  expect(found).toEqual([
    expect.stringMatching(/^plan\.engine-refuses models\/history\.sql:\d+ .*staging\.history.*strptime/),
    expect.stringMatching(/^plan\.engine-refuses models\/totals\.sql:4 .*marts\.totals.*summ/),
    expect.stringMatching(/^plan\.engine-refuses models\/upper\.sql:3 .*marts\.upper.*date_tunc/),
  ]);
  expect(await tables()).toBe('environment.unknown');
});

test('what reads a refused model is not told again', async () => {
  project.write(
    'models/trips.sql',
    "MODEL (name staging.trips, kind FULL);\nSELECT *, nope(fare) AS more FROM read_csv('raw/trips.csv')\n",
  );
  expect(await refusals()).toEqual([
    expect.stringMatching(/^plan\.engine-refuses models\/trips\.sql:2 .*staging\.trips.*nope/),
  ]);
});

test('a changed model over a changed model is asked with the columns that it will have', async () => {
  expect(await refusals()).toEqual([]);
  project.write(
    'models/trips.sql',
    "MODEL (name staging.trips, kind FULL);\nSELECT *, 'x' AS remark FROM read_csv('raw/trips.csv')\n",
  );
  project.write(
    'models/totals.sql',
    'MODEL (name marts.totals, kind FULL);\nSELECT day, sum(fare) AS fares, max(remark) + 1 AS wrong FROM staging.trips GROUP BY day\n',
  );
  project.write('models/own.sql', 'MODEL (name marts.own, kind FULL);\nSELECT remark FROM staging.trips\n');
  expect(await refusals()).toEqual([expect.stringMatching(/^plan\.engine-refuses models\/totals\.sql:2 /)]);
});
