/** Has calls made by processes of their own, which are replaced when they end; a call that ended one is made once more, alone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type KeeperSettings, keeperSettings } from '../../src/adapters/engines/duckdb/duckdb-config.ts';
import type { Call } from './calls.ts';
import type { Line, Told } from './child.ts';

export type Outcome = Told | 'crash';

export interface Made extends Call {
  readonly outcome: Outcome;
  readonly detail: string;
  readonly ms: number;
}

/** What must not happen: the keeper, and with it everyone's work, would be lost. */
export const FATAL: ReadonlySet<Outcome> = new Set(['crash', 'internal error', 'too much memory']);

export interface RunOptions {
  /** How long a call may run before it is interrupted. */
  readonly runMs: number;
  /** Without the bounds of functions: how the list of what to bound is made. */
  readonly isUnbounded: boolean;
  /** Begins nothing after this time of `performance.now()`. */
  readonly until: number;
  readonly say?: (line: string) => void;
}

/** Small enough for a shared machine, large enough for the values. */
const MEMORY = '512MB';
/** Address space that Node reserves to strip types, which a keeper that is built does not need. */
const STRIPPING_BYTES = 4 * 1024 ** 3;
/** CPU seconds of one process, which makes many calls. */
const CPU_S = 1_200;

export async function makeCalls(calls: readonly Call[], options: RunOptions): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (let next = 0; next < calls.length && performance.now() < options.until; ) {
    const some = await batch(calls.slice(next), options);
    const last = some.at(-1);
    made.push(...some);
    // A process that ends before its first call says nothing of the call.
    if (last === undefined) throw new Error('a process of the campaign ended before it made a call');
    next += some.length;
    if (!endsProcess(last.outcome)) continue;
    options.say?.(`${last.outcome} ${last.sql.slice(0, 150)}`);
    if (some.length === 1) continue;
    const [alone] = await batch([calls[next - 1] as Call], options);
    if (alone !== undefined && alone.outcome !== last.outcome)
      made[made.length - 1] = { ...last, detail: `${last.detail} (alone: ${alone.outcome})` };
  }
  return made;
}

const endsProcess = (outcome: Outcome): boolean => FATAL.has(outcome) || outcome === 'ignores interrupts';

/** Makes calls until the process ends, for whatever reason. */
function batch(calls: readonly Call[], { runMs, isUnbounded, until }: RunOptions): Promise<readonly Made[]> {
  const settings = keeperSettings(
    {
      database: ':memory:',
      folder: '/',
      connection: { connector_config: { memory_limit: MEMORY, threads: 2, temp_directory: '' } },
    },
    ':memory:',
  );
  const child = start(settings, { runMs, isUnbounded });
  const made: Made[] = [];
  let begun: number | undefined;
  const send = (): void => {
    const call = calls[made.length];
    if (call === undefined || performance.now() > until) child.stdin?.end();
    else child.stdin?.write(`${JSON.stringify({ id: made.length, sql: call.sql })}\n`);
  };
  // It may have ended before it read all.
  child.stdin?.on('error', () => undefined);
  if (child.stdout === null) throw new Error('a child has a stdout');
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { id, told, detail = '', ms = 0 } = JSON.parse(text) as Line;
    const call = calls[id] as Call;
    if (told === undefined) {
      begun = id;
      return;
    }
    made.push({ ...call, outcome: told, detail, ms });
    begun = undefined;
    send();
  });
  let words = '';
  child.stderr?.on('data', (piece: Buffer) => {
    words = (words + piece.toString()).slice(-2_000);
  });
  send();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (begun !== undefined)
        made.push({
          ...(calls[begun] as Call),
          outcome: 'crash',
          detail: `${signal ?? `exit ${code}`} ${words.slice(0, 300)}`.trim(),
          ms: 0,
        });
      else if (made.length === 0)
        reject(new Error(`a process of the campaign ended: ${signal ?? code} ${words}`));
      resolve(made);
    });
  });
}

function start(
  settings: KeeperSettings,
  { runMs, isUnbounded }: Pick<RunOptions, 'runMs' | 'isUnbounded'>,
): ChildProcess {
  const limits = `ulimit -c 0; ulimit -t ${CPU_S}; ulimit -v ${Math.round((settings.addressMax + STRIPPING_BYTES) / 1024)}`;
  const words = [
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, 'child.ts'),
    JSON.stringify({ settings, runMs }),
  ];
  return spawn('/bin/sh', ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...words], {
    env: {
      ...process.env,
      UV_THREADPOOL_SIZE: '32',
      TZ: 'UTC',
      NODE_OPTIONS: '',
      ...(isUnbounded ? { PLINTH_TEST_UNBOUNDED: '1' } : {}),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}
