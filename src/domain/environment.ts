import { failure } from './failure.ts';
import type { TableId } from './relation.ts';

/** A name that points at one snapshot per model; the warehouse shows it as views. */
export interface Environment {
  readonly name: string;
  readonly entries: readonly EnvironmentEntry[];
  /** The promotion that made it what it is: another id means the environment moved. */
  readonly promotionId: string;
  readonly planId: string;
  readonly promotedAt: number;
  /** Wall time after which the janitor may remove it; absent for prod and pinned ones, 0 when it was invalidated. */
  readonly expiresAt?: number;
  readonly gateway: string;
  /** Hash of each semantic model, metric, dq pack, audit and test, by `kind:name`: what those are compared with. */
  readonly definitions: Readonly<Record<string, string>>;
}

/** One model as an environment shows it. */
export interface EnvironmentEntry {
  readonly model: string;
  readonly fingerprint: string;
  /** Version of the physical table or view: the snapshot's, a view's own, or `<fingerprint>__dev`. Absent for EMBEDDED and EXTERNAL. */
  readonly version?: string;
  /** Columns the environment's view lists, in order. */
  readonly columns: readonly string[];
}

/** The physical table behind an entry. */
export function tableOf({ model, version }: EnvironmentEntry): TableId | undefined {
  return version === undefined ? undefined : { model, version };
}

/** The valid spelling of an environment's name: lower case, `-` as `_`. */
export function environmentName(written: string): string {
  const name = written.toLowerCase().replaceAll('-', '_');
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(name)) throw failure('environment.bad-name', { name: written });
  return name;
}
