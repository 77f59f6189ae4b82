import {
  createReadStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { failure } from '../../domain/failure.ts';
import type { GivenFiles } from '../../domain/given-files.ts';

export const givenFiles: GivenFiles = {
  text: (path) => read(path, () => readFileSync(path, 'utf8')),
  bytes: (path, shownAs = path) => read(shownAs, () => readFileSync(path)),
  async *lines(path) {
    const input = path === undefined ? process.stdin : createReadStream(path);
    try {
      yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    } catch (cause) {
      throw cannotRead(path ?? 'standard input', cause);
    }
  },
  write(path, bytes) {
    const beside = `${path}.${process.pid}.part`;
    try {
      if (existsSync(path) && !statSync(path).isFile()) {
        writeFileSync(path, bytes);
        return;
      }
      writeFileSync(beside, bytes);
      renameSync(beside, path);
    } catch (cause) {
      rmSync(beside, { force: true });
      throw failure('cli.cannot-write', { path, detail: (cause as Error).message }, { cause });
    }
  },
};

function read<Content>(path: string, content: () => Content): Content {
  try {
    return content();
  } catch (cause) {
    throw cannotRead(path, cause);
  }
}

const cannotRead = (path: string, cause: unknown): Error =>
  failure('cli.cannot-read', { path, detail: (cause as Error).message }, { cause });
