import type { Config, SensitivePath } from '../../../domain/config.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { SchemaReader, type SensitiveValue } from '../../../foundation/yaml/schema.ts';
import type { YamlMap, YamlNode } from '../../../foundation/yaml/tree.ts';
import { sharesProcess } from '../check-properties.ts';
import { schemaDiagnostic } from '../yaml/problem-diagnostics.ts';
import { readTree, templateDiagnostic } from '../yaml/read-file.ts';
import { applyOverrides } from './apply-overrides.ts';
import { buildConfig } from './build-config.ts';
import { type ConfigValue, configSchema } from './config-schema.ts';
import { withCurrentKeys } from './with-current-keys.ts';

export interface ConfigSource {
  /** The configuration files that exist at the top of the project: config.yaml, config.yml, config.py (its text is not looked at). */
  readonly files: readonly SourceFile[];
  readonly folderName: string;
  /** Variables for env_var() and PLINTH__… overrides; handed in, because the compiler reads no environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly diagnostics: readonly Diagnostic[];
}

/** Names of configuration files, the first that exists is read. */
export const CONFIG_FILES = ['config.yaml', 'config.yml', 'config.py'] as const;

/** Reads the configuration. There is always one: what is missing or wrong is a default, and what is wrong is a diagnostic. */
export function loadConfig(source: ConfigSource): LoadedConfig {
  const [file, ...ignored] = CONFIG_FILES.flatMap((name) =>
    source.files.filter((each) => each.path === name),
  );
  const diagnostics: Diagnostic[] = [];
  const isPython = file?.path === 'config.py';
  if (isPython)
    diagnostics.push(
      diagnostic(
        'config.python-not-supported',
        { path: file.path },
        { at: { file: file.path, start: 0, end: 0 } },
      ),
    );
  else
    for (const { path } of ignored)
      diagnostics.push(
        diagnostic(
          'config.several-files',
          { path, used: file?.path ?? '' },
          { at: { file: path, start: 0, end: 0 } },
        ),
      );
  const readable = isPython ? undefined : file;
  const tree =
    readable === undefined
      ? { diagnostics: [], templateProblems: [] }
      : readTree(readable, { environment: source.environment });
  diagnostics.push(...tree.diagnostics);
  const written = 'root' in tree && tree.root !== undefined ? withCurrentKeys(tree.root) : undefined;
  const root: YamlNode = applyOverrides(written, source.environment) ?? EMPTY;
  const reader = new SchemaReader(readable?.text ?? '');
  const value = configSchema.read(root, reader) ?? { $at: { start: 0, end: 0 }, $broken: [] };
  const path = readable?.path ?? 'config.yaml';
  diagnostics.push(...reader.problems.map((problem) => schemaDiagnostic(path, problem)));
  const config = buildConfig(value, {
    folderName: source.folderName,
    ...(readable === undefined ? {} : { file: readable.path }),
  });
  // A gateway that is not in use may lack its secrets on this machine.
  const isNeeded = ([first, second]: readonly string[]): boolean =>
    first !== 'gateways' || second === (value.default_gateway?.value ?? config.defaultGateway);
  for (const problem of tree.templateProblems)
    diagnostics.push(templateDiagnostic(path, problem, isNeeded(problem.path)));
  diagnostics.push(
    ...checkGateways(value, config, path),
    ...checkLimits(value, config, path),
    ...checkSession(value, config, path),
    ...emptyAccess(value, path),
  );
  return { config: { ...config, sensitive: sensitivePaths(config, reader.sensitive) }, diagnostics };
}

const EMPTY: YamlMap = { kind: 'map', entries: [], start: 0, end: 0 };

function checkGateways(value: ConfigValue, config: Config, file: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const names = Object.keys(config.gateways);
  const check = (named: Located<string> | undefined): void => {
    if (named === undefined || named.value === '' || Object.hasOwn(config.gateways, named.value)) return;
    // A gateway with a mistake in it is missing here, and its own diagnostic says why.
    if (value.$broken.includes('gateways')) return;
    const at = named.end > named.start ? { at: rangeOf(file, named) } : {};
    diagnostics.push(
      diagnostic(
        'config.unknown-gateway',
        { name: named.value },
        { ...at, hint: didYouMean(named.value, names) ?? `gateways are ${names.join(', ')}` },
      ),
    );
  };
  check(value.default_gateway);
  check(value.model_defaults?.gateway);
  if (value.default_connection === undefined)
    for (const { key, value: gateway } of value.gateways ?? [])
      if (gateway.connection === undefined && !gateway.$broken.includes('connection'))
        diagnostics.push(diagnostic('config.no-connection', { name: key.value }, { at: rangeOf(file, key) }));
  const usernames = config.users.flatMap((user) => [user.username, ...user.groups]);
  if (value.owner !== undefined && usernames.length > 0 && !usernames.includes(value.owner.value))
    diagnostics.push(
      diagnostic(
        'config.unknown-user',
        { name: value.owner.value },
        { at: rangeOf(file, value.owner), hint: didYouMean(value.owner.value, usernames) },
      ),
    );
  return diagnostics;
}

/** A default timeout above the longest one would be a promise that no statement keeps. */
function checkLimits(value: ConfigValue, { limits }: Config, file: string): Diagnostic[] {
  const written = value.server?.limits?.statement_seconds_default;
  const max = limits.statements.timeoutMsMax / 1000;
  if (written === undefined || written.value <= max) return [];
  const at = written.end > written.start ? { at: rangeOf(file, written) } : {};
  const expected = `at most ${max}, which is statement_seconds_max`;
  return [
    diagnostic(
      'yaml.bad-value',
      { key: 'statement_seconds_default', value: String(written.value), expected },
      at,
    ),
  ];
}

/** What `session_properties` of one model is refused for holds for that of all. */
function checkSession(value: ConfigValue, { gateways }: Config, file: string): Diagnostic[] {
  const written = [
    value.model_defaults?.session_properties,
    ...(value.gateways ?? []).map((gateway) => gateway.value.model_defaults?.session_properties),
  ].filter((each) => each !== undefined && each.value.length > 0) as Located<unknown>[];
  if (!Object.values(gateways).some(({ connection }) => sharesProcess(connection.type))) return [];
  return written.map((at) =>
    diagnostic('model.setting-locked', { statement: 'session_properties' }, { at: rangeOf(file, at) }),
  );
}

/** An entry that gives nothing is a word that was forgotten. */
function emptyAccess(value: ConfigValue, file: string): Diagnostic[] {
  return (value.access ?? []).flatMap(({ principal, role, models, environments, policies, $broken }) => {
    const given = [role, policies, models?.[0], environments?.[0], $broken[0]];
    if (given.some((each) => each !== undefined)) return [];
    const at = principal.end > principal.start ? { at: rangeOf(file, principal) } : {};
    return [diagnostic('config.empty-access', { principal: principal.value }, at)];
  });
}

/** From places in the file to places in the typed configuration; a value that moved is found by itself. */
function sensitivePaths(config: Config, values: readonly SensitiveValue[]): readonly SensitivePath[] {
  const result: SensitivePath[] = [];
  for (const { path, shown, value } of values) {
    const typed = typedPath(path);
    if (exists(config, typed)) result.push({ path: typed, shown });
    else for (const found of pathsOf(config, value)) result.push({ path: found, shown });
  }
  return result;
}

const FREE = new Set(['variables', 'server', 'state']);

function typedPath(path: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (let i = 0; i < path.length; i++) {
    const key = path[i] as string;
    const rest = path.slice(i + 1);
    const isGatewayName = result.length === 1 && result[0] === 'gateways';
    result.push(isGatewayName ? key : camelCase(key));
    if (isGatewayName) continue;
    if (key === 'variables')
      return [...result, ...rest.slice(0, 1).map((each) => each.toLowerCase()), ...rest.slice(1)];
    if (FREE.has(key)) return [...result, ...rest];
    if (/connection$/.test(key))
      return rest[0] === 'type' ? [...result, 'type'] : [...result, 'options', ...rest];
    if (key === 'notification_targets')
      return [
        ...result,
        ...rest.slice(0, 1),
        ...(rest[1] === 'notify_on' || rest[1] === 'type'
          ? [camelCase(rest[1])]
          : ['options', ...rest.slice(1, 2)]),
        ...rest.slice(2),
      ];
  }
  return result;
}

function camelCase(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function exists(root: unknown, path: readonly string[]): boolean {
  let at = root;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string, unknown>)[key];
  }
  return true;
}

function pathsOf(root: unknown, value: unknown, path: readonly string[] = []): readonly string[][] {
  if (typeof root !== 'object' || root === null) return root === value && value !== '' ? [[...path]] : [];
  return Object.entries(root).flatMap(([key, each]) => [...pathsOf(each, value, [...path, key])]);
}
