/* What came out of a door, in one form. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../../src/domain/engine.ts';
import { type PlainDuckdb, plainDuckdb } from '../support/plain-duckdb.ts';
import type { MemberQuestion, MetricQuestion, Question } from './questions.ts';
import type { Told } from './scan.ts';
import type { CommandEnd, Got } from './served-world.ts';
import { columnsOf, graphqlOf, type Json } from './spell-question.ts';

/** What a door said. */
export interface Observed {
  readonly told: Told;
  readonly status: number;
  readonly code: string;
  readonly rows?: readonly (readonly unknown[])[];
  /** It succeeded, and its rows are not looked at one by one. */
  readonly isAnswered?: true;
  readonly isFailed?: true;
}

export const jsonOf = (got: Got): Json => {
  try {
    return JSON.parse(got.body) as Json;
  } catch {
    return {};
  }
};

export const together = (...all: readonly Told[]): Told => {
  const bytes = all.flatMap((each) => each.bytes ?? []);
  return {
    text: all.map(({ text }) => text).join('\n\n'),
    ...(bytes.length === 0 ? {} : { bytes: Buffer.concat(bytes) }),
  };
};

export type Columns = readonly { readonly name: string }[];

/** Cells in the order in which they are compared: columns may have their model before them. */
export function ordered(question: Question, cols: Columns, rows: readonly (readonly unknown[])[]) {
  if (question.kind === 'sql') return rows;
  // The value of a metric is called `measure` or as the metric is.
  const places = columnsOf(question).map((name) => {
    const names = name === 'measure' && question.kind === 'metric' ? [name, question.metric.name] : [name];
    return cols.findIndex(
      (col) =>
        names.includes(col.name) || col.name.split('.').some((part, at) => at > 0 && names.includes(part)),
    );
  });
  return rows.map((row) => places.map((at) => row[at]));
}

export function statementObserved(question: Question, got: Got, told: Told = got): Observed {
  const body = jsonOf(got);
  const { status } = got;
  if (status >= 400) return { told, status, code: String(body['code']) };
  if (body['status'] === 'FAILED') {
    const { code } = (body['error'] ?? {}) as Json;
    return { told, status, code: String(code), isFailed: true };
  }
  const result = body['result'] as
    | { readonly cols: Columns; readonly rows: readonly (readonly unknown[])[] }
    | undefined;
  return {
    told,
    status,
    code: '',
    ...(result === undefined ? {} : { rows: ordered(question, result.cols, result.rows) }),
  };
}

let reader: Promise<PlainDuckdb> | undefined;

/** Read by another DuckDB than the product's. */
async function readParquet(bytes: Buffer): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-parquet-'));
  try {
    const file = join(folder, 'result.parquet');
    writeFileSync(file, bytes);
    reader ??= plainDuckdb(folder);
    return await (await reader).query(`SELECT * FROM '${file}'`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rows of a result in a format; the columnar one that nothing here reads is looked through. */
export async function rowsIn(
  question: Question,
  format: string,
  got: Got,
): Promise<Pick<Observed, 'rows' | 'isAnswered'>> {
  switch (format) {
    case 'json': {
      const { cols, rows } = jsonOf(got) as unknown as {
        cols: Columns;
        rows: readonly (readonly unknown[])[];
      };
      return { rows: ordered(question, cols, rows) };
    }
    case 'csv': {
      const [head = '', ...lines] = got.body.split('\r\n').slice(0, -1);
      const cols = head.split(',').map((name) => ({ name: name.replaceAll('"', '') }));
      const rows = lines.map((line) => line.split(',').map((cell) => (cell === '' ? null : cell)));
      return { rows: ordered(question, cols, rows) };
    }
    case 'ndjson': {
      const records = got.body
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Json);
      const cols = Object.keys(records[0] ?? {}).map((name) => ({ name }));
      return {
        rows: ordered(
          question,
          cols,
          records.map((record) => Object.values(record)),
        ),
      };
    }
    case 'parquet': {
      const { columns, rows } = await readParquet(got.bytes ?? Buffer.alloc(0));
      return { rows: ordered(question, columns, rows) };
    }
    default:
      return { isAnswered: true };
  }
}

/** A GraphQL answer; what is not in the schema is refused by being wrong. */
export function graphqlObserved(question: MemberQuestion | MetricQuestion, got: Got): Observed {
  const { root, paths } = graphqlOf(question);
  const body = jsonOf(got) as {
    readonly data?: Json;
    readonly errors?: readonly { readonly extensions?: Json }[];
    readonly code?: string;
  };
  const told = got;
  const [error] = body.errors ?? [];
  if (got.status >= 400 || error !== undefined)
    return { told, status: got.status, code: String(error?.extensions?.['code'] ?? body.code) };
  const records = (body.data?.[root] ?? []) as readonly Json[];
  const rows = records.map((record) =>
    paths.map((path) => path.reduce<unknown>((at, step) => (at as Json)[step], record)),
  );
  return { told, status: got.status, code: '', rows };
}

export function observedOfCommand(question: Question, end: CommandEnd): Observed {
  const told: Told = end;
  const line = end.stdout.trimEnd().split('\n').at(-1) ?? '';
  if (end.code === 0 && !line.startsWith('{')) return { told, status: 200, code: '', isAnswered: true };
  if (!line.startsWith('{')) return refusedCommand(told, /^error ([\w.-]+):/m.exec(end.text)?.[1] ?? '');
  const {
    ok,
    data,
    error,
    diagnostics = [],
  } = JSON.parse(line) as {
    readonly ok: boolean;
    readonly data?: { readonly cols: Columns; readonly rows: readonly (readonly unknown[])[] };
    readonly error?: Json;
    readonly diagnostics?: readonly Json[];
  };
  if (ok && data !== undefined)
    return { told, status: 200, code: '', rows: ordered(question, data.cols, data.rows) };
  return refusedCommand(told, String(error?.['code'] ?? diagnostics[0]?.['code']));
}

const refusedCommand = (told: Told, code: string): Observed => ({
  told,
  status: 403,
  code,
  ...(code.startsWith('engine.') ? { isFailed: true } : {}),
});
