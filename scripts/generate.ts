/** `npm run generate` writes every generated file; with `--check` it only compares and fails on a difference. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BOUNDED_FUNCTIONS, ruleOf } from '../src/adapters/engines/duckdb/bounded-functions.ts';
import { cliReference } from '../src/cli/cli-reference.ts';
import { ruleReference } from '../src/compiler/lint/rule-reference.ts';
import { keyTables } from '../src/compiler/load/key-tables.ts';
import { jsonSchemas } from '../src/compiler/load/yaml/json-schemas.ts';
import { catalog } from '../src/domain/diagnostics/catalog.ts';
import { ITEMS_MAX, PARTS_MAX, SINGLE_LIMITS } from '../src/domain/query-limits.ts';
import type { CatalogEntry } from '../src/foundation/diagnostics/catalog.ts';
import { anomalyPage } from './anomaly-reference.ts';
import { readmeFigures } from './readme-figures.ts';
import { root } from './step.ts';

function errorsPage(): string {
  const entries = Object.entries(catalog as Readonly<Record<string, CatalogEntry>>).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const areas = Map.groupBy(entries, ([code]) => code.split('.')[0] as string);
  const lines = [
    '# Errors, warnings and notes',
    '',
    'Generated from `src/domain/diagnostics` by `npm run generate`. `plinth explain CODE` prints the same in a terminal. Words in braces are filled in.',
  ];
  for (const [area, list] of areas) {
    lines.push('', `## ${area}`);
    for (const [code, { severity, message, hint, explain }] of list) {
      lines.push('', `### ${code}`, '', `*${severity}*: ${message}`, '', explain);
      if (hint !== undefined) lines.push('', `Hint: ${hint}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function boundedFunctionsPage(): string {
  const rows = BOUNDED_FUNCTIONS.map(
    ({ names, bound, why, instead }) =>
      `| ${names.map((name) => `\`${name}\``).join(', ')} | A query ${ruleOf(bound)}. | ${why} | ${instead} |`,
  );
  const lines = [
    '# Bounds of queries from outside',
    '',
    'Generated from `src/adapters/engines/duckdb/bounded-functions.ts` and `src/domain/query-limits.ts` by `npm run generate`.',
    '',
    '## Functions',
    '',
    'A query from outside (SQL over models, semantic SQL) may call these functions only within a bound that its text shows; beyond it the answer is [`query.function-bounded`](../errors.md#queryfunction-bounded). Models are not bound.',
    '`left(x, 4000)` stands for `left` with a number that the text shows. A parameter (`?`, `$1`) does not show a bound. With a schema in front the bound must hold however DuckDB reads the call.',
    '',
    '| Functions | Bound | Why | Instead |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Texts',
    '',
    'Reading and planning a text take time that nothing can interrupt. A query that has more than this is refused with [`query.too-complex`](../errors.md#querytoo-complex), which names the limit.',
    '',
    '| What | At most |',
    '|---|---|',
    ...Object.entries({ ...SINGLE_LIMITS, ...PARTS_MAX, ...ITEMS_MAX }).map(
      ([what, max]) => `| ${what} | ${max.toLocaleString('en-US')} |`,
    ),
    '',
    'A text that DuckDB still reads after 5 s (3 s of CPU) is given up with [`query.too-costly`](../errors.md#querytoo-costly).',
  ];
  return `${lines.join('\n')}\n`;
}

const COMPATIBILITY = 'docs/reference/compatibility.md';

/** A page with its generated part between the marks. */
function pageWith(name: string, marks: string, part: string): string {
  const page = readFileSync(join(root, name), 'utf8');
  const begin = new RegExp(`<!-- ${marks}: begin.*-->\\n`).exec(page);
  const end = page.indexOf(`<!-- ${marks}: end -->`);
  if (begin === null || end < 0) throw new Error(`${name} has no marks for ${marks}`);
  return `${page.slice(0, begin.index + begin[0].length)}${part}${page.slice(end)}`;
}

const files: Readonly<Record<string, string>> = {
  'README.md': pageWith('README.md', 'figures', readmeFigures()),
  [COMPATIBILITY]: pageWith(COMPATIBILITY, 'keys', `\n${keyTables()}\n\n`),
  'docs/errors.md': errorsPage(),
  'docs/reference/anomaly-detection.md': anomalyPage(),
  'docs/reference/bounded-functions.md': boundedFunctionsPage(),
  'docs/reference/cli.md': cliReference(),
  'docs/reference/lint-rules.md': ruleReference(),
  ...Object.fromEntries(
    Object.entries(jsonSchemas()).map(([kind, schema]) => [
      `docs/reference/schemas/${kind}.json`,
      `${JSON.stringify(schema, null, 2)}\n`,
    ]),
  ),
};

const isCheck = process.argv.includes('--check');
let different = 0;
for (const [name, text] of Object.entries(files)) {
  const path = join(root, name);
  let present: string | undefined;
  try {
    present = readFileSync(path, 'utf8');
  } catch {
    // Not written yet.
  }
  if (present === text) continue;
  different++;
  if (isCheck) console.log(`${name} is not what would be generated; run npm run generate and read the diff`);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}
if (isCheck && different > 0) process.exitCode = 1;
