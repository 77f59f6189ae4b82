/*
 * Contents repeat themselves: a thousand models see the same variables and the same macro files. A packed content
 * keeps what is the model's own and names the rest by hash:
 *
 *   content { model, audits, …, applied: hash } ─▶ applied { variables, macroFiles: { path: hash }, … } ─▶ texts
 *
 * Packing happens on the caller's side, where equal parts are still the same objects.
 */
import { setImmediate } from 'node:timers/promises';
import type { AppliedContext, SnapshotContent } from '../../../domain/snapshot.ts';
import { hash128 } from '../../../foundation/hash128.ts';

/** A content as it is stored: the JSON of its own part, and the hashes of all texts it needs, that of `applied` first. */
export interface PackedContent {
  readonly fingerprint: string;
  readonly content: string;
  readonly texts: readonly string[];
}

/** Contents with the texts they share. */
export interface PackedContents {
  readonly contents: readonly PackedContent[];
  readonly texts: readonly (readonly [hash: string, text: string])[];
}

type PackedApplied = Omit<AppliedContext, 'macroFiles' | 'jinjaMacros'> & {
  readonly macroFiles: Readonly<Record<string, string>>;
  readonly jinjaMacros: readonly { readonly file: string; readonly text: string }[];
};

export function packContents(
  contents: readonly { readonly fingerprint: string; readonly content: SnapshotContent }[],
): PackedContents {
  const texts = new Map<string, string>();
  const hashes = new Map<string, string>();
  const hashOf = (text: string): string => {
    let hash = hashes.get(text);
    if (hash === undefined) {
      hash = hash128(text);
      hashes.set(text, hash);
      texts.set(hash, text);
    }
    return hash;
  };
  const seen = new Map<AppliedContext, readonly string[]>();
  const textsOf = (applied: AppliedContext): readonly string[] => {
    let needed = seen.get(applied);
    if (needed === undefined) {
      const packed: PackedApplied = {
        ...applied,
        macroFiles: Object.fromEntries(
          Object.entries(applied.macroFiles).map(([path, text]) => [path, hashOf(text)]),
        ),
        jinjaMacros: applied.jinjaMacros.map(({ file, text }) => ({ file, text: hashOf(text) })),
      };
      needed = [
        ...new Set([
          hashOf(JSON.stringify(packed)),
          ...Object.values(packed.macroFiles),
          ...packed.jinjaMacros.map(({ text }) => text),
        ]),
      ];
      seen.set(applied, needed);
    }
    return needed;
  };
  return {
    contents: contents.map(({ fingerprint, content }) => {
      const { applied, ...own } = content;
      return { fingerprint, content: JSON.stringify(own), texts: textsOf(applied) };
    }),
    texts: [...texts],
  };
}

/** Longer than this a server would not be heard while a thousand contents are read. */
const STRETCH_MS = 8;

/** Contents by fingerprint; equal contexts become one object again. Lets others have their turn now and then. */
export async function unpackContents({
  contents,
  texts,
}: PackedContents): Promise<ReadonlyMap<string, SnapshotContent>> {
  const textOf = new Map(texts);
  const found = (hash: string | undefined): string => {
    const text = hash === undefined ? undefined : textOf.get(hash);
    if (text === undefined) throw new Error(`a content names the text ${hash}, which is not stored`);
    return text;
  };
  const seen = new Map<string, AppliedContext>();
  const appliedOf = (hash: string | undefined): AppliedContext => {
    const text = found(hash);
    let applied = seen.get(text);
    if (applied === undefined) {
      const packed = JSON.parse(text) as PackedApplied;
      applied = {
        ...packed,
        macroFiles: Object.fromEntries(
          Object.entries(packed.macroFiles).map(([path, named]) => [path, found(named)]),
        ),
        jinjaMacros: packed.jinjaMacros.map((macro) => ({ file: macro.file, text: found(macro.text) })),
      };
      seen.set(text, applied);
    }
    return applied;
  };
  const unpacked = new Map<string, SnapshotContent>();
  let begun = performance.now();
  for (const packed of contents) {
    unpacked.set(packed.fingerprint, {
      ...(JSON.parse(packed.content) as Omit<SnapshotContent, 'applied'>),
      applied: appliedOf(packed.texts[0]),
    });
    if (performance.now() - begun < STRETCH_MS) continue;
    await setImmediate();
    begun = performance.now();
  }
  return unpacked;
}
