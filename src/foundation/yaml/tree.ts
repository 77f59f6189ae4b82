/** A YAML file as a tree of plain data in which everything knows where it stands. Aliases are expanded by sharing; merge keys are merged. */
export type YamlNode = YamlMap | YamlList | YamlScalar;

export interface YamlMap {
  readonly kind: 'map';
  readonly entries: readonly YamlEntry[];
  readonly start: number;
  readonly end: number;
}

export interface YamlEntry {
  readonly key: YamlScalar;
  readonly value: YamlNode;
}

export interface YamlList {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
  readonly start: number;
  readonly end: number;
}

/** `text` is the content without quotes and before typing: `7.00` where `value` is 7. The range includes quotes and block headers. */
export interface YamlScalar {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly text: string;
  readonly style: ScalarStyle;
  readonly start: number;
  readonly end: number;
  /** Set when the value came from outside the file: what may be shown in its place. */
  readonly shownAs?: string;
  /** Its value could not be had, and the reason is already reported: its reader reports nothing. */
  readonly isUnknown?: boolean;
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

/** Why a file is not readable as YAML, in the words a message continues with. */
export interface YamlProblem {
  readonly kind:
    | 'syntax'
    | 'too-large'
    | 'too-deep'
    | 'too-many-aliases'
    | 'duplicate-key'
    | 'several-documents';
  readonly detail: string;
  readonly start: number;
  readonly end: number;
}

/** What a file said; `root` is missing when it is empty or cannot be read. */
export interface YamlResult {
  readonly root?: YamlNode;
  readonly problems: readonly YamlProblem[];
}

/** Limits against hostile files. */
export const YAML_LIMITS = {
  characters: 1_048_576,
  depth: 64,
  aliases: 100,
  expandedNodes: 1_000_000,
} as const;

/** The value of a key, or undefined. */
export function entryOf(map: YamlMap, key: string): YamlEntry | undefined {
  return map.entries.find((entry) => entry.key.text === key);
}

/** Makes a map of its entries; the range is that of the entries unless one is given (flow maps have brackets). */
export function yamlMap(
  entries: readonly YamlEntry[],
  problems: YamlProblem[],
  range?: { start: number; end: number },
): YamlMap {
  checkDuplicates(entries, problems);
  const start = range?.start ?? entries[0]?.key.start ?? 0;
  const end = range?.end ?? Math.max(start, entries.at(-1)?.value.end ?? start);
  return { kind: 'map', entries, start, end };
}

/** A file with more has one cause. */
const DUPLICATES_MAX = 20;

function checkDuplicates(entries: readonly YamlEntry[], problems: YamlProblem[]): void {
  if (entries.length < 2 || problems.length >= DUPLICATES_MAX) return;
  if (entries.length <= 8) {
    for (let i = 1; i < entries.length; i++) {
      const { key } = entries[i] as YamlEntry;
      for (let j = 0; j < i; j++) {
        if ((entries[j] as YamlEntry).key.text === key.text) {
          problems.push(duplicate(key));
          break;
        }
      }
    }
    return;
  }
  const seen = new Set<string>();
  for (const { key } of entries) {
    if (seen.has(key.text) && problems.length < DUPLICATES_MAX) problems.push(duplicate(key));
    seen.add(key.text);
  }
}

function duplicate(key: YamlScalar): YamlProblem {
  return { kind: 'duplicate-key', detail: key.text, start: key.start, end: key.end };
}
