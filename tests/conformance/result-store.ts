/** What every store of results must do. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultStore } from '../../src/domain/result-store.ts';

export function resultStoreConformance(open: () => ResultStore): void {
  const write = async (store: ResultStore, name: string, chunks: readonly string[]): Promise<void> => {
    const writer = await store.begin(name);
    for (const chunk of chunks) await writer.write(Buffer.from(chunk));
    await writer.finish();
  };
  const read = async (store: ResultStore, name: string, range = {}): Promise<string | undefined> => {
    const lines = await store.read(name, range);
    if (lines === undefined) return undefined;
    let text = '';
    for await (const piece of lines) {
      expect(piece.at(-1)).toBe(10);
      text += piece.toString('utf8');
    }
    return text;
  };

  test('a result is there when it is finished, whole, and again after it is opened anew', async () => {
    const store = open();
    expect(await read(store, 's1.1')).toBeUndefined();
    const writer = await store.begin('s1.1');
    await writer.write(Buffer.from('[1]\n[2]\n'));
    expect(await read(store, 's1.1')).toBeUndefined();
    await writer.finish();
    expect(await read(store, 's1.1')).toBe('[1]\n[2]\n');
    expect(await store.names()).toEqual(['s1.1']);
  });

  test('one that was abandoned leaves nothing, one that nobody ended is listed and can be removed', async () => {
    const store = open();
    const writer = await store.begin('a');
    await writer.write(Buffer.from('[1]\n'));
    await writer.abandon();
    expect(await store.names()).toEqual([]);
    const lost = await store.begin('b');
    await lost.write(Buffer.from('[1]\n'));
    expect(await store.names()).toEqual(['b']);
    expect(await read(store, 'b')).toBeUndefined();
    await store.remove(['b', 'never.there']);
    expect(await store.names()).toEqual([]);
    await lost.abandon();
  });

  test('an attempt takes the place of one that was broken off', async () => {
    const store = open();
    const broken = await store.begin('a');
    await broken.write(Buffer.from('[1]\n[2]\n[3]\n'));
    await write(store, 'a', ['[9]\n']);
    await broken.abandon();
    expect(await read(store, 'a')).toBe('[9]\n');
  });

  test('half a line is refused', async () => {
    const writer = await open().begin('a');
    await expect(writer.write(Buffer.from('[1]\n[2'))).rejects.toThrow('whole lines');
    await writer.abandon();
  });

  describe('pages', () => {
    test('any page is the lines at its place, however they were written', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { maxLength: 5 }), {
            maxLength: 40,
          }),
          fc.nat(50),
          fc.option(fc.nat(50), { nil: undefined }),
          fc.nat(10),
          async (rows, offset, limit, cut) => {
            const store = open();
            const lines = rows.map((row) => `${JSON.stringify(row)}\n`);
            await write(store, 'p', [lines.slice(0, cut).join(''), lines.slice(cut).join('')]);
            const wanted = lines.slice(offset, limit === undefined ? undefined : offset + limit).join('');
            expect(await read(store, 'p', { offset, ...(limit === undefined ? {} : { limit }) })).toBe(
              wanted,
            );
          },
        ),
        { numRuns: 60 },
      );
    });

    test('a page far behind is found through the index', async () => {
      const store = open();
      const line = (row: number): string => `[${row},"${'x'.repeat(row % 50)}"]\n`;
      const chunks = Array.from({ length: 35 }, (_, at) =>
        Array.from({ length: 1_000 }, (__, row) => line(at * 1_000 + row)).join(''),
      );
      await write(store, 'far', chunks);
      for (const offset of [0, 9_999, 10_000, 10_001, 29_999, 34_999, 35_000])
        expect(await read(store, 'far', { offset, limit: 3 })).toBe(
          [0, 1, 2]
            .filter((more) => offset + more < 35_000)
            .map((more) => line(offset + more))
            .join(''),
        );
    });
  });
}
