import type { ReachByModel, Reached, ReachKind } from '../../../domain/impact.ts';
import type { Asked, AskedSide } from './asked-side.ts';
import { type QuestionReads, questionReads } from './question-reads.ts';

/** What is asked before a change and after it; without `before` only the rows change, and not what is asked. */
export interface AskedSides {
  readonly before?: AskedSide;
  readonly after: AskedSide;
  /** Members and metrics that are supposed to mean something else, in lower case. */
  readonly others?: ReadonlySet<string>;
}

/** One thing that people ask, in all the ways in which it may be asked. */
export type QuestionForms = (side: AskedSide) => readonly Asked[];

/**
 * How a change reaches the answers to a question; undefined when no answer is another one: the engine is asked the same before and
 * after, and nothing that it reads for that differs.
 */
export function reachedQuestion(
  { before, after, others }: AskedSides,
  forms: QuestionForms,
  reach: ReachByModel,
): Reached | undefined {
  const now = formsOn(after, forms);
  const was = before === undefined ? now : formsOn(before, forms);
  const gathered = { how: new Set<ReachKind>(), through: new Set<string>() };
  const add = (how: Iterable<ReachKind>, through: string): void => {
    for (const each of how) gathered.how.add(each);
    gathered.through.add(through);
  };
  if (now.length < was.length) for (const name of namesOf(was)) add(['removed'], name);
  else if (textOf(now) !== textOf(was)) for (const name of namesOf(now)) add(['value'], name);
  // What cannot be asked on any side may be something that only the engine understands.
  if (now.length === 0 && was.length === 0) for (const name of reach.keys()) add(['value'], name);
  const models = new Map([...reach].map(([name, each]) => [name.toLowerCase(), { name, each }]));
  for (const { members } of now)
    for (const name of members) if (others?.has(name.toLowerCase()) === true) add(['value'], name);
  for (const reads of now)
    for (const [model, read] of reads.columns) {
      const found = models.get(model);
      if (found === undefined) continue;
      const { name, each } = found;
      if (each.rows !== undefined) add(each.rows.how, name);
      else
        for (const [column, from] of each.columns)
          if (read === 'all' || read.has(column)) add(from.how, `${name}.${column}`);
    }
  return gathered.through.size === 0 ? undefined : { how: [...gathered.how], through: [...gathered.through] };
}

const formsOn = (side: AskedSide, forms: QuestionForms): readonly QuestionReads[] =>
  forms(side).flatMap((asked) => questionReads(side, asked) ?? []);

const textOf = (reads: readonly QuestionReads[]): string => JSON.stringify(reads.map(({ texts }) => texts));

const namesOf = (reads: readonly QuestionReads[]): ReadonlySet<string> => {
  const names = new Set(reads.flatMap(({ semantics }) => semantics));
  return names.size === 0 ? new Set(reads.flatMap(({ columns }) => [...columns.keys()])) : names;
};
