import type { Project } from '../../domain/project.ts';
import type { SearchHit } from '../../domain/search-hit.ts';
import { nearest } from '../../foundation/diagnostics/nearest.ts';

type Candidate = Omit<SearchHit, 'score'> & {
  readonly words: readonly string[];
  /** What it belongs to: `orders amount` is the column amount of orders. */
  readonly of?: string;
};

/** A candidate as it is compared: everything in lower case. */
interface Entry {
  readonly hit: Omit<SearchHit, 'score'>;
  readonly name: string;
  readonly parts: readonly string[];
  readonly keywords: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly context: readonly string[];
}

/** What can be found in a project, ready to be compared. */
export interface SearchIndex {
  readonly entries: readonly Entry[];
  /** Every word of names, tags, terms and synonyms. */
  readonly vocabulary: ReadonlySet<string>;
}

const WORD = /[\p{L}\p{N}]+/gu;
const WORDS_MAX = 10;
const NEAR_MAX = 5;
/** Each is compared with the whole vocabulary, which blocks other requests. */
const MISSPELLED_MAX = 3;

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(WORD) ?? [];

/** What people look for rather, where words fit equally well. */
const KIND_SCORES: Readonly<Record<SearchHit['kind'], number>> = {
  metric: 4,
  measure: 3,
  'semantic-model': 3,
  model: 2,
  dimension: 2,
  segment: 1,
  column: 0,
};

/** What has all words of a text in its name, title, description, tags, terms or synonyms, or belongs to what has them; the nearest first. A word that nothing has is taken for a misspelled one, up to three of them. */
export function searchNames({ entries, vocabulary }: SearchIndex, text: string): readonly SearchHit[] {
  const words = wordsOf(text).slice(0, WORDS_MAX);
  if (words.length === 0) return [];
  const wanted: { readonly word: string; readonly near: ReadonlyMap<string, number> }[] = [];
  let misspelled = 0;
  for (const word of words) {
    const isKnown = entries.some((entry) => scoreOf(word, entry) > 0);
    if (!isKnown && ++misspelled > MISSPELLED_MAX) return [];
    const near = isKnown ? NOTHING : nearWords(word, vocabulary);
    // All words must be there: one that is not is the end of it.
    if (!isKnown && near.size === 0) return [];
    wanted.push({ word, near });
  }
  const whole = text.trim().toLowerCase();
  const hits: SearchHit[] = [];
  for (const entry of entries) {
    const scores = wanted.map(({ word, near }) =>
      near.size === 0 ? scoreOf(word, entry) : misspelledScore(near, entry),
    );
    if (scores.includes(0)) continue;
    const sum = scores.reduce((all, score) => all + score, 0);
    // A result that only belongs to a match is not a result by itself.
    if (scores.every((score) => score === CONTEXT_SCORE)) continue;
    hits.push({ ...entry.hit, score: (entry.name === whole ? 100 : 0) + sum + KIND_SCORES[entry.hit.kind] });
  }
  return hits.sort((a, b) => b.score - a.score || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0));
}

const NOTHING: ReadonlyMap<string, number> = new Map();
const CONTEXT_SCORE = 3;

function scoreOf(word: string, { name, parts, keywords, title, description, context }: Entry): number {
  if (parts.includes(word)) return 40;
  if (keywords.includes(word)) return 30;
  if (parts.some((part) => part.startsWith(word))) return 25;
  if (name.includes(word)) return 15;
  if (title.includes(word)) return 12;
  if (keywords.some((each) => each.includes(word))) return 8;
  if (description.includes(word)) return 5;
  return context.includes(word) ? CONTEXT_SCORE : 0;
}

function misspelledScore(near: ReadonlyMap<string, number>, { parts, keywords, context }: Entry): number {
  const best = (words: readonly string[]): number => Math.max(0, ...words.map((word) => near.get(word) ?? 0));
  const own = best(parts) || best(keywords) / 2;
  return own || (best(context) > 0 ? CONTEXT_SCORE : 0);
}

/** Words that may be meant, with what they score: the nearest most. Short words are near too many others. */
function nearWords(word: string, vocabulary: ReadonlySet<string>): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  if (word.length < 4) return found;
  const rest = new Set([...vocabulary].filter((each) => Math.abs(each.length - word.length) <= 2));
  for (let i = 0; i < NEAR_MAX; i++) {
    const next = nearest(word, rest);
    if (next === undefined) break;
    rest.delete(next);
    found.set(next, 20 - 2 * i);
  }
  return found;
}

/** Made once for many searches. */
export function searchIndex(project: Pick<Project, 'models' | 'semanticModels' | 'metrics'>): SearchIndex {
  // Columns of the same name are everywhere.
  const known = new Map<string, readonly string[]>();
  const partsOf = (text: string): readonly string[] => {
    const parts = known.get(text) ?? wordsOf(text);
    known.set(text, parts);
    return parts;
  };
  const entries = [...candidates(project)].map(({ words, of, ...hit }): Entry => {
    return {
      hit,
      name: hit.name.toLowerCase(),
      parts: partsOf(hit.name),
      keywords: words.map((word) => word.toLowerCase()),
      title: (hit.title ?? '').toLowerCase(),
      description: (hit.description ?? '').toLowerCase(),
      context: of === undefined ? [] : partsOf(of),
    };
  });
  const vocabulary = new Set(
    entries.flatMap(({ parts, keywords }) => [...parts, ...keywords.flatMap(wordsOf)]),
  );
  return { entries, vocabulary };
}

function* candidates({
  models,
  semanticModels,
  metrics,
}: Pick<Project, 'models' | 'semanticModels' | 'metrics'>): Generator<Candidate> {
  for (const { name, description, tags, terms, columns, columnTags } of models) {
    yield { kind: 'model', ref: name, name, ...described(description), words: [...tags, ...terms] };
    for (const column of columns)
      yield {
        kind: 'column',
        ref: `${name}.${column.name}`,
        name: column.name,
        ...described(column.description),
        words: columnTags[column.name] ?? [],
        of: name,
      };
  }
  for (const semantic of semanticModels) {
    const ref = `semantic:${semantic.name.value}`;
    yield {
      kind: 'semantic-model',
      ref,
      name: semantic.name.value,
      ...(semantic.title === undefined ? {} : { title: semantic.title }),
      ...described(semantic.description),
      words: [...semantic.tags, ...semantic.terms, ...(semantic.aiContext?.synonyms ?? [])],
    };
    for (const [kind, members] of [
      ['dimension', semantic.dimensions ?? []],
      ['measure', semantic.measures],
      ['segment', semantic.segments],
    ] as const)
      for (const { name, title, description, tags, terms, aiContext, isPublic } of members)
        if (isPublic)
          yield {
            kind,
            ref: `${ref}.${name.value}`,
            name: name.value,
            ...(title === undefined ? {} : { title }),
            ...described(description),
            words: [...tags, ...terms, ...(aiContext?.synonyms ?? [])],
            of: semantic.name.value,
          };
  }
  for (const { name, title, description, tags, terms, aiContext } of metrics)
    yield {
      kind: 'metric',
      ref: `metric:${name.value}`,
      name: name.value,
      ...(title === undefined ? {} : { title }),
      ...described(description),
      words: [...tags, ...terms, ...(aiContext?.synonyms ?? [])],
    };
}

const described = (description: string | undefined): { readonly description?: string } =>
  description === undefined ? {} : { description };
