import type { ModelKind } from '../../../domain/model-kind.ts';
import { modelName, splitModelName } from '../../../domain/model-name.ts';
import type { SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import type { Token } from '../../../foundation/sql/token.ts';
import { nesting } from '../../../foundation/sql/token-ranges.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import {
  type BlockProperty,
  type BlockReader,
  cutProperties,
  report,
  reportUnused,
  suggestion,
} from './block.ts';
import { type KindDefaults, readKind } from './kinds.ts';
import {
  LATE_PROPERTIES,
  MODEL_PROPERTIES,
  type ModelProperties,
  type PropertyContext,
} from './model-properties.ts';
import { nameParts } from './names.ts';
import { isSymbol, part, rangeOf, type Slice, sizeOf, textOf } from './slice.ts';
import { substituteVariables, type Variables } from './substitute-variables.ts';
import { type NamedValue, oneLine, wrong } from './values.ts';

/** A MODEL block with one set of variables put in. */
export interface ModelHeader {
  /** Undefined when the block names none (the path does) or names it wrongly (`isNameWrong`). */
  readonly name?: string | undefined;
  readonly isNameWrong: boolean;
  /** Undefined when the block has no kind, or one that cannot be used (`isKindWrong`). */
  readonly kind?: ModelKind | undefined;
  readonly isKindWrong: boolean;
  readonly properties: ModelProperties;
  /** Where the value of each property stands, of each option of the kind (`kind.path`) and each declared column (`columns.id`). */
  readonly ranges: Readonly<Record<string, SourceRange>>;
}

/** What a misspelled name may have meant. */
const PROPERTY_NAMES: readonly string[] = Object.entries(MODEL_PROPERTIES)
  .filter(([, { withoutEffect }]) => withoutEffect === undefined)
  .map(([name]) => name);

/** What other tools, and this one in other places, call something. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  default_catalog: 'set the catalog in the connection of config.yaml',
  materialized:
    'the kind says it: kind FULL is a table, kind VIEW a view, kind INCREMENTAL_BY_TIME_RANGE (…) grows',
  schema: 'the name says it: name schema.model',
  alias: 'the name says it: name schema.model',
  unique_key: 'it belongs to the kind: kind INCREMENTAL_BY_UNIQUE_KEY (unique_key …)',
};

/** Cuts the block into known properties; unknown, repeated and unused ones are reported here, once. */
export function cutModelProperties(inner: Slice, reader: BlockReader): readonly BlockProperty[] {
  const seen = new Set<string>();
  const known: BlockProperty[] = [];
  for (const property of cutProperties(inner, reader).flatMap((p) => splitWhereCommaIsMissing(p, reader))) {
    const { name, nameRange } = property;
    if (name === '') {
      known.push(property);
      continue;
    }
    const key = Object.hasOwn(MODEL_PROPERTIES, name) ? MODEL_PROPERTIES[name] : undefined;
    if (key === undefined) {
      const hint =
        suggestion(reader, name, PROPERTY_NAMES) ??
        (Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined);
      report(reader, 'model.unknown-property', { property: name, block: 'MODEL' }, nameRange, hint);
      continue;
    }
    if (seen.has(name)) {
      report(reader, 'model.duplicate-property', { property: name }, nameRange);
      continue;
    }
    seen.add(name);
    reportUnused(reader, property, key);
    if (key.withoutEffect === undefined || key.read !== undefined) known.push(property);
  }
  reportAliases(known, reader);
  return known;
}

/** Two names of one thing cannot both be given. */
const ALIASES: readonly (readonly [string, string])[] = [
  ['grains', 'grain'],
  ['audits', 'assertions'],
  ['physical_properties', 'table_properties'],
];

function reportAliases(properties: readonly BlockProperty[], reader: BlockReader): void {
  for (const [first, second] of ALIASES) {
    const other = properties.find((p) => p.name === second);
    if (other === undefined || !properties.some((p) => p.name === first)) continue;
    report(
      reader,
      'model.conflicting-properties',
      { first, second, reason: 'they are two names of one property' },
      other.nameRange,
      `use only ${first}`,
    );
  }
}

/** `kind FULL cron '@daily'`: a known name after a complete value is the next property, and a comma is missing. */
function splitWhereCommaIsMissing(property: BlockProperty, reader: BlockReader): readonly BlockProperty[] {
  const { value } = property;
  let depth = 0;
  for (let i = value.from; i < value.to; i++) {
    const token = value.tokens[i] as Token;
    const before = value.tokens[i - 1] as Token;
    const isNext =
      depth === 0 &&
      i > value.from &&
      i + 1 < value.to &&
      token.kind === 'word' &&
      (before.kind !== 'symbol' || before.text === ')' || before.text === ']') &&
      before.kind !== 'at' &&
      token.start > before.end &&
      !isSymbol(value.tokens[i + 1], '.') &&
      PROPERTY_NAMES.includes(token.text.toLowerCase());
    if (isNext) {
      report(
        reader,
        'model.missing-comma',
        { property: property.name, found: token.text },
        rangeOf(part(value, i - value.from, i - value.from + 1)),
      );
      const rest: BlockProperty = {
        name: token.text.toLowerCase(),
        nameRange: rangeOf(part(value, i - value.from, i - value.from + 1)),
        value: part(value, i - value.from + 1, sizeOf(value)),
      };
      return [
        { ...property, value: part(value, 0, i - value.from) },
        ...splitWhereCommaIsMissing(rest, reader),
      ];
    }
    depth += nesting(token);
  }
  return [property];
}

/** What the header's readers need besides the block itself. */
export interface HeaderContext extends PropertyContext {
  readonly variables: Variables;
  readonly kindDefaults: KindDefaults;
}

/** Reads the properties with these variables. Nothing stops at an error: what is wrong is reported and left out. */
export function readModelHeader(
  properties: readonly BlockProperty[],
  scope: HeaderContext,
  reader: BlockReader,
): ModelHeader {
  const read: ModelProperties = {};
  const ranges: Record<string, SourceRange> = Object.create(null) as Record<string, SourceRange>;
  let name: string | undefined;
  let kind: ModelKind | undefined;
  let [isNameWrong, isKindWrong] = [false, false];
  for (const property of expandMacroProperties(properties, scope, reader)) {
    if (property.name === 'blueprints') continue;
    ranges[property.name] = sizeOf(property.value) === 0 ? property.nameRange : rangeOf(property.value);
    const value = LATE_PROPERTIES.has(property.name)
      ? property.value
      : substituteVariables(property.value, scope.variables, reader, {
          bare: property.name === 'name' || property.name === 'depends_on',
          // Options of a kind are looked at one by one: some keep their macros.
          keepUnknown: property.name === 'kind' && sizeOf(property.value) > 2,
        });
    if (value === undefined) {
      isNameWrong ||= property.name === 'name';
      isKindWrong ||= property.name === 'kind';
      continue;
    }
    const named: NamedValue = { property: property.name, nameRange: property.nameRange, value };
    if (property.name === 'name') {
      name = readName(reader, named, scope.defaultCatalog);
      isNameWrong = name === undefined;
    } else if (property.name === 'kind') {
      const written = readKind(reader, unquoted(named), scope.variables, scope.kindDefaults);
      kind = written?.kind;
      for (const [option, range] of written?.ranges ?? []) ranges[`kind.${option}`] = range;
      isKindWrong = kind === undefined;
    } else MODEL_PROPERTIES[property.name]?.read?.(reader, named, read, scope);
  }
  for (const [column, range] of read.columns?.ranges ?? []) ranges[`columns.${column}`] = range;
  return { name, isNameWrong, kind, isKindWrong, properties: read, ranges };
}

/** A kind that a variable holds as text (`'INCREMENTAL_BY_TIME_RANGE (…)'`) is read as the text's content. */
function unquoted(named: NamedValue): NamedValue {
  const only = named.value.tokens[named.value.from];
  if (sizeOf(named.value) !== 1 || only?.kind !== 'string') return named;
  const text = only.text.slice(1, -1).replaceAll("''", "'");
  const { tokens } = tokenize(text);
  const place = rangeOf(named.value);
  const source = {
    file: place.file,
    text,
    offset: (_: number, isEnd: boolean) => (isEnd ? place.end : place.start),
  };
  return { ...named, value: { source, tokens, from: 0, to: tokens.length - 1 } };
}

/** A macro call in the place of a property gives properties of its own. */
function expandMacroProperties(
  properties: readonly BlockProperty[],
  scope: HeaderContext,
  reader: BlockReader,
): readonly BlockProperty[] {
  if (properties.every((p) => p.name !== '')) return properties;
  return properties.flatMap((property) => {
    if (property.name !== '') return [property];
    const made = substituteVariables(property.value, scope.variables, reader);
    return made === undefined ? [] : cutModelProperties(made, reader);
  });
}

const NAME_FORM = 'schema.model or catalog.schema.model';

function readName(
  reader: BlockReader,
  named: NamedValue,
  defaultCatalog: string | undefined,
): string | undefined {
  if (sizeOf(named.value) === 0) return wrong(reader, named, NAME_FORM);
  const parts = nameParts(named.value, reader.dialect);
  const at = rangeOf(named.value);
  if (parts === undefined || parts.length > 3 || parts.some((p) => p.name === '')) {
    const isText = named.value.tokens[named.value.from]?.kind === 'string';
    report(
      reader,
      'model.invalid-name',
      { value: oneLine(textOf(named.value)), expected: NAME_FORM },
      at,
      isText ? 'write the name without quotes around it' : undefined,
    );
    return undefined;
  }
  const name = modelName(parts, reader.dialect, defaultCatalog);
  reportReserved(reader, name, at);
  return name;
}

/** A schema with the separator of environments in it is refused. */
export function reportReserved(reader: BlockReader, name: string, at: SourceRange): void {
  const { schema } = splitModelName(name);
  if (schema?.includes('__'))
    report(reader, 'model.reserved-separator', { schema, suggestion: schema.replace(/_{2,}/g, '_') }, at);
}
