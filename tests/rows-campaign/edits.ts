/** What an author does to a project. Each edit is the same for the same number; one that does not fit changes nothing. */
import {
  columnsOf,
  type Definition,
  isColumnRead,
  isHistory,
  type Kind,
  modelOf,
  type Project,
  readsOf,
  sourceColumns,
} from './definition.ts';
import type { Feature } from './features.ts';
import { auditsFor, generateModel, isKeyed, withModel } from './generate.ts';
import { column, columnsRead, type Output, type Query, type Scalar } from './query.ts';
import { type Chance, chanceOf } from './values.ts';

export const EDITS = [
  'rows',
  'column-add',
  'column-remove',
  'column-retype',
  'metadata',
  'style',
  'audit',
  'schedule',
  'kind',
  'seed',
  'seed-column',
  'add-model',
  'remove-model',
  'revert',
] as const;

export type EditName = (typeof EDITS)[number];

export interface Edit {
  readonly edit: EditName;
  /** Of the project by its place. */
  readonly model: string;
  readonly n: number;
}

/** The project after an edit; one that does not fit the model becomes another. Undefined when none fits. `before` are the definitions that models had. */
export function edited(project: Project, edit: Edit, around: Around): Project | undefined {
  const names = modelOf(project, edit.model)?.seed === undefined ? ['rows', 'column-add'] : ['seed'];
  for (const name of [edit.edit, ...names] as readonly EditName[]) {
    const next = oneEdit(project, { ...edit, edit: name }, around);
    if (next !== undefined) return next;
  }
  return undefined;
}

interface Around {
  readonly before: readonly Definition[];
  readonly features: ReadonlySet<Feature>;
}

function oneEdit(
  project: Project,
  { edit, model: name, n }: Edit,
  { before, features }: Around,
): Project | undefined {
  const chance = chanceOf(n);
  if (edit === 'add-model') return added(project, chance, features);
  const model = modelOf(project, name);
  if (model === undefined) return undefined;
  if (edit === 'remove-model') return removed(project, model);
  const changed =
    edit === 'revert'
      ? reverted(model, before, n)
      : changedModel(project, model, { edit, chance, features, n });
  if (changed === undefined || JSON.stringify(changed) === JSON.stringify(model)) return undefined;
  const next = { ...project, models: project.models.map((each) => (each.name === name ? changed : each)) };
  return isWhole(next) ? next : undefined;
}

interface Change {
  readonly edit: EditName;
  readonly chance: Chance;
  readonly features: ReadonlySet<Feature>;
  readonly n: number;
}

function changedModel(project: Project, model: Definition, change: Change): Definition | undefined {
  const { query, seed } = model;
  const { edit, chance, features, n } = change;
  switch (edit) {
    case 'metadata':
      return { ...model, description: `text ${n % 100}` };
    case 'audit':
      return {
        ...model,
        audits: model.audits.length > 0 ? [] : auditsFor(project, model, { chance, features }),
      };
    case 'schedule':
      return scheduled(model, chance);
    case 'seed':
      if (seed === undefined) return undefined;
      return {
        ...model,
        seed: {
          ...seed,
          rows: seed.rows.map(([k = null, w = null, ...more]) => [
            k,
            Number(w) + 1 + chance.below(3),
            ...more,
          ]),
        },
      };
    case 'seed-column':
      if (seed === undefined || seed.columns.length > 2) return undefined;
      return {
        ...model,
        seed: {
          columns: [...seed.columns, ['x', 'int']],
          rows: seed.rows.map((row) => [...row, chance.below(5)]),
        },
      };
    case 'kind':
      return query === undefined ? undefined : { ...model, ...otherKind(model, query, chance) };
    default:
      return query === undefined ? undefined : withQuery(project, model, query, change);
  }
}

function withQuery(
  project: Project,
  model: Definition,
  query: Query,
  { edit, chance, n }: Change,
): Definition | undefined {
  const next = (changed: Partial<Query>): Definition => ({ ...model, query: { ...query, ...changed } });
  switch (edit) {
    case 'style':
      return next({ style: ((query.style + 1 + chance.below(2)) % 3) as Query['style'] });
    case 'rows':
      return otherRows(model, query, chance);
    case 'column-add': {
      if (query.past === 'ever') return undefined;
      const name = `c${query.outputs.filter((output) => output.name.startsWith('c')).length + 1}`;
      if (query.outputs.some((output) => output.name === name)) return undefined;
      const numeric = query.past === 'total' ? 'v' : 'k';
      const of: Scalar = { kind: 'plus', of: column(numeric), by: n % 10 };
      const output: Output = query.isGrouped
        ? chance.oneIn(2)
          ? { name, aggregate: 'count' }
          : { name, aggregate: 'max', of }
        : { name, of };
      return next({ outputs: [...query.outputs, output] });
    }
    case 'column-remove': {
      const gone = query.outputs.findLast(
        ({ name }) => name.startsWith('c') && !isColumnRead(project, model.name, name),
      );
      return gone === undefined
        ? undefined
        : next({ outputs: query.outputs.filter((output) => output !== gone) });
    }
    case 'column-retype': {
      const types = columnsOf(model, project);
      const found = query.outputs.find(
        ({ name, aggregate, of }) =>
          types.get(name) === 'int' && aggregate !== 'sum' && of !== undefined && name !== 'k',
      );
      if (found?.of === undefined) return undefined;
      const wide: Output = { ...found, of: { kind: 'cast', of: found.of, to: 'big' } };
      return next({ outputs: query.outputs.map((output) => (output === found ? wide : output)) });
    }
    default:
      return undefined;
  }
}

/** Another condition, or other numbers. */
function otherRows(model: Definition, query: Query, chance: Chance): Definition {
  if (chance.oneIn(3)) {
    const by = 1 + chance.below(3);
    const outputs = query.outputs.map((output): Output => {
      if (output.of === undefined || !['v', 'total'].includes(output.name)) return output;
      return { ...output, of: { kind: chance.oneIn(2) ? 'times' : 'plus', of: output.of, by: by + 1 } };
    });
    return { ...model, query: { ...query, outputs } };
  }
  const others = query.where.filter(({ column: name }) => name !== 'v' || query.past === 'ever');
  const where = [...others.slice(0, 1), { column: 'v', is: '<>' as const, value: chance.below(10) }];
  return { ...model, query: { ...query, where } };
}

function scheduled(model: Definition, chance: Chance): Definition | undefined {
  const { kind } = model;
  if (kind.kind === 'time-range' && model.query?.past === undefined)
    return { ...model, kind: { ...kind, lookback: (kind.lookback + 1) % 3, batchSize: 1 + chance.below(3) } };
  if (kind.kind === 'unique-key' && !kind.accumulates)
    return { ...model, kind: { ...kind, batchSize: 1 + chance.below(3) } };
  return undefined;
}

/** A kind that the same query fits. */
function otherKind(model: Definition, query: Query, chance: Chance): Partial<Definition> | undefined {
  const { kind } = model;
  if (query.past !== undefined || isHistory(kind) || kind.kind === 'unique-key') return undefined;
  const canHold = (next: Kind['kind']): boolean => next !== 'view' && next !== 'embedded';
  const isTimed = query.interval !== undefined;
  const choices: readonly Kind[] = isTimed
    ? [
        { kind: 'partition', by: 'day' },
        { kind: 'unmanaged', isForwardOnly: false, isRestatable: true },
        { kind: 'time-range', lookback: 0, isForwardOnly: false, allowsPartials: false },
      ]
    : [{ kind: 'view' }, { kind: 'full' }];
  const next = chance.pick(choices.filter((each) => each.kind !== kind.kind));
  const audits = canHold(next.kind) ? model.audits : model.audits.filter(({ does }) => does !== 'quarantine');
  return { kind: next, audits, hasSignal: model.hasSignal && isTimed };
}

function reverted(model: Definition, before: readonly Definition[], n: number): Definition | undefined {
  const own = before.filter(
    (each) => each.name === model.name && JSON.stringify(each) !== JSON.stringify(model),
  );
  return own.length === 0 ? undefined : own[n % own.length];
}

function added(project: Project, chance: Chance, features: ReadonlySet<Feature>): Project | undefined {
  if (project.models.length >= 8) return undefined;
  const numbers = project.models.map(({ name }) => Number(/\d+$/.exec(name)?.[0] ?? 0));
  const model = generateModel(project, `s.m${Math.max(0, ...numbers) + 1}`, { chance, features });
  return model === undefined ? undefined : withModel(project, model);
}

/** Only what nothing else names. */
export function removed(project: Project, model: Definition): Project | undefined {
  const { name } = model;
  const isNamed =
    project.models.some(
      (each) => readsOf(each).includes(name) || each.audits.some(({ other }) => other === name),
    ) || project.standalones.some((each) => each.model === name);
  if (isNamed || project.models.length < 2) return undefined;
  return { ...project, models: project.models.filter((each) => each.name !== name) };
}

/** Whether every model finds what it reads, once per key where it needs that. */
export function isWhole(project: Project): boolean {
  const names = new Set([...project.models, ...project.externals].map(({ name }) => name));
  return project.models.every((model) => {
    const { query, kind, audits } = model;
    if (query === undefined) return true;
    const isThere = readsOf(model).every(
      (name) =>
        names.has(name) &&
        [...columnsRead(query, name)].every((each) => sourceColumns(name, project).has(each)),
    );
    if (!isThere || (isHistory(kind) && !isKeyed(project, query.from))) return false;
    const columns = columnsOf(model, project);
    return audits.every(
      ({ column: name, other }) =>
        columns.has(name) &&
        (other === undefined || (names.has(other) && sourceColumns(other, project).has(name))),
    );
  });
}
