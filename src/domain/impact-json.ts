import { isoInstant } from '../foundation/time/iso.ts';
import { partyKey } from './follower.ts';
import type { ImpactReport, Reached } from './impact.ts';

const wayOf = ({ how, through }: Reached): Readonly<Record<string, unknown>> => ({
  how,
  through,
});

/** What a change reaches and what it does not, as `plinth.plan/1` and the API fix it. */
export function impactJson(report: ImpactReport): Readonly<Record<string, unknown>> {
  const { models, semantics, perspectives, followers, consumers, untouched } = report;
  return {
    impact: semantics,
    reached: {
      models: models.map(({ name, rows, columns }) => ({
        name,
        rows: rows === undefined ? null : wayOf(rows),
        columns: columns.map((column) => ({ name: column.name, ...wayOf(column) })),
      })),
      perspectives: perspectives.map(({ perspective: { id, slug, name, owner }, ...way }) => ({
        id,
        slug,
        name,
        owner: owner.name,
        ...wayOf(way),
      })),
      followers: followers.map(({ party, target }) => ({ party: partyKey(party), target })),
      consumers: consumers.map(({ principalId, name, statements, lastAt, through }) => ({
        principal_id: principalId,
        principal: name,
        statements,
        last_asked_at: isoInstant(lastAt),
        through,
      })),
    },
    untouched: {
      models: untouched.models,
      members: untouched.members,
      metrics: untouched.metrics,
      perspectives: untouched.perspectives.map(({ slug }) => slug),
    },
  };
}
