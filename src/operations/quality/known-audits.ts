import { modelsReadBy } from '../../compiler/plan/standalone-audits.ts';
import { auditSettings } from '../../compiler/render/render-audits.ts';
import type { Audit, AuditUse } from '../../domain/audit.ts';
import { isRollup } from '../../domain/environment.ts';
import type { Identity } from '../../domain/principal.ts';
import { visibleSql } from '../catalog/visible-sql.ts';
import type { ProductReader } from '../product-reader.ts';
import { type LastAudit, lastAuditResults } from './last-audit-results.ts';
import type { QualityView } from './quality-view.ts';

/** An audit that a model asks for, or one that stands alone, as it was applied, with what became of it when it last ran. */
export interface KnownAudit {
  /** What audits are in order of. */
  readonly key: string;
  /** Of one that stands alone: those that it reads. */
  readonly models: readonly string[];
  readonly name: string;
  readonly description?: string;
  readonly owner?: string;
  /** SQL texts by name; absent for callers who may not read the SQL of the model. */
  readonly arguments?: AuditUse['arguments'];
  readonly isBlocking: boolean;
  readonly onFailure: Audit['onFailure'];
  readonly isSkipped: boolean;
  readonly isStandalone: boolean;
  readonly last?: LastAudit;
}

/** By name of the model, in the order in which it asks for them; then those that stand alone. */
export async function knownAudits(
  product: ProductReader,
  asker: Identity,
  { environment, reader, isNamed }: QualityView,
): Promise<readonly KnownAudit[]> {
  const { snapshots } = product.world.state;
  const entries = environment.entries.filter((entry) => !isRollup(entry) && isNamed(entry.model));
  const alone = environment.audits ?? [];
  const [contents, heads, showsSql, lastOf] = await Promise.all([
    snapshots.contents([...entries, ...alone].map(({ fingerprint }) => fingerprint)),
    snapshots.snapshots(alone.map(({ fingerprint }) => fingerprint)),
    visibleSql(product, asker, environment.name),
    lastAuditResults(product.world, environment.name),
  ]);
  const reads = new Map(heads.map((head) => [head.fingerprint, modelsReadBy(head) ?? []]));
  // One that may read anything is for those from whom nothing is hidden.
  const isKnown = (models: readonly string[]): boolean =>
    models.length === 0 ? reader.isOpen : models.every(isNamed);
  const shown = alone.filter(({ fingerprint }) => isKnown(reads.get(fingerprint) ?? []));
  return [...entries, ...shown]
    .flatMap(({ model: name, fingerprint }): readonly KnownAudit[] => {
      const content = contents.get(fingerprint);
      if (content === undefined) return [];
      const models = reads.get(fingerprint);
      const own = new Map(
        [...content.audits, ...content.model.inlineAudits].map((each) => [each.name, each]),
      );
      return content.model.audits.map((use, index): KnownAudit => {
        const { isBlocking, onFailure, isSkipped } = auditSettings(use, own.get(use.name));
        const { description, owner } = own.get(use.name) ?? {};
        const last = lastOf(name, use.name);
        return {
          key: [models === undefined ? 'm' : 's', name, String(index).padStart(4, '0')].join('\0'),
          models: models ?? [name],
          name: use.name,
          ...{ isBlocking, onFailure, isSkipped, isStandalone: models !== undefined },
          ...(description === undefined ? {} : { description }),
          ...(owner === undefined ? {} : { owner }),
          ...((models ?? [name]).every(showsSql) ? { arguments: use.arguments } : {}),
          ...(last === undefined ? {} : { last }),
        };
      });
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}
