import type { AppliedSemantics } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { canonicalContent } from '../../foundation/yaml/canonical-content.ts';
import { auditText } from './audit-definitions.ts';

/** What is compared beside models, as the key of `Environment.definitions` begins. */
export type DefinitionKind = 'semantic' | 'metric' | 'dq' | 'audit' | 'test';

/** A hash of each semantic model, metric, dq pack, audit and test by `kind:name`; moving one within its file changes none. */
export function definitionHashes(project: Project): Readonly<Record<string, string>> {
  let hashes = known.get(project);
  if (hashes === undefined) {
    hashes = hashDefinitions(project);
    known.set(project, hashes);
  }
  return hashes;
}

/** A plan asks twice, and large semantics take a while. */
const known = new WeakMap<Project, Readonly<Record<string, string>>>();

function hashDefinitions(
  project: Pick<Project, 'semanticModels' | 'metrics' | 'dqPacks' | 'audits' | 'tests'>,
): Readonly<Record<string, string>> {
  const hashes: Record<string, string> = {};
  const put = (kind: DefinitionKind, name: string, content: string): void => {
    const key = `${kind}:${name}`;
    const before = hashes[key];
    // Two of a name are distinguished at load; here they only must not hide each other.
    hashes[key] = before === undefined ? hash128(content) : hash128(before, content);
  };
  for (const model of project.semanticModels) put('semantic', model.name.value, contentOf(model));
  for (const metric of project.metrics) put('metric', metric.name.value, contentOf(metric));
  for (const pack of project.dqPacks) put('dq', pack.name.value, contentOf(pack));
  for (const audit of project.audits) {
    const { description, owner, tags } = audit;
    put('audit', audit.name, canonicalJson([auditText(audit), description, owner, tags]));
  }
  for (const one of project.tests) put('test', one.name, contentOf(one));
  return hashes;
}

/** Hashes of stored semantics, as `Environment.definitions` has them. */
export function hashesOfSemantics(semantics: AppliedSemantics): Readonly<Record<string, string>> {
  return hashDefinitions({ ...semantics, dqPacks: [], audits: [], tests: [] });
}

/** Whether a key of `Environment.definitions` is that of a semantic model or a metric. */
export const isSemanticKey = (key: string): boolean =>
  key.startsWith('semantic:') || key.startsWith('metric:');

/** Whether a key of `Environment.definitions` is that of a dq pack. */
export const isDqKey = (key: string): boolean => key.startsWith('dq:');

/** Kind and name of a key of `Environment.definitions`. */
export function splitDefinitionKey(key: string): { readonly kind: DefinitionKind; readonly name: string } {
  const colon = key.indexOf(':');
  return { kind: key.slice(0, colon) as DefinitionKind, name: key.slice(colon + 1) };
}

function contentOf({ file: _, ...content }: { readonly file: string }): string {
  return canonicalContent(content);
}
