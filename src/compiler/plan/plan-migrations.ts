import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { Snapshot, SnapshotContent } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { CategoryDecision } from './decide-categories.ts';
import type { KeptTable, PlanInput } from './plan-input.ts';
import { earlyLoss, hasWholeTypes, schemaChange, schemaPolicies } from './schema-change.ts';
import type { Migration } from './stage-input.ts';

export interface MigrationInput {
  readonly decisions: readonly CategoryDecision[];
  readonly entries: ReadonlyMap<string, EnvironmentEntry>;
  readonly models: ReadonlyMap<string, Model>;
  readonly contents: ReadonlyMap<string, SnapshotContent>;
  readonly prod: Environment | undefined;
  readonly options: Pick<PlanOptions, 'allowDestructiveModels'>;
  readonly kept?: PlanInput['kept'];
}

/**
 * Tables that are kept and get other columns. A loss is looked for in every environment, so that a change which could never
 * reach prod is refused where it is first planned; the table itself is altered only where it is used.
 */
export function planMigrations(input: MigrationInput): {
  readonly migrations: readonly Migration[];
  /** Columns that a kept table does not get, because `on_additive_change` ignores them; in lower case, by model. */
  readonly left: ReadonlyMap<string, ReadonlySet<string>>;
  /** What to say of each model, by name, if the plan also fills its table. */
  readonly whenFilled: ReadonlyMap<string, Diagnostic>;
  readonly diagnostics: readonly Diagnostic[];
  /** Kept tables of whose columns something is not known, and was not asked for. */
  readonly unknown: readonly KeptTable[];
} {
  const left = new Map<string, ReadonlySet<string>>();
  const whenFilled = new Map<string, Diagnostic>();
  const migrations: Migration[] = [];
  const diagnostics: Diagnostic[] = [];
  const unknown: KeptTable[] = [];
  const inProd = new Set((input.prod?.entries ?? []).map(({ fingerprint }) => fingerprint));
  const allowed = new Set(input.options.allowDestructiveModels);
  for (const { snapshot, previous, change, isFixed } of input.decisions) {
    const { model: name, version, fingerprint } = snapshot;
    if (change === undefined || version === undefined || version !== previous?.version) continue;
    const model = input.models.get(name);
    const former = input.contents.get(previous.fingerprint)?.model;
    // Where prod has this very snapshot, its table has these columns already.
    if (model === undefined || former === undefined || inProd.has(fingerprint)) continue;
    const asked = input.kept?.get(fingerprint);
    if (asked === undefined && !(hasWholeTypes(former) && hasWholeTypes(model)))
      unknown.push({ table: { model: name, version }, fingerprint });
    const { changes, destructive, added } = schemaChange(
      asked?.present ?? former.columns,
      asked?.wanted ?? model.columns,
    );
    if (changes.length === 0) continue;
    const policies = schemaPolicies(model);
    const allowDestructive =
      allowed.has(name) || policies.destructive === 'allow' || policies.destructive === 'warn';
    const at = { at: model.ranges['query'] ?? model.ranges['name'] };
    if (
      destructive.length > 0 &&
      !allowed.has(name) &&
      policies.destructive !== 'allow' &&
      policies.destructive !== 'ignore'
    )
      diagnostics.push(
        diagnostic(
          'plan.destructive-change',
          { model: name, detail: destructive.join('; ') },
          {
            ...at,
            ...keptHint(snapshot, isFixed),
            severity: policies.destructive === 'warn' ? 'warning' : 'error',
          },
        ),
      );
    if (policies.additive === 'ignore' && added.length > 0)
      left.set(name, new Set(added.map((column) => column.toLowerCase())));
    if (added.length > 0 && (policies.additive === 'error' || policies.additive === 'warn'))
      diagnostics.push(
        diagnostic(
          'plan.additive-change',
          { model: name, detail: added.join(', ') },
          {
            ...at,
            ...(isFixed ? { hint: 'set on_additive_change to allow' } : {}),
            severity: policies.additive === 'warn' ? 'warning' : 'error',
          },
        ),
      );
    const lost =
      policies.destructive === 'ignore' && !allowed.has(name)
        ? undefined
        : earlyLoss(model.kind.kind, changes);
    if (lost !== undefined)
      whenFilled.set(
        name,
        diagnostic(
          'plan.loss-while-filling',
          { model: name, column: lost },
          {
            ...at,
            ...(isFixed ? { hint: 'apply the change with --skip-backfill, then fill with plinth run' } : {}),
          },
        ),
      );
    if (input.entries.get(name)?.version === version)
      migrations.push({ table: { model: name, version }, fingerprint, allowDestructive });
  }
  const isMigrated = new Set(migrations.map(({ table }) => table.model));
  for (const name of whenFilled.keys()) if (!isMigrated.has(name)) whenFilled.delete(name);
  return { migrations, left, whenFilled, diagnostics, unknown };
}

/** A category that stands since an earlier plan cannot be chosen any more, so it is not offered. */
function keptHint({ model, planId }: Snapshot, isFixed: boolean): { readonly hint?: string } {
  if (!isFixed) return {};
  return {
    hint: `pass --allow-destructive-model ${model}, or set on_destructive_change; plan ${planId} has decided that the table is kept`,
  };
}
