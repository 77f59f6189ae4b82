import type { Audit } from '../../domain/audit.ts';
import type { Model } from '../../domain/model.ts';
import type { ModelKind } from '../../domain/model-kind.ts';
import type { Project } from '../../domain/project.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { hash128 } from '../../foundation/hash.ts';
import { canonicalTokens } from '../../foundation/sql/canonical/canonical-tokens.ts';
import { auditUses } from './audit-definitions.ts';
import { auditFacts } from './audit-facts.ts';
import { canonicalJson } from './canonical-json.ts';
import { KIND_PARTS, MODEL_PARTS, type Part } from './property-parts.ts';
import { scheduleOf } from './schedule-of.ts';

/*
 * What a model is, as three hashes:
 *
 *   data      query, statements around the write, kind and what else decides about rows and table
 *   parents   data and parents of every model it reads, so a change reaches everything below it
 *   metadata  what a user should see in a plan though no row changes
 */

/** A snapshot as the project alone tells it: which table it has is for a plan to decide. */
export type DraftSnapshot = Omit<
  Snapshot,
  'version' | 'category' | 'planId' | 'inheritedFrom' | 'effectiveFrom' | 'isTried' | 'abandoned'
>;

/** One draft per model, dependencies first. Models in `kept` stay what they are: what reads them is judged by that. */
export function draftSnapshots(
  project: Pick<Project, 'models' | 'audits' | 'auditReads'>,
  kept: ReadonlyMap<string, DraftSnapshot> = new Map(),
): readonly DraftSnapshot[] {
  const audits = new Map(project.audits.map((audit) => [audit.name, audit]));
  const drafts = new Map<string, DraftSnapshot>();
  const models = new Map(project.models.map((model) => [model.name, model]));
  for (const model of project.models)
    drafts.set(
      model.name,
      kept.get(model.name) ?? draftOf(model, { audits, drafts, models, reads: project.auditReads ?? {} }),
    );
  return [...drafts.values()];
}

interface Around {
  readonly audits: ReadonlyMap<string, Audit>;
  readonly drafts: ReadonlyMap<string, DraftSnapshot>;
  readonly models: ReadonlyMap<string, Model>;
  readonly reads: NonNullable<Project['auditReads']>;
}

function draftOf(model: Model, around: Around): DraftSnapshot {
  const parents = model.dependencies.filter((name) => around.models.has(name));
  const dataHash = hash128(canonicalJson(dataProperties(model)));
  const parentsHash = hash128(...parents.flatMap((name) => parentPart(name, model, around)));
  const uses = auditUses(model, around.audits);
  const metadataHash = hash128(metadataPart(model, uses));
  const facts = auditFacts(model, around.audits, {
    uses,
    models: around.models,
    reads: around.reads[model.name] ?? {},
  });
  return {
    model: model.name,
    kind: model.kind.kind,
    fingerprint: hash128(dataHash, parentsHash, metadataHash),
    dataHash,
    parentsHash,
    metadataHash,
    parents,
    ...(parents.length < model.dependencies.length ? { readsUndeclared: true } : {}),
    schedule: scheduleOf(model),
    ...(facts === undefined ? {} : { audits: facts }),
  };
}

/**
 * What one parent adds. An external table's declaration says what is known of rows that are not ours, so it counts only
 * where a star takes its columns over.
 */
function parentPart(name: string, reader: Model, { drafts, models }: Around): readonly string[] {
  const parent = models.get(name) as Model;
  if (parent.kind.kind === 'external') {
    if (reader.reads[name] !== '*') return [];
    return [name, ...parent.columns.map((column) => column.name.toLowerCase())];
  }
  // In a circle a parent may come later; the circle is an error of the load.
  const draft = drafts.get(name);
  return [name, draft?.dataHash ?? '', draft?.parentsHash ?? ''];
}

/** Everything of the data part by name, SQL texts in canonical spelling: what differs between two of these is named in the plan. */
export function dataProperties(model: Model): Readonly<Record<string, unknown>> {
  const { source, dialect } = model;
  const found: Record<string, unknown> = {};
  takeParts(found, model, DATA_KEYS, dialect);
  takeParts(found, model.kind, KIND_DATA_KEYS, dialect);
  if (source.kind === 'seed') found['content'] = [source.contentHash, source.columns];
  if (source.kind === 'external')
    found['declaredColumns'] = model.columns.map(({ name, type }) => [name, type]);
  return found;
}

function metadataPart(model: Model, uses: ReturnType<typeof auditUses>): string {
  const found: Record<string, unknown> = {};
  takeParts(found, model, METADATA_KEYS);
  takeParts(found, model.kind, KIND_METADATA_KEYS);
  found['audits'] = uses.map(({ text }) => text);
  found['columns'] = model.columns
    .filter(({ description }) => description !== undefined)
    .map(({ name, description }) => [name.toLowerCase(), description]);
  return canonicalJson(found);
}

/** Keys in one order, found once: a plan asks this of every model, and a thousand of them must not be felt. */
function keysOf(parts: Readonly<Record<string, Part>>, ...wanted: readonly Part[]): readonly string[] {
  return Object.keys(parts)
    .filter((key) => wanted.includes(parts[key] as Part))
    .sort();
}

const DATA_KEYS = keysOf(MODEL_PARTS, 'data', 'sql');
const METADATA_KEYS = keysOf(MODEL_PARTS, 'metadata');
const KIND_DATA_KEYS = keysOf(KIND_PARTS, 'data', 'sql');
const KIND_METADATA_KEYS = keysOf(KIND_PARTS, 'metadata');

function takeParts(
  into: Record<string, unknown>,
  from: Model | ModelKind,
  keys: readonly string[],
  dialect?: Model['dialect'],
): void {
  const record = from as unknown as Readonly<Record<string, unknown>>;
  for (const key of keys) {
    const value = record[key];
    // Most properties of most models say nothing.
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    const isSql =
      dialect !== undefined && (MODEL_PARTS[key as keyof Model] === 'sql' || SQL_OPTIONS.has(key));
    into[key] = isSql ? canonicalTexts(value, dialect) : value;
  }
}

const SQL_OPTIONS: ReadonlySet<string> = new Set(keysOf(KIND_PARTS, 'sql'));

function canonicalTexts(value: unknown, dialect: Model['dialect']): unknown {
  if (typeof value === 'string') return canonicalTokens(value, dialect);
  return Array.isArray(value) ? value.map((item) => canonicalTexts(item, dialect)) : value;
}
