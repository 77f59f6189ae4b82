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

export function contentsOf(
  world: WorldReader,
  environment: string,
  known: readonly {
    readonly snapshot: { readonly fingerprint: string };
    readonly content: SnapshotContent;
  }[],
): Contents {
  const contents = new Map(known.map(({ snapshot, content }) => [snapshot.fingerprint, content]));
  const loaded = new Map<string, Promise<LoadedSnapshot>>();
  const userCodes = new Map<
    string,
    { readonly code: UserCode; readonly functions: Promise<readonly UserFunction[]> }
  >();
  const names = new Map<string, Promise<NamesOf | undefined>>();
  const among = new WeakMap<readonly EnvironmentEntry[], Promise<NamesOf>>();

  function userCodeOf(files: Readonly<Record<string, string>>): {
    readonly code: UserCode;
    readonly functions: Promise<readonly UserFunction[]>;
  } {
    const key = hash128(...Object.entries(files).flat());
    const found = userCodes.get(key);
    if (found !== undefined) return found;
    // Most models have no code of their own; nothing is started for them.
    const code = Object.keys(files).length === 0 ? NO_CODE : world.userCodeOf(files);
    const functions = code.functions('macros').then((answer) => answer.functions);
    const made = { code, functions };
    userCodes.set(key, made);
    return made;
  }

  async function contentOf(fingerprint: string): Promise<SnapshotContent> {
    if (!contents.has(fingerprint)) await preload([fingerprint]);
    const content = contents.get(fingerprint);
    if (content === undefined) throw failure('run.snapshot-missing', { fingerprint });
    return content;
  }

  async function load(fingerprint: string): Promise<LoadedSnapshot> {
    const content = await contentOf(fingerprint);
    const { code, functions } = userCodeOf(content.applied.macroFiles);
    const compileContext = contextOfApplied(content.applied, {
      environment,
      userCode: code,
      userFunctions: await functions,
      variables: world.variables,
    });
    return { content, compileContext };
  }

  async function preload(fingerprints: readonly string[]): Promise<void> {
    const unknown = [...new Set(fingerprints)].filter((fingerprint) => !contents.has(fingerprint));
    if (unknown.length === 0) return;
    for (const [fingerprint, content] of await world.state.snapshots.contents(unknown))
      contents.set(fingerprint, content);
  }

  function snapshot(fingerprint: string): Promise<LoadedSnapshot> {
    let found = loaded.get(fingerprint);
    if (found === undefined) {
      found = load(fingerprint);
      loaded.set(fingerprint, found);
    }
    return found;
  }

  function namesAmong(entries: readonly EnvironmentEntry[]): Promise<NamesOf> {
    let found = among.get(entries);
    if (found === undefined) {
      found = findNames(entries);
      among.set(entries, found);
    }
    return found;
  }

  async function findNames(entries: readonly EnvironmentEntry[]): Promise<NamesOf> {
    // Only models without a table of their own are inlined, so only their contents are read here.
    const tableless = entries.filter(({ version }) => version === undefined);
    await preload(tableless.map(({ fingerprint }) => fingerprint));
    const sources = new Map<string, TableSource>();
    for (const { model, fingerprint, version } of entries) {
      if (version !== undefined)
        sources.set(model, physicalRelation({ model, version }, world.engine.capabilities.identifierMax));
      else if (contents.get(fingerprint)?.model.kind.kind === 'embedded')
        sources.set(model, await snapshot(fingerprint));
    }
    return (model) => sources.get(model);
  }

  return {
    preload,
    content: contentOf,
    snapshot,
    namesAmong,
    namesIn(name) {
      let found = names.get(name);
      if (found === undefined) {
        found = world.state.snapshots
          .environment(name)
          .then((record) => (record === undefined ? undefined : namesAmong(record.entries)));
        names.set(name, found);
      }
      return found;
    },
    async close() {
      await Promise.all([...userCodes.values()].map(({ code }) => code.close()));
    },
  };
}
