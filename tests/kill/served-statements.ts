/*
 * The real server with statements under way: six clients ask over HTTP and remember what was acknowledged. An answer that
 * was not received promises nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from '../e2e/run-plinth.ts';
import { type KillQuestion, questionOf } from './statement-questions.ts';

const CLIENTS = 6;
/** More would only wait longer. */
const UNDER_WAY_MAX = 8;

export interface StatementBody {
  readonly id: string;
  readonly status: string;
  readonly strategy: string;
  readonly submitted_at: string;
  readonly finished_at?: string;
  readonly row_count?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Acknowledged: its question, and what a cancel was answered with. */
export interface Acknowledged {
  readonly question: KillQuestion;
  strategy: string;
  cancelled?: string;
}

export interface StatementServer {
  readonly child: ChildProcess;
  readonly base: string;
  readonly complaint: () => string;
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, body?: unknown) => Promise<Response>;
  /** Ends it as a user would. */
  stop(): Promise<void>;
}

/** Serves a planned folder; undefined when it was killed before it listened. */
export async function startStatementServer(
  folder: string,
  { below = [], begun }: { readonly below?: readonly string[]; readonly begun?: (pid: number) => void } = {},
): Promise<StatementServer | undefined> {
  const words = [...below, PROGRAM, 'serve', '--port', '0', '--json', '--no-scheduler', '--auth', 'disabled'];
  const [program = '', ...args] = words;
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  begun?.(child.pid ?? 0);
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    // Every request has a line, which says nothing here.
    stderr += chunk
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.includes('"level":"info"'))
      .join('\n');
  });
  const line = await new Promise<string | undefined>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.includes('\n')) resolve(stdout.split('\n')[0]);
    });
    child.on('exit', () => resolve(undefined));
  });
  if (line === undefined) return undefined;
  const { products } = JSON.parse(line) as { products: readonly { readonly base_url: string }[] };
  const base = products[0]?.base_url ?? '';
  return {
    child,
    base,
    complaint: () => stderr,
    get: (path) => fetch(`${base}${path}`),
    post: (path, body = {}) =>
      fetch(`${base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGTERM');
      await Promise.race([gone, sleep(20_000).then(() => child.kill('SIGKILL'))]);
    },
  };
}

/** Clients that ask until they are told to stop, or nobody answers. */
export class AskingClients {
  readonly acknowledged = new Map<string, Acknowledged>();
  readonly problems: string[] = [];
  readonly #server: StatementServer;
  readonly #bits: () => number;
  #next: number;
  #isOver = false;
  #underWay = 0;
  readonly ended: Promise<unknown>;

  constructor(
    server: StatementServer,
    { from, bits }: { readonly from: number; readonly bits: () => number },
  ) {
    this.#server = server;
    this.#bits = bits;
    this.#next = from;
    this.ended = Promise.all(Array.from({ length: CLIENTS }, () => this.#ask()));
  }

  stop(): void {
    this.#isOver = true;
  }

  async #ask(): Promise<void> {
    while (!this.#isOver) {
      if (this.#underWay >= UNDER_WAY_MAX) {
        await sleep(10);
        continue;
      }
      this.#underWay++;
      try {
        await this.#askOnce(this.#next++);
      } catch (error) {
        // `fetch` has no other words for a connection that is gone.
        if (!(error instanceof TypeError)) throw error;
        await sleep(20);
        if (isGone(this.#server.child)) return;
      } finally {
        this.#underWay--;
      }
    }
  }

  async #askOnce(n: number): Promise<void> {
    const question = questionOf(n);
    const { get, post } = this.#server;
    const answer = await post('/query/statement', {
      sql: question.sql,
      cache: n % 3 !== 0,
      ...(question.timeout === undefined ? {} : { timeout: question.timeout }),
    });
    const body = (await answer.json()) as StatementBody & { readonly code?: string };
    if (answer.status !== 200 && answer.status !== 202) {
      // A question is also inspected by the engine, which may have been killed just then.
      if (body.code !== 'engine.lost') this.problems.push(`${answer.status} ${JSON.stringify(body)}`);
      return;
    }
    const { id } = body;
    const mine: Acknowledged = { question, strategy: body.strategy };
    this.acknowledged.set(id, mine);
    if (question.isCancelled === true) {
      await sleep(this.#bits() % 120);
      mine.cancelled = ((await (await post(`/query/statement/${id}/cancel`)).json()) as StatementBody).status;
      return;
    }
    let { status } = body;
    for (let i = 0; i < 50 && !isEnd(status) && !this.#isOver; i++)
      status = ((await (await get(`/query/statement/${id}?wait=0.2`)).json()) as StatementBody).status;
    if (question.isFetched === true && status === 'SUCCESS')
      await (await get(`/query/statement/${id}/result?format=parquet`)).arrayBuffer();
  }
}

export function isEnd(status: string): boolean {
  return status === 'SUCCESS' || status === 'FAILED' || status === 'CANCELLED';
}

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

export function exchangeFolder(folder: string): string {
  return join(folder, '.plinth', 'exchange', 'parquet');
}
