import { catalog } from '../../domain/diagnostics/catalog.ts';
import type { CatalogEntry } from '../../foundation/diagnostics/catalog.ts';
import { builtInRules } from './built-in-rules.ts';
import type { ExampleFiles, LintRule } from './lint-rule.ts';

/** The page docs/reference/lint-rules.md. */
export function ruleReference(): string {
  const lines = [
    '# Lint rules',
    '',
    'Generated from `src/compiler/lint` by `npm run generate`.',
    '',
    'In `config.yaml`, rules listed under `linter.rules` are errors, under `linter.warn_rules` warnings, under `linter.ignored_rules` off; `ALL` means every rule.',
    "A rule that is not named has its default. `ignored_rules (name)` in a MODEL block, or `ignored_rules ALL`, switches rules off for that model; `linter.ignored_in` of config.yaml does it for files of any kind by pattern: `ignored_in: {'dq/legacy_*.yml': [dq-without-owner], 'models/raw/**': ALL}`.",
    'Names are compared without dashes, underscores and case, so `noselectstar` is `no-select-star`. Rules of your own go into `linter/*.ts`: see the guide on custom lint rules. Rules in Python (`linter/*.py`) do not run in this version.',
    'A rule that finds SQL which the engine accepts is a warning unless you make it an error. Examples read `raw.orders` and `raw.customers`, two external tables; a test runs every one of them.',
  ];
  for (const rule of builtInRules) lines.push('', ...sectionOf(rule));
  return `${lines.join('\n')}\n`;
}

function sectionOf({ name, byDefault, why, examples, fixes }: LintRule): readonly string[] {
  const { explain, hint } = (catalog as Readonly<Record<string, CatalogEntry>>)[
    `lint.${name}`
  ] as CatalogEntry;
  const file = Object.keys(examples?.bad ?? {}).findLast((path) => examples?.bad[path]?.includes('«')) ?? '';
  const isOfModel = file.endsWith('.sql');
  return [
    `## ${name}`,
    '',
    `Default: ${byDefault}. ${why}`,
    '',
    explain,
    '',
    ...example('Found', examples?.bad ?? {}),
    ...example('Not found', examples?.good ?? {}),
    ...(examples?.unless ?? []).map(({ because }) => `* Not found: ${because}.`),
    ...(examples?.unless === undefined ? [] : ['']),
    ...(hint === undefined ? [] : [`What to do: ${hint}.`]),
    ...(fixes === undefined ? [] : ['', `\`plinth lint --fix\`: ${fixes}`]),
    '',
    isOfModel
      ? `To ignore it: \`ignored_rules (${name})\` in the MODEL block, or \`linter.ignored_in: {'${file}': [${name}]}\`.`
      : `To ignore it: \`linter.ignored_in: {'${file}': [${name}]}\` in config.yaml.`,
  ];
}

/** The files of an example, without the marks of the places. */
function example(title: string, files: ExampleFiles): readonly string[] {
  return Object.entries(files).flatMap(([path, text]) => [
    `${title} (\`${path}\`):`,
    '',
    `\`\`\`${path.endsWith('.sql') ? 'sql' : 'yaml'}`,
    text.replace(/[«»]/g, '').trimEnd(),
    '```',
    '',
  ]);
}
