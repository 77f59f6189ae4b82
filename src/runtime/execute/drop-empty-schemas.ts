import type { Relation } from '../../domain/relation.ts';
import { janitorFence } from './promotion-fence.ts';
import type { RunContext } from './run-context.ts';
import { withRetries } from './with-retries.ts';

const RUNS_MAX = 10_000;

type Kept = readonly { readonly name: string; readonly reason: string }[];

/**
 * Drops the schemas in which these relations were, where nothing is left. Runs make their schemas before they fill them, so
 * none is dropped while another run is at work; those that begin later wait for the janitor. Answers with what had to stay
 * although nothing of ours is in it.
 */
export async function dropEmptySchemas(
  context: RunContext,
  emptied: readonly Relation[],
  token: number,
): Promise<Kept> {
  const { engine, state } = context.world;
  const running = await state.journal.runs({ status: 'running', limit: RUNS_MAX });
  if (emptied.length === 0 || running.some(({ id }) => id !== context.execution.run.id)) return [];
  const left = await engine.relations([...new Set(emptied.map(({ schema }) => schema))]);
  const filled = new Set(left.map(({ relation }) => schemaKey(relation)));
  const empty = new Map(
    emptied.flatMap((relation) => {
      const key = schemaKey(relation);
      return filled.has(key) || relation.schema === 'main' ? [] : [[key, relation] as const];
    }),
  );
  const kept: { name: string; reason: string }[] = [];
  for (const [name, { catalog, schema }] of empty) {
    const drop = (): Promise<void> =>
      engine.write(
        [janitorFence(token)],
        (session) => session.dropSchemas([{ ...(catalog === undefined ? {} : { catalog }), schema }]),
        { signal: context.cancel },
      );
    try {
      await withRetries(context, drop);
    } catch (error) {
      // It holds objects that Plinth did not make.
      if (context.cancel.aborted) throw error;
      kept.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return kept;
}

const schemaKey = ({ catalog, schema }: Relation): string =>
  catalog === undefined ? schema : `${catalog}.${schema}`;
