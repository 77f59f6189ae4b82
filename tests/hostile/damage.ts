import { seededBits } from '../support/seeded-bits.ts';

/** Numbers that look random and are the same for the same seed. */
export interface Random {
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function randomFrom(seed: number): Random {
  const bits = seededBits(seed);
  const below = (limit: number): number => bits() % Math.max(1, limit);
  return { below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}

/** Pieces that mean something to one of the readers. */
const PIECES = [
  '(', ')', '[', ']', '{', '}', "'", '"', '`', '$$', '@', '@{', '@(', '{{', '}}', '{%', '%}', ';', ',', '.', ':', '::', '->', '--', '/*', '*/', '#', '&a', '*a', '<<: *a',
  '\n', '\r', '\r\n', '\t', '\0', '\ufeff', '\u202e', '😀', '\ud800', '|\n', '>\n', '- ', '? ', '---\n', '...\n', '!!str ', '~', '\\',
  'MODEL (', 'AUDIT (', 'name ', 'kind FULL', 'SELECT ', ' FROM ', 'WITH RECURSIVE x AS (', ' UNION ALL ', '*', 'COLUMNS(*)', 'CASE WHEN ', ' END', 'PIVOT ', ' OVER (', 'UNNEST(', 'INTERVAL ',
  '@EACH(', '@IF(', '@DEF(x, ', '@STAR(', '@UNION(', '@EVAL(', 'x -> ', ':=', 'JINJA_QUERY_BEGIN;', 'JINJA_END;', 'ON_VIRTUAL_UPDATE_BEGIN;', 'ON_VIRTUAL_UPDATE_END;', 'blueprints (', 'NULL', '1e999', '9'.repeat(40), "''''",
  '__proto__', 'constructor', 'kind: semantic\n', 'kind: dq\n', 'columns:\n', "{{ env_var('X') }}",
]; // biome-ignore format: a table

const TOKEN = /\w+|\s+|[^\w\s]/g;

/** The text with one to four edits: of characters, of words, of whole stretches, or of bytes. */
export function damaged(
  text: string,
  other: () => string,
  random: Random,
): { readonly content: string | Buffer; readonly how: string } {
  let content = text;
  const hows: string[] = [];
  for (let i = random.below(4); i >= 0; i--) {
    const edit = random.pick(EDITS);
    const at = random.below(content.length + 1);
    content = edit.make(content, at, random, other).slice(0, 40_000);
    hows.push(`${edit.name}@${at}`);
  }
  if (random.below(20) > 0) return { content, how: hows.join(' ') };
  const bytes = Buffer.from(content);
  for (let i = random.below(3); i >= 0 && bytes.length > 0; i--)
    bytes[random.below(bytes.length)] = random.below(256);
  return { content: bytes, how: [...hows, 'bytes'].join(' ') };
}

interface Edit {
  readonly name: string;
  make(text: string, at: number, random: Random, other: () => string): string;
}

const EDITS: readonly Edit[] = [
  { name: 'insert', make: (text, at, random) => text.slice(0, at) + random.pick(PIECES) + text.slice(at) },
  { name: 'delete', make: (text, at, random) => text.slice(0, at) + text.slice(at + 1 + random.below(30)) },
  { name: 'cut', make: (text, at) => text.slice(0, at) },
  { name: 'behead', make: (text, at) => text.slice(at) },
  {
    name: 'repeat',
    make: (text, at, random) => {
      const piece = text.slice(at, at + 1 + random.below(40));
      return (
        text.slice(0, at) + piece.repeat(2 + random.below(random.below(10) === 0 ? 300 : 4)) + text.slice(at)
      );
    },
  },
  {
    name: 'swap tokens',
    make: (text, _, random) => {
      const tokens = text.match(TOKEN) ?? [];
      const [a, b] = [random.below(tokens.length), random.below(tokens.length)];
      [tokens[a], tokens[b]] = [tokens[b] ?? '', tokens[a] ?? ''];
      return tokens.join('');
    },
  },
  {
    name: 'replace token',
    make: (text, _, random) => {
      const tokens = text.match(TOKEN) ?? [];
      tokens[random.below(tokens.length)] = random.pick(PIECES);
      return tokens.join('');
    },
  },
  {
    name: 'drop token',
    make: (text, _, random) => {
      const tokens = text.match(TOKEN) ?? [];
      tokens.splice(random.below(tokens.length), 1 + random.below(3));
      return tokens.join('');
    },
  },
  {
    name: 'splice',
    make: (text, at, random, other) => {
      const from = other();
      const start = random.below(from.length);
      return text.slice(0, at) + from.slice(start, start + random.below(400)) + text.slice(at);
    },
  },
  { name: 'replace file', make: (_, __, ___, other) => other() },
];
