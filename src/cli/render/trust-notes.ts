import type { StatementTrust } from '../../domain/statement-trust.ts';
import { counted } from './table.ts';

const NAMED_MAX = 3;

/** What the reader of an answer should know of its data; nothing when there is nothing against it. */
export function trustNotes({ observed }: StatementTrust): readonly string[] {
  if (observed === undefined) return [];
  const { checks, checksTotal, promise } = observed;
  const notes: string[] = [];
  if (promise?.state === 'late' || promise?.state === 'stale')
    notes.push(`the data is older than the promised ${promise.maxAge}`);
  if (checksTotal > 0) {
    const names = checks.slice(0, NAMED_MAX).map(({ check, outcome }) => `${check} (${outcome})`);
    const more = checksTotal > names.length ? ' and others' : '';
    const words = checksTotal === 1 ? 'does not pass' : 'do not pass';
    notes.push(`${counted(checksTotal, 'check')} of this data ${words}: ${names.join(', ')}${more}`);
  }
  return notes;
}
