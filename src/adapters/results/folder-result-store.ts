/*
 * Results as files of a folder. A file is written as `<name>.part`, made safe and renamed:
 *
 *   lines … │ {"rows", "every", "offsets"} │ 16 hexadecimal digits: where the JSON begins
 *
 * `offsets` has the byte at which every `every`-th line begins.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResultStore, ResultWriter } from '../../domain/result-store.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../foundation/private-files.ts';

const EVERY = 10_000;
const TAIL_BYTES = 16;
const READ_BYTES = 131_072;
const NEWLINE = 10;
const SUFFIX = '.rows';
const PART = '.part';

interface Footer {
  readonly rows: number;
  readonly every: number;
  readonly offsets: readonly number[];
}

/** The folder is made with the first result. */
export function folderResultStore(folder: string): ResultStore {
  const pathOf = (name: string): string => {
    if (!/^[\w.]+$/.test(name)) throw new Error(`${name} is not the name of a result`);
    return join(folder, `${name}${SUFFIX}`);
  };
  return {
    async begin(name) {
      makePrivateFolder(folder);
      return writer(folder, pathOf(name));
    },
    async read(name, { offset = 0, limit = Number.POSITIVE_INFINITY } = {}) {
      const found = await footerOf(pathOf(name));
      return found === undefined ? undefined : linesOf(pathOf(name), found, { offset, limit });
    },
    async remove(names) {
      for (const name of names)
        for (const path of [pathOf(name), `${pathOf(name)}${PART}`]) await rm(path, { force: true });
    },
    async names() {
      const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      const names = files.flatMap((file) => {
        const [, name] = /^([\w.]+)\.rows(?:\.part)?$/.exec(file) ?? [];
        return name === undefined ? [] : [name];
      });
      return [...new Set(names)];
    },
  };
}

async function writer(folder: string, path: string): Promise<ResultWriter> {
  const part = `${path}${PART}`;
  const file = await open(part, 'w', PRIVATE_FILE);
  const offsets: number[] = [];
  let rows = 0;
  let bytes = 0;
  return {
    async write(lines) {
      let at = 0;
      while (at < lines.length) {
        if (rows % EVERY === 0) offsets.push(bytes + at);
        const end = lines.indexOf(NEWLINE, at);
        if (end === -1) throw new Error('a result is written in whole lines');
        rows++;
        at = end + 1;
      }
      await writeAll(file, lines);
      bytes += lines.length;
    },
    async finish() {
      const footer: Footer = { rows, every: EVERY, offsets };
      const tail = bytes.toString(16).padStart(TAIL_BYTES, '0');
      await writeAll(file, Buffer.from(JSON.stringify(footer) + tail));
      await file.sync();
      await file.close();
      await rename(part, path);
      await syncFolder(folder);
    },
    async abandon() {
      await file.close();
      await rm(part, { force: true });
    },
  };
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** Without it a rename may be forgotten by a machine that loses its power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function footerOf(
  path: string,
): Promise<{ readonly footer: Footer; readonly bytes: number } | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const tail = await readAt(file, size - TAIL_BYTES, TAIL_BYTES);
    const bytes = Number.parseInt(tail, 16);
    const footer = JSON.parse(await readAt(file, bytes, size - TAIL_BYTES - bytes)) as Footer;
    return { footer, bytes };
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) throw new Error('the file of a result is shorter than it says');
    at += bytesRead;
  }
  return buffer.toString('latin1');
}

async function* linesOf(
  path: string,
  { footer, bytes }: { readonly footer: Footer; readonly bytes: number },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): AsyncGenerator<Buffer, void, undefined> {
  const first = Math.min(offset, footer.rows);
  let left = Math.min(limit, footer.rows - first);
  if (left <= 0 || bytes === 0) return;
  const block = Math.floor(first / footer.every);
  let skip = first - block * footer.every;
  /** What was read of a row whose end was not; put together once, however long the row is. */
  let rest: Buffer[] = [];
  let unread = bytes - (footer.offsets[block] ?? 0);
  const stream = createReadStream(path, {
    start: footer.offsets[block] ?? 0,
    end: bytes - 1,
    highWaterMark: READ_BYTES,
  });
  try {
    for await (const read of stream as AsyncIterable<Buffer>) {
      unread -= read.length;
      if (!read.includes(NEWLINE)) {
        rest.push(read);
        continue;
      }
      const chunk = rest.length === 0 ? read : Buffer.concat([...rest, read]);
      let at = 0;
      for (; skip > 0; skip--) {
        const end = chunk.indexOf(NEWLINE, at);
        if (end === -1) break;
        at = end + 1;
      }
      const from = at;
      let end = skip > 0 ? -1 : chunk.lastIndexOf(NEWLINE);
      if (end >= from && Number.isFinite(limit)) {
        end = from - 1;
        while (left > 0) {
          const next = chunk.indexOf(NEWLINE, end + 1);
          if (next === -1) break;
          end = next;
          left--;
        }
      }
      rest = [];
      if (end >= from) {
        yield chunk.subarray(from, end + 1);
        at = end + 1;
      }
      if (left === 0) return;
      if (at < chunk.length) rest.push(chunk.subarray(at));
    }
    // Else a file that was cut meanwhile would be a shorter answer.
    if (unread > 0) throw new Error('the file of a result is shorter than it says');
  } finally {
    stream.destroy();
  }
}
