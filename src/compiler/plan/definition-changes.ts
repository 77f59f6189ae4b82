import type { Change } from '../../domain/plan.ts';
import { splitDefinitionKey } from './definition-hashes.ts';

/** Semantic models, metrics, dq packs, audits and tests that came, went or say something else. */
export function definitionChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key): readonly Change[] => {
    if (before[key] === after[key]) return [];
    const change = before[key] === undefined ? 'added' : after[key] === undefined ? 'removed' : 'direct';
    const columns = { added: [], removed: [], changed: [] };
    return [{ ...splitDefinitionKey(key), change, category: null, reason: REASONS[change], columns }];
  });
}

const REASONS = {
  added: 'new in this environment',
  removed: 'no file defines it any more',
  direct: 'its definition changed',
} as const;
