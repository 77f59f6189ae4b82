/*
 * What a SELECT over semantic tables is grouped by: the items of GROUP BY, or, without one, the list's expressions over rows.
 * Everything that is shown is then said in terms of these keys.
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type {
  ColumnReference,
  Expression,
  GroupBy,
  GroupItem,
  Select,
} from '../../../foundation/sql/tree.ts';
import { rewrite, type SqlNode, walk } from '../../../foundation/sql/walk.ts';
import type { ResolvedMember } from '../member-lookup.ts';
import { bucketOf } from '../time/bucket-of.ts';
import { granularityOf, timeTypeOf } from '../time/granularity.ts';
import { type BlockNames, isRowName, placeholder } from './block-names.ts';
import { type Problems, positionOf } from './problems.ts';
import { factsOf, isSameTree, type TreeFacts } from './tree-facts.ts';

/** A column to group by, and the name that stands for it in trees. */
export interface GroupKey {
  readonly placeholder: string;
  readonly tree: Expression;
  readonly member: ResolvedMember;
}

const KEY = '\uE403';
const KEYS_MAX = 500;
const WHOLE_DAYS: ReadonlySet<string> = new Set(['day', 'week', 'month', 'quarter', 'year']);

/** Whether a name of a tree is one of the rows or one of the groups. */
export type SortOf = (node: SqlNode) => 'rows' | 'groups' | undefined;

export class GroupKeys {
  readonly list: GroupKey[] = [];
  readonly #names: BlockNames;
  readonly #problems: Problems;
  readonly #sortOf: SortOf;
  readonly #byHash = new Map<number, GroupKey[]>();

  constructor(place: { readonly names: BlockNames; readonly problems: Problems; readonly sortOf: SortOf }) {
    this.#names = place.names;
    this.#problems = place.problems;
    this.#sortOf = place.sortOf;
  }

  /** `bind` reads an item that is not a number. */
  read(
    groupBy: GroupBy | undefined,
    list: readonly Expression[],
    bind: (item: Expression) => Expression,
  ): void {
    if (groupBy === undefined || groupBy.isAll) this.#readList(list);
    else for (const item of this.#itemsOf(groupBy.items)) this.#readItem(item, list, bind);
    const last = this.list[KEYS_MAX];
    if (last !== undefined)
      this.#problems.add(() =>
        diagnostic(
          'semantic.sql-unsupported',
          { what: `more than ${KEYS_MAX} columns to group by` },
          { at: positionOf(last.tree.span) },
        ),
      );
  }

  #readList(list: readonly Expression[]): void {
    const mixed: Expression[] = [];
    for (const tree of list) {
      const facts = this.#facts(tree).get(tree) as TreeFacts;
      if (facts.hasRows && !facts.hasGroups) this.#add(tree);
      else if (facts.hasRows) mixed.push(tree);
    }
    for (const tree of mixed)
      walk(this.match(tree), (node) => {
        if (isRowName(node)) this.#add(node);
      });
  }

  #itemsOf(items: readonly GroupItem[]): readonly Expression[] {
    return items.flatMap((item) => {
      if (item.kind === 'expression') return [item.expression];
      if (item.kind === 'set') return this.#itemsOf(item.items);
      const what = { rollup: 'ROLLUP', cube: 'CUBE', 'grouping-sets': 'GROUPING SETS' }[item.kind];
      const at = this.#names.sources[0]?.table.span;
      this.#problems.add(() =>
        diagnostic('semantic.sql-unsupported', { what }, at && { at: positionOf(at) }),
      );
      return [];
    });
  }

  #readItem(item: Expression, list: readonly Expression[], bind: (item: Expression) => Expression): void {
    const isNumber = item.kind === 'literal' && item.type === 'number';
    const tree = isNumber ? list[Number(item.text) - 1] : bind(item);
    if (tree === undefined) {
      const name = isNumber ? item.text : '';
      const tables = `the SELECT list, which has ${list.length}`;
      this.#problems.add(() =>
        diagnostic('semantic.sql-unknown-column', { name, tables }, { at: positionOf(item.span) }),
      );
      return;
    }
    const facts = this.#facts(tree).get(tree) as TreeFacts;
    if (facts.hasGroups)
      this.#problems.add(() =>
        diagnostic(
          'semantic.sql-aggregate',
          { what: 'GROUP BY names a measure' },
          { at: positionOf(item.span), hint: 'leave it out' },
        ),
      );
    else if (facts.hasRows) this.#add(tree);
  }

  #facts(tree: SqlNode): ReadonlyMap<SqlNode, TreeFacts> {
    return factsOf(tree, this.#sortOf);
  }

  #add(written: Expression): void {
    const tree = this.#withoutCasts(written);
    const { hash } = this.#facts(tree).get(tree) as TreeFacts;
    if (this.#find(tree, hash) !== undefined) return;
    const key: GroupKey = {
      placeholder: `${KEY}${this.list.length}`,
      tree,
      member: isRowName(tree) ? this.#rowOf(tree).key : this.memberOf(tree, 'value'),
    };
    this.list.push(key);
    const same = this.#byHash.get(hash);
    if (same === undefined) this.#byHash.set(hash, [key]);
    else same.push(key);
  }

  /** A bucket of days or longer is the same group as a date and as a timestamp; as a bucket, windows can move along it. */
  #withoutCasts(tree: Expression): Expression {
    let inner = tree;
    while (
      inner.kind === 'cast' &&
      !inner.isTry &&
      ['DATE', 'TIMESTAMP', 'DATETIME'].includes(inner.type.name)
    )
      inner = inner.operand;
    if (inner === tree || !isRowName(inner)) return tree;
    const { granularity } = this.#rowOf(inner).member;
    return granularity !== undefined && WHOLE_DAYS.has(granularity) ? inner : tree;
  }

  #find(tree: Expression, hash: number): GroupKey | undefined {
    return this.#byHash.get(hash)?.find((key) => isSameTree(key.tree, tree));
  }

  #rowOf(node: ColumnReference) {
    const bound = this.#names.of(node);
    if (bound.kind !== 'row') throw new Error('a measure has no value in a row');
    return bound;
  }

  /** An expression over rows as something the core can look up. `name` is for its column. */
  memberOf(tree: Expression, name: string): ResolvedMember {
    if (isRowName(tree)) return this.#rowOf(tree).member;
    const members = new Map<string, ResolvedMember>();
    walk(tree, (node) => {
      if (isRowName(node)) members.set(node.name.name, this.#rowOf(node).member);
    });
    const [first] = members.values();
    return { word: name, ref: (first ?? this.#anyMember()).ref, computed: { tree, members } };
  }

  /** A condition without columns still belongs to some table. */
  #anyMember(): ResolvedMember {
    const span = { start: 0, end: 0 };
    for (const source of this.#names.sources) {
      if (source.kind === 'model') {
        const { word, named } = source;
        const [member] = named.model.members.values();
        if (member !== undefined) return { word, ref: { word, named, member } };
        continue;
      }
      const found = this.#names.bind({
        kind: 'column',
        name: { name: 'ts', quoted: true, span },
        qualifiers: [{ name: source.alias, quoted: true, span }],
        span,
      });
      if (found && isRowName(found)) return this.#rowOf(found).member;
    }
    throw new Error('no table has a dimension');
  }

  /** The tree with keys in place of what they are, the largest first. */
  match<Tree extends Expression | Select>(tree: Tree): Tree {
    if (this.list.length === 0) return tree;
    const facts = this.#facts(tree);
    const found = new Map<SqlNode, GroupKey>();
    walk(tree, (node) => {
      const { hasRows, hasGroups, hash } = facts.get(node) as TreeFacts;
      if (!hasRows) return false;
      const key = hasGroups ? undefined : this.#find(node as Expression, hash);
      if (key !== undefined) found.set(node, key);
      return key === undefined;
    });
    return rewrite(tree, (node) => {
      const key = found.get(node);
      if (key !== undefined) return placeholder(key.placeholder, (node as Expression).span);
      return isRowName(node) ? (this.#bucketOfKey(node) ?? node) : node;
    });
  }

  /** A bucket of a time that is grouped by itself. */
  #bucketOfKey(node: ColumnReference): Expression | undefined {
    const { bucketOf: time, member: asked, type } = this.#rowOf(node);
    const key = this.list.find(({ tree }) => isRowName(tree) && tree.name.name === time);
    const granularity = asked.grain && granularityOf(asked.grain);
    if (key === undefined || granularity === undefined) return undefined;
    return bucketOf(placeholder(key.placeholder, node.span), {
      type: timeTypeOf(type),
      granularity,
      timezone: 'UTC',
    });
  }

  /** An expression that still names a row has several values in a group. */
  checkGrouped(tree: SqlNode): void {
    walk(tree, (node) => {
      if (!isRowName(node)) return;
      this.#problems.add(() =>
        diagnostic(
          'semantic.sql-not-grouped',
          { name: this.#names.shown(node) },
          { at: positionOf(node.span) },
        ),
      );
    });
  }
}
