import { QUESTION_DIALECTS } from '../foundation/sql/dialect.ts';
import type { Command, CommandOption } from './command.ts';

const ENV: CommandOption = {
  name: 'env',
  value: 'NAME',
  summary: 'the environment (default: prod)',
  completion: 'environments',
};

/** The commands that ask and check the semantics. */
export const SEMANTIC_COMMANDS: readonly Command[] = [
  {
    name: 'query',
    summary: 'ask the semantics, or read an environment with SQL',
    details: [
      'A question names measures and dimensions, metrics, or is a JSON query. Members are model.member; beside --metric, names without a dot are columns of the metric.',
      'With --sql, models are tables under their own names, whatever the environment. The text is inspected like one that a server is asked: nothing can be written, and no file can be read.',
      'Rows come from the views of the environment, and semantic models and metrics are those it was planned with; --local takes those of the project folder.',
    ],
    arguments: [],
    options: [
      { name: 'measures', value: 'LIST', summary: 'measures, with commas between them', group: 'Members' },
      { name: 'dimensions', value: 'LIST', summary: 'what to group by', group: 'Members' },
      {
        name: 'time',
        value: 'DIM:GRAIN:RANGE',
        summary:
          'a time dimension, its granularity (may be empty) and a range such as 2025-01-01..2025-12-31 or last 6 months (may be left out)',
        group: 'Members',
      },
      { name: 'segments', value: 'LIST', summary: 'named filters', group: 'Members' },
      {
        name: 'filter',
        value: 'FILTER',
        summary:
          "MEMBER OPERATOR VALUES, such as 'orders.status = completed,returned', or a JSON filter; may be repeated",
        group: 'Members',
      },
      {
        name: 'order',
        value: 'LIST',
        summary: 'members, each with :desc where it goes down',
        group: 'Members',
      },
      {
        name: 'metric',
        value: 'NAME',
        mayBeEmpty: true,
        summary: 'a metric by its time; may be repeated',
        group: 'Metrics',
      },
      {
        name: 'granularity',
        value: 'GRAIN',
        summary: "of the metric's time (default: the metric's own); none for one number over all time",
        group: 'Metrics',
      },
      {
        name: 'query',
        value: 'JSON',
        summary: 'a whole query as JSON, @file, or - for stdin',
        group: 'Whole queries',
      },
      { name: 'sql', value: 'SQL', summary: 'SQL, @file, or - for stdin', group: 'Whole queries' },
      { ...ENV, group: 'How' },
      {
        name: 'local',
        summary: 'by the definitions in the project folder, not by those that were planned',
        group: 'How',
      },
      { name: 'limit', value: 'N', summary: 'at most so many rows', group: 'How' },
      {
        name: 'timezone',
        value: 'ZONE',
        summary: 'where days and months begin (default: UTC)',
        group: 'How',
      },
      { name: 'total', summary: 'also count the rows without limit', group: 'How' },
      {
        name: 'as-group',
        value: 'GROUP',
        summary: 'under the policies of a group (default: all rows); may be repeated',
        group: 'How',
      },
      {
        name: 'format',
        value: 'FORMAT',
        choices: ['table', 'csv', 'json', 'ndjson', 'parquet', 'arrow'],
        summary: 'table (default), csv, json, ndjson, parquet or arrow (an IPC stream)',
        group: 'Output',
      },
      {
        name: 'output',
        short: 'o',
        value: 'FILE',
        summary: 'write the answer to a file',
        group: 'Output',
        completion: 'files',
      },
      { name: 'chart', summary: 'draw bars, or a line over time', group: 'Output' },
      { name: 'show-sql', summary: 'print the SQL, run nothing', group: 'Output' },
      { name: 'explain', summary: 'print what the query means, run nothing', group: 'Output' },
    ],
    examples: [
      { line: 'plinth query --metric revenue_by_month --dimensions region', does: 'a metric by its time' },
      {
        line: 'plinth query --measures orders.revenue --time orders.order_date:month --chart',
        does: 'a measure over time, as a picture',
      },
      { line: "plinth query --sql 'SELECT * FROM marts.orders LIMIT 10'", does: 'rows of a model' },
    ],
    load: () => import('./commands/query.ts'),
  },
  {
    name: 'transpile',
    summary: 'print a question as SQL of any dialect; nothing runs',
    arguments: [
      {
        name: 'query',
        summary: 'the question: a text, @file, or - for stdin (default)',
        completion: 'files',
      },
    ],
    options: [
      {
        name: 'from',
        value: 'FORM',
        choices: ['json', 'sql'],
        summary: 'json (default): a semantic query; sql: SQL over semantic models and metrics',
      },
      {
        name: 'to',
        value: 'DIALECT',
        choices: QUESTION_DIALECTS,
        summary: 'the dialect to write',
      },
      ENV,
    ],
    examples: [
      {
        line: `plinth transpile --to postgres '{"measures": ["orders.revenue"], "dimensions": ["orders.region"]}'`,
        does: 'a JSON query',
      },
      { line: 'plinth transpile --to snowflake @question.json', does: 'from a file' },
      { line: 'plinth transpile --from sql --to bigquery @question.sql', does: 'SQL over the semantics' },
    ],
    load: () => import('./commands/transpile.ts'),
  },
  {
    name: 'metrics',
    summary: 'list the metrics, or show one',
    arguments: [{ name: 'metric', summary: 'name of a metric' }],
    options: [],
    examples: [
      { line: 'plinth metrics', does: 'all of them' },
      { line: 'plinth metrics revenue_by_month', does: 'what one is made of' },
      { line: 'plinth metrics --json', does: 'for programs' },
    ],
    load: () => import('./commands/metrics.ts'),
  },
  {
    name: 'validate',
    summary: 'check the project, and whether its rows fit its semantics',
    details: [
      'Without --data only files are read; exit code 2 when one is wrong.',
      'With --data the rows of an environment are counted where a primary key is NULL or not unique, where a join matches more rows than it declares, and where a time that metrics or rollups count by is NULL; exit code 1 when there are any.',
    ],
    arguments: [],
    options: [{ name: 'data', summary: 'look at the rows of an environment, too' }, ENV],
    examples: [
      { line: 'plinth validate', does: 'all files' },
      { line: 'plinth validate --data', does: 'and the rows of prod' },
      { line: 'plinth validate --data --env dev --json', does: 'of another environment, for programs' },
    ],
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'test',
    summary: 'run the tests of the project',
    details: [
      'Each test of a model or of a semantic query runs on its own input rows, in memory unless its gateway has a test_connection. Rows are compared in order only when the query orders them. Exit code 1 when a test fails or was not run.',
      '-k takes a part of file::name, or a pattern with *, and joins several with and, or, not.',
    ],
    arguments: [
      {
        name: 'tests',
        summary: 'names with * for any letters, files, file::name, models (default: all)',
        isMany: true,
      },
    ],
    options: [
      { name: 'match', short: 'k', value: 'EXPR', summary: 'only tests that match; may be repeated' },
      { name: 'junit', value: 'FILE', summary: 'also write the results as JUnit XML', completion: 'files' },
    ],
    examples: [
      { line: 'plinth test', does: 'all of them' },
      { line: "plinth test 'test_revenue*' -k 'orders and not slow'", does: 'some' },
      { line: 'plinth test --junit report.xml', does: 'for CI' },
    ],
    load: () => import('./commands/test.ts'),
  },
  {
    name: 'create-test',
    nameElsewhere: 'create_test',
    summary: 'write a test of a model out of live data',
    details: [
      'The queries run in the warehouse of the gateway; their rows become the inputs of the test, and what the model makes of them in a test is what it expects. Look at the file before it is kept: its rows are copies of real data.',
    ],
    arguments: [{ name: 'model', summary: 'name of a model', isRequired: true, completion: 'models' }],
    options: [
      {
        name: 'query',
        value: 'TABLE SQL',
        isPair: true,
        summary: 'rows of a table that the model reads (repeatable)',
      },
      { name: 'var', value: 'NAME VALUE', isPair: true, summary: 'a variable of the test (repeatable)' },
      { name: 'name', short: 'n', value: 'NAME', summary: 'name of the test (default: test_ and the model)' },
      {
        name: 'path',
        value: 'FILE',
        summary: 'file below tests/ (default: the name of the test)',
      },
      { name: 'include-ctes', summary: 'also expect the rows of common table expressions' },
      { name: 'overwrite', summary: 'replace the file if it exists' },
    ],
    examples: [
      {
        line: "plinth create-test marts.revenue --query staging.orders 'SELECT * FROM staging.orders LIMIT 5'",
        does: 'into tests/test_revenue.yaml',
      },
      {
        line: "plinth create-test marts.revenue --query staging.orders 'SELECT * FROM staging.orders' --var start 2024-01-01 --overwrite",
        does: 'with the time it takes place, replacing the file',
      },
      {
        line: "plinth create-test marts.revenue --query staging.orders 'SELECT * FROM staging.orders' --include-ctes --json",
        does: 'with the common table expressions',
      },
    ],
    load: () => import('./commands/create-test.ts'),
  },
];
