/** `npm run generate` writes every generated file; with `--check` it only compares and fails on a difference. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cliReference } from '../src/cli/cli-reference.ts';
import { ruleReference } from '../src/compiler/lint/rule-reference.ts';
import { keyTables } from '../src/compiler/load/key-reference.ts';
import { jsonSchemas } from '../src/compiler/load/yaml/json-schemas.ts';
import { catalog } from '../src/domain/diagnostics/catalog.ts';
import type { CatalogEntry } from '../src/foundation/diagnostics/catalog.ts';
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

const COMPATIBILITY = 'docs/reference/compatibility.md';

/** The page with its generated part between the marks. */
function compatibilityPage(): string {
  const page = readFileSync(join(root, COMPATIBILITY), 'utf8');
  const begin = /<!-- keys: begin.*-->\n/.exec(page);
  const end = page.indexOf('<!-- keys: end -->');
  if (begin === null || end < 0) throw new Error(`${COMPATIBILITY} has no marks for the tables of keys`);
  return `${page.slice(0, begin.index + begin[0].length)}\n${keyTables()}\n\n${page.slice(end)}`;
}

const files: Readonly<Record<string, string>> = {
  [COMPATIBILITY]: compatibilityPage(),
  'docs/errors.md': errorsPage(),
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
