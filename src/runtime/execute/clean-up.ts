/*
 * Drops what is no longer needed, never anything else: only objects that carry our names and exist as what they are
 * recorded as, no cascades. Plans and the janitor each announce themselves before they look at the other (a run is
 * recorded, then looks for the janitor's lease; the janitor takes its lease, then looks at running plans), so a table is
 * never dropped under a plan that is about to show it. What cannot be dropped is reported and stays for the next time.
 */
import type { Fence } from '../../domain/engine.ts';
import { type Environment, tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { LEASE_MS } from '../../domain/lease.ts';
import type { Stage } from '../../domain/plan.ts';
import {
  physicalRelation,
  quarantineRelation,
  type Relation,
  relationText,
  type TableId,
  tableKey,
  type ViewNaming,
  viewRelation,
} from '../../domain/relation.ts';
import { ageText } from './age-text.ts';
import { dropEmptySchemas } from './drop-empty-schemas.ts';
import { decisionsRelation } from './held-outcomes.ts';
import { failedRowsRelation } from './keep-failed-rows.ts';
import { JANITOR_LEASE, janitorFence, promotionFence } from './promotion-fence.ts';
import type { RunContext } from './run-context.ts';
import { forgottenFingerprints, tablesInUse } from './tables-in-use.ts';
import { withRetries } from './with-retries.ts';

type CleanUpStage = Extract<Stage, { kind: 'clean-up' }>;
type Dropped = { readonly relation: Relation; readonly object: 'table' | 'view' };

/** What the clean-up did so far. */
interface Report {
  readonly dropped: string[];
  readonly kept: { readonly name: string; readonly reason: string }[];
  readonly environments: string[];
  /** Where the views of removed environments were, in schemas that nothing else uses. */
  readonly schemas: Relation[];
}

export async function cleanUp(context: RunContext, stage: CleanUpStage): Promise<void> {
  const { world, execution } = context;
  const { journal, snapshots } = world.state;
  const token = await takeJanitorLease(context);
  await world.engine.raiseFences([janitorFence(token)]);
  const done: Report = { dropped: [], kept: [], environments: [], schemas: [] };
  const gone = await dropEnvironments(context, stage, { token, done });
  const inUse = await tablesInUse(world, { except: gone, runId: execution.run.id });
  const wanted = stage.tables.filter(({ table }) => {
    const user = inUse.get(tableKey(table));
    if (user !== undefined) done.kept.push({ name: nameOf(context, table), reason: `${user} needs it` });
    return user === undefined;
  });
  const free = await unread(
    context,
    wanted.map(({ table }) => table),
    done,
  );
  const tables = await dropTables(context, stage, { wanted: free, token, done });
  const fingerprints = await forgottenFingerprints(world, { environments: gone, tables, inUse });
  const emptied = [
    ...done.schemas,
    ...tables.map((table) => physicalRelation(table, world.engine.capabilities.identifierMax)),
  ];
  done.kept.push(...(await dropEmptySchemas(context, emptied, token)));
  const { dropped, kept, environments } = done;
  context.emit({ event: 'warehouse.cleaned', dropped, kept, environments });
  await snapshots.forget({ environments: gone, fingerprints, tables }, context.takeEvents());
  await journal.releaseTables(execution.run.id, tables);
  await journal.releaseLease(JANITOR_LEASE, execution.run.id);
}

/** Whatever the state says: a table that a view shows stays. */
async function unread(
  context: RunContext,
  tables: readonly TableId[],
  done: Report,
): Promise<readonly TableId[]> {
  const { engine } = context.world;
  const relationOf = (table: TableId): Relation => physicalRelation(table, engine.capabilities.identifierMax);
  const readers = await engine.readersOf(tables.map(relationOf));
  return tables.filter((table) => {
    const reader = readers.get(relationText(relationOf(table)));
    if (reader !== undefined)
      done.kept.push({ name: nameOf(context, table), reason: `the view ${relationText(reader)} reads it` });
    return reader === undefined;
  });
}

/** One janitor at a time; another one is done within moments, or dead within a lease. */
async function takeJanitorLease({ world, execution, stop }: RunContext): Promise<number> {
  const { id: holder, who } = execution.run;
  const until = world.clock.now() + 4 * LEASE_MS;
  for (;;) {
    const now = world.clock.now();
    const answer = await world.state.journal.takeLease({ name: JANITOR_LEASE, holder, who, now });
    if (answer.kind === 'granted') return answer.leases[0]?.token ?? 0;
    if (now > until || stop.aborted)
      throw failure('environment.busy', {
        environment: execution.run.environment,
        holder: answer.by.who,
        age: ageText(now - answer.by.since),
      });
    await world.clock.sleep(250, stop);
  }
}

/** Views of environments that are still expired; one that a run is changing, or that was planned again, stays. */
async function dropEnvironments(
  context: RunContext,
  stage: CleanUpStage,
  { token, done }: { readonly token: number; readonly done: Report },
): Promise<readonly string[]> {
  const { world, execution } = context;
  for (const name of stage.environments) {
    const lease = await environmentLease(context, name);
    if (typeof lease !== 'number') {
      done.kept.push({ name, reason: `${lease.holder} is changing it` });
      continue;
    }
    const environment = await world.state.snapshots.environment(name);
    if (environment === undefined) continue;
    const { expiresAt } = environment;
    if (expiresAt === undefined || expiresAt > execution.executionTime) {
      done.kept.push({ name, reason: 'it has not expired' });
      continue;
    }
    const fences = [janitorFence(token), promotionFence(name, lease)];
    await world.engine.raiseFences(fences);
    const views = await existing(context, viewsOf(environment, execution.naming(name)));
    const dropped = await dropEach(context, {
      fences,
      groups: views.map((view) => [view]),
      tables: [],
      done,
    });
    if (dropped.size < views.length) continue;
    done.environments.push(name);
    done.schemas.push(...ownSchemas(environment, execution.naming(name)));
  }
  return done.environments;
}

async function environmentLease(
  { world, execution, environmentToken }: RunContext,
  environment: string,
): Promise<number | { readonly holder: string }> {
  const { id: holder, who } = execution.run;
  if (environment === execution.run.environment) return environmentToken;
  const answer = await world.state.journal.takeLease({
    name: `environment:${environment}`,
    holder,
    who,
    now: world.clock.now(),
  });
  return answer.kind === 'held' ? { holder: answer.by.who } : (answer.leases[0]?.token ?? 0);
}

function viewsOf(environment: Environment, naming: ViewNaming): readonly Dropped[] {
  return environment.entries.flatMap((entry) =>
    tableOf(entry) === undefined
      ? []
      : [{ relation: viewRelation(entry.model, naming), object: 'view' as const }],
  );
}

/** Views of this environment in schemas that carry its name; where only tables or catalogs do, schemas are others', too. */
function ownSchemas(environment: Environment, naming: ViewNaming): readonly Relation[] {
  return environment.entries.flatMap(({ model }) => {
    const view = viewRelation(model, naming);
    return view.schema === viewRelation(model, { ...naming, environment: 'prod' }).schema ? [] : [view];
  });
}

/** Tables that no run holds, with the rows that audits kept beside them; answers with those that are gone. */
async function dropTables(
  context: RunContext,
  stage: CleanUpStage,
  {
    wanted,
    token,
    done,
  }: { readonly wanted: readonly TableId[]; readonly token: number; readonly done: Report },
): Promise<readonly TableId[]> {
  const { held, fences } = await holdFree(context, stage, { wanted, done });
  if (held.length === 0) return [];
  const { identifierMax } = context.world.engine.capabilities;
  await context.world.engine.raiseFences(fences);
  const found = new Map(
    (await context.world.engine.relations([])).map((one) => [relationText(one.relation), one]),
  );
  const groups = held.map((table) =>
    [
      physicalRelation(table, identifierMax),
      quarantineRelation(table, identifierMax),
      failedRowsRelation(table, identifierMax),
      decisionsRelation(table, identifierMax),
    ].flatMap((relation) => found.get(relationText(relation)) ?? []),
  );
  const gone = await dropEach(context, {
    fences: [janitorFence(token), ...fences],
    groups,
    tables: held,
    done,
  });
  return held.filter((_, index) => gone.has(index));
}

/** Leases of those tables that no other process holds, with the intent to drop them. */
async function holdFree(
  { world, execution }: RunContext,
  stage: CleanUpStage,
  { wanted, done }: { readonly wanted: readonly TableId[]; readonly done: Report },
): Promise<{ readonly held: readonly TableId[]; readonly fences: readonly Fence[] }> {
  const { id: runId, environment, who } = execution.run;
  let free = wanted;
  while (free.length > 0) {
    const now = world.clock.now();
    const tables = stage.tables.filter(({ table }) => free.includes(table));
    const intent = { id: crypto.randomUUID(), runId, environment, stage: { ...stage, tables }, at: now };
    const answer = await world.state.journal.startBackfill(intent, { tables: free, who, now });
    if (answer.kind === 'granted') {
      const tokens = new Map(answer.leases.map((lease) => [lease.name, lease.token]));
      const fences = free.map((table) => ({ table, token: tokens.get(`table:${tableKey(table)}`) ?? 0 }));
      return { held: free, fences };
    }
    const { by } = answer;
    const busy = free.find((table) => by.name === `table:${tableKey(table)}`);
    if (busy === undefined) throw new Error(`a lease was refused that was not asked for: ${by.name}`);
    done.kept.push({ name: tableKey(busy), reason: `${by.who} is writing it` });
    free = free.filter((table) => table !== busy);
  }
  return { held: [], fences: [] };
}

/** All at once, and when that fails one group after the other, so that one that cannot be dropped keeps only itself. */
async function dropEach(
  context: RunContext,
  request: {
    readonly fences: readonly Fence[];
    readonly groups: readonly (readonly Dropped[])[];
    /** The table of each group whose ledger rows go with it. */
    readonly tables: readonly TableId[];
    readonly done: Report;
  },
): Promise<ReadonlySet<number>> {
  const { fences, groups, tables, done } = request;
  const drop = (indexes: readonly number[]): Promise<void> =>
    withRetries(context, () =>
      context.world.engine.write(
        fences,
        async (session) => {
          // Views first: some engines refuse to drop a table that a view reads.
          const objects = indexes
            .flatMap((index) => groups[index] ?? [])
            .toSorted((a, b) => (a.object === b.object ? 0 : a.object === 'view' ? -1 : 1));
          const forgotten = indexes.flatMap((index) => tables[index] ?? []);
          await Promise.all([
            ...(objects.length > 0 ? [session.drop(objects)] : []),
            ...(forgotten.length > 0 ? [session.forgetTables(forgotten)] : []),
          ]);
        },
        { signal: context.cancel },
      ),
    );
  const gone = new Set<number>();
  const note = (indexes: readonly number[]): void => {
    for (const index of indexes) {
      gone.add(index);
      done.dropped.push(...(groups[index] ?? []).map(({ relation }) => relationText(relation)));
    }
  };
  const all = [...groups.keys()];
  if (all.length === 0) return gone;
  try {
    await drop(all);
    note(all);
    return gone;
  } catch (error) {
    if (context.cancel.aborted) throw error;
  }
  for (const index of all) {
    try {
      await drop([index]);
      note([index]);
    } catch (error) {
      if (context.cancel.aborted) throw error;
      const name = groups[index]?.[0]?.relation;
      done.kept.push({
        name: name === undefined ? tableKey(tables[index] as TableId) : relationText(name),
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return gone;
}

/** Those that are there as what they are recorded as; a user's table under the same name is not ours to drop. */
async function existing(context: RunContext, expected: readonly Dropped[]): Promise<readonly Dropped[]> {
  const schemas = [...new Set(expected.map(({ relation }) => relation.schema))];
  const found = new Map(
    (await context.world.engine.relations(schemas)).map(({ relation, object }) => [
      relationText(relation),
      object,
    ]),
  );
  return expected.filter(({ relation, object }) => found.get(relationText(relation)) === object);
}

const nameOf = ({ world }: RunContext, table: TableId): string =>
  relationText(physicalRelation(table, world.engine.capabilities.identifierMax));
