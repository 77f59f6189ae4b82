/*
 * A standalone audit belongs to no model. It is kept like one that has nothing but an audit: with a snapshot (what it demands
 * and reads), a content (its text and what macros see), and an entry in the environment beside those of models. Its version is
 * its fingerprint, so that it can be leased, asked and proven like a table that it is not.
 */
import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { Project } from '../../domain/project.ts';
import type { TableId } from '../../domain/relation.ts';
import type { Snapshot, SnapshotContent } from '../../domain/snapshot.ts';
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { auditUses } from './audit-definitions.ts';
import { auditFacts } from './audit-facts.ts';
import { scheduleOf } from './schedule-of.ts';

/** A standalone audit as a plan brings it. */
export interface StandaloneAudit {
  readonly snapshot: Snapshot;
  readonly content: SnapshotContent;
}

/** What it demands and reads: of the tables its text names, and those that it says it depends on. */
export function standaloneAudit(
  content: SnapshotContent,
  project: Pick<Project, 'models' | 'auditReads'>,
  planId: string,
): StandaloneAudit {
  const { model } = content;
  const models = new Set(project.models.map(({ name }) => name));
  const own = new Map(model.inlineAudits.map((audit) => [audit.name, audit]));
  const uses = auditUses(model, own);
  const known = project.auditReads?.[model.name] ?? {};
  const declared = model.inlineAudits.flatMap(({ dependsOn }) => dependsOn);
  const reads = Object.fromEntries(
    Object.entries(known).map(([name, tables]) => [name, [...new Set([...tables, ...declared])]]),
  );
  const facts = auditFacts(model, own, { uses, models, reads });
  const dataHash = hash128(canonicalJson([uses.map(({ text }) => text), content.applied]));
  return {
    content,
    snapshot: {
      model: model.name,
      kind: 'embedded',
      fingerprint: hash128('standalone audit', dataHash),
      dataHash,
      parentsHash: hash128(),
      metadataHash: hash128(),
      parents: [],
      schedule: scheduleOf(model),
      category: null,
      planId,
      ...(facts === undefined ? {} : { audits: facts }),
    },
  };
}

export function standaloneEntry({
  model,
  fingerprint,
}: Pick<Snapshot, 'model' | 'fingerprint'>): EnvironmentEntry {
  return { model, fingerprint, columns: [] };
}

/** What a standalone audit is leased and proven by. */
export function standaloneTable({ model, fingerprint }: EnvironmentEntry): TableId {
  return { model, version: fingerprint };
}

/** Models that it reads; undefined when that is not known, or when none of them is a model. */
export function modelsReadBy({ audits }: Snapshot): readonly string[] | undefined {
  const models = Object.values(audits?.reads ?? {}).flat();
  return audits?.mayReadMore === true || models.length === 0 ? undefined : models;
}
