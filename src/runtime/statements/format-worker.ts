/** Makes formats in a thread of its own: each question is one piece of one stream, so that streams take turns. */
import { parentPort } from 'node:worker_threads';
import { letGo } from '../../foundation/with-freed-memory.ts';
import type { Format } from './format.ts';
import { formatOf } from './format-of.ts';
import type { FormatQuestion, FormatReply } from './format-protocol.ts';

const formats = new Map<number, Format>();

parentPort?.on('message', (question: FormatQuestion) => {
  const { id } = question;
  try {
    const reply = answer(question);
    if (reply === undefined) return;
    const pieces = reply.pieces.map(own);
    parentPort?.postMessage({ id, ...reply, pieces }, [...new Set(pieces.map(({ buffer }) => buffer))]);
  } catch (error) {
    formats.delete(id);
    parentPort?.postMessage({ id, pieces: [], error } satisfies FormatReply);
  }
});

function answer(question: FormatQuestion): Omit<FormatReply, 'id'> | undefined {
  const { id, kind } = question;
  if (kind === 'open') {
    formats.set(id, formatOf(question.spec));
    return undefined;
  }
  const format = formats.get(id);
  if (kind === 'drop' || format === undefined) {
    formats.delete(id);
    return undefined;
  }
  switch (kind) {
    case 'look':
      return { pieces: [], isWanting: format.look(buffer(question.lines)) };
    case 'begin':
      return { pieces: format.begin() };
    case 'write':
      return format.write(question.lines === undefined ? undefined : buffer(question.lines));
    case 'end':
      return { pieces: format.end() };
  }
}

function buffer(lines: Uint8Array): Buffer {
  letGo(lines.length);
  return Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
}

/** Short buffers share their memory with others, which would lose it. */
const own = (piece: Uint8Array): Uint8Array<ArrayBuffer> =>
  piece.length <= Buffer.poolSize ? new Uint8Array(piece) : (piece as Uint8Array<ArrayBuffer>);
