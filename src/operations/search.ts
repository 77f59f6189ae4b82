import type { AppliedProduct } from './metadata.ts';

/** Something with a name that a search found. */
export interface SearchHit {
  readonly kind: 'model' | 'column' | 'semantic-model' | 'dimension' | 'measure' | 'segment' | 'metric';
  /** `model`, `model.column`, `semantic:name`, `semantic:name.member` or `metric:name`. */
  readonly ref: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** Higher is nearer; only its order means something. */
  readonly score: number;
}

type Candidate = Omit<SearchHit, 'score'> & { readonly words: readonly string[] };

/** What has all words of a text in its name, title, description, tags, terms or synonyms; the nearest first. */
export function searchProduct(applied: AppliedProduct, text: string): readonly SearchHit[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return [];
  const hits: SearchHit[] = [];
  for (const { words: keywords, ...candidate } of candidates(applied)) {
    const scores = words.map((word) => scoreOf(word, candidate, keywords));
    if (scores.includes(0)) continue;
    const whole = candidate.name.toLowerCase() === text.trim().toLowerCase() ? 100 : 0;
    hits.push({ ...candidate, score: whole + scores.reduce((sum, score) => sum + score, 0) });
  }
  return hits.sort((a, b) => b.score - a.score || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : 0));
}

function scoreOf(
  word: string,
  { name, title = '', description = '' }: Omit<SearchHit, 'score'>,
  keywords: readonly string[],
): number {
  const parts: readonly string[] = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (parts.includes(word)) return 40;
  if (keywords.some((each) => each.toLowerCase() === word)) return 30;
  if (parts.some((part) => part.startsWith(word))) return 25;
  if (name.toLowerCase().includes(word)) return 15;
  if (title.toLowerCase().includes(word)) return 12;
  if (keywords.some((each) => each.toLowerCase().includes(word))) return 8;
  return description.toLowerCase().includes(word) ? 5 : 0;
}

function* candidates({ models, semanticModels, metrics }: AppliedProduct): Generator<Candidate> {
  for (const { name, description, tags, terms, columns } of models) {
    yield { kind: 'model', ref: name, name, ...described(description), words: [...tags, ...terms] };
    for (const column of columns)
      yield {
        kind: 'column',
        ref: `${name}.${column.name}`,
        name: column.name,
        ...described(column.description),
        words: [],
      };
  }
  for (const semantic of semanticModels) {
    const ref = `semantic:${semantic.name.value}`;
    yield {
      kind: 'semantic-model',
      ref,
      name: semantic.name.value,
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
