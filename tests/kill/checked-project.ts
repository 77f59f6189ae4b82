import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Models that are other ones each day, each with a pack of every sort of rule that remembers something or reads more than one
// table, and with profiles. On day 5 one rule fails and another passes; on day 8 it is the other way round.

export const CHECKED_MODELS = 4;
export const PROFILED_COLUMNS = ['id', 'small', 'text'];

const CONFIG = `name: checked
gateways:
  local:
    connection: {type: duckdb, database: kill.duckdb}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily', kind: FULL}
`;

const model = (number: number): string => `MODEL (name m.t${number});
SELECT i::BIGINT AS id, ((i * 7 + day) % 20)::BIGINT AS small, CASE WHEN i % 11 <> day % 11 THEN 'x' || (i % 50) END AS text
FROM range(${100_000 + number}) AS r(i), (SELECT dayofyear(CAST(@end_ds AS DATE)) AS day) AS d
`;

/** The rules of each pack; `most` is what an edit of the author changes. */
const RULES = (number: number, most: number): readonly string[] => [
  'row_count > 0',
  'duplicate_count(id) = 0',
  "failed rows: {name: not_five, fail_condition: 'id = 0 AND small = 5'}",
  "failed rows: {name: not_eight, fail_condition: 'id = 0 AND small = 8'}",
  'change for sum(small) between -1000000 and 1000000: {name: steady}',
  'distribution(text): {name: alike, against: previous, psi < 0.2}',
  'group by small: {row_count > 10}',
  'schema: {required_columns: [id, small, text]}',
  `max(small) < ${most}: {name: most, severity: warning}`,
  ...(number === 0 ? [] : ['values in (id) must exist in m.t0 (id): {name: known}']),
];

export const rulesOf = (number: number): number => RULES(number, 0).length;

const pack = (number: number, most: number): string =>
  `kind: dq\nname: p${number}\ndepends_on: m.t${number}\nprofiles: [${PROFILED_COLUMNS.join(', ')}]\nrules:\n${RULES(
    number,
    most,
  )
    .map((rule) => `  - ${rule}\n`)
    .join('')}`;

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Writes the project into a folder. */
export function writeCheckedProject(folder: string): void {
  write(folder, 'config.yaml', CONFIG);
  for (let i = 0; i < CHECKED_MODELS; i++) write(folder, `models/t${i}.sql`, model(i));
  for (let i = 0; i < CHECKED_MODELS; i++) write(folder, `dq/p${i}.yml`, pack(i, 10));
}

/** Changes a rule of every pack, and no rows. */
export function changePacks(folder: string): void {
  for (let i = 0; i < CHECKED_MODELS; i++) write(folder, `dq/p${i}.yml`, pack(i, 100));
}
