import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { ModelDefinition } from '../../../domain/model.ts';
import { modelName } from '../../../domain/model-name.ts';
import { NOTHING_DECLARED } from '../../../domain/nothing-declared.ts';
import type { SourceFile } from '../../../domain/source-file.ts';
import type { Diagnostic, SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../../foundation/diagnostics/nearest.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import {
  either,
  list,
  notYet,
  object,
  optional,
  record,
  required,
  withoutEffect,
} from '../../../foundation/yaml/collection-schemas.ts';
import { type Located, rangeOf } from '../../../foundation/yaml/located.ts';
import { data, flag, located, text } from '../../../foundation/yaml/scalar-schemas.ts';
import type { ValueOf } from '../../../foundation/yaml/schema.ts';
import { nameParts } from '../header/names.ts';
import type { ModelContext, ModelGateway } from '../model-context.ts';
import { auditUse } from './audit-use.ts';
import { cronText, dialectText, durationText, timeText, unitText, zoneText } from './checked-text.ts';
import { columnTypes } from './column-types.ts';
import { readFile } from './read-file.ts';

const unread = data('nothing inside is read');
const texts = list(text(), { acceptsOne: true });
const grain = list(either(text(), texts), { acceptsOne: true });

const column = object(
  { type: required(located(text()), 'The type.'), description: optional(text(), 'What the column holds.') },
  { name: 'a column', shorthand: 'type' },
);

const externalModel = object(
  {
    name: required(located(text()), 'The table, as queries name it.'),
    columns: optional(
      record(column, { name: 'a map from columns to types' }),
      'Columns and their types, in order.',
    ),
    description: optional(text(), 'What the table holds.'),
    column_descriptions: optional(
      record(text(), { name: 'a map from columns to texts' }),
      'What the columns hold.',
    ),
    gateway: optional(located(text()), 'The gateway for which this description holds; by default all.'),
    dialect: optional(dialectText(), 'The dialect in which types and names are written.'),
    owner: optional(text(), 'Who answers for the table.'),
    tags: optional(texts, 'Words to find it by.'),
    terms: optional(texts, 'Terms of the business glossary.'),
    start: optional(timeText(), 'The first day of data: where readers begin that name no start.'),
    end: withoutEffect(timeText(), 'the table is not filled here'),
    cron: optional(
      located(cronText()),
      'When the table is filled; a lint rule warns about models that are due more often.',
    ),
    cron_tz: withoutEffect(zoneText(), 'only how often the table is filled counts'),
    interval_unit: withoutEffect(unitText(), 'the table is not filled here'),
    grain: optional(grain, 'Columns that identify a row.', ['grains']),
    references: withoutEffect(texts, 'joins are declared by semantic models'),
    audits: optional(
      list(
        located(
          either(
            text(),
            record(data('arguments are compared with those of the audit'), {
              name: 'a map with the name of an audit',
            }),
          ),
        ),
        { acceptsOne: true },
      ),
      'Audits of the table.',
      ['assertions'],
    ),
    freshness: notYet(durationText(), 'nothing looks at the age of tables that Plinth does not fill'),
    enabled: optional(flag(), 'Whether it is part of the project.'),
    ignored_rules: optional(texts, 'Linter rules that do not look at it.'),
    kind: withoutEffect(unread, 'everything in this file is external'),
    physical_properties: withoutEffect(unread, 'the table is not made here'),
    virtual_properties: withoutEffect(unread, 'the table is not made here'),
    session_properties: withoutEffect(unread, 'the table is not made here'),
    stamp: withoutEffect(unread, 'the table is not made here'),
  },
  { name: 'an external model' },
);

/** A list of tables that something else fills. */
export const externalModelsSchema = list(externalModel);

export interface LoadedExternals {
  readonly definitions: readonly ModelDefinition[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The external models of one file, for every gateway. */
export function loadExternalModels(file: SourceFile, context: ModelContext): LoadedExternals {
  const content = readFile(file, externalModelsSchema);
  const diagnostics = [...content.diagnostics];
  const definitions: ModelDefinition[] = [];
  for (const entry of content.value ?? []) {
    const definition = define(entry, { file: file.path, context, diagnostics });
    if (definition !== undefined) definitions.push(definition);
  }
  return { definitions, diagnostics };
}

interface FileContext {
  readonly file: string;
  readonly context: ModelContext;
  readonly diagnostics: Diagnostic[];
}

function define(entry: ValueOf<typeof externalModel>, fileContext: FileContext): ModelDefinition | undefined {
  const { file, diagnostics } = fileContext;
  const gateway = gatewayOf(entry.gateway, fileContext);
  if (gateway === undefined) return undefined;
  const dialect: Dialect = (entry.dialect as Dialect | undefined) ?? gateway.defaults.dialect;
  const name = tableNameOf(entry.name.value, dialect, gateway.defaultCatalog);
  if (name === undefined) {
    diagnostics.push(
      diagnostic('external.bad-name', { name: entry.name.value }, { at: rangeOf(file, entry.name) }),
    );
    return undefined;
  }
  const ranges: Record<string, SourceRange> = {
    name: rangeOf(file, entry.name),
    query: rangeOf(file, entry.$at),
    ...(entry.cron === undefined ? {} : { cron: rangeOf(file, entry.cron) }),
  };
  const { columns, problems } = columnTypes(
    (entry.columns ?? []).map(({ key, value }) => ({ name: key, type: value.type })),
    dialect,
  );
  for (const { type, detail, at } of problems)
    diagnostics.push(diagnostic('external.bad-type', { type, dialect, detail }, { at: rangeOf(file, at) }));
  const descriptions: Record<string, string> = {};
  for (const { key, value } of entry.columns ?? []) {
    ranges[`columns.${key.value.toLowerCase()}`] = rangeOf(file, key);
    if (value.description !== undefined) descriptions[key.value.toLowerCase()] = value.description;
  }
  for (const { key, value } of entry.column_descriptions ?? []) descriptions[key.value.toLowerCase()] = value;
  return {
    name,
    file,
    kind: { kind: 'external' },
    source: { kind: 'external' },
    dialect,
    cron: entry.cron?.value ?? gateway.defaults.cron,
    ...optionals(entry, gateway),
    grains: (entry.grain ?? []).map((each) => (typeof each === 'string' ? [each] : each)),
    references: [],
    tags: entry.tags ?? [],
    terms: entry.terms ?? [],
    ...(entry.columns === undefined ? {} : { declaredColumns: columns }),
    columnDescriptions: descriptions,
    audits: (entry.audits ?? []).map((use) => auditUse(use, file)),
    ...NOTHING_DECLARED,
    isEnabled: entry.enabled ?? true,
    allowPartials: false,
    ignoredRules: entry.ignored_rules ?? [],
    signals: [],
    profiles: [],
    optimizeQuery: false,
    blueprint: {},
    ranges,
  };
}

function optionals(entry: ValueOf<typeof externalModel>, { defaults }: ModelGateway) {
  const start = entry.start ?? defaults.start;
  const owner = entry.owner ?? defaults.owner;
  return {
    ...(start === undefined ? {} : { start }),
    ...(owner === undefined ? {} : { owner }),
    ...(entry.description === undefined ? {} : { description: entry.description }),
    ...(entry.gateway === undefined ? {} : { gateway: entry.gateway.value }),
  };
}

function gatewayOf(named: Located<string> | undefined, fileContext: FileContext): ModelGateway | undefined {
  const { context, diagnostics, file } = fileContext;
  const name = named?.value ?? context.defaultGateway;
  const gateway = context.gateways.get(name.toLowerCase());
  if (gateway !== undefined || named === undefined) return gateway;
  diagnostics.push(
    diagnostic(
      'external.unknown-gateway',
      { name },
      { at: rangeOf(file, named), hint: didYouMean(name, context.gateways.keys()) },
    ),
  );
  return undefined;
}

/** A table name in YAML as maps are keyed; undefined when the text is not a name. */
export function tableNameOf(name: string, dialect: Dialect, defaultCatalog?: string): string | undefined {
  if (/^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$/.test(name)) return name;
  const { tokens, error } = tokenize(name, dialect);
  if (error !== undefined) return undefined;
  const parts = nameParts(
    { source: { file: '', text: name }, tokens, from: 0, to: tokens.length - 1 },
    dialect,
  );
  return parts === undefined || parts.length > 3 ? undefined : modelName(parts, dialect, defaultCatalog);
}

/** Of all descriptions those that hold for a gateway: its own win over those for all. Two of the same rank contradict each other. */
export function chooseExternalModels(
  definitions: readonly ModelDefinition[],
  gateway: string,
): LoadedExternals {
  const chosen = new Map<string, ModelDefinition>();
  const diagnostics: Diagnostic[] = [];
  for (const definition of definitions) {
    if (definition.gateway !== undefined && definition.gateway.toLowerCase() !== gateway.toLowerCase())
      continue;
    if (!definition.isEnabled) continue;
    const other = chosen.get(definition.name);
    if (other !== undefined && (other.gateway === undefined) === (definition.gateway === undefined)) {
      const at = definition.ranges['name'];
      diagnostics.push(
        diagnostic('external.duplicate', { name: definition.name, other: other.file }, { at }),
      );
    } else if (other === undefined || definition.gateway !== undefined)
      chosen.set(definition.name, definition);
  }
  return { definitions: [...chosen.values()], diagnostics };
}
