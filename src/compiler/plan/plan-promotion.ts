import type { Config } from '../../domain/config.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Plan, StageWork } from '../../domain/plan.ts';
import type { AccessEntry } from '../../domain/wider-access.ts';
import { canonicalJson } from '../../foundation/canonical-json.ts';
import { addDuration, parseDuration } from '../../foundation/time/duration.ts';
import { definitionHashes } from './definition-hashes.ts';
import { dqPacksOf, semanticsOf } from './plan-changes.ts';
import type { PlanInput } from './plan-input.ts';
import type { BuiltModel } from './stage-input.ts';
import { modelsReadBy, standaloneEntry } from './standalone-audits.ts';

/** What the environment will be. prod and pinned ones never expire. */
export function targetOf(input: PlanInput, all: readonly BuiltModel[]): Environment {
  const { prepared, project, createdAt, executionTime, gateway, promotionId, id } = input;
  const { ttl, pinned } = project.config.environments;
  const name = prepared.environment;
  const duration = parseDuration(ttl);
  const definitions = definitionHashes(project);
  const semantics = semanticsOf(input, definitions);
  const dqPacks = dqPacksOf(input, definitions);
  const expires = name !== 'prod' && !pinned.includes(name) && !('reason' in duration);
  return {
    name,
    entries: all.map(({ entry }) => entry),
    promotionId,
    planId: id,
    promotedAt: createdAt,
    executionTime,
    ...(expires ? { expiresAt: addDuration(executionTime, duration) } : {}),
    gateway,
    definitions,
    ...(semantics.id === undefined ? {} : { semantics: semantics.id }),
    ...(dqPacks.id === undefined ? {} : { dqPacks: dqPacks.id }),
    ...(input.hooks === undefined ? {} : { hooks: input.hooks }),
    access: configuredAccess(project.config),
    ...auditsOf(input, all),
  };
}

/** All that config.yaml gives, by principal. Every caller may query the default environment. */
export function configuredAccess({ access, users, environments }: Config): readonly AccessEntry[] {
  return [
    { principal: '*', environments: [environments.defaultTarget] },
    ...access.map(({ principal, role, models, environments, isExempt }) => ({
      principal,
      ...(role === undefined ? {} : { role }),
      ...(models.length === 0 ? {} : { models: models.map(({ value }) => value) }),
      ...(environments.length === 0 ? {} : { environments }),
      ...(isExempt ? { policies: 'exempt' } : {}),
    })),
    ...users
      .filter(({ groups }) => groups.length > 0)
      .map(({ username, groups }) => ({ principal: username, groups })),
  ];
}

/** Whether two environments were applied with the same; one older than this record equals no other. */
export function hasSameAccess(one: Environment, other: Environment): boolean {
  return canonicalJson(one.access ?? null) === canonicalJson(other.access ?? null);
}

/** A standalone audit takes part once every model that it reads does. */
function auditsOf({ standalone = [] }: PlanInput, all: readonly BuiltModel[]): Pick<Environment, 'audits'> {
  const there = new Set(all.map(({ entry }) => entry.model));
  const audits = standalone
    .map(({ snapshot }) => snapshot)
    .filter((snapshot) => (modelsReadBy(snapshot) ?? []).every((model) => there.has(model)))
    .map(standaloneEntry);
  return audits.length === 0 ? {} : { audits };
}

export type PromoteWork = Omit<Extract<StageWork, { kind: 'promote' }>, 'kind'>;

/**
 * The way from one state of an environment to another; undefined when nothing that is shown or compared would differ.
 * `withStatements` are models with on-virtual-update statements, dependencies first; `lost` are models whose views are made again;
 * `shown` is what the warehouse shows, where that is not `present`.
 */
export function promotionBetween(
  present: Environment | undefined,
  target: Environment,
  {
    withStatements = [],
    lost,
    shown: then,
  }: {
    readonly withStatements?: readonly string[];
    readonly lost?: ReadonlySet<string> | undefined;
    readonly shown?: Environment | undefined;
  } = {},
): PromoteWork | undefined {
  const before = new Map((present?.entries ?? []).map((entry) => [entry.model, entry]));
  const changed = target.entries.filter(
    (entry) => lost?.has(entry.model) === true || !isSameEntry(entry, before.get(entry.model)),
  );
  const views = changed.filter(({ version }) => version !== undefined);
  const shown = new Set(target.entries.flatMap(({ model, version }) => (version === undefined ? [] : model)));
  const removed = [...new Map([...entriesOf(then), ...before]).values()]
    .filter(({ model, version }) => version !== undefined && !shown.has(model))
    .map(({ model }) => model);
  // Planning an environment that has expired is asking for it again.
  const now = target.executionTime ?? target.promotedAt;
  const hasExpired = present?.expiresAt !== undefined && present.expiresAt <= now;
  const isSame =
    present !== undefined &&
    !hasExpired &&
    changed.length === 0 &&
    target.entries.length === present.entries.length &&
    isSameRecord(target.definitions, present.definitions) &&
    // Environments that are older than the record of dq packs get one.
    (target.dqPacks === undefined) === (present.dqPacks === undefined) &&
    hasSameAccess(target, present) &&
    fingerprintsOf(target.audits) === fingerprintsOf(present.audits) &&
    canonicalHooks(target.hooks) === canonicalHooks(present.hooks);
  if (isSame) return undefined;
  const replaced = new Set(views.map(({ model }) => model));
  return {
    target,
    views: views.map((entry) => ({ environment: target.name, entry })),
    removed,
    virtualUpdates: withStatements.filter((model) => replaced.has(model)),
  };
}

const entriesOf = (shown: Environment | undefined): readonly (readonly [string, EnvironmentEntry])[] =>
  (shown?.entries ?? []).map((entry) => [entry.model, entry]);

const fingerprintsOf = (entries: Environment['audits'] = []): string =>
  entries
    .map(({ fingerprint }) => fingerprint)
    .sort()
    .join(' ');

/** Which statements around plans and runs differ, be it in their text or in what it reads. */
export function changedHooks(
  before: Environment['hooks'],
  after: Environment['hooks'],
): NonNullable<Plan['statements']> {
  if (canonicalHooks(before) === canonicalHooks(after)) return [];
  const isOther = (key: 'beforeAll' | 'afterAll'): boolean =>
    JSON.stringify(before?.[key] ?? []) !== JSON.stringify(after?.[key] ?? []);
  const texts = [
    ...(isOther('beforeAll') ? (['before_all'] as const) : []),
    ...(isOther('afterAll') ? (['after_all'] as const) : []),
  ];
  if (texts.length > 0) return texts;
  // The same words over other variables or macros.
  return [
    ...((after?.beforeAll ?? []).length > 0 ? (['before_all'] as const) : []),
    ...((after?.afterAll ?? []).length > 0 ? (['after_all'] as const) : []),
  ];
}

/** Where the statements stand does not change what they do. */
const canonicalHooks = (hooks: Environment['hooks']): string =>
  JSON.stringify([hooks?.beforeAll ?? [], hooks?.afterAll ?? [], hooks?.applied ?? null]);

function isSameEntry(one: EnvironmentEntry, other: EnvironmentEntry | undefined): boolean {
  return (
    other !== undefined &&
    one.fingerprint === other.fingerprint &&
    one.version === other.version &&
    one.columns.length === other.columns.length &&
    one.columns.every((name, i) => name === other.columns[i])
  );
}

function isSameRecord(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
