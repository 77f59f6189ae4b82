import { hash128 } from '../foundation/hash128.ts';
import { isEnvironmentViews } from './environment.ts';
import { type TableId, tableKey } from './relation.ts';

/** One text for the data versions of several tables; '' where they cannot be known. */
export function versionOf(versions: readonly string[] | undefined): string {
  if (versions === undefined || versions.length === 0) return '';
  return versions.length === 1 ? (versions[0] as string) : hash128(...versions);
}

/** The same for the tables behind an answer, in whatever order and with whatever views they come. Undefined where nothing says it. */
export function answerVersion(
  tables: readonly TableId[] | undefined,
  versions: readonly string[] | undefined,
): string | undefined {
  const found = (tables ?? []).flatMap((table, index): readonly (readonly [string, string])[] => {
    const version = versions?.[index];
    return version === undefined || isEnvironmentViews(table) ? [] : [[tableKey(table), version]];
  });
  if (found.length === 0) return undefined;
  return versionOf(found.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, version]) => version));
}
