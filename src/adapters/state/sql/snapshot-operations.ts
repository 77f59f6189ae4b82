import type { Snapshot } from '../../../domain/snapshot.ts';
import type { PackedContents } from './pack-content.ts';
import type { PackedPlan } from './pack-plan.ts';
import { replaceRow } from './replace-row.ts';
import { StateProblem } from './state-problem.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { decompress } from './stored-text.ts';

/** JSON of the list of heads, by model. */
export function* readSnapshots(state: StateSql, fingerprints: readonly string[] | undefined): Steps<string> {
  const rows =
    fingerprints === undefined
      ? yield* state.rows('SELECT head FROM snapshots ORDER BY model, fingerprint')
      : yield* state.rows(
          `SELECT head FROM snapshots WHERE fingerprint IN ${state.dialect.listed} ORDER BY model, fingerprint`,
          JSON.stringify(fingerprints),
        );
  return `[${rows.map((row) => row['head'] as string).join(',')}]`;
}

export function* readContents(state: StateSql, fingerprints: readonly string[]): Steps<PackedContents> {
  const rows = yield* state.rows(
    `SELECT * FROM contents WHERE fingerprint IN ${state.dialect.listed}`,
    JSON.stringify(fingerprints),
  );
  const contents = rows.map((row) => ({
    fingerprint: row['fingerprint'] as string,
    content: row['content'] as string,
    texts: JSON.parse(row['texts'] as string) as string[],
  }));
  const hashes = [...new Set(contents.flatMap((content) => content.texts))];
  const texts = yield* state.rows(
    `SELECT hash, text FROM texts WHERE hash IN ${state.dialect.listed}`,
    JSON.stringify(hashes),
  );
  return { contents, texts: texts.map((row) => [row['hash'] as string, row['text'] as string]) };
}

/** Contents of a plan, applied or not: kept until the janitor finds that nothing needs them. The plan that applies a fingerprint first replaces what others proposed. */
export function* saveContents(
  state: StateSql,
  { contents, texts }: PackedContents,
  options: { readonly replacing?: ReadonlySet<string> } = {},
): Steps<void> {
  for (const [hash, text] of texts)
    yield* state.run('INSERT INTO texts VALUES (?, ?) ON CONFLICT DO NOTHING', hash, text);
  for (const { fingerprint, content, texts: needed } of contents) {
    const onConflict =
      options.replacing?.has(fingerprint) === true
        ? 'UPDATE SET content = excluded.content, texts = excluded.texts WHERE contents.content <> excluded.content OR contents.texts <> excluded.texts'
        : 'NOTHING';
    yield* state.run(
      `INSERT INTO contents (fingerprint, content, texts) VALUES (?, ?, ?) ON CONFLICT (fingerprint) DO ${onConflict}`,
      fingerprint,
      content,
      JSON.stringify(needed),
    );
  }
}

/**
 * Stores heads and answers with the fingerprints that are this plan's now: those that are new, and those that other plans
 * only tried. One that an environment has shown must mean the same thing and the same table.
 */
export function* saveSnapshots(
  state: StateSql,
  snapshots: readonly Snapshot[],
  { id, environment }: { readonly id: string; readonly environment: string },
): Steps<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (const snapshot of snapshots) {
    const row = yield* state.row('SELECT head FROM snapshots WHERE fingerprint = ?', snapshot.fingerprint);
    const known = row === undefined ? undefined : (JSON.parse(row['head'] as string) as Snapshot);
    if (known !== undefined && snapshot.isReturn === true && known.isTried !== true) {
      refuseDifferent(known, snapshot);
      yield* keepReturned(state, known, snapshot);
      continue;
    }
    if (known !== undefined) {
      refuseDifferent(known, snapshot);
      if (
        known.version !== snapshot.version &&
        (known.isTried !== true || (yield* isBeingApplied(state, known, id)))
      )
        throw new StateProblem('environment.moved', {
          environment,
          detail: `plan ${known.planId} has another table for ${known.model}`,
        });
      if (known.isTried !== true) {
        yield* learnInputs(state, known, snapshot);
        continue;
      }
    }
    yield* state.run(
      replaceRow('snapshots', ['fingerprint'], ['model', 'head']),
      snapshot.fingerprint,
      snapshot.model,
      JSON.stringify({ ...snapshot, isTried: true, ...abandonedOf(known, snapshot) } satisfies Snapshot),
    );
    taken.add(snapshot.fingerprint);
  }
  return taken;
}

/** What was shown before stays what it was; the table it comes back with is remembered, so that the janitor finds it. */
function* keepReturned(state: StateSql, known: Snapshot, { version }: Snapshot): Steps<void> {
  if (version === undefined || version === known.version) return;
  const abandoned = [...new Set([...(known.abandoned ?? []), version])];
  const head = JSON.stringify({ ...known, abandoned } satisfies Snapshot);
  yield* state.run('UPDATE snapshots SET head = ? WHERE fingerprint = ?', head, known.fingerprint);
}

/** A snapshot of before gets to say what it was made of. */
function* learnInputs(state: StateSql, known: Snapshot, { inputs }: Snapshot): Steps<void> {
  if (known.inputs !== undefined || inputs === undefined) return;
  const head = JSON.stringify({ ...known, inputs } satisfies Snapshot);
  yield* state.run('UPDATE snapshots SET head = ? WHERE fingerprint = ?', head, known.fingerprint);
}

/** Whether another plan that introduces the snapshot is under way. */
function* isBeingApplied(state: StateSql, { fingerprint }: Snapshot, planId: string): Steps<boolean> {
  return (
    (yield* state.row(
      `SELECT 1 FROM plans, ${state.dialect.elements('plans.fingerprints', 'named')}
       WHERE plans.status = 'applying' AND plans.id <> ? AND named.value = ? LIMIT 1`,
      planId,
      fingerprint,
    )) !== undefined
  );
}

/** Tables of earlier attempts, so that the janitor finds them. */
function abandonedOf(known: Snapshot | undefined, { version }: Snapshot): Pick<Snapshot, 'abandoned'> {
  const earlier = [...(known?.abandoned ?? []), ...(known?.version === undefined ? [] : [known.version])];
  const abandoned = [...new Set(earlier)].filter((each) => each !== version);
  return abandoned.length === 0 ? {} : { abandoned };
}

/**
 * An environment shows them: what its plan decided about them stands from now on. Another plan that is under way, too, may
 * have written down its own decision about the same table since.
 */
export function* settleSnapshots(
  state: StateSql,
  fingerprints: readonly string[],
  planId: string,
): Steps<void> {
  const wanted = JSON.stringify(fingerprints);
  const isWanted = `fingerprint IN ${state.dialect.listed} AND head LIKE '%"isTried":true%'`;
  const others = (yield* state.rows(
    `SELECT head FROM snapshots WHERE ${isWanted} AND ${state.dialect.field('head', 'planId')} <> ?`,
    wanted,
    planId,
  )).map((row) => JSON.parse(row['head'] as string) as Snapshot);
  const decided = others.length === 0 ? new Map<string, Snapshot>() : yield* decisionsOf(state, planId);
  for (const { fingerprint, version, abandoned } of others) {
    const own = decided.get(fingerprint);
    if (own === undefined || own.version !== version) continue;
    const head: Snapshot = { ...own, isTried: true, ...(abandoned === undefined ? {} : { abandoned }) };
    yield* state.run(
      'UPDATE snapshots SET head = ? WHERE fingerprint = ?',
      JSON.stringify(head),
      fingerprint,
    );
  }
  yield* state.run(
    `UPDATE snapshots SET head = replace(head, ',"isTried":true', '') WHERE ${isWanted}`,
    wanted,
  );
}

/** prod shows them: the tables that they took over have rows of them from now on. */
export function* markDeployed(state: StateSql, fingerprints: readonly string[]): Steps<void> {
  yield* state.run(
    `UPDATE snapshots SET head = substr(head, 1, length(head) - 1) || ',"isDeployed":true}'
     WHERE fingerprint IN ${state.dialect.listed}
     AND head LIKE '%"isForward":true%' AND head NOT LIKE '%"isDeployed":true%'`,
    JSON.stringify(fingerprints),
  );
}

/** What a plan decided about the snapshots it introduces. */
function* decisionsOf(state: StateSql, planId: string): Steps<ReadonlyMap<string, Snapshot>> {
  const row = yield* state.row('SELECT body FROM plans WHERE id = ?', planId);
  if (row === undefined) return new Map();
  const { snapshots } = JSON.parse(decompress(row['body'])) as Pick<PackedPlan, 'snapshots'>;
  return new Map(snapshots.map((snapshot) => [snapshot.fingerprint, snapshot]));
}

function refuseDifferent(known: Snapshot, offered: Snapshot): void {
  const parts = ['model', 'dataHash', 'parentsHash', 'metadataHash'] as const;
  const part = parts.find((name) => known[name] !== offered[name]);
  if (part === undefined) return;
  throw new StateProblem('state.snapshot-differs', {
    fingerprint: offered.fingerprint,
    model: offered.model,
    detail: `${part} is ${offered[part]}, stored is ${known[part]} of ${known.model} from plan ${known.planId}`,
  });
}

/** Removes contents that neither a snapshot nor a plan that could still be applied needs, and texts that no content needs. */
export function* forgetUnusedContents(state: StateSql): Steps<void> {
  yield* state.run(
    `DELETE FROM contents WHERE fingerprint NOT IN (SELECT fingerprint FROM snapshots)
     AND fingerprint NOT IN (
       SELECT named.value FROM plans LEFT JOIN environments ON environments.name = plans.environment,
         ${state.dialect.elements('plans.fingerprints', 'named')}
       WHERE plans.status <> 'applied' AND plans.base_promotion_id IS NOT DISTINCT FROM environments.promotion_id)`,
  );
  yield* state.run(
    `DELETE FROM texts WHERE hash NOT IN (SELECT needed.value FROM contents, ${state.dialect.elements('contents.texts', 'needed')})`,
  );
}
