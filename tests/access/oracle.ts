/*
 * What a caller may see, computed from what the generator knows and from nothing of the product. The rules are those of
 * docs/guides/serve.md; `Verdict` is `open` where they leave it to the product.
 */
import { greatest, total } from './shapes.ts';
import {
  type Caller,
  type Cell,
  type EnvironmentRole,
  type Member,
  type Metric,
  type Policy,
  type Ref,
  type Row,
  refOf,
  type SemanticModel,
  type Stage,
  tokensIn,
  type World,
  type WorldModel,
} from './world.ts';

/** What the environments show at one moment; a stage that cannot be read is `lost`. */
export interface Moment {
  readonly stages: Readonly<Record<EnvironmentRole, Stage>>;
  /** The record of the default environment's semantics is damaged. */
  readonly isLost?: true;
}

export type Verdict = 'allowed' | 'refused' | 'open';

/** How a semantic model restricts somebody, by the policies of one environment. */
interface Restriction {
  readonly isDenied: boolean;
  readonly isFiltered: boolean;
  /** Dimensions that are masked in some row. */
  readonly masked: ReadonlySet<string>;
}

const FREE: Restriction = { isDenied: false, isFiltered: false, masked: new Set() };

const isFree = ({ isDenied, isFiltered, masked }: Restriction): boolean =>
  !isDenied && !isFiltered && masked.size === 0;

/** One caller in one environment at one moment. */
export class View {
  readonly world: World;
  readonly caller: Caller;
  readonly moment: Moment;
  readonly environment: EnvironmentRole;
  readonly #models: ReadonlyMap<string, WorldModel>;
  readonly #down = new Map<Ref, Set<Ref>>();
  readonly #up = new Map<Ref, Set<Ref>>();
  readonly #valuesUp = new Map<Ref, Set<Ref>>();
  #tokens: ReadonlySet<string> | undefined;
  readonly #tainted = new Map<string, ReadonlySet<Ref>>();

  constructor(
    world: World,
    moment: Moment,
    who: { readonly caller: Caller; readonly environment: EnvironmentRole },
  ) {
    this.world = world;
    this.moment = moment;
    this.caller = who.caller;
    this.environment = who.environment;
    this.#models = new Map(
      this.#stages().flatMap(({ models }) => models.map((model) => [model.name, model] as const)),
    );
    for (const model of this.#models.values())
      for (const column of model.columns)
        for (const from of [...column.from, ...model.conditions]) {
          const to = refOf(model.name, column.name);
          edge(this.#down, from, to);
          edge(this.#up, to, from);
          if (column.from.includes(from)) edge(this.#valuesUp, to, from);
        }
  }

  /** Those whose policies hold. */
  #stages(): readonly Stage[] {
    const { stages } = this.moment;
    return this.environment === 'default' ? [stages.default] : [stages.default, stages[this.environment]];
  }

  get stage(): Stage {
    return this.moment.stages[this.environment];
  }

  mayAsk(): boolean {
    const { environments } = this.caller;
    return (
      this.environment === 'default' || environments === 'all' || environments.includes(this.environment)
    );
  }

  model(name: string): WorldModel {
    const found = this.#models.get(name);
    if (found === undefined) throw new Error(`there is no model ${name}`);
    return found;
  }

  /** Whether a text that reads these columns of a model is answered. */
  reads(name: string, columns: readonly string[] | 'all'): Verdict {
    const model = this.model(name);
    const { isExempt, mayReadModels, models } = this.caller;
    if (isExempt) return 'allowed';
    if (!mayReadModels || model.kind === 'ROLLUP') return 'refused';
    // No policy can restrict what `access` opens, whatever it says.
    if (models.includes(name)) return 'allowed';
    if (this.moment.isLost) return 'refused';
    const own = this.#stages().flatMap((stage) =>
      this.world.semantics
        .filter((semantic) => semantic.model === name && (stage.policies[semantic.name] ?? []).length > 0)
        .map((semantic) => this.#restriction(stage, semantic)),
    );
    if (own.length > 0) return own.every(isFree) ? 'allowed' : 'refused';
    const read = model.columns.filter((column) => columns === 'all' || columns.includes(column.name));
    const verdicts = this.#stages().flatMap((stage) =>
      this.world.semantics.map((semantic) =>
        this.#byLineage(model, read, { semantic, restriction: this.#restriction(stage, semantic) }),
      ),
    );
    if (verdicts.includes('refused')) return 'refused';
    return verdicts.includes('open') ? 'open' : 'allowed';
  }

  #byLineage(
    model: WorldModel,
    read: readonly WorldModel['columns'][number][],
    { semantic, restriction }: { readonly semantic: SemanticModel; readonly restriction: Restriction },
  ): Verdict {
    if (isFree(restriction)) return 'allowed';
    const over = this.model(semantic.model);
    if (model === over) return 'refused';
    const isWhole = restriction.isDenied || restriction.isFiltered;
    if (isWhole && (this.#feeds(model, over) || this.#feeds(over, model))) return 'refused';
    const start = over.columns
      .filter(
        ({ name }) =>
          isWhole ||
          semantic.members.some((member) => member.column === name && restriction.masked.has(member.name)),
      )
      .map(({ name }) => refOf(over.name, name));
    const from = (up: ReadonlyMap<Ref, ReadonlySet<Ref>>): ReadonlySet<Ref> => {
      const key = `${up === this.#up ? 'rows' : 'values'} ${start.join(' ')}`;
      const found = this.#tainted.get(key) ?? reached(this.#down, reached(up, new Set(start)));
      this.#tainted.set(key, found);
      return found;
    };
    const isIn = (refs: ReadonlySet<Ref>, columns: WorldModel['columns']): boolean =>
      columns.some(({ name }) => refs.has(refOf(model.name, name)));
    const tainted = from(this.#up);
    // A column that only decides about the rows of a masked one is not its value: the rules can be read either way.
    if (isIn(isWhole ? tainted : from(this.#valuesUp), read)) return 'refused';
    const isUnsure = read.some((column) => column.isUnsure === true);
    const isNear = isIn(tainted, isUnsure ? model.columns : read) || (isUnsure && this.#feeds(over, model));
    return isNear ? 'open' : 'allowed';
  }

  /** Whether rows of one get into the other. */
  #feeds(from: WorldModel, to: WorldModel): boolean {
    return to.reads.some((name) => name === from.name || this.#feeds(from, this.model(name)));
  }

  #restriction(stage: Stage, { name, members }: SemanticModel): Restriction {
    const policies = stage.policies[name] ?? [];
    if (this.caller.isExempt || policies.length === 0) return FREE;
    const own = this.#own(policies);
    return {
      isDenied: own.length === 0,
      isFiltered: own.length > 0 && own.every(({ region }) => region !== undefined),
      masked: new Set(
        members
          .map((member) => member.name)
          .filter(
            (member) =>
              own.some(({ mask }) => mask.includes(member)) &&
              !own.some(({ region, mask }) => region === undefined && !mask.includes(member)),
          ),
      ),
    };
  }

  #own(policies: readonly Policy[]): readonly Policy[] {
    return policies.filter(({ group }) => group === '*' || this.caller.groups.includes(group));
  }

  /** Whether a semantic model may be asked at all; what may not is not known, either. */
  knows(semantic: SemanticModel): boolean {
    if (this.caller.isExempt) return true;
    if (this.moment.isLost) return false;
    return this.#stages().every((stage) => !this.#restriction(stage, semantic).isDenied);
  }

  knowsMetric({ semantic }: Metric): boolean {
    return this.knows(this.world.semantics.find(({ name }) => name === semantic) as SemanticModel);
  }

  /** Rows of a semantic model by the names of its dimensions, as far as they are seen, with masks. */
  rowsOf(semantic: SemanticModel): readonly Row[] {
    const region = semantic.members.find((member) => member.role === 'region')?.column;
    return this.model(semantic.model)
      .rows.filter((row) => this.#passing(semantic, row, region) !== undefined)
      .map((row) => {
        const passing = this.#passing(semantic, row, region) ?? [];
        const cell = ({ name, column = '', mask }: Member): Cell => {
          const isClear = passing.every((own) => own.some((policy) => !policy.mask.includes(name)));
          return isClear ? (row[column] ?? null) : (mask ?? null);
        };
        return Object.fromEntries(
          semantic.members
            .filter(({ kind, isHidden }) => kind === 'dimension' && !isHidden)
            .map((member) => [member.name, cell(member)]),
        );
      });
  }

  /** For each environment that counts, the policies that let a row pass; undefined when one has none. */
  #passing(
    semantic: SemanticModel,
    row: Row,
    region: string | undefined,
  ): readonly (readonly Policy[])[] | undefined {
    if (this.caller.isExempt) return [];
    const all = this.#stages()
      .map((stage) => stage.policies[semantic.name] ?? [])
      .filter((policies) => policies.length > 0)
      .map((policies) =>
        this.#own(policies).filter(
          (policy) => policy.region === undefined || row[region ?? ''] === policy.region,
        ),
      );
    return all.some((passing) => passing.length === 0) ? undefined : all;
  }

  /** Everything recognisable that the caller can get in this environment, in whatever way. */
  tokens(): ReadonlySet<string> {
    this.#tokens ??= new Set(this.mayAsk() ? this.#readable() : []);
    return this.#tokens;
  }

  #readable(): readonly string[] {
    const found: string[] = [];
    const add = (cell: Cell | undefined): void => {
      if (cell !== undefined && cell !== null) found.push(...tokensIn(String(cell)));
    };
    for (const { name, kind, columns, rows } of this.stage.models)
      for (const column of columns)
        if (kind !== 'EMBEDDED' && this.reads(name, [column.name]) !== 'refused')
          for (const row of rows) add(row[column.name]);
    if (!this.moment.isLost)
      for (const semantic of this.world.semantics)
        if (this.knows(semantic))
          for (const row of this.rowsOf(semantic)) for (const cell of Object.values(row)) add(cell);
    return found;
  }

  /** Names of the semantics that the caller may know; members that are not public are for those alone who may know everything. */
  names(): ReadonlySet<string> {
    const { isExempt } = this.caller;
    const known = this.world.semantics.filter((semantic) => this.knows(semantic));
    return new Set([
      ...known.flatMap(({ name, members }) => [
        name,
        ...members.filter(({ isHidden }) => isExempt || !isHidden).map((member) => member.name),
      ]),
      ...this.world.metrics.filter((metric) => this.knowsMetric(metric)).map(({ name }) => name),
    ]);
  }
}

/** What a measure is over rows of `rowsOf`. */
export function measured({ members }: SemanticModel, measure: Member, rows: readonly Row[]): Cell {
  if (measure.type === 'count') return rows.length;
  const dimension = members.find((member) => member.kind === 'dimension' && member.role === measure.role);
  const cells = rows.map((row) => row[dimension?.name ?? ''] ?? null);
  return measure.type === 'sum' ? total(cells) : greatest(cells);
}

function edge(edges: Map<Ref, Set<Ref>>, from: Ref, to: Ref): void {
  const known = edges.get(from) ?? new Set();
  edges.set(from, known.add(to));
}

/** All that can be got to, with where it begins. */
function reached(edges: ReadonlyMap<Ref, ReadonlySet<Ref>>, start: ReadonlySet<Ref>): ReadonlySet<Ref> {
  const found = new Set(start);
  for (const ref of found) for (const next of edges.get(ref) ?? []) found.add(next);
  return found;
}
