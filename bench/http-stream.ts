import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpConnection, requestBytes } from './http-connection.ts';
import { type BenchProject, cpuMs, credentials, type Served, serve } from './http-served.ts';

// Large results from end to end, and what the memory of the API process does meanwhile. For each figure a new server, so that
// its memory knows nothing of the one before; results outlive servers, so that rows are made once and fetched by the next.

const FORMATS = ['csv', 'ndjson', 'arrow'] as const;
type Format = (typeof FORMATS)[number];
/** Written to a process's `clear_refs` it makes the high-water mark begin anew. */
const RESET_PEAK = '5';
const SLOW_MS = 8000;

/** Memory of the server over that of the idle one, and how long it took. */
export interface StreamFigures {
  readonly rows: number;
  readonly phase: 'execute' | Format | `${Format}, slow reader` | `${Format}, wide rows`;
  readonly idleMb: number;
  readonly growthMb: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Of the server alone: what else the machine does is not in it. */
  readonly cpuSeconds: number;
}

const sqlOf = (rows: number): string =>
  `SELECT i AS id, 'customer ' || (i % 100003) AS customer, (i * 7 % 1000003 / 100)::DECIMAL(12, 2) AS amount, ` +
  `DATE '2020-01-01' + (i % 2000)::INTEGER AS day, i % 3 = 0 AS is_returned FROM range(${rows}) AS t(i)`;

/** Rows of eight kilobytes: what is held must not grow with them either. */
const WIDE_PER_ROW = 200;
const wideSqlOf = (rows: number): string =>
  `SELECT i AS id, repeat('customer ' || (i % 100003), 400) AS text, repeat('é"' || i % 7, 400) AS quoted ` +
  `FROM range(${rows}) AS t(i)`;

/** Executes and streams results of these sizes. */
export async function measureStreams(
  project: BenchProject,
  sizes: readonly number[],
  {
    onFigures,
    nodeOptions,
  }: { readonly onFigures: (figures: StreamFigures) => void; readonly nodeOptions: string | undefined },
): Promise<readonly StreamFigures[]> {
  const found: StreamFigures[] = [];
  const within = async (
    rows: number,
    phase: StreamFigures['phase'],
    work: (served: Served) => Promise<number>,
  ): Promise<void> => {
    const served = await serve(project, nodeOptions);
    try {
      // Idle is a server that has answered something.
      await execute(served, 'SELECT 1');
      await sleep(1000);
      const idleMb = memoryMb(served.pid).now;
      const began = performance.now();
      const cpuBefore = cpuMs(served.pid);
      writeFileSync(`/proc/${served.pid}/clear_refs`, RESET_PEAK);
      const bytes = await work(served);
      const seconds = Math.round((performance.now() - began) / 10) / 100;
      const growthMb = Math.round((memoryMb(served.pid).peak - idleMb) * 10) / 10;
      const cpuSeconds = (cpuMs(served.pid) - cpuBefore) / 1000;
      const figures = { rows, phase, idleMb: Math.round(idleMb), growthMb, bytes, seconds, cpuSeconds };
      found.push(figures);
      onFigures(figures);
    } finally {
      await served.stop();
    }
  };
  for (const rows of sizes) {
    let id = '';
    await within(rows, 'execute', async (served) => {
      const statement = await execute(served, sqlOf(rows));
      id = statement.id;
      if (statement.row_count !== rows) throw new Error(`${statement.row_count} rows and not ${rows}`);
      return statement.stats.bytes;
    });
    for (const format of FORMATS)
      await within(rows, format, (served) => fetchResult(served, { id, format, rows }));
    const wideRows = Math.ceil(rows / WIDE_PER_ROW);
    await within(wideRows, 'arrow, wide rows', async (served) => {
      const wide = await execute(served, wideSqlOf(wideRows));
      return fetchResult(served, { id: wide.id, format: 'arrow', rows: wideRows });
    });
    if (rows !== sizes.at(-1)) continue;
    for (const format of ['csv', 'arrow'] as const)
      await within(rows, `${format}, slow reader`, (served) => readSlowly(served, id, format));
  }
  return found;
}

interface Finished {
  readonly id: string;
  readonly status: string;
  readonly row_count: number;
  readonly stats: { readonly bytes: number };
}

async function execute(served: Served, sql: string): Promise<Finished> {
  const path = `${served.base}/query/statement`;
  const target = { url: served.url, headers: credentials(served, path) };
  const connection = await HttpConnection.open(served.url);
  try {
    let answer = await connection.ask(requestBytes(target, 'POST', path, { statement: sql, cache: false }));
    let statement = JSON.parse(answer.body.toString()) as Finished;
    while (['ACCEPTED', 'QUEUED', 'IN_PROGRESS'].includes(statement.status)) {
      answer = await connection.ask(requestBytes(target, 'GET', `${path}/${statement.id}?wait=8`));
      statement = JSON.parse(answer.body.toString()) as Finished;
    }
    if (statement.status !== 'SUCCESS') throw new Error(answer.body.toString());
    return statement;
  } finally {
    connection.close();
  }
}

/** Reads a result to its end; lines are counted, and an Arrow stream ends with its mark. */
function fetchResult(
  served: Served,
  { id, format, rows }: { readonly id: string; readonly format: Format; readonly rows: number },
): Promise<number> {
  const path = `${served.base}/query/statement/${id}/result?format=${format}`;
  return new Promise((resolve, reject) => {
    const request = get(new URL(path, served.url), { headers: credentials(served, path) }, (answer) => {
      let bytes = 0;
      let lines = 0;
      let last: Buffer = Buffer.alloc(0);
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (format !== 'arrow')
          for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
        last = chunk.length >= 8 ? chunk : Buffer.concat([last, chunk]);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const isWhole =
          format === 'arrow'
            ? last.subarray(-8).equals(Buffer.from('ffffffff00000000', 'hex'))
            : lines === rows + (format === 'csv' ? 1 : 0);
        if (answer.statusCode === 200 && answer.complete && isWhole) resolve(bytes);
        else reject(new Error(`${format}: ${answer.statusCode}, ${lines} lines, ${bytes} bytes`));
      });
    });
    request.on('error', reject);
  });
}

/** Takes a piece every few milliseconds, and goes some seconds after the first: what is not taken must not be made. */
function readSlowly(served: Served, id: string, format: Format): Promise<number> {
  const path = `${served.base}/query/statement/${id}/result?format=${format}`;
  let until: number | undefined;
  return new Promise((resolve, reject) => {
    const request = get(new URL(path, served.url), { headers: credentials(served, path) }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        answer.pause();
        until ??= performance.now() + SLOW_MS;
        if (performance.now() < until) setTimeout(() => answer.resume(), 5);
        else {
          answer.destroy();
          resolve(bytes);
        }
      });
      answer.on('end', () => reject(new Error(`all ${bytes} bytes came though nobody took them`)));
    });
    request.on('error', reject);
  });
}

/** Resident memory of a process in megabytes: now, and the kernel's high-water mark, which misses nothing. */
function memoryMb(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}
