import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadContext } from '../../../tests/support/load-context.ts';
import { DIALECTS } from '../../foundation/sql/dialect.ts';
import { loadAuditFile } from './load-audit-file.ts';
import { loadModelFile } from './load-model-file.ts';

const PIECES = [
  'MODEL', 'AUDIT', '(', ')', '(', ')', '[', ']', '{', '}', ',', ',', ';', ';', ':', ':=', '=', '.', '*', '@', '@x', '@{x}', "@'a @x'", '@VAR(', '@IF(', 'name', 'kind', 'cron',
  'columns', 'audits', 'tags', 'grain', 'grains', 'blueprints', 'signals', 'dialect', 'bigquery', 'physical_properties', 'FULL', 'SEED', 'path', 'csv_settings',
  'INCREMENTAL_BY_TIME_RANGE', 'time_column', 'INCREMENTAL_BY_UNIQUE_KEY', 'unique_key', 'when_matched', 'WHEN', 'SCD_TYPE_2_BY_COLUMN', 'a.b', 'a', '"A b"', '`c`', "'text'", "'",
  '1', '-2', '1.', 'TRUE', 'SELECT', 'FROM', 'WITH', 'INT', 'STRUCT<', '>', '>>', '-- note\n', '/* c */', '/*', '\n', '\r\n', 'JINJA_QUERY_BEGIN;', 'JINJA_END;',
  'ON_VIRTUAL_UPDATE_BEGIN;', 'ON_VIRTUAL_UPDATE_END;', 'BEGIN', 'SET', '$$', '€', '\0',
]; // biome-ignore format: a table

const soup = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(' '));
const header = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 40 })
  .map((pieces) => `MODEL (name a.b, ${pieces.join(' ')}); SELECT 1 AS x`);
const text = fc.oneof(soup, header, fc.string({ unit: 'binary', maxLength: 200 }));

test('any text gives a result whose places lie inside the text', () => {
  const context = loadContext({ variables: { x: "'eu'" } });
  fc.assert(
    fc.property(text, fc.constantFrom(...DIALECTS), (source, dialect) => {
      const results = [
        loadModelFile({ path: 'models/a/b.sql', text: source }, loadContext({ defaults: { dialect } })),
        loadModelFile({ path: 'models/a/b.sql', text: source }, context),
        loadAuditFile({ path: 'audits/b.sql', text: source }, dialect),
      ];
      for (const { diagnostics } of results)
        for (const { at, message } of diagnostics) {
          expect(message).not.toMatch(/(?<!@)\{[a-z]+\}/);
          expect(at === undefined || (0 <= at.start && at.start <= at.end && at.end <= source.length)).toBe(
            true,
          );
        }
    }),
    { numRuns: 1_500 },
  );
});

test('what a file defines is found again at the places it gives', () => {
  fc.assert(
    fc.property(header, (source) => {
      for (const definition of loadModelFile({ path: 'models/a/b.sql', text: source }, loadContext())
        .definitions) {
        if (definition.source.kind !== 'sql') continue;
        const { query } = definition.source;
        expect(source.slice(query.start, query.start + query.text.length)).toBe(query.text);
      }
    }),
    { numRuns: 500 },
  );
});
