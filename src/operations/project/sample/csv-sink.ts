/** Takes the next piece of a file; the pieces of one path come in order, the files themselves are interleaved. */
export type WriteChunk = (path: string, chunk: string) => void | Promise<void>;

/** What was written to one file; bytes equal characters because the sample is plain ASCII. */
export interface SampleFile {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Collects the lines of one CSV file and hands them on in pieces of about 256 kB, so memory does not grow with the scale. */
export interface CsvSink {
  line(text: string): void;
  /** Hands on what is pending once it is large enough; await it between days so that a slow disk holds the generator back. */
  drain(): Promise<void>;
  close(): Promise<SampleFile>;
}

const CHUNK_CHARACTERS = 1 << 18;

/** Opens a file by its header line, which is not counted as a row. */
export function openCsv(path: string, header: string, write: WriteChunk): CsvSink {
  let pending = `${header}\n`;
  let rows = 0;
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (pending === '') return;
    bytes += pending.length;
    const chunk = pending;
    pending = '';
    await write(path, chunk);
  };
  return {
    line(text) {
      pending += `${text}\n`;
      rows++;
    },
    async drain() {
      if (pending.length >= CHUNK_CHARACTERS) await flush();
    },
    async close() {
      await flush();
      return { path, rows, bytes };
    },
  };
}

/** An amount of money from whole cents, so that no binary fraction ever reaches the file. */
export function money(cents: number): string {
  const sign = cents < 0 ? '-' : '';
  const absolute = Math.abs(cents);
  const rest = absolute % 100;
  return `${sign}${(absolute - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`;
}
