import type { Audit, AuditUse } from '../../domain/audit.ts';
import type { Model } from '../../domain/model.ts';
import type { AuditFacts } from '../../domain/snapshot.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { builtInAudit } from '../load/built-in-audits.ts';

/** What is known of a model's audits and of the project around it. */
export interface AuditContext {
  /** One for each of the model's audits, in their order. */
  readonly uses: readonly { readonly text: string }[];
  readonly models: { has(name: string): boolean };
  /** Tables that the expanded text of an audit reads, by the audit's name, where that is known. */
  readonly reads?: Readonly<Record<string, readonly string[]>>;
}

/** The audits of a model by what they do to a plan; undefined when it has none. */
export function auditFacts(
  model: Pick<Model, 'name' | 'audits' | 'inlineAudits'>,
  audits: ReadonlyMap<string, Audit>,
  { uses, models, reads: known = {} }: AuditContext,
): AuditFacts | undefined {
  if (model.audits.length === 0) return undefined;
  const blocking: string[] = [];
  const others: string[] = [];
  const demands: string[] = [];
  const reads = new Map<string, readonly string[]>();
  let readsOthers = false;
  let mayReadMore = false;
  for (const [i, use] of model.audits.entries()) {
    const own = model.inlineAudits.find(({ name }) => name === use.name) ?? audits.get(use.name);
    if (own?.skip === true) continue;
    if (isBlocking(use, own)) {
      blocking.push(use.name);
      demands.push(hash128(uses[i]!.text));
    } else others.push(use.name);
    if (own === undefined ? builtInAudit(use.name)?.name !== 'relationship' : isPlainFilter(own)) continue;
    const tables = own === undefined ? undefined : known[use.name];
    if (tables?.every((name) => name === model.name)) continue;
    readsOthers = true;
    const texts = textsOf(use, own);
    mayReadMore ||=
      tables === undefined &&
      (own?.query.isJinja === true || texts.some((text) => /@\w+\s*\(|@\{|\{\{|\{%/.test(text)));
    const named = (tables ?? texts.flatMap(dottedNames)).filter(
      (name) => name !== model.name && models.has(name),
    );
    if (named.length > 0)
      reads.set(use.name, [...new Set([...(reads.get(use.name) ?? []), ...named])].sort());
  }
  if (blocking.length + others.length === 0) return undefined;
  return {
    blocking,
    others,
    readsOthers,
    ...(demands.length === 0 ? {} : { demands }),
    ...(reads.size === 0 ? {} : { reads: Object.fromEntries(reads) }),
    ...(mayReadMore ? { mayReadMore } : {}),
  };
}

function isBlocking(use: AuditUse, own: Audit | undefined): boolean {
  return use.isBlocking ?? own?.isBlocking ?? builtInAudit(use.name)?.isNonBlocking !== true;
}

function textsOf(use: AuditUse, own: Audit | undefined): readonly string[] {
  const given = Object.values(use.arguments);
  if (own === undefined) return given;
  const { query, statements, defaults } = own;
  return [query.text, ...statements.map(({ text }) => text), ...Object.values(defaults), ...given];
}

/** `a.b` and `a.b.c` as they could name a model. A column that is written like one only makes a stage wait. */
function dottedNames(text: string): readonly string[] {
  return [...text.toLowerCase().matchAll(/["`]?\w+["`]?(?:\s*\.\s*["`]?\w+["`]?)+/g)].flatMap(([found]) => {
    const parts = found.replace(/["`\s]/g, '').split('.');
    return parts.flatMap((_, i) => [parts.slice(i, i + 2).join('.'), parts.slice(i, i + 3).join('.')]);
  });
}

/** `SELECT … FROM @this_model WHERE …` and nothing that could name another table; anything less plain counts as reading others. */
function isPlainFilter({ query, statements }: Audit): boolean {
  const words = query.text.toLowerCase();
  return (
    statements.length === 0 &&
    /^\s*select\s+\*\s+from\s+@this_model\s+where\b/.test(words) &&
    words.match(/\b(select|from|join|table|values)\b|@\w+\s*\(/g)?.length === 2
  );
}
