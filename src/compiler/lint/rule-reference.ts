import { catalog } from '../../domain/diagnostics/catalog.ts';
import type { CatalogEntry } from '../../foundation/diagnostics/catalog.ts';
import { builtInRules } from './built-in-rules.ts';

/** The page docs/reference/lint-rules.md. */
export function ruleReference(): string {
  const entries = catalog as Readonly<Record<string, CatalogEntry>>;
  const lines = [
    '# Lint rules',
    '',
    'Generated from `src/compiler/lint` by `npm run generate`.',
    '',
    'In `config.yaml`, rules listed under `linter.rules` are errors, under `linter.warn_rules` warnings, under `linter.ignored_rules` off; `ALL` means every rule.',
    'A rule that is not named has its default. `ignored_rules (name)` in a MODEL block, or `ignored_rules ALL`, switches rules off for that model.',
    'Names are compared without dashes, underscores and case, so `noselectstar` is `no-select-star`. Rules of your own go into `linter/*.ts`: see the guide on custom lint rules.',
  ];
  for (const { name, byDefault, why } of builtInRules) {
    const entry = entries[`lint.${name}`] as CatalogEntry;
    lines.push('', `## ${name}`, '', `Default: ${byDefault}. ${why}`, '', entry.explain);
    if (entry.hint !== undefined) lines.push('', `What to do: ${entry.hint}.`);
  }
  return `${lines.join('\n')}\n`;
}
