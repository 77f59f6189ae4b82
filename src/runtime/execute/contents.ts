import { contextOfApplied } from '../../compiler/render/applied-context.ts';
import type { TableSource } from '../../compiler/render/render-snapshot.ts';
import type { CompileContext } from '../../compiler/resolve/compile-context.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import { physicalRelation } from '../../domain/relation.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { UserCode, UserFunction } from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash128.ts';
import type { WorldReader } from '../world.ts';

/** A snapshot ready to be rendered. */
export interface LoadedSnapshot {
  readonly content: SnapshotContent;
  readonly compileContext: CompileContext;
}

/** Where the rows of a model are found; undefined for tables that are not models. */
export type NamesOf = (model: string) => TableSource | undefined;

/** What the snapshots of one run are made of: each is read from state once, its user code is started once. */
export interface Contents {
  /** Reads many at once; those already known cost nothing. */
  preload(fingerprints: readonly string[]): Promise<void>;
  content(fingerprint: string): Promise<SnapshotContent>;
  /** With what is around it, for rendering. */
  snapshot(fingerprint: string): Promise<LoadedSnapshot>;
  /** What names mean among these entries: physical tables, or EMBEDDED models to inline. */
  namesAmong(entries: readonly EnvironmentEntry[]): Promise<NamesOf>;
  /** What names mean in an environment as it is now; undefined when there is none. */
  namesIn(environment: string): Promise<NamesOf | undefined>;
  close(): Promise<void>;
}

const NO_CODE: UserCode = {
  functions: async () => ({ functions: [], problems: [] }),
  call: (_, call) => Promise.reject(new Error(`${call.function} is called, but no code was stored`)),
  close: async () => {},
};

/** The macros of some snapshots: the code that runs them, and what it exports. */
interface StoredCode {
  readonly code: UserCode;
  readonly functions: Promise<readonly UserFunction[]>;
}

type KnownContents = readonly {
  readonly snapshot: { readonly fingerprint: string };
  readonly content: SnapshotContent;
}[];

export const contentsOf = (world: WorldReader, environment: string, known: KnownContents): Contents =>
  new LoadedContents(world, environment, known);

class LoadedContents implements Contents {
  readonly #world: WorldReader;
  readonly #environment: string;
  /** By fingerprint, as are the snapshots. */
  readonly #contents: Map<string, SnapshotContent>;
  readonly #snapshots = new Map<string, Promise<LoadedSnapshot>>();
  /** By what their files are. */
  readonly #codes = new Map<string, StoredCode>();
  /** By environment. */
  readonly #names = new Map<string, Promise<NamesOf | undefined>>();
  readonly #namesAmong = new WeakMap<readonly EnvironmentEntry[], Promise<NamesOf>>();

  constructor(world: WorldReader, environment: string, known: KnownContents) {
    this.#world = world;
    this.#environment = environment;
    this.#contents = new Map(known.map(({ snapshot, content }) => [snapshot.fingerprint, content]));
  }

  async preload(fingerprints: readonly string[]): Promise<void> {
    const unknown = [...new Set(fingerprints)].filter((fingerprint) => !this.#contents.has(fingerprint));
    if (unknown.length === 0) return;
    for (const [fingerprint, content] of await this.#world.state.snapshots.contents(unknown))
      this.#contents.set(fingerprint, content);
  }

  async content(fingerprint: string): Promise<SnapshotContent> {
    if (!this.#contents.has(fingerprint)) await this.preload([fingerprint]);
    const content = this.#contents.get(fingerprint);
    if (content === undefined) throw failure('run.snapshot-missing', { fingerprint });
    return content;
  }

  snapshot(fingerprint: string): Promise<LoadedSnapshot> {
    return known(this.#snapshots, fingerprint, () => this.#load(fingerprint));
  }

  namesAmong(entries: readonly EnvironmentEntry[]): Promise<NamesOf> {
    return known(this.#namesAmong, entries, () => this.#findNames(entries));
  }

  namesIn(environment: string): Promise<NamesOf | undefined> {
    return known(this.#names, environment, async () => {
      const found = await this.#world.state.snapshots.environment(environment);
      return found === undefined ? undefined : this.namesAmong(found.entries);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#codes.values()].map(({ code }) => code.close()));
  }

  async #load(fingerprint: string): Promise<LoadedSnapshot> {
    const content = await this.content(fingerprint);
    const { code, functions } = this.#codeOf(content.applied.macroFiles);
    const compileContext = contextOfApplied(content.applied, {
      environment: this.#environment,
      userCode: code,
      userFunctions: await functions,
      variables: this.#world.variables,
    });
    return { content, compileContext };
  }

  #codeOf(files: Readonly<Record<string, string>>): StoredCode {
    return known(this.#codes, hash128(...Object.entries(files).flat()), () => {
      // Most models have no code of their own; nothing is started for them.
      const code = Object.keys(files).length === 0 ? NO_CODE : this.#world.userCodeOf(files);
      return { code, functions: code.functions('macros').then((answer) => answer.functions) };
    });
  }

  async #findNames(entries: readonly EnvironmentEntry[]): Promise<NamesOf> {
    // Only models without a table of their own are inlined, so only their contents are read here.
    const tableless = entries.filter(({ version }) => version === undefined);
    await this.preload(tableless.map(({ fingerprint }) => fingerprint));
    const { identifierMax } = this.#world.engine.capabilities;
    const sources = new Map<string, TableSource>();
    for (const { model, fingerprint, version } of entries) {
      if (version !== undefined) sources.set(model, physicalRelation({ model, version }, identifierMax));
      else if (this.#contents.get(fingerprint)?.model.kind.kind === 'embedded')
        sources.set(model, await this.snapshot(fingerprint));
    }
    return (model) => sources.get(model);
  }
}

/** What was made before under this key, or else what `make` makes. */
function known<Key, Value>(
  made: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const found = made.get(key) ?? make();
  made.set(key, found);
  return found;
}
