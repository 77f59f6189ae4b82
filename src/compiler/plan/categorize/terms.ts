/**
 * Terms: what rows and values are, written so that equal terms are equal data.
 *
 *   rows  table(t) · filter(rows, conditions) · group(rows, keys) · distinct(rows, values) · join(…) · limit(…) · …
 *   value column(t, a) · '+'(value, value) · aggregate(rows, sum, value) · at(1, value of the second table in FROM) · …
 *
 * A query is one rows term and one value term for each output column, each a function of the row. Names, aliases, CTEs
 * and spans are gone. So two queries with the same rows term have the same rows, and their columns with the same value
 * term hold the same values in them, all together: this is the whole proof, everything else is building the terms.
 * Terms are interned: one number for each, so that comparing is `===` and shared parts are kept once.
 */

/** A term's number in its table. */
export type Term = number;
/** A part of a term: another term, or a text that is part of its meaning. */
export type TermPart = Term | string;

interface Node {
  readonly op: string;
  readonly parts: readonly TermPart[];
}

/** Operations whose operands may stand in any order. */
const UNORDERED: ReadonlySet<string> = new Set(['and', 'or', 'set', '=', '<>', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM', 'either']); // biome-ignore format: a list
/** … and where a repeated operand adds nothing. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['and', 'or', 'set', 'either']);

/** Operations that compute a value from the values of one row only, and the same one every time. */
const SCALAR: ReadonlySet<string> = new Set(['scalar', 'literal', 'and', 'or', 'set', '=', '<>', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM']); // biome-ignore format: a list

/** The table of all terms of one comparison; both queries share it. */
export class Terms {
  private readonly nodes: Node[] = [];
  private readonly numbers = new Map<string, Term>();

  make(op: string, ...given: readonly TermPart[]): Term {
    let parts = given;
    if (UNORDERED.has(op)) {
      parts = [...given].sort((a, b) => (a as number) - (b as number));
      if (IDEMPOTENT.has(op)) parts = parts.filter((part, at) => part !== parts[at - 1]);
    }
    const key = `${op}(${parts.map((part) => (typeof part === 'number' ? String(part) : JSON.stringify(part))).join()})`;
    let term = this.numbers.get(key);
    if (term === undefined) {
      term = this.nodes.length;
      this.nodes.push({ op, parts });
      this.numbers.set(key, term);
    }
    return term;
  }

  op(term: Term): string {
    return (this.nodes[term] as Node).op;
  }

  parts(term: Term): readonly TermPart[] {
    return (this.nodes[term] as Node).parts;
  }

  /** The parts that are terms. */
  children(term: Term): readonly Term[] {
    return this.parts(term).filter((part) => typeof part === 'number');
  }

  isScalar(term: Term): boolean {
    return SCALAR.has(this.op(term));
  }

  /** Whether anything in the term is what `test` looks for. */
  some(root: Term, test: (term: Term) => boolean): boolean {
    const seen = new Set<Term>([root]);
    const waiting = [root];
    for (let term = waiting.pop(); term !== undefined; term = waiting.pop()) {
      if (test(term)) return true;
      for (const child of this.children(term)) {
        if (seen.has(child)) continue;
        seen.add(child);
        waiting.push(child);
      }
    }
    return false;
  }

  /** Filters of filters are one filter, and a filter without conditions is none. */
  filter(rows: Term, conditions: readonly Term[]): Term {
    if (conditions.length === 0) return rows;
    if (this.op(rows) !== 'filter') return this.make('filter', rows, this.make('set', ...conditions));
    const { input, conditions: before } = this.filtered(rows);
    return this.make('filter', input, this.make('set', ...before, ...conditions));
  }

  /** What a filter filters; any other rows are filtered by nothing. */
  filtered(rows: Term): { readonly input: Term; readonly conditions: readonly Term[] } {
    if (this.op(rows) !== 'filter') return { input: rows, conditions: [] };
    const [input, set] = this.children(rows) as [Term, Term];
    return { input, conditions: this.children(set) };
  }

  /**
   * Sets of values that no two rows share, as far as the rows say so themselves: the keys of a grouping, the columns of a
   * DISTINCT. Filters and limits only take rows away.
   */
  uniqueKeys(rows: Term): readonly Term[] | undefined {
    let at = rows;
    while (this.op(at) === 'filter' || this.op(at) === 'limit') at = this.children(at)[0] as Term;
    if (this.op(at) !== 'group' && this.op(at) !== 'distinct') return undefined;
    return this.children(this.children(at)[1] as Term);
  }

  /** Whether the value is a function of the given values alone. */
  isDetermined(value: Term, by: ReadonlySet<Term>): boolean {
    if (by.has(value)) return true;
    return this.isScalar(value) && this.children(value).every((child) => this.isDetermined(child, by));
  }
}
