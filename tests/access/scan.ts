/* What an answer shows, wherever in its bytes it is. */
import { NAME, NUMBER, TOKEN, tokensIn, type World } from './world.ts';

/** Everything that came back. */
export interface Told {
  /** Status and headers, and the body as text. */
  readonly text: string;
  /** The body of binary formats. */
  readonly bytes?: Buffer;
}

const tokens = new WeakMap<World, ReadonlySet<string>>();

/** All cells of a world that can be recognised. */
export function everyToken(world: World): ReadonlySet<string> {
  const found = tokens.get(world) ?? readTokens(world);
  tokens.set(world, found);
  return found;
}

function readTokens({ closed, late }: World): ReadonlySet<string> {
  const cells = [...closed.models, ...late.models].flatMap(({ rows }) =>
    rows.flatMap((row) => Object.values(row)),
  );
  return new Set(cells.flatMap((cell) => (cell === null ? [] : tokensIn(String(cell)))));
}

/** Cells that are in an answer, except those that the question said itself. */
export function shownTokens(told: Told, known: ReadonlySet<string>, said = ''): ReadonlySet<string> {
  const found = new Set<string>();
  const own = new Set(tokensIn(said));
  const add = (token: string): void => {
    const plain = token.toLowerCase();
    if (known.has(plain) && !own.has(plain)) found.add(plain);
  };
  for (const text of [told.text, told.bytes?.toString('latin1') ?? '']) {
    for (const token of text.match(TOKEN) ?? []) add(token);
    for (const token of text.match(NUMBER) ?? []) add(token);
  }
  if (told.bytes !== undefined)
    for (const token of known) if (/^\d/.test(token) && hasNumber(told.bytes, token)) add(token);
  return found;
}

/** Columnar formats write integers in eight bytes, the lowest first, and texts without anything between them. */
function hasNumber(bytes: Buffer, digits: string): boolean {
  const wanted = Buffer.alloc(8);
  wanted.writeBigInt64LE(BigInt(digits));
  return bytes.includes(wanted) || bytes.includes(digits, 'latin1');
}

/** Names of the semantics that are in an answer, except those that the question said itself. */
export function shownNames(
  { text, bytes }: Told,
  known: ReadonlySet<string>,
  said = '',
): ReadonlySet<string> {
  const own = new Set(said.match(NAME) ?? []);
  const found = [...(text.match(NAME) ?? []), ...(bytes?.toString('latin1').match(NAME) ?? [])];
  return new Set(found.filter((name) => known.has(name) && !own.has(name)));
}

/** Without the texts of statements: what is in them somebody wrote. */
export const withoutTexts = ({ text, ...rest }: Told): Told => ({
  ...rest,
  text: text.replaceAll(/"sql":\s*"(?:\\.|[^"\\])*"/g, '"sql":""'),
});

/** All names of a world's semantics. */
export function everyName({ semantics, metrics }: World): ReadonlySet<string> {
  return new Set([
    ...semantics.flatMap(({ name, members }) => [name, ...members.map((member) => member.name)]),
    ...metrics.map(({ name }) => name),
  ]);
}
