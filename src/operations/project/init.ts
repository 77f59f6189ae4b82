import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Failure, failure } from '../../domain/failure.ts';
import type { FileWriter } from '../../domain/file-writer.ts';
import { openExample } from '../workspace.ts';

/** What was made: paths that were written and paths that were there already and were left alone. */
export interface InitResult {
  readonly created: readonly string[];
  readonly kept: readonly string[];
}

export interface InitRequest {
  /** An example of the package; undefined for a project with one model. */
  readonly example: string | undefined;
  /** Work in a folder that is not empty. */
  readonly isForced: boolean;
}

/** Makes a project in a folder; refuses one that is in use, and never overwrites a file. */
export function init(writer: FileWriter, { example, isForced }: InitRequest): InitResult {
  const present = writer.entries()?.filter((name) => name !== '.git' && name !== '.DS_Store') ?? [];
  if (present.length > 0 && !isForced)
    throw new Failure(diagnostic('cli.folder-not-empty', { folder: writer.folder }));
  const files = example === undefined ? EMPTY_PROJECT : openExample(example);
  if (files === undefined) throw failure('cli.no-example', {});
  const created: string[] = [];
  const kept: string[] = [];
  for (const { path, text } of files) (writer.create(path, text) ? created : kept).push(path);
  return { created, kept };
}

const EMPTY_PROJECT: readonly { readonly path: string; readonly text: string }[] = [
  {
    path: 'config.yaml',
    text: `# Every key has a default; plinth schema config prints all of them.
model_defaults:
  dialect: duckdb
  start: '2025-01-01'
  cron: '@daily'
`,
  },
  {
    path: 'models/marts/first_model.sql',
    text: `MODEL (
  name marts.first_model,
  kind FULL,
  owner me,
  description 'One row, to see that everything works'
);

SELECT
  1 AS id,
  'hello' AS greeting
`,
  },
  { path: '.gitignore', text: '.plinth/\n*.duckdb\n*.duckdb.wal\ndata/\n' },
];
