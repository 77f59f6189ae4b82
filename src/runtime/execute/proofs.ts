import type { NeededProof, Stage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';

/** States of data by `tableKey`, as the ledger names them. */
export type DataVersions = ReadonlyMap<string, string>;

interface Proof {
  readonly audits: ReadonlySet<string>;
  readonly versions: DataVersions;
}

/**
 * Which audits a run has seen to hold, and of which state of which tables. What it looked at before its promotion counts
 * there only if the tables are still in that state: others may have written them, without audits that were not demanded yet.
 */
export class Proofs {
  readonly #needed: ReadonlyMap<string, NeededProof>;
  readonly #found = new Map<string, Proof[]>();

  constructor(stages: readonly Stage[]) {
    this.#needed = new Map(
      stages
        .flatMap((stage) => (stage.kind === 'promote' ? (stage.proofs ?? []) : []))
        .map((proof) => [tableKey(proof.table), proof]),
    );
  }

  /** What the promotion of this run will need of a table or view; undefined: nothing. */
  needed(key: string): NeededProof | undefined {
    return this.#needed.get(key);
  }

  /** Audits of a table or view held of these states; without names all that are needed. */
  add(key: string, versions: DataVersions, audits?: readonly string[]): void {
    const needed = this.#needed.get(key);
    if (needed === undefined) return;
    const list = this.#found.get(key) ?? [];
    list.push({ audits: new Set(audits ?? needed.audits), versions });
    this.#found.set(key, list);
  }

  /** Names of the audits that were never seen to hold of the tables as they are now. */
  missing({ table, audits, over, reads = [] }: NeededProof, now: DataVersions): readonly string[] {
    const valid = (this.#found.get(tableKey(table)) ?? []).filter(({ versions }) =>
      [...over, ...reads]
        .map(tableKey)
        .every((key) => versions.has(key) && versions.get(key) === now.get(key)),
    );
    return audits.filter((name) => !valid.some((proof) => proof.audits.has(name)));
  }
}
