import type { Snapshot } from '../../../domain/snapshot.ts';
import { decompress, type StateDatabase } from './database.ts';
import type { PackedContents } from './pack-content.ts';
import type { PackedPlan } from './pack-plan.ts';
import { StateProblem } from './state-problem.ts';

/** JSON of the list of heads, by model. */
export function readSnapshots(database: StateDatabase, fingerprints: readonly string[] | undefined): string {
  const rows =
    fingerprints === undefined
      ? database.all('SELECT head FROM snapshots ORDER BY model, fingerprint')
      : database.all(
          'SELECT head FROM snapshots WHERE fingerprint IN (SELECT value FROM json_each(?)) ORDER BY model, fingerprint',
          JSON.stringify(fingerprints),
        );
  return `[${rows.map((row) => row['head'] as string).join(',')}]`;
}

export function readContents(database: StateDatabase, fingerprints: readonly string[]): PackedContents {
  const rows = database.all(
    'SELECT * FROM contents WHERE fingerprint IN (SELECT value FROM json_each(?))',
    JSON.stringify(fingerprints),
  );
  const contents = rows.map((row) => ({
    fingerprint: row['fingerprint'] as string,
    content: row['content'] as string,
    texts: JSON.parse(row['texts'] as string) as string[],
  }));
  const hashes = [...new Set(contents.flatMap((content) => content.texts))];
  const texts = database.all(
    'SELECT hash, text FROM texts WHERE hash IN (SELECT value FROM json_each(?))',
    JSON.stringify(hashes),
  );
  return { contents, texts: texts.map((row) => [row['hash'] as string, row['text'] as string]) };
}

/** Contents of a plan, applied or not: kept until the janitor finds that nothing needs them. The plan that applies a fingerprint first replaces what others proposed. */
export function saveContents(
  database: StateDatabase,
  { contents, texts }: PackedContents,
  options: { readonly replacing?: ReadonlySet<string> } = {},
): void {
  for (const [hash, text] of texts) database.run('INSERT OR IGNORE INTO texts VALUES (?, ?)', hash, text);
  for (const { fingerprint, content, texts: needed } of contents) {
    const onConflict =
      options.replacing?.has(fingerprint) === true
        ? 'UPDATE SET content = excluded.content, texts = excluded.texts WHERE content <> excluded.content OR texts <> excluded.texts'
        : 'NOTHING';
    database.run(
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
export function saveSnapshots(
  database: StateDatabase,
  snapshots: readonly Snapshot[],
  { id, environment }: { readonly id: string; readonly environment: string },
): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const snapshot of snapshots) {
    const row = database.get('SELECT head FROM snapshots WHERE fingerprint = ?', snapshot.fingerprint);
    const known = row === undefined ? undefined : (JSON.parse(row['head'] as string) as Snapshot);
    if (known !== undefined && snapshot.isReturn === true && known.isTried !== true) {
      refuseDifferent(known, snapshot);
      keepReturned(database, known, snapshot);
      continue;
    }
    if (known !== undefined) {
      refuseDifferent(known, snapshot);
      if (
        known.version !== snapshot.version &&
        (known.isTried !== true || isBeingApplied(database, known, id))
      )
        throw new StateProblem('environment.moved', {
          environment,
          detail: `plan ${known.planId} has another table for ${known.model}`,
        });
      if (known.isTried !== true) {
        learnInputs(database, known, snapshot);
        continue;
      }
    }
    database.run(
      'INSERT OR REPLACE INTO snapshots (fingerprint, model, head) VALUES (?, ?, ?)',
      snapshot.fingerprint,
      snapshot.model,
      JSON.stringify({ ...snapshot, isTried: true, ...abandonedOf(known, snapshot) } satisfies Snapshot),
    );
    taken.add(snapshot.fingerprint);
  }
  return taken;
}

/** What was shown before stays what it was; the table it comes back with is remembered, so that the janitor finds it. */
function keepReturned(database: StateDatabase, known: Snapshot, { version }: Snapshot): void {
  if (version === undefined || version === known.version) return;
  const abandoned = [...new Set([...(known.abandoned ?? []), version])];
  const head = JSON.stringify({ ...known, abandoned } satisfies Snapshot);
  database.run('UPDATE snapshots SET head = ? WHERE fingerprint = ?', head, known.fingerprint);
}

/** A snapshot of before gets to say what it was made of. */
function learnInputs(database: StateDatabase, known: Snapshot, { inputs }: Snapshot): void {
  if (known.inputs !== undefined || inputs === undefined) return;
  const head = JSON.stringify({ ...known, inputs } satisfies Snapshot);
  database.run('UPDATE snapshots SET head = ? WHERE fingerprint = ?', head, known.fingerprint);
}

/** Whether another plan that introduces the snapshot is under way. */
function isBeingApplied(database: StateDatabase, { fingerprint }: Snapshot, planId: string): boolean {
  return (
    database.get(
      `SELECT 1 FROM plans, json_each(plans.fingerprints) AS named
       WHERE plans.status = 'applying' AND plans.id <> ? AND named.value = ? LIMIT 1`,
      planId,
      fingerprint,
    ) !== undefined
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
export function settleSnapshots(
  database: StateDatabase,
  fingerprints: readonly string[],
  planId: string,
): void {
  const wanted = JSON.stringify(fingerprints);
  const isWanted = `fingerprint IN (SELECT value FROM json_each(?)) AND instr(head, '"isTried":true') > 0`;
  const others = database
    .all(
      `SELECT head FROM snapshots WHERE ${isWanted} AND json_extract(head, '$.planId') <> ?`,
      wanted,
      planId,
    )
    .map((row) => JSON.parse(row['head'] as string) as Snapshot);
  const decided = others.length === 0 ? new Map<string, Snapshot>() : decisionsOf(database, planId);
  for (const { fingerprint, version, abandoned } of others) {
    const own = decided.get(fingerprint);
    if (own === undefined || own.version !== version) continue;
    const head: Snapshot = { ...own, isTried: true, ...(abandoned === undefined ? {} : { abandoned }) };
    database.run('UPDATE snapshots SET head = ? WHERE fingerprint = ?', JSON.stringify(head), fingerprint);
  }
  database.run(`UPDATE snapshots SET head = json_remove(head, '$.isTried') WHERE ${isWanted}`, wanted);
}

/** prod shows them: the tables that they took over have rows of them from now on. */
export function markDeployed(database: StateDatabase, fingerprints: readonly string[]): void {
  database.run(
    `UPDATE snapshots SET head = json_set(head, '$.isDeployed', json('true'))
     WHERE fingerprint IN (SELECT value FROM json_each(?))
     AND instr(head, '"isForward":true') > 0 AND instr(head, '"isDeployed":true') = 0`,
    JSON.stringify(fingerprints),
  );
}

/** What a plan decided about the snapshots it introduces. */
function decisionsOf(database: StateDatabase, planId: string): ReadonlyMap<string, Snapshot> {
  const row = database.get('SELECT body FROM plans WHERE id = ?', planId);
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
export function forgetUnusedContents(database: StateDatabase): void {
  database.run(
    `DELETE FROM contents WHERE fingerprint NOT IN (SELECT fingerprint FROM snapshots)
     AND fingerprint NOT IN (
       SELECT named.value FROM plans LEFT JOIN environments ON environments.name = plans.environment,
         json_each(plans.fingerprints) AS named
       WHERE plans.status <> 'applied' AND plans.base_promotion_id IS environments.promotion_id)`,
  );
  database.run(
    'DELETE FROM texts WHERE hash NOT IN (SELECT needed.value FROM contents, json_each(contents.texts) AS needed)',
  );
}
