import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// A project whose every row can be told from its day: 40 rows a day, of which those with amount 13 are held back. Where a
// row came from is told by its `source`, a number in a table of somebody else, so that a restatement can be seen.
//
//   raw.source ─ k.events (time range, a day a batch, quarantine) ─┬─ k.appended (append) ── k.appended_total (full)
//                                                                  ├─ k.keyed (upsert) ── k.history (SCD 2)
//                                                                  ├─ k.totals (full) ─┐
//                                                                  └───────────────────┴─ k.agreed (view: both must agree)

/** Rows a day before quarantine. */
const ROWS_A_DAY = 40;

/** Rows that a day may show: without those held back, and without those that the change takes away. Each amount comes twice a day. */
const SHOWN = `${ROWS_A_DAY - 2}, ${ROWS_A_DAY - 4}`;
/** k.appended holds back another amount. */
const APPENDED = `${ROWS_A_DAY - 4}, ${ROWS_A_DAY - 6}`;

const events = ({ column = '', where = '' } = {}): string => `MODEL (
  name k.events, kind INCREMENTAL_BY_TIME_RANGE (time_column day, batch_size 1), start '2025-01-01', cron '@daily',
  audits (not_unlucky, unique_combination_of_columns(columns := (day, id)))
);
SELECT CAST(d AS DATE) AS day, i::INTEGER AS id, ((i * 7 + dayofyear(d)) % 20)::INTEGER AS amount, s.source${column}
FROM generate_series(@start_date::TIMESTAMP, @end_date::TIMESTAMP, INTERVAL 1 DAY) AS g(d), range(${ROWS_A_DAY}) AS r(i), raw.source AS s
WHERE d BETWEEN @start_date AND @end_date${where}
`;

const notAmong = (amounts: string): string =>
  `AUDIT (name not_five_or_six, on_failure quarantine);\nSELECT * FROM @this_model WHERE amount IN (${amounts})\n`;

const FILES: Readonly<Record<string, string>> = {
  'config.yaml': `name: kill
gateways:
  local:
    connection: {type: duckdb, database: kill.duckdb}
model_defaults: {dialect: duckdb, start: '2025-01-01'}
`,
  'external_models.yaml': '- name: raw.source\n  columns: {source: int}\n',
  'audits/not_unlucky.sql':
    'AUDIT (name not_unlucky, on_failure quarantine);\nSELECT * FROM @this_model WHERE amount = 13\n',
  'audits/not_eleven.sql':
    'AUDIT (name not_eleven, on_failure quarantine);\nSELECT * FROM @this_model WHERE amount = 11\n',
  'audits/agrees.sql': 'AUDIT (name agrees);\nSELECT * FROM @this_model WHERE n IS DISTINCT FROM total_n\n',
  'audits/not_five_or_six.sql': notAmong('5, 6'),
  'models/events.sql': events(),
  'models/kept.sql': `MODEL (name k.kept, kind INCREMENTAL_BY_TIME_RANGE (time_column day, batch_size 1), cron '@daily', start '2025-01-01', audits (not_five_or_six));
SELECT day, id, amount FROM k.events WHERE day BETWEEN @start_date AND @end_date
`,
  'models/kept_total.sql':
    "MODEL (name k.kept_total, kind FULL, cron '@daily');\nSELECT day, count(*) AS n FROM k.kept GROUP BY day\n",
  'models/appended.sql': `MODEL (name k.appended, kind INCREMENTAL_UNMANAGED, cron '@daily', start '2025-01-01', audits (not_eleven));
SELECT day, id, amount FROM k.events WHERE day BETWEEN @start_date AND @end_date
`,
  'models/appended_total.sql':
    "MODEL (name k.appended_total, kind FULL, cron '@daily');\nSELECT day, count(*) AS n, sum(amount) AS amount FROM k.appended GROUP BY day\n",
  'models/keyed.sql': `MODEL (name k.keyed, kind INCREMENTAL_BY_UNIQUE_KEY (unique_key id, batch_size 1), cron '@daily', start '2025-01-01');
SELECT id, max(day) AS last_day, max_by(amount, day) AS amount FROM k.events WHERE day BETWEEN @start_date AND @end_date GROUP BY id
`,
  'models/history.sql': `MODEL (name k.history, kind SCD_TYPE_2_BY_COLUMN (unique_key id, columns (amount)), cron '@daily');
SELECT id, amount FROM k.keyed
`,
  'models/totals.sql':
    "MODEL (name k.totals, kind FULL, cron '@daily');\nSELECT day, count(*) AS n, sum(source) AS sources FROM k.events GROUP BY day\n",
  'models/agreed.sql': `MODEL (name k.agreed, kind VIEW, audits (agrees));
SELECT e.day, e.n, t.n AS total_n FROM (SELECT day, count(*) AS n FROM k.events GROUP BY day) AS e FULL JOIN k.totals AS t ON t.day = e.day
`,
};

/** Writes the project into an empty folder. */
export function writeKillProject(folder: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Takes away every row of k.events that has amount 7, so that everything below is built anew. */
export function changeKillProject(folder: string): void {
  writeFileSync(
    join(folder, 'models/events.sql'),
    events({ where: ' AND (i * 7 + dayofyear(d)) % 20 <> 7' }),
  );
}

/** Gives k.events a column, which a forward-only plan adds to the table that is there. */
export function widenKillProject(folder: string): void {
  writeFileSync(join(folder, 'models/events.sql'), events({ column: ', (i % 3)::INTEGER AS third' }));
}

/** Lets k.kept have rows with amount 6 from now on: those that are held back may be released. */
export function relaxKillProject(folder: string): void {
  writeFileSync(join(folder, 'audits/not_five_or_six.sql'), notAmong('5'));
}

/** The table of somebody else, before anything is planned. */
export const MAKE_SOURCE =
  'CREATE SCHEMA IF NOT EXISTS raw; CREATE TABLE IF NOT EXISTS raw.source AS SELECT 1::INTEGER AS source';

/** What somebody else does to it later. */
export const CHANGE_SOURCE = 'UPDATE raw.source SET source = 2';

/** The tables whose rows must equal those of an undisturbed run. */
export const COMPARED = [
  'k.events',
  'k.appended',
  'k.appended_total',
  'k.keyed',
  'k.history',
  'k.totals',
  'k.agreed',
  'k.kept',
  'k.kept_total',
] as const;

/** Each query returns rows only when a reader sees what must never be seen: a part of a day, a row twice, a bad row, a view out of step. */
const NEVER: Readonly<Record<string, string>> = {
  'a part of a day in k.events': `SELECT day FROM k.events GROUP BY day HAVING count(*) NOT IN (${SHOWN})`,
  'a day half restated in k.events':
    'SELECT day FROM k.events GROUP BY day HAVING min(source) <> max(source)',
  'a row twice in k.events': 'SELECT day FROM k.events GROUP BY day HAVING count(*) <> count(DISTINCT id)',
  'a bad row in k.events': 'SELECT day FROM k.events WHERE amount = 13',
  'a part of a day or a row twice in k.appended': `SELECT day FROM k.appended GROUP BY day
    HAVING count(*) NOT IN (${APPENDED}) OR count(*) <> count(DISTINCT id)`,
  'a bad row in k.appended': 'SELECT day FROM k.appended WHERE amount IN (11, 13)',
  'a bad row in k.kept': 'SELECT day FROM k.kept WHERE amount = 5',
  'a row twice in k.kept': 'SELECT day FROM k.kept GROUP BY day HAVING count(*) <> count(DISTINCT id)',
  'a part of a release in k.kept':
    'SELECT 1 FROM (SELECT count(*) FILTER (amount = 6) AS n FROM k.kept GROUP BY day) HAVING min(n) <> max(n) OR max(n) NOT IN (0, 2)',
  'two present rows of a key in k.history':
    'SELECT id FROM k.history WHERE valid_to IS NULL GROUP BY id HAVING count(*) > 1',
  'a key twice in k.keyed': 'SELECT id FROM k.keyed GROUP BY id HAVING count(*) > 1',
  'a view out of step': 'SELECT day FROM k.agreed WHERE n IS DISTINCT FROM total_n',
  'tables of two plans': `SELECT 1 WHERE ((SELECT count(*) FROM k.events WHERE amount = 7) = 0)
    <> ((SELECT count(*) FROM k.keyed WHERE amount = 7) = 0)`,
};

/** The questions as they are asked, one after the other: what is seen, and how many of it. */
export const MUST_NEVER_BE_SEEN: readonly string[] = Object.entries(NEVER).map(
  ([what, sql]) => `SELECT '${what}', count(*) FROM (${sql}) HAVING count(*) > 0`,
);

/** The models that hold rows back. Of every day two rows are held back, whoever was killed; all others are published. Where rows may be released and discarded, only the sum stays. */
export const HOLDING: Readonly<
  Record<string, { readonly published: string } | { readonly publishedHeldAndDiscarded: string }>
> = {
  'k.events': { published: SHOWN },
  'k.appended': { published: APPENDED },
  'k.kept': { publishedHeldAndDiscarded: SHOWN },
};
