/** Perspectives: the reading half. What a viewer may not see is left out by the query, not afterwards. Lists are JSON texts, which cross threads as they are. */
import { maySee, type Perspective, type PerspectiveViewer } from '../../../domain/perspective.ts';
import type { PerspectiveReader } from '../../../domain/perspective-store.ts';
import type { Row, SqlValue, StateSql, Steps } from './state-sql.ts';

type RequestOf<Name extends keyof PerspectiveReader> = Parameters<PerspectiveReader[Name]>[0];
type Condition = readonly [sql: string, ...values: readonly SqlValue[]];

/** Which rows a viewer may see; `maySee` says the same of one perspective. */
function seenBy({ dialect }: StateSql, { principalId, shareKeys, isAdmin }: PerspectiveViewer): Condition {
  const shared = isAdmin
    ? "visibility = 'shared'"
    : `id IN (SELECT s.id FROM perspective_shares s WHERE s.key IN ${dialect.listed})`;
  return [
    `(owner_id = ? OR visibility = 'product' OR ${shared})`,
    principalId,
    ...(isAdmin ? [] : [JSON.stringify(shareKeys)]),
  ];
}

export function* readPerspective(
  state: StateSql,
  id: string,
  viewer: PerspectiveViewer,
): Steps<string | undefined> {
  const [seen, ...values] = seenBy(state, viewer);
  return textOf(yield* state.row(`SELECT body FROM perspectives WHERE id = ? AND ${seen}`, id, ...values));
}

/** Each is looked up by a key that only what the viewer may see has. */
export function* readPerspectivesNamed(
  state: StateSql,
  slug: string,
  { principalId, shareKeys, isAdmin }: PerspectiveViewer,
): Steps<string> {
  const among = 'SELECT id, body FROM perspectives WHERE names = ? AND slug = ?';
  const own = yield* state.rows(among, principalId, slug);
  const ofProduct = yield* state.rows(among, '', slug);
  const shared = isAdmin
    ? yield* state.rows(
        "SELECT id, body FROM perspectives WHERE visibility = 'shared' AND slug = ? ORDER BY id",
        slug,
      )
    : yield* state.rows(
        `SELECT id, body FROM perspectives WHERE id IN
         (SELECT s.id FROM perspective_shares s WHERE s.key IN ${state.dialect.listed} AND s.slug = ?) ORDER BY id`,
        JSON.stringify(shareKeys),
        slug,
      );
  const byId = new Map([...own, ...ofProduct, ...shared].map((row) => [row['id'], row]));
  return listOf([...byId.values()]);
}

export function* readPerspectives(
  state: StateSql,
  { viewer, owner, visibility, tag, text, before, limit }: RequestOf<'perspectives'>,
): Steps<string> {
  const conditions: readonly Condition[] = [
    seenBy(state, viewer),
    ...given('owner_name = ?', owner),
    ...given('visibility = ?', visibility),
    ...given(
      `EXISTS (SELECT 1 FROM ${state.dialect.elements('body', 'tagged', 'tags')} WHERE tagged.value = ?)`,
      tag,
    ),
    ...given("words LIKE ? ESCAPE '!'", text && `%${wordsOf(text).replace(/[!%_]/g, '!$&')}%`),
    ...given('id < ?', before),
  ];
  const where = conditions.map(([sql]) => sql).join(' AND ');
  return listOf(
    yield* state.rows(
      `SELECT body FROM perspectives WHERE ${where} ORDER BY id DESC LIMIT ?`,
      ...conditions.flatMap(([, ...values]) => values),
      limit,
    ),
  );
}

export function* readPerspectiveVersions(
  state: StateSql,
  id: string,
  { viewer, before, limit }: Parameters<PerspectiveReader['perspectiveVersions']>[1],
): Steps<readonly Perspective[]> {
  const rows = yield* state.rows(
    'SELECT body FROM perspective_versions WHERE id = ? AND version < ? ORDER BY version DESC',
    id,
    before ?? Number.MAX_SAFE_INTEGER,
  );
  return rows
    .map((row) => JSON.parse(row['body'] as string) as Perspective)
    .filter((version) => maySee(version, viewer))
    .slice(0, limit);
}

export function* readTakenSlugs(
  state: StateSql,
  names: string,
  slugs: readonly string[],
): Steps<readonly string[]> {
  const rows = yield* state.rows(
    `SELECT slug FROM perspectives WHERE names = ? AND slug IN ${state.dialect.listed}`,
    names,
    JSON.stringify(slugs),
  );
  return rows.map((row) => row['slug'] as string);
}

export function* readEveryPerspective(
  state: StateSql,
  { after = '', isRefreshed, limit }: RequestOf<'everyPerspective'>,
): Steps<string> {
  const refreshed = isRefreshed === true ? ' AND is_refreshed = 1' : '';
  return listOf(
    yield* state.rows(
      `SELECT body FROM perspectives WHERE id > ?${refreshed} ORDER BY id LIMIT ?`,
      after,
      limit,
    ),
  );
}

/** Texts as they are compared: no case, and no characters that a database has no text for. */
export const wordsOf = (text: string): string => text.toLowerCase().toWellFormed().replaceAll('\0', '');

const given = (sql: string, value: string | undefined): readonly Condition[] =>
  value === undefined ? [] : [[sql, value]];
const textOf = (row: Row | undefined): string | undefined => row?.['body'] as string | undefined;
const listOf = (rows: readonly Row[]): string => `[${rows.map((row) => row['body'] as string).join(',')}]`;
