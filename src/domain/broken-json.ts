import type { PerspectiveQuery } from './perspective.ts';

/** A perspective that a plan breaks, as machines read it. */
export const brokenJson = ({
  perspective: { id, slug, name, owner },
  because,
  rewrite,
}: {
  readonly perspective: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly owner: { readonly name: string };
  };
  readonly because: string;
  readonly rewrite?: {
    readonly query: PerspectiveQuery;
    readonly renames: readonly { readonly model: string; readonly from: string; readonly to: string }[];
  };
}): Readonly<Record<string, unknown>> => ({
  id,
  slug,
  name,
  owner: owner.name,
  because,
  rewrite:
    rewrite === undefined
      ? null
      : {
          query: rewrite.query.kind === 'sql' ? rewrite.query.sql : rewrite.query.query,
          renames: rewrite.renames.map(({ model, from, to }) => ({
            from: `${model}.${from}`,
            to: `${model}.${to}`,
          })),
        },
});
