import type { ShapedRows } from './shaped-rows.ts';

type Data = Readonly<Record<string, unknown>>;
type Lists = ReadonlyMap<string, ShapedRows>;

/** Data with the rows of its lists. */
export async function filled(data: Data, lists: Lists): Promise<Data> {
  const all: [string, unknown][] = [];
  for (const [key, value] of Object.entries(data)) {
    const list = lists.get(key);
    all.push([key, list === undefined ? value : JSON.parse(await textOf(list))]);
  }
  return Object.fromEntries(all);
}

async function textOf(list: ShapedRows): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of await list.text()) pieces.push(piece);
  return `[${Buffer.concat(pieces).toString()}]`;
}

/** An answer as JSON, its lists written as they are read. When one of them breaks off so does the text: it is never whole and wrong. */
export async function* answerText({
  data,
  lists,
  rest,
}: {
  readonly data: Data;
  readonly lists: Lists;
  readonly rest: Readonly<Record<string, unknown>>;
}): AsyncGenerator<Buffer> {
  let text = '{"data":{';
  for (const [index, [key, value]] of Object.entries(data).entries()) {
    text += `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
    const list = lists.get(key);
    if (list === undefined) text += JSON.stringify(value);
    else {
      yield Buffer.from(`${text}[`);
      yield* await list.text();
      text = ']';
    }
  }
  const after = JSON.stringify(rest).slice(1);
  yield Buffer.from(`${text}}${after === '}' ? '' : ','}${after}`);
}
