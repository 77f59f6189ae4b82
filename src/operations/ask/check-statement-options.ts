import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { StatementLimits } from '../../domain/server-limits.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Submission } from './submission.ts';

/** What is wrong with the options of a submission, all at once; the question itself is checked where it is compiled. */
export function checkStatementOptions(
  submission: Submission,
  limits: StatementLimits,
): readonly Diagnostic[] {
  const problems: Diagnostic[] = [];
  const bad = (name: string, value: unknown, expected: string): void => {
    problems.push(diagnostic('statement.bad-option', { name, value: shown(value), expected }));
  };
  const { question, timeoutMs, rowLimit, ttlMs, tags = [], waitMs, timezone } = submission;
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= limits.timeoutMsMax))
    bad('timeout', timeoutMs / 1000, `more than 0 and at most ${limits.timeoutMsMax / 1000} seconds`);
  if (rowLimit !== undefined && !(Number.isSafeInteger(rowLimit) && rowLimit > 0))
    bad('row_limit', rowLimit, 'a whole number of at least 1');
  if (ttlMs !== undefined && !(ttlMs >= 0)) bad('ttl', ttlMs / 1000, 'seconds, at least 0');
  if (waitMs !== undefined && !(waitMs >= 0)) bad('wait', waitMs / 1000, 'seconds, at least 0');
  if (tags.length > limits.tagsMax) bad('tags', tags.length, `at most ${limits.tagsMax} of them`);
  for (const tag of tags)
    if (tag === '' || tag.length > 100) bad('tags', tag, 'texts of 1 to 100 characters');
  if (question.kind !== 'sql' && question.kind !== 'semantic-sql') return problems;
  const bytes = Buffer.byteLength(question.sql);
  if (bytes > limits.sqlBytesMax) bad('sql', `${bytes} bytes long`, `at most ${limits.sqlBytesMax}`);
  if ((question.parameters?.length ?? 0) > limits.parametersMax)
    bad('parameters', `${question.parameters?.length} values`, `at most ${limits.parametersMax}`);
  if (timezone !== undefined && timezone.toUpperCase() !== 'UTC')
    bad('timezone', timezone, 'UTC for SQL, which says itself how it converts times (AT TIME ZONE)');
  return problems;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}
