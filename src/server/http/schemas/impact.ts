/** What a change reaches, field by field. */
import { REACH_KINDS } from '../../../domain/impact.ts';
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, listing, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

/** How a change comes to something. */
const WAY = {
  how: listing(choice(...REACH_KINDS)),
  through: about(TEXTS, 'columns and models by which it comes'),
};
const IMPACTED: JsonSchema = record({
  kind: choice('semantic', 'metric'),
  name: TEXT,
  members: TEXTS,
  through: about(TEXTS, 'columns by which it is reached'),
});

/** What a change reaches of models, perspectives and people, and what it does not; as far as the caller may know of it. */
export const IMPACT_PARTS: Readonly<Record<string, JsonSchema>> = {
  impact: listing(IMPACTED),
  reached: record({
    models: listing(
      record({
        name: TEXT,
        rows: about(orNull(record(WAY)), 'there may be other rows: then every column is reached'),
        columns: listing(record({ name: TEXT, ...WAY })),
      }),
    ),
    perspectives: listing(record({ id: TEXT, slug: TEXT, name: TEXT, owner: TEXT, ...WAY })),
    followers: about(
      listing(
        record({
          party: about(TEXT, '`user:NAME`, `group:NAME` or `app:NAME`'),
          target: about(TEXT, 'what they follow'),
        }),
      ),
      'those that the caller may know',
    ),
    consumers: about(
      listing(
        record({
          principal_id: TEXT,
          principal: TEXT,
          statements: about(COUNT, 'how many of the last 30 days'),
          last_asked_at: TIME,
          through: about(TEXTS, 'models that they read'),
        }),
      ),
      "callers whose questions read what is reached; without `query:read-all` the caller's own",
    ),
  }),
  untouched: about(
    record({
      models: TEXTS,
      members: about(TEXTS, 'as NAME.member'),
      metrics: TEXTS,
      perspectives: about(TEXTS, 'slugs'),
    }),
    'proven to answer as before',
  ),
};

export const IMPACT: JsonSchema = record({
  ref: TEXT,
  change: choice('values', 'type', 'rename', 'drop'),
  breaking: about(FLAG, 'whether anything would break'),
  nodes: about(
    listing(
      record(
        {
          id: about(TEXT, 'model.column, semantic:NAME.member or metric:NAME'),
          kind: choice('column', 'dimension', 'measure', 'segment', 'metric'),
          name: about(TEXT, 'the model, semantic model or metric'),
          effect: choice('breaks', 'changes'),
          distance: about({ type: 'integer', minimum: 1 }, 'steps from what changes'),
        },
        { column: TEXT, member: TEXT },
      ),
    ),
    'everything below, the nearest first',
  ),
  edges: listing(record({ from: TEXT, to: TEXT })),
  ...IMPACT_PARTS,
});
