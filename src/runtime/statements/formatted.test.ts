/** Formats that are made in another thread: in turns, with the same bytes as in this one, and each by itself when something goes wrong. */
import { expect, test } from 'vitest';
import { formatOf } from './format-of.ts';
import { formatted } from './formatted.ts';

const SPEC = { kind: 'csv', names: ['n', 'text'], positions: [0, 1] } as const;
const chunkOf = (from: number): Buffer =>
  Buffer.from(Array.from({ length: 2_000 }, (_, at) => `[${from + at},"a \\"quoted\\" text"]\n`).join(''));

async function* linesOf(chunks: readonly Buffer[], onEnd = (): void => undefined): AsyncGenerator<Buffer> {
  try {
    for (const chunk of chunks) yield chunk;
  } finally {
    onEnd();
  }
}

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const chunks = Array.from({ length: 20 }, (_, at) => chunkOf(at * 2_000));
const expected = [formatOf(SPEC).begin(), ...chunks.map((chunk) => formatOf(SPEC).write(chunk).pieces)]
  .flat()
  .map((piece) => Buffer.from(piece).toString())
  .join('');

test('long lines have the bytes that this thread would make, however many streams there are', async () => {
  const texts = await Promise.all(Array.from({ length: 5 }, () => textOf(formatted(linesOf(chunks), SPEC))));
  expect(texts.every((text) => text === expected)).toBe(true);
});

test('a long stream does not keep a later one waiting', async () => {
  const ends: string[] = [];
  const endless = formatted(linesOf(Array.from({ length: 200 }, () => chunks[0] as Buffer)), SPEC);
  await Promise.all([
    textOf(endless).then(() => ends.push('long')),
    textOf(formatted(linesOf(chunks.slice(0, 3)), SPEC)).then(() => ends.push('short')),
  ]);
  expect(ends).toEqual(['short', 'long']);
});

test('what cannot be read fails its own stream and no other', async () => {
  const broken = textOf(formatted(linesOf([...chunks, Buffer.from('no line\n')]), SPEC));
  const whole = textOf(formatted(linesOf(chunks), SPEC));
  await expect(broken).rejects.toThrow('a line of a result is a JSON array');
  expect(await whole).toBe(expected);
});

test('a reader that leaves in the middle ends what is read', async () => {
  let hasEnded = false;
  const lines = linesOf(chunks, () => {
    hasEnded = true;
  });
  for await (const _ of formatted(lines, SPEC)) break;
  expect(hasEnded).toBe(true);
});

test('a row that is written many times over comes in pieces', async () => {
  const cells = Array.from({ length: 100 }, () => ({ at: 1, as: 'plain' }) as const);
  const texts = ['[', ...cells.slice(1).map(() => ','), ']'];
  const sizes: number[] = [];
  const spec = { kind: 'framed', texts, cells, between: ',' } as const;
  for await (const piece of formatted(linesOf(chunks), spec)) sizes.push(piece.length);
  expect(Math.max(...sizes)).toBeLessThan(300_000);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(40_000 * (100 * 19 + 102) - 1);
});
