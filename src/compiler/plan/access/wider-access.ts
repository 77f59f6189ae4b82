/*
 * Who sees more after a plan than before it, and of what.
 *
 *   semantic model that stays    its policies let a group see more rows or columns
 *   semantic model that is new   it shows what policies of another one keep from a group
 *   semantic model, any          it closes less to SQL than it did: models that feed its model, or are derived from it
 *
 * In an environment beside the default one the policies of both hold: what the default one goes on to restrict is not wider, and in a new
 * one there is nothing but the default one to compare with.
 */
import type { Model } from '../../../domain/model.ts';
import type { SemanticModel } from '../../../domain/semantic-model.ts';
import type { WiderAccess } from '../../../domain/wider-access.ts';
import { canonicalContent } from '../../../foundation/yaml/canonical-content.ts';
import {
  closureOf,
  groupsOf,
  groupsThatSeeMore,
  maskedAnywhere,
  type PolicedModel,
  policiesFor,
  seenBy,
} from './compare-policies.ts';
import { columnsRead, membersOf, type SemanticColumns } from './exposed-columns.ts';
import {
  type ClosedColumns,
  closedColumns,
  columnsBelow,
  ModelFlow,
  openedModels,
} from './protected-models.ts';

/** Semantic models with the models around them, as an environment has them. */
export interface AppliedAccess {
  readonly semanticModels: readonly SemanticModel[];
  readonly models: readonly Model[];
}

export interface AccessComparison {
  /** What the environment has now; absent when it is new. */
  readonly before?: AppliedAccess | undefined;
  readonly after: AppliedAccess;
  /** The default environment, where the plan is for another one. */
  readonly beside?: AppliedAccess | undefined;
}

export function widerAccess({ before, after, beside }: AccessComparison): readonly WiderAccess[] {
  const found = [before, beside].flatMap((each) => each ?? []);
  if (!found.some(({ semanticModels }) => semanticModels.some(({ policies }) => policies.length > 0)))
    return [];
  // Models that are only new count as if they had been there: what was protected reaches into them.
  const held = found.map((each) => new World(each, { more: after.models }));
  const now = new World(after);
  const holding = [
    now,
    ...(beside === undefined ? [] : [new World(beside, { deciders: after.semanticModels })]),
  ];
  return [
    ...held.flatMap((world, index) =>
      world
        .policed()
        .flatMap((semantic) =>
          lessRestricted(semantic, { world, holding, isQueried: before !== undefined && index === 0 }),
        ),
    ),
    ...now.semanticModels.flatMap((semantic) => shownAnew(semantic, held, now)),
  ];
}

/** What applied semantics close, and to which callers. */
class World {
  readonly semanticModels: readonly SemanticModel[];
  readonly flow: ModelFlow;
  readonly #deciders: readonly SemanticModel[];
  readonly #closed = new Map<string, ClosedColumns>();

  constructor(
    { semanticModels, models }: AppliedAccess,
    {
      more = [],
      deciders = [],
    }: { readonly more?: readonly Model[]; readonly deciders?: readonly SemanticModel[] } = {},
  ) {
    const known = new Set(models.map(({ name }) => name.toLowerCase()));
    this.semanticModels = semanticModels;
    this.flow = new ModelFlow([...models, ...more.filter(({ name }) => !known.has(name.toLowerCase()))]);
    this.#deciders = [...semanticModels, ...deciders];
  }

  named(name: string): SemanticModel | undefined {
    return this.semanticModels.find((each) => each.name.value === name);
  }

  policed(): readonly SemanticModel[] {
    return this.semanticModels.filter(({ policies }) => policies.length > 0);
  }

  /** A semantic model with what its policies are compared by. */
  compared(semantic: SemanticModel): PolicedModel {
    const model = semantic.model.value;
    return {
      semantic,
      others: this.semanticModels.filter((each) => each !== semantic),
      columns: this.flow.columns(model),
      carriers: (columns) => this.flow.carriers(model, columns).get(model.toLowerCase()) ?? new Set(),
    };
  }

  closed(semantic: SemanticModel, group: string): ClosedColumns {
    const key = `${semantic.name.value}\0${group}`;
    const found =
      this.#closed.get(key) ?? closedColumns(semantic, group, { flow: this.flow, deciders: this.#deciders });
    this.#closed.set(key, found);
    return found;
  }
}

/** Where an earlier semantic model restricts less than it did, in answers (`isAsked`: by this environment's own policies) or in SQL. */
function lessRestricted(
  semantic: SemanticModel,
  {
    world,
    holding,
    isQueried: isAsked,
  }: { readonly world: World; readonly holding: readonly World[]; readonly isQueried: boolean },
): readonly WiderAccess[] {
  const [after] = holding as readonly [World, ...World[]];
  const name = semantic.name.value;
  const now = after.named(name);
  const successors = holding.flatMap((each) => {
    const found = each.named(name);
    return found === undefined ? [] : [{ of: each, found }];
  });
  // Both environments hold, so one whose policies restrict as before is enough.
  const more = isAsked
    ? leastOf(
        successors.map(({ of, found }) => groupsThatSeeMore(world.compared(semantic), of.compared(found))),
        ({ length }) => length,
      )
    : undefined;
  const openedTo = (group: string, successor: (typeof successors)[number] | undefined): readonly string[] =>
    openedModels(
      world.closed(semantic, group),
      successor === undefined ? new Map() : successor.of.closed(successor.found, group),
      after.flow,
    );
  const opened = leastOf(
    (successors.length === 0 ? [undefined] : successors).map(
      (successor) =>
        new Map(
          groupsOf(semantic, successor?.found).flatMap((group) => {
            const models = openedTo(group, successor);
            return models.length === 0 ? [] : [[group, models] as const];
          }),
        ),
    ),
    ({ size }) => size,
  );
  return groupsOf(semantic, now)
    .filter((group) => more?.includes(group) === true || opened?.has(group) === true)
    .map((who) => ({
      kind: 'semantic',
      who,
      name,
      reason: reasonOf(semantic, now),
      before: seenBy(semantic, who),
      after: now === undefined ? NOTHING : seenBy(now, who),
      models: opened?.get(who) ?? [],
    }));
}

/** The first that is empty, else the first. */
const leastOf = <Found>(all: readonly Found[], size: (found: Found) => number): Found | undefined =>
  all.find((each) => size(each) === 0) ?? all[0];

const NOTHING = { rows: 'none', masked: [] };

function reasonOf(before: SemanticModel, now: SemanticModel | undefined): string {
  if (now === undefined) return 'the semantic model is removed, and its policies with it';
  if (now.policies.length === 0) return 'its policies are removed';
  if (now.model.value !== before.model.value) return `it is over ${now.model.value} from now on`;
  return canonicalContent(now.policies) === canonicalContent(before.policies)
    ? 'its policies stay, and protect less than before'
    : 'its policies changed, and are not proven to restrict as much as before';
}

/** Where a semantic model that is new, or has new members, shows what the policies of another one keep from a group. */
function shownAnew(semantic: SemanticModel, held: readonly World[], after: World): readonly WiderAccess[] {
  const model = semantic.model.value.toLowerCase();
  const known = held
    .map((world) => ({ world, found: world.named(semantic.name.value) }))
    .find(({ found }) => found?.model.value.toLowerCase() === model);
  const now = { semantic, columns: after.flow.columns(model) };
  const before = known?.found && { semantic: known.found, columns: known.world.flow.columns(model) };
  const others = held.flatMap((world) =>
    world
      .policed()
      .filter(({ name }) => name.value !== semantic.name.value)
      .map((protector) => ({ protector, world })),
  );
  if (others.length === 0) return [];
  return groupsOf(semantic, ...others.map(({ protector }) => protector)).flatMap(
    (who): readonly WiderAccess[] => {
      if (policiesFor(semantic, who).length === 0) return [];
      const shown = newlyRead(now, before, new Set(seenBy(semantic, who).masked));
      const found = others.find(({ protector, world }) => {
        const closed = world.closed(protector, who).get(model);
        if (closed === undefined) return false;
        const isRows = closed === 'all' && closureOf(protector, who) === 'rows';
        if (isRows && known === undefined) return true;
        const hidden =
          closed === 'all'
            ? columnsBelow(protector, maskedAnywhere(protector, who), world.flow).get(model)
            : closed;
        return [...shown].some((column) => hidden?.has(column) === true);
      });
      if (found === undefined) return [];
      const by = found.protector.name.value;
      const what = known === undefined ? 'it is new' : 'it has new members';
      return [
        {
          kind: 'semantic',
          who,
          name: semantic.name.value,
          reason: `${what} over ${semantic.model.value}, which the policies of ${by} protect`,
          before: known?.found === undefined ? NOTHING : seenBy(known.found, who),
          after: seenBy(semantic, who),
          models: [],
        },
      ];
    },
  );
}

/** Columns that members read which are new, or other than before, and which are not masked. */
function newlyRead(
  now: SemanticColumns,
  before: SemanticColumns | undefined,
  masked: ReadonlySet<string>,
): ReadonlySet<string> {
  const old = before === undefined ? new Map<string, { readonly content: string }>() : membersOf(before);
  return new Set(
    [...membersOf(now)]
      .filter(([name, { content }]) => !masked.has(name) && old.get(name)?.content !== content)
      .flatMap(([name, { texts }]) => [...columnsRead(texts, now, { masked, own: name })]),
  );
}
