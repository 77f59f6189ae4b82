import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic, SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { type JoinPaths, type PathGoal, pathWords } from './join-paths.ts';
import { isWrongColumn, type Member, type NamedSemantic, type SemanticWorld } from './semantic-world.ts';

/** What a reference leads to. `type` is canonical type text, UNKNOWN when it is not known. */
export type Target =
  | { readonly kind: 'column'; readonly scope: NamedSemantic; readonly name: string; readonly type: string }
  | {
      readonly kind: 'member';
      readonly scope: NamedSemantic;
      readonly member: Member;
      readonly type: string;
    };

/** A reference and where it stands. */
export interface WrittenReference {
  readonly parts: readonly string[];
  readonly at: SourceRange;
  /** In a measure of measures, a name means the measure before the column. */
  readonly prefers: 'column' | 'measure';
  /** Whether columns that are not dimensions can be meant, too. */
  readonly allowsColumns: boolean;
}

/** Finds what references mean, and reports those that mean nothing or too much. */
export class MemberResolver {
  readonly world: SemanticWorld;
  readonly #joinPaths: JoinPaths;
  readonly #report: (diagnostic: Diagnostic) => void;

  constructor(world: SemanticWorld, joinPaths: JoinPaths, report: (diagnostic: Diagnostic) => void) {
    this.world = world;
    this.#joinPaths = joinPaths;
    this.#report = report;
  }

  /** `from` is the semantic model the reference stands in (or, in a metric, that of its measure); undefined when there is none. */
  resolve(requested: WrittenReference, from: NamedSemantic | undefined): Target | undefined {
    const { parts, at } = requested;
    const [first = '', second] = parts;
    if (parts.length > 2 || (second === undefined && from === undefined)) {
      this.#report(diagnostic('semantic.bad-reference', { reference: parts.join('.') }, { at }));
      return undefined;
    }
    if (second === undefined) return from && this.#inside(from, first, requested);
    const scope = this.scope(first, from, at);
    return scope === undefined ? undefined : this.#inside(scope, second, requested);
  }

  /** The semantic model a name or role means, with exactly one path to it. */
  scope(name: string, from: NamedSemantic | undefined, at: SourceRange): NamedSemantic | undefined {
    const key = name.toLowerCase();
    if (from?.name.toLowerCase() === key) return from;
    const own = from?.semantic.joins.find((join) => join.name.value.toLowerCase() === key);
    if (own !== undefined) return this.world.semantics.get(own.model.value.toLowerCase());
    const scope = this.world.semantics.get(key);
    if (scope !== undefined) {
      if (from !== undefined) this.checkPath(from, scope, at);
      return scope;
    }
    const roles = this.world.roles.get(key) ?? [];
    const [role] = roles;
    if (role !== undefined && roles.length === 1) {
      if (from !== undefined) this.#checkWay(from, name, at);
      return this.world.semantics.get(role.join.model.value.toLowerCase());
    }
    if (this.world.hasNameless) return undefined;
    const names = [...this.world.semantics.values()].map((each) => each.name);
    this.#report(
      diagnostic(
        'semantic.unknown-semantic-model',
        { name },
        { at, hint: didYouMean(name, [...names, ...this.world.roles.keys()]) },
      ),
    );
    return undefined;
  }

  checkPath(from: NamedSemantic, to: NamedSemantic, at: SourceRange): void {
    this.#checkWay(from, to.name, at);
  }

  /** Whether a row meets at most one of what a name or role means; undefined when the path is not clear, which is reported. */
  isToOne(name: string, from: NamedSemantic): boolean | undefined {
    const key = name.toLowerCase();
    if (from.name.toLowerCase() === key) return true;
    const own = from.semantic.joins.find((join) => join.name.value.toLowerCase() === key);
    if (own !== undefined) return own.type === 'many_to_one' || own.type === 'one_to_one';
    const goal = this.#joinPaths.goal(key);
    const found = goal && this.#joinPaths.plain(from.name.toLowerCase(), goal);
    return found?.kind === 'one' ? found.path.every(({ isToOne }) => isToOne) : undefined;
  }

  #checkWay(from: NamedSemantic, name: string, at: SourceRange): void {
    // What a join that leads nowhere would have meant is not known, and the join is reported.
    const goal: PathGoal | undefined = this.#joinPaths.goal(name);
    if (from.name === '' || name === '' || goal === undefined) return;
    const found = this.#joinPaths.plain(from.name.toLowerCase(), goal);
    const nameOf = (model: string): string => this.world.semantics.get(model)?.name ?? model;
    if (found.kind === 'several') {
      const paths = pathWords(found.paths, nameOf);
      this.#report(
        diagnostic('semantic.ambiguous-path', { from: from.name, to: nameOf(goal.word), paths }, { at }),
      );
    } else if (found.kind === 'none' && !this.world.hasLooseJoins)
      this.#report(diagnostic('semantic.no-path', { from: from.name, to: nameOf(goal.word) }, { at }));
  }

  #inside(scope: NamedSemantic, name: string, reference: WrittenReference): Target | undefined {
    const key = name.toLowerCase();
    const type = scope.columns.get(key);
    const member = scope.members.get(key) ?? scope.meant.get(key);
    const column: Target | undefined = type === undefined ? undefined : { kind: 'column', scope, name, type };
    const isMeasureWanted = member?.kind === 'measure' && reference.prefers === 'measure';
    if (reference.allowsColumns && column !== undefined && !isMeasureWanted) return column;
    // An unknown column may have the name of a measure that aggregates it.
    if (reference.allowsColumns && member?.kind === 'measure' && !isMeasureWanted && !scope.knowsColumns)
      return { kind: 'column', scope, name, type: 'UNKNOWN' };
    if (member !== undefined)
      return { kind: 'member', scope, member, type: member.kind === 'dimension' ? member.type : 'UNKNOWN' };
    if (reference.allowsColumns && !scope.knowsColumns)
      return { kind: 'column', scope, name, type: 'UNKNOWN' };
    if (scope.isOpen) return undefined;
    const names = [
      ...[...scope.members.values()].filter((each) => exists(each, scope)).map((each) => each.name),
      ...(reference.allowsColumns ? scope.columns.keys() : []),
    ];
    const suggestion = didYouMean(name, names);
    const shown =
      reference.parts.length === 2 && suggestion !== undefined
        ? suggestion.replace('mean ', `mean ${reference.parts[0]}.`)
        : suggestion;
    const unlisted = column === undefined ? undefined : `add ${name} to the dimensions of ${scope.name}`;
    this.#report(
      diagnostic(
        'semantic.unknown-member',
        { member: reference.parts.join('.'), model: scope.name },
        { at: reference.at, hint: unlisted ?? shown },
      ),
    );
    return undefined;
  }
}

/** Whether a member is there for sure, so that it can be suggested. */
function exists(member: Member, scope: NamedSemantic): boolean {
  if (member.kind !== 'dimension' || member.dimension === undefined) return true;
  return !scope.knowsColumns || !isWrongColumn(member.dimension, scope.columns);
}
