/*
 * Which columns of its model a semantic model shows to callers for whom a policy masks some dimensions.
 *
 *   dimension email  (masked)      hides   email, and every column that carries the same values
 *   dimension mail   {email}       shows   nothing: a masked name is its mask wherever it stands
 *   measure   last   max(e_mail)   shows   e_mail
 *
 * Texts are read by their words: a word that is the name of a column counts as the column. That may count too much, never too little.
 */
import type { Measure, SemanticModel } from '../../../domain/semantic-model.ts';
import { canonicalContent } from '../../../foundation/yaml/canonical-content.ts';
import { wordsIn } from './policy-conditions.ts';

/** A semantic model with the columns of the model below it, lower case; where there are none they are not known, and every word may be one. */
export interface SemanticColumns {
  readonly semantic: SemanticModel;
  readonly columns: ReadonlySet<string>;
}

/** What decides the value of a member: equal texts are equal values over equal rows. */
interface MemberTexts {
  readonly content: string;
  readonly texts: readonly string[];
}

/** Every member by its name in lower case; without a list of dimensions each column is one. */
export function membersOf({ semantic, columns }: SemanticColumns): ReadonlyMap<string, MemberTexts> {
  const members = new Map<string, MemberTexts>();
  const put = (name: string, definition: unknown, texts: readonly string[]): void =>
    void members.set(name.toLowerCase(), { content: canonicalContent([definition]), texts });
  if (semantic.dimensions === undefined) for (const name of columns) put(name, 'column', [name]);
  for (const { name, expression } of semantic.dimensions ?? [])
    put(name.value, expression ?? 'column', [expression?.value ?? name.value]);
  for (const measure of semantic.measures) put(measure.name.value, partsOf(measure), textsOf(measure));
  for (const { name, expression } of semantic.segments) put(name.value, expression, [expression.value]);
  return members;
}

const partsOf = ({ type, expression, filters, p, rollingWindow, timeShift, behavior }: Measure): unknown => [
  type, expression, filters, p, rollingWindow, timeShift, behavior,
]; // biome-ignore format: one list

const textsOf = ({ expression, filters }: Measure): readonly string[] =>
  [...(expression === undefined ? [] : [expression]), ...filters].map(({ value }) => value);

/** Texts that could reach columns without naming them. */
const UNNAMED = /\bcolumns\s*\(|u&"|\*\s*(?:exclude|replace)/i;

/** Columns that texts read where these names are masked; `own` is the member they belong to, whose name inside means the column. */
export function columnsRead(
  texts: readonly string[],
  of: SemanticColumns,
  { masked, own }: { readonly masked: ReadonlySet<string>; readonly own?: string | undefined },
): ReadonlySet<string> {
  const read = new Set<string>();
  const waiting = texts.map((text) => ({ text, own }));
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (UNNAMED.test(next.text)) for (const column of of.columns) read.add(column);
    for (const column of oddlyNamed(of.columns))
      if (next.text.toLowerCase().includes(column) && !masked.has(column)) read.add(column);
    for (const word of wordsIn(next.text)) {
      if (masked.has(word) && word !== next.own) continue;
      if (of.columns.size === 0 || of.columns.has(word)) read.add(word);
      if (!of.columns.has(word) && !seen.has(word)) {
        seen.add(word);
        const dimension = of.semantic.dimensions?.find(({ name }) => name.value.toLowerCase() === word);
        const measure = of.semantic.measures.find(({ name }) => name.value.toLowerCase() === word);
        if (dimension?.expression !== undefined)
          waiting.push({ text: dimension.expression.value, own: word });
        if (measure !== undefined) waiting.push(...textsOf(measure).map((text) => ({ text, own: word })));
      }
    }
  }
  return read;
}

/** Names of several words, or with other characters. */
const oddlyNamed = (columns: ReadonlySet<string>): readonly string[] =>
  [...columns].filter((column) => wordsIn(column)[0] !== column);

/** What masks of these names keep from a reader: the columns below them, whatever carries those, less those that are shown beside them. */
export function hiddenColumns(
  of: SemanticColumns,
  masked: ReadonlySet<string>,
  carriers: (columns: ReadonlySet<string>) => ReadonlySet<string>,
): ReadonlySet<string> {
  if (masked.size === 0) return new Set();
  const members = membersOf(of);
  const below = [...masked].flatMap((name) => [
    ...columnsRead(members.get(name)?.texts ?? [name], of, { masked: new Set(), own: name }),
  ]);
  const hidden = new Set([...below, ...carriers(new Set(below))]);
  for (const [name, { content }] of members)
    if (!masked.has(name) && content === canonicalContent(['column'])) hidden.delete(name);
  return hidden;
}
