import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FolderCache } from '../../domain/compile-cache.ts';
import { failure } from '../../domain/failure.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../foundation/private-files.ts';

/**
 * One file per room: a header line with a check sum over the rest, then one `key<TAB>JSON` line per entry. Entries stay texts until a caller needs
 * them, so an unchanged entry is neither parsed nor printed again. `buildId` names the program that computed the facts: another program's are foreign.
 */
export function folderCompileCache(folder: string, buildId: string): FolderCache {
  const fileOf = (room: string): string => join(folder, `${room}.facts`);
  return {
    async readAll(room) {
      try {
        return parse(readFileSync(fileOf(room)), buildId);
      } catch {
        // Not there, or not readable: an empty room is always right.
        return new Map();
      }
    },
    clear() {
      if (!existsSync(folder)) return false;
      try {
        rmSync(folder, { recursive: true });
      } catch (cause) {
        throw failure(
          'cli.cannot-write',
          { path: relative(dirname(dirname(folder)), folder), detail: (cause as Error).message },
          { cause },
        );
      }
      return true;
    },
    look() {
      if (!existsSync(folder)) return undefined;
      const names = readdirSync(folder);
      const rooms = names.filter((name) => name.endsWith('.facts'));
      return {
        place: folder,
        rooms: rooms.length,
        damaged: rooms.filter((name) => !hasHeader(join(folder, name))),
        leftOver: names.filter((name) => name.endsWith('.tmp')).length,
      };
    },
    async replaceAll(room, entries) {
      const lines: string[] = [];
      for (const [key, json] of entries) lines.push(`${key}\t${json}\n`);
      const body = Buffer.from(lines.join(''));
      const header = `${JSON.stringify({ format: 1, build: buildId, crc: crc32(body), bytes: body.length })}\n`;
      const temporary = join(folder, `${room}.${process.pid}.tmp`);
      try {
        makePrivateFolder(folder);
      } catch {
        // A read-only disk costs speed, not correctness.
        return;
      }
      try {
        writeFileSync(temporary, Buffer.concat([Buffer.from(header), body]), { mode: PRIVATE_FILE });
        renameSync(temporary, fileOf(room));
      } catch {
        // Neither does a full one.
        rmSync(temporary, { force: true });
      }
    },
  };
}

function parse(bytes: Buffer, buildId: string): ReadonlyMap<string, string> {
  const headerEnd = bytes.indexOf(10);
  const header = JSON.parse(bytes.toString('utf8', 0, headerEnd)) as {
    format?: unknown;
    build?: unknown;
    crc?: unknown;
    bytes?: unknown;
  };
  const body = bytes.subarray(headerEnd + 1);
  if (
    header.format !== 1 ||
    header.build !== buildId ||
    header.bytes !== body.length ||
    header.crc !== crc32(body)
  )
    return new Map();
  const entries = new Map<string, string>();
  const text = body.toString('utf8');
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const tab = text.indexOf('\t', start);
    entries.set(text.slice(start, tab), text.slice(tab + 1, end));
    start = end + 1;
  }
  return entries;
}

function hasHeader(file: string): boolean {
  try {
    const bytes = readFileSync(file);
    const header: unknown = JSON.parse(bytes.toString('utf8', 0, bytes.indexOf(10)));
    const length = (header as { readonly bytes?: unknown }).bytes;
    return length === bytes.length - bytes.indexOf(10) - 1;
  } catch {
    return false;
  }
}
