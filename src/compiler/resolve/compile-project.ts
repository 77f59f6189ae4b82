import type { Audit } from '../../domain/audit.ts';
import type { CompileCache } from '../../domain/compile-cache.ts';
import type { Config, Connection } from '../../domain/config.ts';
import type { DescribeFiles, FileTable } from '../../domain/file-schemas.ts';
import type { FileProblem, FileSource } from '../../domain/file-source.ts';
import type { ModelDefinition } from '../../domain/model.ts';
import type { LoadedProject, Project } from '../../domain/project.ts';
import type { SourceFile } from '../../domain/source-file.ts';
import { standaloneModels } from '../../domain/standalone-models.ts';
import type { UserCode } from '../../domain/user-code.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { checkAuditNames, checkAuditUses } from '../load/check-audit-uses.ts';
import { loadConfig } from '../load/config/load-config.ts';
import { dropDuplicateModels } from '../load/drop-duplicate-models.ts';
import { isIgnored } from '../load/is-ignored.ts';
import { loadAuditFile } from '../load/load-audit-file.ts';
import { completeSeed, SEED_HEAD_BYTES } from '../load/load-seed.ts';
import { type ModelContext, type ModelGateway, modelContext } from '../load/model-context.ts';
import { type FilePurpose, purposeOf, pythonMacroNames } from '../load/project-files.ts';
import {
  chooseExternalModels,
  type LoadedExternals,
  loadExternalModels,
} from '../load/yaml/external-models.ts';
import { checkAudits } from './check-audits.ts';
import { checkAuditsRun } from './check-audits-run.ts';
import { checkBlockColumns } from './check-block-columns.ts';
import { checkOwnPast } from './check-own-past.ts';
import { checkWrites } from './check-writes.ts';
import { type CompileContext, compileContextOf } from './compile-context.ts';
import { fileDiagnostic, userCodeDiagnostic } from './file-diagnostic.ts';
import { factsToKeep, type LoadedFile, loadModelFiles } from './load-model-files.ts';
import { loadReferences } from './load-references.ts';
import type { ModelAnalysis } from './model-facts.ts';
import { type ModelToResolve, resolveModels } from './resolve-models.ts';
import type { InspectQuery } from './rule-hit.ts';

/** A project folder as read, and the ports a compilation may ask. */
export interface CompileInput {
  readonly folderName: string;
  /** Every text file of the project, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly seedPaths: readonly string[];
  readonly problems: readonly FileProblem[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly gateway: string | undefined;
  readonly environment: string;
  readonly source: FileSource;
  readonly cache: CompileCache;
  readonly userCode: UserCode;
  /** Absent: columns of files are not known. */
  readonly describeFiles?: DescribeFiles;
  /** Absent: nothing is seen for lint rules. */
  readonly inspectQuery?: InspectQuery;
}

export interface CompiledProject extends LoadedProject {
  /** Models that files meant to define but that cannot be used; they are in no list of the project. */
  readonly brokenNames: ReadonlySet<string>;
  readonly compileContext: CompileContext;
  /** By name of the model. */
  readonly analyses: ReadonlyMap<string, ModelAnalysis>;
  /** Files that were loaded again, queries that were read and models that were resolved; the rest was known. */
  readonly work: { readonly loaded: number; readonly analyzed: number; readonly resolved: number };
}

const ROOM = 'models';
const EXTERNALS = 'externals';

/** Files → Project with every diagnostic. The whole way is drawn in docs/architecture.md. */
export async function compileProject(input: CompileInput): Promise<CompiledProject> {
  const byPurpose = Map.groupBy(
    [...input.files].map(([path, text]): SourceFile => ({ path, text })),
    ({ path }) => purposeOf(path),
  );
  const settings = readSettings(input, byPurpose.get('config') ?? []);
  const { config, gateway, context, home } = settings;
  const filesOf: FilesOf = (purpose) =>
    (byPurpose.get(purpose) ?? []).filter(({ path }) => !isIgnored(path, config.ignorePatterns));
  const diagnostics: Diagnostic[] = [...input.problems.map(fileDiagnostic), ...settings.diagnostics];
  const compileContext = await readCompileContext(input, settings, { filesOf, diagnostics });

  const known = { entries: await input.cache.readAll(ROOM), ...contextKeys(context) };
  const modelFiles = loadModelFiles(
    [...filesOf('model'), ...filesOf('python-model')],
    context,
    compileContext,
    known,
  );
  const audits = loadAudits(filesOf('audit'), home, diagnostics);
  const described = await loadExternals(filesOf('external'), context, input.cache, known.settingsKey);
  const { definitions: externals, diagnostics: ofChoice } = chooseExternalModels(
    described.definitions,
    gateway,
  );
  diagnostics.push(...described.diagnostics, ...ofChoice);
  const given = await definitionsOf(modelFiles, externals, input, diagnostics);
  diagnostics.push(
    ...checkAuditUses(
      given.map(({ definition }) => definition),
      audits,
    ),
  );

  const broken = brokenNamesOf(modelFiles, given);
  const describe = describing(input, config.gateways[gateway]?.connection);
  const {
    models,
    analyses,
    work,
    diagnostics: ofModels,
  } = await resolveModels(given, compileContext, broken, describe);
  const audited = [...models, ...standaloneModels(audits)];
  const checked = await checkAudits(audited, audits, { compileContext, files: input.files });
  diagnostics.push(
    ...ofModels,
    ...checkBlockColumns(models, input.files),
    ...checkOwnPast(models),
    ...checked.diagnostics,
    ...checkAuditsRun(models, audits, broken),
    ...checkWrites({ models, config, compileContext, files: input.files, dialect: home.defaults.dialect }),
  );

  const { entries, isSame } = factsToKeep(modelFiles, given, analyses);
  if (!isSame || entries.size !== known.entries.size) await input.cache.replaceAll(ROOM, entries);

  const references = loadReferences(filesOf, {
    models,
    config,
    dialect: home.defaults.dialect,
    defaultCatalog: home.defaultCatalog,
    environment: input.variables,
    variables: { ...config.variables, ...config.gateways[gateway]?.variables, gateway },
    brokenNames: broken,
  });
  diagnostics.push(...references.diagnostics);
  const project = {
    config,
    models,
    audits,
    auditReads: checked.reads,
    ...references.nouns,
    ...readmeOf(filesOf('readme')),
  };
  const { length: loaded } = modelFiles.filter(({ unchanged }) => unchanged === undefined);
  return {
    ...{ project, diagnostics, brokenNames: broken, compileContext, work: { loaded, ...work } },
    analyses: new Map(given.map(({ definition }, i) => [definition.name, analyses[i] as ModelAnalysis])),
  };
}

const readmeOf = ([file]: readonly SourceFile[]): Pick<Project, 'readme'> =>
  file === undefined ? {} : { readme: file.text };

/** Asks for columns of files where there is a connection to read them with. */
const describing =
  (
    { describeFiles }: CompileInput,
    connection: Connection | undefined,
  ): ((tables: readonly FileTable[]) => ReturnType<DescribeFiles>) =>
  async (tables) =>
    connection === undefined ? new Map() : ((await describeFiles?.(connection, tables)) ?? new Map());

type FilesOf = (purpose: FilePurpose) => readonly SourceFile[];

/** The configuration, and the gateway that is compiled for. */
interface Settings extends ReturnType<typeof modelContext> {
  readonly config: Config;
  readonly gateway: string;
  readonly home: ModelGateway;
}

function readSettings(input: CompileInput, files: readonly SourceFile[]): Settings {
  const { config, diagnostics } = loadConfig({
    files,
    folderName: input.folderName,
    environment: input.variables,
  });
  const gateway =
    input.gateway !== undefined && Object.hasOwn(config.gateways, input.gateway)
      ? input.gateway
      : config.defaultGateway;
  const { context, diagnostics: ofDefaults } = modelContext({ ...config, defaultGateway: gateway });
  const home = context.gateways.get(gateway.toLowerCase()) as ModelGateway;
  return { config, gateway, context, home, diagnostics: [...diagnostics, ...ofDefaults] };
}

async function readCompileContext(
  { userCode, files, environment, inspectQuery }: CompileInput,
  { config, gateway, home }: Settings,
  { filesOf, diagnostics }: { readonly filesOf: FilesOf; readonly diagnostics: Diagnostic[] },
): Promise<CompileContext> {
  const { functions, problems } = await userCode.functions('macros');
  diagnostics.push(...problems.map((problem) => userCodeDiagnostic(problem, files.get(problem.file))));
  return compileContextOf({
    config,
    gateway,
    environment,
    defaultCatalog: home.defaultCatalog,
    userCode,
    userFunctions: functions,
    pythonMacros: new Set(filesOf('python-macro').flatMap(({ text }) => pythonMacroNames(text))),
    jinjaMacros: filesOf('jinja-macro').map(({ path, text }) => ({ file: path, text })),
    ...(inspectQuery === undefined ? {} : { inspectQuery }),
  });
}

/** Names that files define and that are not resolved. */
function brokenNamesOf(files: readonly LoadedFile[], given: readonly ModelToResolve[]): ReadonlySet<string> {
  const usable = new Set(given.map(({ definition }) => definition.name));
  return new Set(
    files.flatMap(({ brokenNames, definitions }) => [
      ...brokenNames,
      // A seed whose file cannot be used.
      ...definitions.filter(({ name, isEnabled }) => isEnabled && !usable.has(name)).map(({ name }) => name),
    ]),
  );
}

/** What of the configuration decides how a model file is read; variables matter only to headers with macros. */
function contextKeys(context: ModelContext): { readonly settingsKey: string; readonly variablesKey: string } {
  const gateways = [...context.gateways].map(([name, { variables: _, ...rest }]) => [name, rest]);
  const variables = [...context.gateways].map(([name, { variables }]) => [name, [...variables]]);
  return {
    settingsKey: hash128(context.defaultGateway, JSON.stringify(gateways)),
    variablesKey: hash128(JSON.stringify(variables)),
  };
}

function loadAudits(
  files: readonly SourceFile[],
  home: ModelGateway,
  diagnostics: Diagnostic[],
): readonly Audit[] {
  const audits = files.flatMap((file) => {
    const loaded = loadAuditFile(file, home.defaults.dialect);
    diagnostics.push(...loaded.diagnostics);
    return loaded.audits;
  });
  diagnostics.push(...checkAuditNames(audits));
  return audits;
}

/** External models of all files; a file whose text and context are the same is taken over from an earlier load. */
async function loadExternals(
  files: readonly SourceFile[],
  context: ModelContext,
  cache: CompileCache,
  settingsKey: string,
): Promise<LoadedExternals> {
  if (files.length === 0) return { definitions: [], diagnostics: [] };
  const known = await cache.readAll(EXTERNALS);
  const entries = new Map<string, string>();
  const loaded = files.map((file): LoadedExternals => {
    const key = hash128(file.path, file.text, settingsKey);
    const json = known.get(key);
    const found =
      json === undefined ? loadExternalModels(file, context) : (JSON.parse(json) as LoadedExternals);
    entries.set(key, json ?? JSON.stringify(found));
    return found;
  });
  if (entries.size !== known.size || [...entries.keys()].some((key) => !known.has(key)))
    await cache.replaceAll(EXTERNALS, entries);
  return {
    definitions: loaded.flatMap(({ definitions }) => definitions),
    diagnostics: loaded.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** Everything that is to be resolved: enabled, with its seed file, each name once. */
async function definitionsOf(
  files: readonly LoadedFile[],
  externals: readonly ModelDefinition[],
  input: CompileInput,
  diagnostics: Diagnostic[],
): Promise<readonly ModelToResolve[]> {
  const all: ModelToResolve[] = [];
  for (const file of files) {
    diagnostics.push(...file.diagnostics);
    for (const [i, origin] of file.definitions.entries()) {
      if (!origin.isEnabled) continue;
      if (origin.source.kind !== 'seed') {
        all.push({ definition: origin, origin, earlier: file.earlier[i] });
        continue;
      }
      const seed = completeSeed(
        origin,
        await input.source.digest(origin.source.path, SEED_HEAD_BYTES),
        input.seedPaths,
      );
      diagnostics.push(...seed.diagnostics);
      if (seed.definition !== undefined)
        all.push({ definition: seed.definition, origin, earlier: file.earlier[i] });
    }
  }
  for (const origin of externals) all.push({ definition: origin, origin, earlier: undefined });
  const { definitions, diagnostics: duplicates } = dropDuplicateModels(
    all.map(({ definition }) => definition),
  );
  diagnostics.push(...duplicates);
  const kept = new Set(definitions);
  return all.filter(({ definition }) => kept.has(definition));
}
