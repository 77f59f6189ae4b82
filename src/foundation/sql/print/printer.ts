import type { Dialect } from '../dialect.ts';
import type { SqlError } from '../sql-error.ts';
import type { Expression, Query, Span } from '../tree.ts';
import type { DialectSpelling } from './dialect-spelling.ts';
import { spellingOf } from './spelling-of.ts';

/** The text being written and between which dialects it moves; expressions and queries call each other through it. */
export interface Printer {
  out: string;
  /** How many levels of two blanks a new line begins with; only used when pretty. */
  indent: number;
  readonly isPretty: boolean;
  readonly from: Dialect;
  readonly to: Dialect;
  readonly source: DialectSpelling;
  readonly target: DialectSpelling;
  /** False when a query is printed in the dialect it was written in: then nothing is renamed or emulated. */
  readonly isTranslating: boolean;
  /** What the target cannot say; the first is what a translation fails with. */
  readonly problems: SqlError[];
  readonly expression: (p: Printer, expression: Expression, level?: number) => void;
  readonly query: (p: Printer, query: Query) => void;
}

/** What `printer` needs to know; `from` is the dialect the tree was read from. */
export interface PrintTask {
  readonly from: Dialect;
  readonly to: Dialect;
  readonly isPretty: boolean;
}

export function createPrinter(task: PrintTask, parts: Pick<Printer, 'expression' | 'query'>): Printer {
  const { from, to, isPretty } = task;
  const source = spellingOf(from);
  const target = spellingOf(to);
  return {
    out: '',
    indent: 0,
    isPretty,
    from,
    to,
    source,
    target,
    isTranslating: from !== to,
    problems: [],
    ...parts,
  };
}

/** A blank, or a new line at the current indentation. */
export function breakLine(p: Printer): void {
  p.out += p.isPretty ? `\n${'  '.repeat(p.indent)}` : ' ';
}

/** Nothing, or a new line: after an opening and before a closing parenthesis. */
export function softLine(p: Printer): void {
  if (p.isPretty) p.out += `\n${'  '.repeat(p.indent)}`;
}

/** Runs `write` and takes what it wrote out again, for templates. */
export function captured(p: Printer, write: () => void): string {
  const before = p.out;
  p.out = '';
  write();
  const text = p.out;
  p.out = before;
  return text;
}

export function joined<Item>(p: Printer, items: readonly Item[], write: (item: Item) => void): void {
  for (let i = 0; i < items.length; i++) {
    if (i > 0) p.out += ', ';
    write(items[i] as Item);
  }
}

/** Notes that the target has no words for this; the text goes on as if it had. */
export function refuse(p: Printer, what: string, span: Span): void {
  p.problems.push({ kind: 'unsupported', message: `${what} cannot be said in ${p.to}`, span });
}
