import type { Perspective } from '../../domain/perspective.ts';
import type { PerspectiveFields } from './perspective-fields.ts';

/** A perspective with what was written of it; fields that are absent stay. */
export function withFields(
  before: Perspective,
  { slug, name, description, query, params, tags, isRefreshed }: PerspectiveFields,
): Perspective {
  const { description: written, ...rest } = before;
  const said = description === undefined ? written : (description ?? undefined);
  return {
    ...rest,
    ...(said === undefined ? {} : { description: said }),
    ...(slug === undefined ? {} : { slug }),
    ...(name === undefined ? {} : { name }),
    ...(query === undefined ? {} : { query }),
    ...(params === undefined ? {} : { params }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
    ...(isRefreshed === undefined ? {} : { isRefreshed }),
  };
}
