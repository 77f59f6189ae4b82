import type { Model } from '../../../domain/model.ts';
import type {
  Dimension,
  Measure,
  Segment,
  SemanticJoin,
  SemanticModel,
} from '../../../domain/semantic-model.ts';
import { nearest } from '../../../foundation/diagnostics/nearest.ts';
import type { TableColumns } from '../../../foundation/sql/query-facts.ts';

/** What checks need to know of a model. */
export type CheckedModel = Pick<Model, 'name' | 'columns' | 'hasAllColumns' | 'grains' | 'dialect'>;

/** The sorts of things a name in a semantic model can mean. */
export type Member =
  | { readonly kind: 'measure'; readonly name: string; readonly measure?: Measure }
  | {
      readonly kind: 'dimension';
      readonly name: string;
      readonly dimension?: Dimension;
      readonly type: string;
    }
  | { readonly kind: 'segment'; readonly name: string; readonly segment: Segment };

/** One semantic model with its names looked up. Names compare without regard to case. */
export interface NamedSemantic {
  readonly semantic: SemanticModel;
  readonly name: string;
  readonly model?: CheckedModel;
  /** Types of columns by lower-case name. */
  readonly columns: ReadonlyMap<string, string>;
  /** The same as a table to type expressions over: one object, because what is prepared of a table is kept by it. */
  readonly table: TableColumns;
  /** False when the model is unknown or has columns that are not known: then unknown ones are not reported. */
  readonly knowsColumns: boolean;
  readonly members: ReadonlyMap<string, Member>;
  /** Columns that misspelled dimensions most likely mean, by lower-case name: uses of them are right. */
  readonly meant: ReadonlyMap<string, Member>;
  /** Some members could not be read, so an unknown name may be one of them. */
  readonly isOpen: boolean;
}

/** Everything a reference can lead to. */
export interface SemanticWorld {
  /** By lower-case name. */
  readonly semantics: ReadonlyMap<string, NamedSemantic>;
  /** Joins by lower-case role, with the semantic model they stand in. */
  readonly roles: ReadonlyMap<
    string,
    readonly { readonly owner: NamedSemantic; readonly join: SemanticJoin }[]
  >;
  /** The name of a semantic model could not be read, so an unknown name may be its own. */
  readonly hasNameless: boolean;
  /** Some join leads nowhere, which is reported, so a missing way may be its own. */
  readonly hasLooseJoins: boolean;
}

export function semanticWorld(
  semanticModels: readonly SemanticModel[],
  models: ReadonlyMap<string, CheckedModel>,
): SemanticWorld {
  const scopes = new Map<string, NamedSemantic>();
  for (const semantic of semanticModels) {
    const key = semanticKey(semantic);
    if (!scopes.has(key))
      scopes.set(
        key,
        scopeOf(semantic, models.get(semantic.model.value) ?? models.get(semantic.model.value.toLowerCase())),
      );
  }
  const roles = new Map<string, { owner: NamedSemantic; join: SemanticJoin }[]>();
  for (const owner of scopes.values())
    for (const join of owner.semantic.joins) {
      if (join.name.value === '') continue;
      const role = join.name.value.toLowerCase();
      const known = roles.get(role);
      if (known === undefined) roles.set(role, [{ owner, join }]);
      else known.push({ owner, join });
    }
  const named = [...scopes.values()];
  return {
    semantics: scopes,
    roles,
    hasNameless: named.some((scope) => scope.name === ''),
    hasLooseJoins: named.some(
      ({ semantic }) =>
        semantic.broken?.includes('joins') === true ||
        semantic.joins.some((join) => !scopes.has(join.model.value.toLowerCase())),
    ),
  };
}

/** The key of a semantic model in its world; one without a name has a key that nothing can refer to. */
export function semanticKey({ name, file }: SemanticModel): string {
  return name.value === '' ? ` ${file}` : name.value.toLowerCase();
}

function scopeOf(semantic: SemanticModel, model: CheckedModel | undefined): NamedSemantic {
  const columns = new Map((model?.columns ?? []).map((column) => [column.name.toLowerCase(), column.type]));
  const members = new Map<string, Member>();
  for (const measure of semantic.measures)
    add(members, { kind: 'measure', name: measure.name.value, measure });
  for (const dimension of semantic.dimensions ?? [])
    add(members, {
      kind: 'dimension',
      name: dimension.name.value,
      dimension,
      type: dimensionType(dimension, columns),
    });
  for (const segment of semantic.segments)
    add(members, { kind: 'segment', name: segment.name.value, segment });
  if (semantic.dimensions === undefined)
    for (const [name, type] of columns) add(members, { kind: 'dimension', name, type });
  add(members, { kind: 'measure', name: 'count' });
  const meant = new Map<string, Member>();
  for (const dimension of model?.hasAllColumns === true ? (semantic.dimensions ?? []) : []) {
    const column = isWrongColumn(dimension, columns)
      ? nearest(dimension.name.value, columns.keys())
      : undefined;
    if (column !== undefined)
      meant.set(column, { kind: 'dimension', name: column, dimension, type: columns.get(column) as string });
  }
  return {
    semantic,
    name: semantic.name.value,
    ...(model === undefined ? {} : { model }),
    columns,
    table: { columns: tableColumns(model?.columns ?? [], columns) },
    knowsColumns: model?.hasAllColumns === true,
    members,
    meant,
    isOpen: isOpen(semantic),
  };
}

/** The model's own list wherever it names no column twice. */
function tableColumns(
  listed: TableColumns['columns'],
  columns: ReadonlyMap<string, string>,
): TableColumns['columns'] {
  return listed.length === columns.size ? listed : [...columns].map(([name, type]) => ({ name, type }));
}

/** Whether a dimension is meant to be a column that does not exist. */
export function isWrongColumn(dimension: Dimension, columns: ReadonlyMap<string, string>): boolean {
  const isColumn = dimension.expression === undefined && dimension.broken?.includes('expression') !== true;
  return isColumn && !columns.has(dimension.name.value.toLowerCase());
}

function isOpen({ broken, dimensions, measures, segments }: SemanticModel): boolean {
  return (
    ['dimensions', 'measures', 'segments'].some((key) => broken?.includes(key) === true) ||
    [...(dimensions ?? []), ...measures, ...segments].some(({ name }) => name.value === '')
  );
}

/** The first definition of a name counts; a second one is reported elsewhere. */
function add(members: Map<string, Member>, member: Member): void {
  const key = member.name.toLowerCase();
  if (key !== '' && !members.has(key)) members.set(key, member);
}

function dimensionType(dimension: Dimension, columns: ReadonlyMap<string, string>): string {
  if (dimension.type !== undefined) return DECLARED[dimension.type];
  if (dimension.expression !== undefined) return 'UNKNOWN';
  return columns.get(dimension.name.value.toLowerCase()) ?? 'UNKNOWN';
}

const DECLARED = { string: 'VARCHAR', number: 'DOUBLE', boolean: 'BOOLEAN', time: 'TIMESTAMP' } as const;

/** Whether values of a type are points in time; undefined when the type is not known. */
export function isTimeType(type: string): boolean | undefined {
  if (type === 'UNKNOWN') return undefined;
  return type === 'DATE' || type.startsWith('TIMESTAMP');
}

/** A sort of member with its article. */
export function sortOf(member: Member): string {
  return `a ${member.kind}`;
}
