import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// A project of stars for the bench `semantic`: in each group of ten semantic models two facts share four dimensions, which have
// parents of their own, and every fact of the project joins one calendar. Columns and measures fill up the wanted number of members.

const GROUP = 10;
const SHARED = 4;

/** What was written, for the results. */
export interface SemanticProjectSize {
  readonly semanticModels: number;
  readonly membersEach: number;
}

/** Writes a project whose semantic models have `membersEach` members; the same every time. */
export function writeSemanticProject(
  folder: string,
  { semanticModels, membersEach }: SemanticProjectSize,
): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'models', 'semantics'), { recursive: true });
  writeFileSync(
    join(folder, 'config.yaml'),
    'name: generated\ngateways:\n  local:\n    connection: {type: duckdb, database: generated.duckdb}\nmodel_defaults: {dialect: duckdb}\n',
  );
  const externals: string[] = [];
  for (let i = 0; i < semanticModels; i++) {
    const { name, isFact, parents } = shapeOf(i);
    const plain = Math.max(1, Math.floor(membersEach / 2) - 4);
    const columns = [
      'id: BIGINT',
      'at: TIMESTAMP',
      'day: DATE',
      'status: VARCHAR',
      ...parents.map((parent) => `${parent}_id: BIGINT`),
      ...Array.from({ length: plain }, (_, n) => `c${n}: ${n % 3 === 0 ? 'VARCHAR' : 'DECIMAL(12,2)'}`),
    ];
    externals.push(`- name: raw.${name}\n  columns: {${columns.map(quoted).join(', ')}}\n`);
    const numeric = Array.from({ length: plain }, (_, n) => n).filter((n) => n % 3 !== 0);
    const dimensions = ['id', 'at', 'day', 'status', ...Array.from({ length: plain }, (_, n) => `c${n}`)];
    const wanted = membersEach - dimensions.length;
    const measures = Array.from({ length: wanted }, (_, n) =>
      measureText(n, numeric[n % numeric.length] ?? 1),
    );
    const joins = parents.map(
      (parent) => `  - {name: ${parent}, type: many_to_one, on: "{${name}.${parent}_id} = {${parent}.id}"}\n`,
    );
    writeFileSync(
      join(folder, 'models', 'semantics', `${name}.yml`),
      `kind: semantic\nname: ${name}\ndepends_on: raw.${name}\ndescription: ${isFact ? 'A fact' : 'A dimension'} of the bench\nprimary_key: [id]\n` +
        `dimensions:\n${dimensions.map((each) => `  - ${each}\n`).join('')}` +
        `measures:\n${measures.join('')}` +
        (joins.length === 0 ? '' : `joins:\n${joins.join('')}`),
    );
  }
  mkdirSync(join(folder, 'external_models'));
  for (let i = 0; i < externals.length; i += 50)
    writeFileSync(join(folder, 'external_models', `part_${i}.yaml`), externals.slice(i, i + 50).join(''));
}

function quoted(column: string): string {
  const [name, type] = column.split(': ');
  return `${name}: '${type}'`;
}

/** Of four measures one is a sum, one a filtered count, one an average of an expression, one derived from others. */
function measureText(n: number, column: number): string {
  const name = `  - {name: m${n}, `;
  if (n % 4 === 0) return `${name}type: sum, expression: "{c${column}}"}\n`;
  if (n % 4 === 1) return `${name}type: count, filters: ["{status} = 'done' AND {c${column}} > ${n}"]}\n`;
  if (n % 4 === 2)
    return `${name}type: avg, expression: "CASE WHEN {c${column}} > 0 THEN {c${column}} ELSE 0 END"}\n`;
  return `${name}type: number, expression: "{m${n - 3}} / NULLIF({m${n - 2}}, 0)"}\n`;
}

function shapeOf(i: number): { name: string; isFact: boolean; parents: readonly string[] } {
  const group = Math.floor(i / GROUP);
  const at = i % GROUP;
  const called = (n: number): string =>
    n === 0 && group === 0
      ? 'calendar'
      : `${n < 2 && !(n === 0 && group === 0) ? 'fact' : 'dim'}_${group}_${n}`;
  const name = i === 0 ? 'calendar' : called(at);
  if (name.startsWith('fact'))
    return {
      name,
      isFact: true,
      parents: ['calendar', ...Array.from({ length: SHARED }, (_, n) => `dim_${group}_${2 + n}`)],
    };
  const parent = at + SHARED;
  return {
    name,
    isFact: false,
    parents: i !== 0 && at >= 2 && parent < GROUP ? [`dim_${group}_${parent}`] : [],
  };
}
