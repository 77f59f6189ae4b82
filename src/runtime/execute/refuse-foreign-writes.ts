import { failure } from '../../domain/failure.ts';
import { type Relation, relationText } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { redirectingWords, type WrittenTable, writtenTables } from '../../foundation/sql/written-tables.ts';
import type { ShownNames } from './shown-names.ts';

/** What a user's statement may not change. */
export interface WriteLimits {
  /** A model, `before_all` or `after_all`. */
  readonly writer: string;
  /** The one object of ours that it may: a table before its audits, or the view that shows it. */
  readonly own?: { readonly relation: Relation; readonly isShown: boolean };
  /** What environments show; asked only when a statement changes something that is not its own. */
  readonly shown: () => Promise<ShownNames>;
  readonly dialect: Dialect;
}

/** Throws when a statement, as the engine would get it, changes what another model or Plinth keeps, or what an environment shows. */
export async function refuseForeignWrites(
  statements: readonly string[],
  { writer, own, shown, dialect }: WriteLimits,
): Promise<void> {
  for (const statement of statements) {
    const words = redirectingWords(statement, dialect);
    if (words !== undefined) throw failure('model.setting-locked', { statement: words });
    for (const written of writtenTables(statement, dialect)) {
      const target = written.parts
        .map(({ name }) => name)
        .join('.')
        .toLowerCase();
      const isOwn = own !== undefined && target === relationText(own.relation).toLowerCase();
      if (isOwn && mayChange(written, own.isShown)) continue;
      if (isOwn || isPlinths(written) || (await shown()).has(written))
        throw failure('model.writes-other-table', { writer, target });
    }
  }
}

/** A view behind the name would show rows that no audit has seen, now or later; and what is shown already has passed its audits. */
function mayChange({ change, object }: WrittenTable, isShown: boolean): boolean {
  if (isShown) return change === 'alter';
  return change !== 'rename' && !(object === 'view' && (change === 'create' || change === 'replace'));
}

/** Also what cannot be read: `e'\\x6d'` is a name to DuckDB. */
function isPlinths({ parts }: WrittenTable): boolean {
  return parts.some(({ name }) => name.toLowerCase().startsWith('plinth__') || name.includes('\\'));
}
