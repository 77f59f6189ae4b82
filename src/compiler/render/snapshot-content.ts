import type { Audit } from '../../domain/audit.ts';
import type { Config, SensitivePath } from '../../domain/config.ts';
import type { Model } from '../../domain/model.ts';
import type { Project } from '../../domain/project.ts';
import type { AppliedContext, SnapshotContent } from '../../domain/snapshot.ts';
import type { SqlText } from '../../domain/sql-text.ts';
import type { UserFunction } from '../../domain/user-code.ts';
import type { Data, DataRecord } from '../../foundation/yaml/data.ts';
import type { ExpansionContext } from '../macros/expansion.ts';
import { expandWithAnswers } from '../resolve/analyze-model.ts';
import type { CompileContext } from '../resolve/compile-context.ts';
import { storedTemplate } from './applied-context.ts';

/**
 * Everything needed to render a model again without the project: its definition, its audits, and of variables and macro
 * files those that its texts can come to. What an `@IF` hides today may be asked for tomorrow, so whatever is named in the
 * texts counts as used; that is more than strictly needed and never too little.
 */
export async function snapshotContent(
  model: Model,
  compiled: { readonly project: Project; readonly compileContext: CompileContext },
  macroFiles: Readonly<Record<string, string>>,
): Promise<SnapshotContent> {
  const { project, compileContext } = compiled;
  const audits = auditsOf(model, project.audits);
  const columnsOf = completeColumns(project);
  const context = compileContext.macroContext(model, (table) =>
    columnsOf(compileContext.tableName(asWritten(table), model.dialect)),
  );
  const own = ownTexts(model);
  const texts = [...own, ...audits.flatMap((audit) => [...audit.statements, audit.query])];
  const hasMacros =
    texts.some(({ text, isJinja }) => isJinja || text.includes('@')) || argumentsHaveMacros(model);
  const expandedQuery = await expandQuery(model, context, compiled);
  const shared = {
    gateway: compileContext.gateway,
    ...(compileContext.defaultCatalog === undefined ? {} : { defaultCatalog: compileContext.defaultCatalog }),
    timeColumnFormat: project.config.timeColumnFormat,
  };
  const applied: AppliedContext = hasMacros
    ? { ...shared, ...reached({ model, texts, project, compileContext, macroFiles, columnsOf }) }
    : { ...shared, variables: {}, macroFiles: {}, jinjaMacros: [] };
  return {
    model: withShownDefaults(model, project.config),
    audits,
    ...(expandedQuery === undefined ? {} : { expandedQuery }),
    applied,
  };
}

/** Statements of model_defaults whose text came from the environment go in as their templates; they are filled when they are rendered. */
function withShownDefaults(model: Model, { sensitive, modelDefaults }: Config): Model {
  const { source } = model;
  const found = sensitive.filter(({ path }) => path[0] === 'modelDefaults');
  if (found.length === 0 || source.kind === 'external') return model;
  const shown = (name: 'preStatements' | 'postStatements' | 'onVirtualUpdate'): readonly SqlText[] =>
    source[name].map((statement) => {
      if (statement.isDefault !== true) return statement;
      const own = found.find(
        ({ path }) =>
          path[1] === name && statement.text.trim() === modelDefaults[name][Number(path[2])]?.trim(),
      );
      return own === undefined ? statement : { ...statement, text: own.shown };
    });
  return {
    ...model,
    source: {
      ...source,
      preStatements: shown('preStatements'),
      postStatements: shown('postStatements'),
      onVirtualUpdate: shown('onVirtualUpdate'),
    },
  };
}

function auditsOf(model: Model, audits: readonly Audit[]): readonly Audit[] {
  const names = new Set(model.audits.map(({ name }) => name));
  const inline = new Set(model.inlineAudits.map(({ name }) => name));
  return audits.filter(({ name }) => names.has(name) && !inline.has(name));
}

function ownTexts(model: Model): readonly SqlText[] {
  const inline = model.inlineAudits.flatMap((audit) => [...audit.statements, audit.query]);
  const { source, kind } = model;
  const late =
    kind.kind === 'incremental-by-unique-key'
      ? [kind.whenMatched, kind.mergeFilter]
          .filter((text) => text !== undefined)
          .map((text) => ({ text, start: 0, isJinja: false }))
      : [];
  if (source.kind === 'external') return inline;
  return [
    ...source.preStatements,
    ...(source.kind === 'sql' ? [source.query] : []),
    ...source.postStatements,
    ...source.onVirtualUpdate,
    ...inline,
    ...late,
  ];
}

const argumentsHaveMacros = ({ audits }: Model): boolean =>
  audits.some((use) => Object.values(use.arguments).some((text) => text.includes('@')));

const asWritten = (table: string): readonly { name: string; quoted: boolean }[] =>
  table.split('.').map((name) => ({ name, quoted: true }));

type ColumnsOf = (table: string) => Model['columns'] | undefined;

/** Made once per project: a plan of a thousand models asks for each of them. */
const modelsByName = new WeakMap<Project, ReadonlyMap<string, Model>>();

function completeColumns(project: Project): ColumnsOf {
  let models = modelsByName.get(project);
  if (models === undefined) {
    models = new Map(project.models.map((each) => [each.name, each]));
    modelsByName.set(project, models);
  }
  const known = models;
  return (table) => {
    const found = known.get(table);
    return found?.hasAllColumns === true ? found.columns : undefined;
  };
}

/** The query with its macros expanded. Values of the environment and secrets stand in it as their templates: it is stored. */
async function expandQuery(
  { source }: Model,
  context: ExpansionContext,
  { compileContext }: { readonly compileContext: CompileContext },
): Promise<string | undefined> {
  if (source.kind !== 'sql') return undefined;
  const texts = [...source.preStatements, source.query];
  const shown = compileContext.shownVariables ?? context.variables;
  const { statements } = await expandWithAnswers(
    texts,
    { ...context, variables: shown },
    compileContext.userCode,
  );
  return statements.at(-1)?.text.trim().replace(/;$/, '') ?? '';
}

interface Reaching {
  readonly model: Model;
  readonly texts: readonly SqlText[];
  readonly project: Project;
  readonly compileContext: CompileContext;
  readonly macroFiles: Readonly<Record<string, string>>;
  readonly columnsOf: ColumnsOf;
}

type Reached = Pick<AppliedContext, 'variables' | 'macroFiles' | 'jinjaMacros' | 'columns'>;

/** Follows names: from the texts to variables and functions, from functions to files, and from what those say onwards. */
function reached({ model, texts, project, compileContext, macroFiles, columnsOf }: Reaching): Reached {
  const context = compileContext.macroContext(model, () => undefined);
  const isJinja = texts.some((text) => text.isJinja);
  const jinjaMacros = isJinja ? context.jinjaMacros : [];
  const files: Record<string, string> = {};
  const variables = new Set<string>();
  const seen = new Set<string>();
  let readsAllVariables = false;
  const queue: string[] = [
    ...texts.map(({ text }) => text),
    ...jinjaMacros.map(({ text }) => text),
    ...model.audits.flatMap((use) => Object.values(use.arguments)),
    ...Object.values(model.blueprint),
  ];
  for (let text = queue.pop(); text !== undefined; text = queue.pop()) {
    for (const [written] of text.matchAll(/[A-Za-z_]\w*/g)) {
      const word = written.toLowerCase();
      if (seen.has(word)) continue;
      seen.add(word);
      const user = context.userFunctions.get(word);
      if (user !== undefined) {
        readsAllVariables = true;
        queue.push(...addFiles(user, macroFiles, files));
      }
      if (!Object.hasOwn(context.variables, word)) continue;
      variables.add(word);
      queue.push(JSON.stringify(context.variables[word]));
    }
  }
  const names = readsAllVariables ? Object.keys(context.variables) : [...variables].sort();
  const asked = [...new Set([...model.dependencies, model.name])];
  const columns = Object.fromEntries(
    asked.flatMap((table) => {
      const known = columnsOf(table)?.map(({ name, type }) => ({ name, type }));
      return known === undefined ? [] : [[table, known]];
    }),
  );
  return {
    variables: storedVariables(project.config, compileContext.gateway, names),
    macroFiles: files,
    jinjaMacros,
    columns,
  };
}

const IMPORT = /['"`](\.{1,2}\/[^'"`\n]{1,500})['"`]/g;

/** Adds a function's file and all it imports; answers with the texts that were new. */
export function addFiles(
  { file }: UserFunction,
  macroFiles: Readonly<Record<string, string>>,
  into: Record<string, string>,
): readonly string[] {
  const added: string[] = [];
  const queue = [file];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const text = macroFiles[path];
    if (text === undefined || Object.hasOwn(into, path)) continue;
    into[path] = text;
    added.push(text);
    for (const match of text.matchAll(IMPORT)) queue.push(joined(path, match[1] as string));
  }
  return added;
}

/** Where an import of a file leads, as paths of the project are written. */
function joined(from: string, target: string): string {
  const parts = from.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** The values to store: what came from the environment or is secret goes in as its template. */
export function storedVariables(config: Config, gateway: string, names: readonly string[]): DataRecord {
  const ofGateway = config.gateways[gateway]?.variables ?? {};
  return Object.fromEntries(
    names.flatMap((name) => {
      const isGateways = Object.hasOwn(ofGateway, name);
      const value = isGateways ? ofGateway[name] : config.variables[name];
      if (value === undefined) return [];
      const path = isGateways ? ['gateways', gateway, 'variables', name] : ['variables', name];
      return [[name, stored(value, path, config.sensitive)]];
    }),
  );
}

function stored(value: Data, path: readonly string[], sensitive: readonly SensitivePath[]): Data {
  const below = sensitive.filter((each) => path.every((key, i) => each.path[i] === key));
  if (below.length === 0) return value;
  const here = below.find((each) => each.path.length === path.length);
  if (here !== undefined) return storedTemplate(here.shown, value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Data, i) => stored(item, [...path, String(i)], below));
  return Object.fromEntries(
    Object.entries(value as DataRecord).map(([key, item]) => [key, stored(item, [...path, key], below)]),
  );
}
