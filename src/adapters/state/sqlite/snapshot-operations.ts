import type { Snapshot } from '../../../domain/snapshot.ts';
import type { StateDatabase } from './database.ts';
import type { PackedContents } from './pack-content.ts';
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

/** Stores heads that are new and answers with their fingerprints; a known fingerprint must mean the same thing. */
export function saveSnapshots(database: StateDatabase, snapshots: readonly Snapshot[]): ReadonlySet<string> {
  const added = new Set<string>();
  for (const snapshot of snapshots) {
    const known = database.get('SELECT head FROM snapshots WHERE fingerprint = ?', snapshot.fingerprint);
    if (known !== undefined) refuseDifferent(JSON.parse(known['head'] as string) as Snapshot, snapshot);
    else {
      database.run(
        'INSERT INTO snapshots (fingerprint, model, head) VALUES (?, ?, ?)',
        snapshot.fingerprint,
        snapshot.model,
        JSON.stringify(snapshot),
      );
      added.add(snapshot.fingerprint);
    }
  }
  return added;
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
