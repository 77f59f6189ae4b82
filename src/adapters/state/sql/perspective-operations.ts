/** Perspectives: the writing half. The row, its shares, its version and the events of a change are written together or not at all. */
import type { NewEvent } from '../../../domain/event.ts';
import { namesOf, type Perspective, shareKeysOf } from '../../../domain/perspective.ts';
import { OWNED_MAX, type PerspectiveOutcome, VERSIONS_KEPT } from '../../../domain/perspective-store.ts';
import { appendEvents } from './event-operations.ts';
import { insertRows } from './insert-rows.ts';
import { wordsOf } from './perspective-reading.ts';
import type { SqlValue, StateSql, Steps } from './state-sql.ts';

const COLUMNS = [
  'names',
  'slug',
  'owner_id',
  'owner_name',
  'visibility',
  'version',
  'is_refreshed',
  'words',
  'body',
];

export function* createPerspective(
  state: StateSql,
  perspective: Perspective,
  events: readonly NewEvent[],
): Steps<PerspectiveOutcome> {
  const { id, owner } = perspective;
  const owned = yield* state.row('SELECT COUNT(*) AS owned FROM perspectives WHERE owner_id = ?', owner.id);
  if (Number(owned?.['owned']) >= OWNED_MAX) return 'full';
  if (yield* isTaken(state, perspective)) return 'taken';
  yield* insertRows(state, { table: 'perspectives', columns: ['id', ...COLUMNS] }, [
    [id, ...rowOf(perspective)],
  ]);
  yield* writeBeside(state, perspective);
  yield* appendEvents(state, events);
  return 'done';
}

export function* changePerspective(
  state: StateSql,
  perspective: Perspective,
  events: readonly NewEvent[],
): Steps<PerspectiveOutcome> {
  const { id, version } = perspective;
  const before = yield* differing(state, id, version - 1);
  if (before !== 'done') return before;
  if (yield* isTaken(state, perspective)) return 'taken';
  yield* state.run(
    `UPDATE perspectives SET ${COLUMNS.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
    ...rowOf(perspective),
    id,
  );
  yield* writeBeside(state, perspective);
  yield* appendEvents(state, events);
  return 'done';
}

export function* removePerspective(
  state: StateSql,
  { id, version }: Pick<Perspective, 'id' | 'version'>,
  events: readonly NewEvent[],
): Steps<PerspectiveOutcome> {
  const before = yield* differing(state, id, version);
  if (before !== 'done') return before;
  for (const table of ['perspectives', 'perspective_shares', 'perspective_versions'])
    yield* state.run(`DELETE FROM ${table} WHERE id = ?`, id);
  yield* appendEvents(state, events);
  return 'done';
}

function* differing(
  state: StateSql,
  id: string,
  version: number,
): Steps<Extract<PerspectiveOutcome, 'done' | 'missing' | 'differs'>> {
  const row = yield* state.row('SELECT version FROM perspectives WHERE id = ?', id);
  if (row === undefined) return 'missing';
  return row['version'] === version ? 'done' : 'differs';
}

function* isTaken(state: StateSql, perspective: Perspective): Steps<boolean> {
  const other = yield* state.row(
    'SELECT id FROM perspectives WHERE names = ? AND slug = ? AND id <> ?',
    namesOf(perspective),
    perspective.slug,
    perspective.id,
  );
  return other !== undefined;
}

function rowOf(perspective: Perspective): readonly SqlValue[] {
  const { slug, name, description = '', owner, visibility, version, isRefreshed } = perspective;
  const words = wordsOf([slug, name, description].join('\n'));
  const body = JSON.stringify(perspective);
  return [
    namesOf(perspective),
    slug,
    owner.id,
    owner.name,
    visibility.kind,
    version,
    isRefreshed ? 1 : 0,
    words,
    body,
  ];
}

/** With whom it is shared, and its version; the oldest go. */
function* writeBeside(state: StateSql, perspective: Perspective): Steps<void> {
  const { id, slug, version } = perspective;
  yield* state.run('DELETE FROM perspective_shares WHERE id = ?', id);
  yield* insertRows(
    state,
    { table: 'perspective_shares', columns: ['key', 'slug', 'id'], onConflict: 'DO NOTHING' },
    [...new Set(shareKeysOf(perspective))].map((key) => [key, slug, id]),
  );
  yield* insertRows(state, { table: 'perspective_versions', columns: ['id', 'version', 'body'] }, [
    [id, version, JSON.stringify(perspective)],
  ]);
  yield* state.run(
    'DELETE FROM perspective_versions WHERE id = ? AND version <= ?',
    id,
    version - VERSIONS_KEPT,
  );
}
