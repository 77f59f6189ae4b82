import { failure } from '../../domain/failure.ts';
import { type Relation, relationText } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { writtenTables } from '../../foundation/sql/written-tables.ts';

/** What a statement of somebody may not change. */
export interface WriteLimits {
  /** A model, `before_all` or `after_all`. */
  readonly writer: string;
  /** The one object of ours that it may. */
  readonly own?: Relation;
  /** Views of the environment that is shown, as `relationText`. */
  readonly views?: ReadonlySet<string>;
  readonly dialect: Dialect;
}

/** Throws when a statement, as the engine would get it, changes a table of another model, or what Plinth keeps for itself. */
export function refuseForeignWrites(
  statements: readonly string[],
  { writer, own, views, dialect }: WriteLimits,
): void {
  const ownText = own === undefined ? undefined : relationText(own).toLowerCase();
  for (const statement of statements)
    for (const { parts } of writtenTables(statement, dialect)) {
      const target = parts
        .map(({ name }) => name)
        .join('.')
        .toLowerCase();
      if (target === ownText) continue;
      const isOurs = parts.some(({ name }) => name.toLowerCase().startsWith('plinth__'));
      if (isOurs || views?.has(target) === true)
        throw failure('model.writes-other-table', { writer, target });
    }
}
