/*
 * What changed inside of semantic models and metrics, by comparing their content with what was applied:
 *
 *   semantic model ──▶ its members (measures, dimensions, segments, joins, rollups, policies), each by name
 *   metric ──────────▶ its keys
 */
import type { Metric } from '../../domain/metric.ts';
import type { AppliedSemantics, Change } from '../../domain/plan.ts';
import type { SemanticModel } from '../../domain/semantic-model.ts';
import { canonicalContent } from '../../foundation/yaml/canonical-content.ts';

/** A change of a definition said in words: members under `columns` (`measure revenue`), keys in the reason. Without what was applied the change stays as it is. */
export function describedChange(
  change: Change,
  before: AppliedSemantics | undefined,
  after: AppliedSemantics,
): Change {
  if (before === undefined || change.change !== 'direct') return change;
  if (change.kind === 'semantic') {
    const [old, now] = [named(before.semanticModels, change), named(after.semanticModels, change)];
    return old === undefined || now === undefined ? change : describedModel(change, old, now);
  }
  if (change.kind !== 'metric') return change;
  const [old, now] = [named(before.metrics, change), named(after.metrics, change)];
  return old === undefined || now === undefined
    ? change
    : { ...change, reason: words(changedKeys(old, now)) };
}

function named<Definition extends SemanticModel | Metric>(
  definitions: readonly Definition[],
  { name }: Change,
): Definition | undefined {
  return definitions.find((definition) => definition.name.value === name);
}

function describedModel(change: Change, before: SemanticModel, after: SemanticModel): Change {
  const [old, now] = [membersOf(before), membersOf(after)];
  const columns = {
    added: [...now.keys()].filter((label) => !old.has(label)),
    removed: [...old.keys()].filter((label) => !now.has(label)),
    changed: [...now]
      .filter(([label, text]) => old.has(label) && old.get(label) !== text)
      .map(([label]) => label),
  };
  const others = changedKeys(before, after).filter((key) => !MEMBERS.some(([list]) => list === key));
  const hasMembers = columns.added.length + columns.removed.length + columns.changed.length > 0;
  return { ...change, columns, reason: words([...(hasMembers ? ['members'] : []), ...others]) };
}

const MEMBERS = [
  ['dimensions', 'dimension'],
  ['measures', 'measure'],
  ['segments', 'segment'],
  ['joins', 'join'],
  ['rollups', 'rollup'],
] as const;

function membersOf(model: SemanticModel): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const [list, word] of MEMBERS)
    for (const member of model[list] ?? [])
      members.set(`${word} ${member.name.value}`, canonicalContent(member));
  for (const policy of model.policies) members.set(`policy ${policy.group.value}`, canonicalContent(policy));
  return members;
}

/** How changes call the members that a question can name, and joins. */
export function memberLabels(model: SemanticModel): readonly string[] {
  return MEMBERS.filter(([list]) => list !== 'rollups').flatMap(([list, word]) =>
    (model[list] ?? []).map((member) => `${word} ${member.name.value}`),
  );
}

function changedKeys(before: object, after: object): readonly string[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => key !== 'file' && key !== 'policies',
  );
  const part = (of: object, key: string): string =>
    canonicalContent((of as Readonly<Record<string, unknown>>)[key]);
  return keys.filter((key) => part(before, key) !== part(after, key));
}

function words(keys: readonly string[]): string {
  const list = keys.map((key) => key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
  if (list.length === 0) return 'its definition changed';
  const last = list.at(-1);
  return `its ${list.length === 1 ? last : `${list.slice(0, -1).join(', ')} and ${last}`} changed`;
}
