import { checkDqPacks } from '../../src/compiler/load/yaml/check-dq.ts';
import { loadDefinition } from '../../src/compiler/load/yaml/load-definition.ts';
import type { CheckedModel } from '../../src/compiler/load/yaml/semantic-world.ts';
import type { ImportedChecks } from '../../src/compiler/quality/import/imported-check.ts';
import type { DqPack } from '../../src/domain/dq-pack.ts';

const model = (name: string, columns: Readonly<Record<string, string>>): CheckedModel => ({
  name,
  columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })) as never,
  hasAllColumns: true,
  grains: [],
  dialect: 'duckdb',
});

/** Models that checks are about. */
export const MODELS: readonly CheckedModel[] = [
  model('marts.orders', {
    id: 'BIGINT',
    customer_id: 'BIGINT',
    status: 'VARCHAR',
    email: 'VARCHAR',
    amount: 'DECIMAL(10,2)',
    quantity: 'INTEGER',
    region: 'VARCHAR',
    day: 'DATE',
    updated_at: 'TIMESTAMP',
  }),
  model('marts.customers', { id: 'BIGINT', name: 'VARCHAR' }),
];

/** The written packs as the loader reads them, and what it finds wrong other than tables that are not models. */
export function loadedPacks({ files }: ImportedChecks): {
  readonly packs: readonly DqPack[];
  readonly problems: readonly string[];
} {
  const loaded = files.filter(({ path }) => path.startsWith('dq/')).map((file) => loadDefinition(file));
  const packs = loaded.flatMap(({ dqPack }) => dqPack ?? []);
  const found = [...loaded.flatMap(({ diagnostics }) => diagnostics), ...checkDqPacks(packs, MODELS)];
  return {
    packs,
    problems: found
      .filter(({ code }) => code !== 'dq.unknown-model')
      .map(({ code, message }) => `${code}: ${message}`),
  };
}

/** What must hold for every import: each check has one outcome with what it needs, and every rule that is reported is written, and no other. */
export function expectNothingLost(imported: ImportedChecks, checks: number): readonly string[] {
  const complaints: string[] = [];
  const { packs, problems } = loadedPacks(imported);
  complaints.push(...problems);
  if (imported.checks.length !== checks)
    complaints.push(`${imported.checks.length} outcomes of ${checks} checks`);
  for (const { at, outcome, rules, files, differs, why, next } of imported.checks) {
    const isWhole =
      outcome === 'refused'
        ? rules.length === 0 && why !== undefined && why !== '' && next !== undefined && next !== ''
        : rules.length > 0 && files.length > 0 && (outcome === 'imported') === (differs.length === 0);
    if (!isWhole || at.line < 1) complaints.push(`${at.line} ${at.text}: ${outcome} is not whole`);
  }
  const reported = imported.checks
    .filter(({ files }) => files.some((path) => path.startsWith('dq/')))
    .flatMap(({ rules, files }) => rules.map((name) => `${files[0]}: ${name}`));
  const written = packs.flatMap(({ file, rules }) => rules.map(({ name }) => `${file}: ${name}`));
  if (reported.toSorted().join('\n') !== written.toSorted().join('\n'))
    complaints.push(`reported ${reported.toSorted().join(', ')}; written ${written.toSorted().join(', ')}`);
  return complaints;
}
