import { ByteWriter } from './byte-writer.ts';
import { eachLine } from './each-line.ts';
import type { Format } from './format.ts';

/** A piece of about as many bytes is made at once; a row is never cut. */
const PIECE_BYTES = 262_144;

/** A format that writes line by line. */
interface LineWriter {
  readonly begin?: () => Buffer;
  /** About how many times as long as the lines its pieces are. */
  readonly growth: number;
  readonly line: (out: ByteWriter, lines: Buffer, starts: readonly number[]) => void;
}

const NOTHING: readonly Uint8Array[] = [];

export function lineFormat({ begin, growth, line }: LineWriter): Format {
  let lines: Buffer = Buffer.alloc(0);
  let at = 0;
  return {
    look: () => false,
    begin: () => (begin === undefined ? NOTHING : [begin()]),
    write(more) {
      if (more !== undefined) {
        lines = more;
        at = 0;
      }
      const out = new ByteWriter(Math.min((lines.length - at) * growth, PIECE_BYTES) + 1_024);
      const isWanting = (starts: readonly number[]): boolean => {
        line(out, lines, starts);
        return out.length < PIECE_BYTES;
      };
      at = eachLine(lines, isWanting, at);
      return { pieces: [out.take()], isSpent: at === lines.length };
    },
    end: () => NOTHING,
  };
}
