import { spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A PostgreSQL of a test: a folder of its own, reached by a socket in it, gone with `stop`. */
export interface TestPostgres {
  readonly version: string;
  /** Runs each text and gives its rows as text, NULL as null, or the error it made. */
  ask(texts: readonly string[]): readonly PostgresAnswer[];
  stop(): void;
}

export type PostgresAnswer =
  | { readonly ok: true; readonly rows: readonly (readonly (string | null)[])[] }
  | { readonly ok: false; readonly error: string };

/** Where the server's programs are; undefined when it is not installed. */
export function postgresPrograms(): string | undefined {
  const home = '/usr/lib/postgresql';
  const versions = existsSync(home) ? readdirSync(home).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(home, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

const NULL = '\u2205';
const MARK = '\u241E';

export function startPostgres(bin: string): TestPostgres {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-pg-'));
  // The server refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const run = (program: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr, error } = spawnSync(join(bin, program), args, {
      cwd: folder,
      encoding: 'utf8',
      ...owner,
      // The server lives on: it must not hold our pipes.
      stdio: ['ignore', program === 'pg_ctl' ? 'ignore' : 'pipe', program === 'pg_ctl' ? 'ignore' : 'pipe'],
    });
    if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr ?? ''} (exit ${status})`);
    return stdout ?? '';
  };
  run('initdb', '-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync');
  const settings = `-k ${folder} -c listen_addresses= -c fsync=off -c timezone=UTC`;
  run('pg_ctl', 'start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', settings);
  return {
    version: run('postgres', '--version').trim(),
    ask(texts) {
      const script = texts.map((text, i) => `\\echo ${MARK}${i}\n${text}\n;\n`).join('');
      writeFileSync(join(folder, 'script.sql'), script);
      const out = openSync(join(folder, 'out'), 'w');
      const flags = [
        '-X',
        '-q',
        '-t',
        '--csv',
        '-P',
        `null=${NULL}`,
        '-h',
        folder,
        '-U',
        'test',
        '-d',
        'postgres',
      ];
      // Both outputs in one file, so that an error stands where its rows would.
      const { status } = spawnSync(join(bin, 'psql'), [...flags, '-f', 'script.sql'], {
        cwd: folder,
        stdio: ['ignore', out, out],
      });
      closeSync(out);
      if (status !== 0) throw new Error(`psql: exit ${status}`);
      const parts = readFileSync(join(folder, 'out'), 'utf8').split(MARK).slice(1);
      if (parts.length !== texts.length) throw new Error(`psql gave ${parts.length} answers`);
      return parts.map((part) => answerOf(part.slice(part.indexOf('\n') + 1)));
    },
    stop() {
      run('pg_ctl', 'stop', '-w', '-m', 'immediate', '-D', data);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function idOf(flag: '-u' | '-g'): number {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
}

function answerOf(text: string): PostgresAnswer {
  const at = text.indexOf('ERROR:');
  if (at >= 0) return { ok: false, error: text.slice(at).trim() };
  const lines = text.split('\n').filter((line) => line !== '');
  return { ok: true, rows: lines.map((line) => cellsOf(line).map((cell) => (cell === NULL ? null : cell))) };
}

/** The cells of a line of CSV; no cell of these tests has a line break. */
function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
