import type { PerspectiveParameter, PerspectiveQuery, SharedWith } from '../../../domain/perspective.ts';
import { isoInstant } from '../../../foundation/time/iso.ts';
import type { PerspectiveFields } from '../../../operations/perspectives/perspective-fields.ts';
import type { ShownPerspective } from '../../../operations/perspectives/shown-perspective.ts';

type Json = Readonly<Record<string, unknown>>;

const nameOf = (shared: SharedWith): string =>
  shared.kind === 'group' ? `group:${shared.name}` : shared.name;

/** An item of a list; `at` is its own address. */
export function perspectiveHead(shown: ShownPerspective, at: string): Json {
  const { visibility, canChange } = shown;
  const principals = visibility.kind === 'shared' ? visibility.principals.map(nameOf) : [];
  return {
    id: shown.id,
    slug: shown.slug,
    name: shown.name,
    description: shown.description ?? null,
    visibility: visibility.kind,
    principals: canChange ? principals : null,
    tags: shown.tags,
    auto_refresh: shown.isRefreshed,
    owner: shown.owner.name,
    own: shown.isOwn,
    version: shown.version,
    created_at: isoInstant(shown.createdAt),
    changed_at: isoInstant(shown.changedAt),
    _links: { self: at, result: `${at}/result`, versions: `${at}/versions` },
  };
}

export function perspectiveBody(shown: ShownPerspective, at: string): Json {
  const { question } = shown;
  return {
    ...perspectiveHead(shown, at),
    query: question === undefined ? null : writtenQuery(question.query),
    params: question?.params.map(parameterBody) ?? null,
    withheld: question === undefined,
  };
}

const writtenQuery = (query: PerspectiveQuery): unknown => (query.kind === 'sql' ? query.sql : query.query);

const parameterBody = ({ isList, ...param }: PerspectiveParameter): Json => ({
  ...param,
  ...(isList === true ? { list: true } : {}),
});

/** Fields of a body that its schema has let pass. */
export function perspectiveFields(body: Json): PerspectiveFields {
  const { query, params, auto_refresh: isRefreshed } = body;
  return {
    ...(body as Pick<
      PerspectiveFields,
      'slug' | 'name' | 'description' | 'visibility' | 'principals' | 'tags'
    >),
    query: query === undefined ? undefined : queryOf(query),
    params: (params as readonly Json[] | undefined)?.map(parameterOf),
    isRefreshed: isRefreshed as boolean | undefined,
  };
}

const queryOf = (query: unknown): PerspectiveQuery =>
  typeof query === 'string' ? { kind: 'sql', sql: query } : { kind: 'semantic', query };

const parameterOf = ({ list, ...param }: Json): PerspectiveParameter => ({
  ...(param as unknown as Omit<PerspectiveParameter, 'isList'>),
  ...(list === true ? { isList: true } : {}),
});

/** A body with every field, as a new one would have it: what PUT replaces. */
export const wholeFields = (fields: PerspectiveFields): PerspectiveFields => ({
  description: null,
  params: [],
  visibility: 'private',
  tags: [],
  isRefreshed: false,
  ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
});
