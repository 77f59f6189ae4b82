import type { QueryMember, TestCell, TestRow } from '../../../domain/model-test.ts';
import { either, list, object, optional, record } from '../../../foundation/yaml/collection-schemas.ts';
import type { Data } from '../../../foundation/yaml/data.ts';
import type { Located } from '../../../foundation/yaml/located.ts';
import { named } from '../../../foundation/yaml/named-schemas.ts';
import { data, flag, language, located, text, word } from '../../../foundation/yaml/scalar-schemas.ts';
import type { Schema, ValueOf } from '../../../foundation/yaml/schema.ts';
import { cellValue } from './cell-value.ts';
import { queryMembers } from './query-members.ts';

/** A row keeps the spelling of its numbers and the place of its columns; a row that is not a map is kept as undefined for the loader to report. */
export interface WrittenRow {
  readonly row?: TestRow;
  readonly found: 'map' | 'list' | 'value';
  readonly start: number;
  readonly end: number;
}

function rowSchema(): Schema<WrittenRow> {
  return {
    expected: 'a row (a map from columns to values)',
    accepts: () => true,
    read: (node) => {
      const place = { start: node.start, end: node.end };
      if (node.kind !== 'map') return { found: node.kind === 'list' ? 'list' : 'value', ...place };
      const row: TestCell[] = node.entries.map(({ key, value }) => ({
        column: key.text,
        value: cellValue(value),
        start: key.start,
        end: key.end,
      }));
      return { row, found: 'map', ...place };
    },
    json: () => ({ type: 'object' }),
  };
}

/** A semantic query as plain data, with the members it names beside it. */
function semanticQuery(): Schema<Located<Data> & { readonly members: readonly QueryMember[] }> {
  const plain = located(data('read by the reader of semantic queries'));
  return {
    ...plain,
    read(node, reader) {
      const read = plain.read(node, reader);
      return read === undefined ? undefined : { ...read, members: queryMembers(node) };
    },
  };
}

const rows = list(rowSchema());

const csvSettings = named(
  'csv_settings',
  object(
    {
      delimiter: optional(text(), 'The character between values.', ['sep']),
      quotechar: optional(text(), 'The character around values.'),
      doublequote: optional(flag(), 'Whether a doubled quote is a quote.'),
      escapechar: optional(text(), 'The escape character.'),
      skipinitialspace: optional(flag(), 'Whether blanks after a delimiter are skipped.'),
      lineterminator: optional(text(), 'What ends a line.'),
      encoding: optional(text(), 'The encoding of the file.'),
      na_values: optional(list(text(), { acceptsOne: true }), 'Texts that mean NULL.'),
      keep_default_na: optional(flag(), 'Whether the usual texts for NULL count, too.'),
    },
    { name: 'csv_settings' },
  ),
);

const tableFields = {
  rows: optional(either(rows, located(text())), 'The rows: a list, or text when format is csv.'),
  query: optional(language('a query'), 'A query that gives the rows.'),
  columns: optional(record(located(text()), { name: 'a map from columns to types' }), 'Types of columns.'),
  format: optional(word(['csv', 'yaml']), 'The format of rows or path.'),
  path: optional(located(text()), 'A file with the rows, relative to the project.'),
  csv_settings: optional(csvSettings, 'How CSV is read.'),
  partial: optional(flag(), 'Whether columns that are not mentioned are left out of the comparison.'),
};

const table = located(either(rows, named('table', object(tableFields, { name: 'a table of a test' }))));

const modelTest = object(
  {
    model: optional(located(text()), 'The model that is tested.'),
    semantic_query: optional(semanticQuery(), 'The semantic query that is tested, in place of a model.'),
    as: optional(
      named(
        'test_caller',
        object(
          {
            groups: optional(
              list(located(text()), { acceptsOne: true }),
              'The groups that the caller is in.',
            ),
            principal: optional(
              located(text()),
              'A name of users or access in config.yaml; its groups and exemptions hold.',
            ),
          },
          { name: 'who asks' },
        ),
      ),
      'Who asks the semantic query, so that policies hold; without it nothing is hidden. {} is a caller in no group.',
    ),
    error: optional(located(text()), 'The code with which the semantic query is refused, in place of rows.'),
    description: optional(text(), 'What the test shows.'),
    gateway: optional(located(text()), 'The gateway whose test connection runs it.'),
    schema: optional(text(), 'A fixed name for the schema of the input tables.'),
    inputs: optional(
      record(table, { name: 'a map from tables to rows' }),
      'Rows of the tables the model reads.',
    ),
    outputs: optional(
      object(
        {
          query: optional(table, 'The expected rows.'),
          ctes: optional(
            record(table, { name: 'a map from common table expressions to rows' }),
            'The expected rows of common table expressions.',
          ),
          partial: optional(flag(), 'Whether columns that are not mentioned are left out of the comparison.'),
          rows: optional(rows, 'The expected rows of a semantic query.'),
        },
        { name: 'outputs' },
      ),
      'What is expected.',
    ),
    rows: optional(rows, 'The expected rows of a semantic query.'),
    vars: optional(
      record(data("values of variables are the user's own"), { name: 'a map of variables' }),
      'Variables; start, end and execution_time freeze time.',
    ),
  },
  { name: 'a model test' },
);

/** A file of tests: name → test. */
export const modelTestsSchema: Schema<
  readonly { readonly key: Located<string>; readonly value: ModelTestValue }[]
> = record(modelTest, { name: 'a map from test names to tests' });

export type ModelTestValue = ValueOf<typeof modelTest>;
export type TestTableValue = ValueOf<typeof table>;
export type CsvSettingsValue = ValueOf<typeof csvSettings>;
