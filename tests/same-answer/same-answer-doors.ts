/** Every door that a question can come in by, and its answer in one form. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { DataProductClient, DataProductError } from '../../src/client/index.ts';
import { PYTHON_FOLDER, type ReadyPython } from '../e2e/python-venv.ts';
import { envelope, runPlinth } from '../e2e/run-plinth.ts';
import type { ServedProject } from '../e2e/served-project.ts';

export type Json = Readonly<Record<string, unknown>>;
export type Rows = readonly (readonly unknown[])[];

/** Rows with what is known of their columns, or why there are none. */
export type Answer =
  | { readonly kind: 'rows'; readonly cols: readonly Column[]; readonly rows: Rows; readonly id?: string }
  | { readonly kind: 'refused'; readonly code: string };

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly engine_type: string;
}

/** A group of people, one token. */
export interface Person {
  readonly token: string;
  readonly group: string;
}

const FORMATS = ['csv', 'ndjson'] as const;

/** Doors of one served project. */
export class Doors {
  readonly #served: ServedProject;
  readonly #base: string;
  readonly #python: PythonProcess | undefined;

  constructor(served: ServedProject, python: ReadyPython | undefined) {
    this.#served = served;
    const [product] = served.products;
    this.#base = product?.base_url ?? '';
    this.#python =
      python === undefined
        ? undefined
        : new PythonProcess(python, [served.url, product?.name ?? '', product?.tenant ?? '']);
  }

  get hasPython(): boolean {
    return this.#python !== undefined;
  }

  async close(): Promise<void> {
    await this.#python?.close();
    await this.#served.stop();
  }

  async #send(person: Person, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
    const answer = await fetch(`${this.#base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${person.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  }

  /** A question over HTTP; 422 and 403 are refusals, anything else but a finished statement is a failure of the test. */
  async http(person: Person, path: string, body?: unknown): Promise<Answer> {
    const { status, body: answer } = await this.#send(person, path, body);
    return status === 422 || status === 403
      ? { kind: 'refused', code: String(answer['code']) }
      : answerOf(status, answer);
  }

  /** The door of statements, asked as its clients do: submit, ask again, fetch. */
  async statement(person: Person, sql: string): Promise<Answer> {
    const { status, body } = await this.#send(person, '/query/statement', { statement: sql });
    if (status === 422 || status === 403) return { kind: 'refused', code: String(body['code']) };
    const ended = await this.#send(person, `/query/statement/${String(body['id'])}?wait=25`);
    expect(ended.body['status'], JSON.stringify(ended.body)).toBe('SUCCESS');
    const result = await this.#send(person, `/query/statement/${String(body['id'])}/result`);
    expect(result.status).toBe(200);
    return rowsOf(result.body, String(body['id']));
  }

  /** Cells of a GraphQL answer in the order of the paths. */
  async graphql(
    person: Person,
    { query, root, paths }: { query: string; root: string; paths: readonly (readonly string[])[] },
  ): Promise<{ readonly rows: Rows } | { readonly code: string }> {
    const { body } = await this.#send(person, '/query/semantic/graphql', { query });
    return flat(body, root, paths);
  }

  /** Files of a statement as rows of texts: `undefined` where CSV has nothing. */
  async files(
    person: Person,
    id: string,
  ): Promise<{ readonly csv: readonly (readonly (string | undefined)[])[]; readonly ndjson: Rows }> {
    const [csv = '', ndjson = ''] = await Promise.all(
      FORMATS.map(async (format) => {
        const answer = await fetch(`${this.#base}/query/statement/${id}/result?format=${format}`, {
          headers: { authorization: `Bearer ${person.token}` },
        });
        expect(answer.status).toBe(200);
        return answer.text();
      }),
    );
    return {
      csv: readCsv(csv).slice(1),
      ndjson: ndjson
        .split('\n')
        .slice(0, -1)
        .map((line) => Object.values(JSON.parse(line) as Json)),
    };
  }

  client({ token }: Person): DataProductClient {
    const [product] = this.#served.products;
    return new DataProductClient({
      fqdn: this.#served.url,
      dpName: product?.name ?? '',
      tenant: product?.tenant ?? '',
      accessToken: token,
    });
  }

  async python(person: Person, asked: Json): Promise<Json> {
    const answer = await (this.#python as PythonProcess).ask({ ...asked, token: person.token });
    expect(answer['broken'], JSON.stringify(asked)).toBeUndefined();
    return answer;
  }

  async cli({ group }: Person, args: readonly string[]): Promise<Answer> {
    const ended = await runPlinth(['query', ...args, '--as-group', group, '--json'], {
      cwd: this.#served.folder,
      variables: { PLINTH_NOW: '2025-06-15' },
    });
    const { ok, data, error } = envelope(ended);
    if (!ok) return { kind: 'refused', code: String(error?.['code']) };
    const { cols, rows } = data as unknown as { cols: readonly { name: string; type: string }[]; rows: Rows };
    return {
      kind: 'rows',
      rows,
      cols: cols.map(({ name, type }) => ({ name, type: '', engine_type: type })),
    };
  }
}

/** What the client of this language answers. */
export async function typescript(work: () => Promise<Json>): Promise<Answer> {
  try {
    return answerOf(200, await work());
  } catch (error) {
    if (!(error instanceof DataProductError)) throw error;
    return { kind: 'refused', code: String(error.code) };
  }
}

function answerOf(status: number, statement: Json): Answer {
  expect(status, JSON.stringify(statement)).toBe(200);
  expect(statement['status'], JSON.stringify(statement)).toBe('SUCCESS');
  return rowsOf(statement['result'] as Json, String(statement['id']));
}

function rowsOf(result: Json, id: string): Answer {
  expect(result['next']).toBeNull();
  return { kind: 'rows', cols: result['cols'] as readonly Column[], rows: result['rows'] as Rows, id };
}

/** Cells of a GraphQL answer in the order of the paths. */
export function flat(
  answer: Json,
  root: string,
  paths: readonly (readonly string[])[],
): { readonly rows: Rows } | { readonly code: string } {
  const [error] = (answer['errors'] ?? []) as readonly { readonly extensions: Json }[];
  if (error !== undefined) return { code: String(error.extensions['code']) };
  const data = answer['data'] as Readonly<Record<string, readonly Json[]>>;
  return {
    rows: (data[root] ?? []).map((row) =>
      paths.map((path) => path.reduce<unknown>((at, step) => (at as Json)[step], row)),
    ),
  };
}

/** RFC 4180; nothing between commas is not the same as an empty text in quotes. */
export function readCsv(text: string): readonly (readonly (string | undefined)[])[] {
  const rows: (string | undefined)[][] = [];
  let row: (string | undefined)[] = [];
  for (let at = 0; at < text.length; ) {
    let cell: string | undefined;
    if (text[at] === '"') {
      cell = '';
      for (at++; ; at++) {
        if (text[at] === '"' && text[at + 1] !== '"') break;
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else {
      const [plain = ''] = /^[^,\r]*/.exec(text.slice(at)) ?? [];
      cell = plain === '' ? undefined : plain;
      at += plain.length;
    }
    row.push(cell);
    if (text[at] === ',') {
      at++;
      continue;
    }
    expect(text.slice(at, at + 2)).toBe('\r\n');
    at += 2;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** One Python for all questions: it answers a line with a line. */
class PythonProcess {
  readonly #child: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];
  #said = '';

  constructor({ program }: ReadyPython, args: readonly string[]) {
    this.#child = spawn(program, [join(import.meta.dirname, 'answers_in_python.py'), ...args], {
      env: { ...process.env, PYTHONPATH: join(PYTHON_FOLDER, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
      this.#waiting.shift()?.(line),
    );
    this.#child.on('close', () => {
      for (const tell of this.#waiting.splice(0)) tell(JSON.stringify({ broken: this.#said }));
    });
  }

  async ask(question: Json): Promise<Json> {
    const line = new Promise<string>((resolve) => this.#waiting.push(resolve));
    this.#child.stdin?.write(`${JSON.stringify(question)}\n`);
    return JSON.parse(await line) as Json;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.on('close', () => resolve());
      this.#child.stdin?.end();
    });
  }
}
