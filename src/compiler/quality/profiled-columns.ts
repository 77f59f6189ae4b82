import type { DqPack } from '../../domain/dq-pack.ts';
import type { AnswerColumn } from '../../domain/engine.ts';

/** Columns of a model that its packs name; all of them where no pack names any. */
export function profiledColumns(
  columns: readonly AnswerColumn[],
  packs: readonly DqPack[],
): readonly AnswerColumn[] {
  if (packs.length === 0 || packs.some(({ profiles }) => profiles === '*')) return columns;
  const named = new Set(
    packs.flatMap(({ profiles }) =>
      profiles === '*' ? [] : profiles.map(({ value }) => value.toLowerCase()),
    ),
  );
  return columns.filter(({ name }) => named.has(name.toLowerCase()));
}
