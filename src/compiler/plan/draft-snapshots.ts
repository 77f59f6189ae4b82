import type { Audit } from '../../domain/audit.ts';
import { type Model, readsItself } from '../../domain/model.ts';
import type { ModelKind } from '../../domain/model-kind.ts';
import type { Project } from '../../domain/project.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { orderByDependencies } from '../../foundation/graph.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { canonicalTokens } from '../../foundation/sql/canonical/canonical-tokens.ts';
import { auditUses } from './audit-definitions.ts';
import { auditFacts } from './audit-facts.ts';
import { KIND_PARTS, MODEL_PARTS, type PropertyPart } from './property-parts.ts';
import { scheduleOf } from './schedule-of.ts';

/*
 * What a model is, as three hashes:
 *
 *   data      query, statements around the write, kind and what else decides about rows and table
 *   parents   data and parents of every model it reads, so a change reaches everything below it
 *   metadata  what a user should see in a plan though no row changes
 */

/** A snapshot as the project alone defines it: a plan decides which table it has. */
export type DraftSnapshot = Omit<
  Snapshot,
  | 'version'
  | 'category'
  | 'planId'
  | 'inheritedFrom'
  | 'isForward'
  | 'isDeployed'
  | 'effectiveFrom'
  | 'isTried'
  | 'isReturn'
  | 'isUnproven'
  | 'abandoned'
>;

/** What an environment has, where it counts beside the project. */
export interface Applied {
  /** Models of the project that are drafted; all when absent. */
  readonly chosen?: ReadonlySet<string>;
  /** Snapshots of models that were not selected, by name: they keep their text, over what they read as it is now. */
  readonly kept?: ReadonlyMap<string, Snapshot>;
  /** Those among them that stay over what they read before. */
  readonly stays?: ReadonlySet<string>;
  /** Snapshots by name, for those older than `inputs`: a missing one does not count as a change. */
  readonly shown?: ReadonlyMap<string, Snapshot>;
}

/** One draft per model, dependencies first. */
export function draftSnapshots(
  project: Pick<Project, 'models' | 'audits' | 'auditReads'>,
  { chosen, kept = new Map(), stays = new Set(), shown = new Map() }: Applied = {},
): readonly DraftSnapshot[] {
  const own = chosen === undefined ? project.models : project.models.filter(({ name }) => chosen.has(name));
  const context: DraftContext = {
    audits: new Map(project.audits.map((audit) => [audit.name, audit])),
    drafts: new Map(),
    models: new Map(project.models.map((model) => [model.name, model])),
    there: new Set([...own.map(({ name }) => name), ...kept.keys()]),
    shown,
    reads: project.auditReads ?? {},
  };
  for (const name of namesInOrder(own, kept)) {
    const before = kept.get(name);
    if (before === undefined) context.drafts.set(name, ownDraft(context.models.get(name)!, context));
    else context.drafts.set(name, stays.has(name) ? before : readAgain(before, context.drafts));
  }
  return [...context.drafts.values()];
}

/** The project has its models in order; an earlier text may read others than the present one. */
function namesInOrder(models: readonly Model[], kept: ReadonlyMap<string, Snapshot>): readonly string[] {
  const names = models.map(({ name }) => name);
  if (kept.size === 0) return names;
  const parents = new Map(models.map(({ name, dependencies }) => [name, dependencies]));
  for (const [name, snapshot] of kept) parents.set(name, snapshot.parents);
  return orderByDependencies(parents).order;
}

interface DraftContext {
  readonly audits: ReadonlyMap<string, Audit>;
  readonly drafts: Map<string, DraftSnapshot>;
  readonly models: ReadonlyMap<string, Model>;
  /** Models that the environment will have. */
  readonly there: ReadonlySet<string>;
  readonly shown: ReadonlyMap<string, Snapshot>;
  readonly reads: NonNullable<Project['auditReads']>;
}

/** What rows are made of, in one text: a snapshot's own definition and that of all it reads, without metadata. */
export function dataIdOf({ dataHash, parentsHash }: Pick<Snapshot, 'dataHash' | 'parentsHash'>): string {
  return hash128(dataHash, parentsHash);
}

function ownDraft(model: Model, context: DraftContext): DraftSnapshot {
  const draft = draftOf(model, context);
  const before = context.shown.get(model.name);
  return before !== undefined && before.inputs === undefined && isOldDraft(before, draft, model, context)
    ? before
    : draft;
}

function draftOf(model: Model, context: DraftContext): DraftSnapshot {
  const parents = model.dependencies.filter((name) => context.there.has(name));
  const inputs = Object.fromEntries(parents.map((name) => [name, inputOf(name, model, context)]));
  const dataHash = hash128(canonicalJson(dataProperties(model)));
  const parentsHash = parentsHashOf(parents, inputs, context.drafts);
  const uses = auditUses(model, context.audits);
  const metadataHash = hash128(metadataPart(model, uses));
  const facts = auditFacts(model, context.audits, {
    uses,
    models: context.models,
    reads: context.reads[model.name] ?? {},
  });
  return {
    model: model.name,
    kind: model.kind.kind,
    fingerprint: hash128(dataHash, parentsHash, metadataHash),
    dataHash,
    parentsHash,
    metadataHash,
    parents,
    inputs,
    ...(parents.length < model.dependencies.length ? { readsUndeclared: true } : {}),
    ...(readsItself(model) ? { readsItself: true } : {}),
    schedule: scheduleOf(model),
    ...(facts === undefined ? {} : { audits: facts }),
  };
}

/**
 * What a model reads of one parent. An external table's declaration says what is known of rows that are not ours, so of it only
 * the columns count that the model reads; more of them change nothing.
 */
function inputOf(name: string, reader: Model, { drafts, models }: DraftContext): string {
  const draft = drafts.get(name);
  const parent = models.get(name);
  // In a circle a parent may come later; the circle is an error of the load.
  if (draft === undefined) return '';
  if (draft.kind !== 'external' || parent === undefined) return dataIdOf(draft);
  const read = reader.reads[name] ?? [];
  const isRead = (column: string): boolean =>
    read === '*' || read.some((each) => each.toLowerCase() === column.toLowerCase());
  return hash128(
    ...parent.columns
      .filter((column) => isRead(column.name))
      .flatMap((column) => [column.name.toLowerCase(), column.type])
      .filter((text) => text !== 'UNKNOWN'),
  );
}

function parentsHashOf(
  parents: readonly string[],
  inputs: Readonly<Record<string, string>>,
  drafts: ReadonlyMap<string, DraftSnapshot>,
): string {
  return hash128(
    ...parents.flatMap((name) => {
      const draft = drafts.get(name);
      return draft?.kind === 'external'
        ? [name, inputs[name] ?? '']
        : [name, draft?.dataHash ?? '', draft?.parentsHash ?? ''];
    }),
  );
}

/** A snapshot with its own text over what it reads as it is now; itself when that is the same. */
function readAgain(before: Snapshot, drafts: ReadonlyMap<string, DraftSnapshot>): DraftSnapshot {
  const { inputs: old } = before;
  if (old === undefined) return before;
  const inputs = Object.fromEntries(
    before.parents.flatMap((name) => {
      const draft = drafts.get(name);
      const input = draft === undefined || draft.kind === 'external' ? old[name] : dataIdOf(draft);
      return input === undefined ? [] : [[name, input]];
    }),
  );
  if (before.parents.every((name) => inputs[name] === old[name])) return before;
  const {
    dataHash,
    metadataHash,
    model,
    kind,
    parents,
    readsUndeclared,
    readsItself: own,
    schedule,
    audits,
  } = before;
  const parentsHash = parentsHashOf(parents, inputs, drafts);
  return {
    model,
    kind,
    fingerprint: hash128(dataHash, parentsHash, metadataHash),
    dataHash,
    parentsHash,
    metadataHash,
    parents,
    inputs,
    ...(readsUndeclared === undefined ? {} : { readsUndeclared }),
    ...(own === undefined ? {} : { readsItself: own }),
    schedule,
    ...(audits === undefined ? {} : { audits }),
  };
}

/** Older snapshots have no `inputs`, and of external tables only names that a star takes over were counted. */
function isOldDraft(
  before: Snapshot,
  { dataHash, metadataHash, parents }: DraftSnapshot,
  model: Model,
  { drafts, models, shown }: DraftContext,
): boolean {
  if (before.dataHash !== dataHash || before.metadataHash !== metadataHash) return false;
  const isExternal = (name: string): boolean => drafts.get(name)?.kind === 'external';
  if (parents.some((name) => isExternal(name) && shown.get(name)?.dataHash !== drafts.get(name)?.dataHash))
    return false;
  const parts = parents.flatMap((name) => {
    if (!isExternal(name))
      return [name, drafts.get(name)?.dataHash ?? '', drafts.get(name)?.parentsHash ?? ''];
    if (model.reads[name] !== '*') return [];
    return [name, ...(models.get(name)?.columns ?? []).map((column) => column.name.toLowerCase())];
  });
  return before.parentsHash === hash128(...parts);
}

/** Everything of the data part by name, SQL texts in canonical spelling: what differs between two of these is named in the plan. */
export function dataProperties(model: Model): Readonly<Record<string, unknown>> {
  const { source, dialect } = model;
  const found: Record<string, unknown> = {};
  takeParts(found, model, DATA_KEYS, dialect);
  takeParts(found, model.kind, KIND_DATA_KEYS, dialect);
  // What has no effect counts as if it were not written.
  if (model.kind.kind !== 'incremental-by-partition') delete found['partitionedBy'];
  if ('materialized' in found) found['materialized'] = false;
  if ('partitionByTimeColumn' in found) found['partitionByTimeColumn'] = true;
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
  if (readsItself(model)) found['readsItself'] = true;
  found['columns'] = model.columns
    .filter(({ description }) => description !== undefined)
    .map(({ name, description }) => [name.toLowerCase(), description]);
  return canonicalJson(found);
}

/** Keys in one order, found once: a plan asks this of every model, and a thousand of them must not be felt. */
function keysOf(
  parts: Readonly<Record<string, PropertyPart>>,
  ...wanted: readonly PropertyPart[]
): readonly string[] {
  return Object.keys(parts)
    .filter((key) => wanted.includes(parts[key] as PropertyPart))
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
