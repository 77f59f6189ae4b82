/*
 * Whose rows words may quote to a caller. What a run says of a model may quote all that the model was made of and all that its audits
 * read, in the versions that the run worked with: an environment may show others by now, or may never have shown those.
 */
import type { FlowModel } from '../../compiler/semantic/access/column-flow.ts';
import { isOpenTo, type Protection } from '../../compiler/semantic/access/protected-data.ts';
import { quotableWords, type Versions, type Words } from '../../compiler/semantic/access/quotable-words.ts';
import { visibilityOf } from '../../compiler/semantic/access/visibility.ts';
import { ROLLUP_SCHEMA } from '../../compiler/semantic/rollups/rollup-shape.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { type EnvironmentEntry, isRollup } from '../../domain/environment.ts';
import { splitModelName } from '../../domain/model-name.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Run } from '../../domain/run.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import { callerOf } from '../access/callers.ts';
import { currentContext } from '../ask/statement-contexts.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { ProductReader } from '../product-reader.ts';

/** What may be quoted by the policies of an environment. */
export interface Quoting {
  /** Of what the environment shows. */
  readonly now: Words;
  /** Of what a run worked with, by its id; nothing of a run that was not asked for. */
  of(runId: string): Words;
  /** Rollups are called like semantic models, which may be hidden. */
  isNamed(model: string): boolean;
}

const ALL: Words = { mayQuote: () => true, mayQuoteAll: () => true };
const NOTHING: Words = { mayQuote: () => false, mayQuoteAll: () => false };

export async function quotingIn(
  product: ProductReader,
  asker: Identity,
  { environment, runs }: { readonly environment: string; readonly runs: readonly Run[] },
): Promise<Quoting> {
  const caller = callerOf(product, asker);
  if (caller.isUnrestricted) return { now: ALL, of: () => ALL, isNamed: () => true };
  const context = await currentContext(product, environment);
  const protection = await context.protection();
  const { hidesModels } = visibilityOf(indexOf(context.semantics), caller);
  const isNamed = (model: string): boolean =>
    !hidesModels ||
    (!protection.rollups.has(model) &&
      (context.models.has(model) || splitModelName(model).schema !== ROLLUP_SCHEMA));
  // Where nothing restricts the caller nothing needs to be known of a model either.
  if (isOpenTo(protection, caller)) return { now: ALL, of: () => ALL, isNamed };
  const now = quotableWords(caller, protection, shownNow(context));
  const known = new Map<string, Words>();
  for (const run of runs) {
    const ran = await ranBeside(product.world, context, run);
    known.set(run.id, ran === undefined ? NOTHING : ran.isNow ? now : wordsOfRan(caller, protection, ran));
  }
  return { now, of: (runId) => known.get(runId) ?? NOTHING, isNamed };
}

const shownNow = ({ models }: StatementContext): Versions =>
  new Map([...models].map(([name, each]) => [name, { isRollup: each.isRollup, audits: [each.audits] }]));

/** What a run worked with that the environment of a context does not show. */
interface Ran {
  readonly isNow: boolean;
  readonly models: readonly FlowModel[];
  readonly rollups: readonly string[];
  readonly versions: Versions;
}

/** Undefined when it is not known any more. */
async function ranBeside(
  world: OpenedWorldReader,
  context: StatementContext,
  run: Run,
): Promise<Ran | undefined> {
  const entries = await ranEntries(world, run);
  if (entries === undefined) return undefined;
  const shown = new Set(context.environment.entries.map(({ fingerprint }) => fingerprint));
  const others = entries.filter(({ fingerprint }) => !shown.has(fingerprint));
  const made = others.filter((entry) => !isRollup(entry)).map(({ fingerprint }) => fingerprint);
  const { snapshots } = world.state;
  const [contents, heads] = await Promise.all([snapshots.contents(made), snapshots.snapshots(made)]);
  if (contents.size < new Set(made).size) return undefined;
  const facts = new Map(heads.map(({ fingerprint, audits }) => [fingerprint, audits]));
  const versions = new Map(shownNow(context));
  for (const entry of others) {
    const { audits = [] } = versions.get(entry.model) ?? {};
    versions.set(entry.model, {
      isRollup: isRollup(entry),
      audits: [...audits, facts.get(entry.fingerprint)],
    });
  }
  return {
    isNow: others.length === 0,
    models: [...contents.values()].map(({ model, audits }) => ({ model, audits })),
    rollups: others.filter(isRollup).map(({ model }) => model),
    versions,
  };
}

/** As many promotions are looked through for the one that an old run used. */
const PROMOTIONS_MAX = 10;

async function ranEntries(
  { state: { snapshots } }: OpenedWorldReader,
  { planId, environment, startedAt }: Run,
): Promise<readonly EnvironmentEntry[] | undefined> {
  if (planId !== undefined) return (await snapshots.planOutline(planId))?.target.entries;
  const present = await snapshots.environment(environment);
  if (present !== undefined && present.promotedAt <= startedAt) return present.entries;
  const promotions = await snapshots.promotions(environment, PROMOTIONS_MAX);
  return promotions.find(({ at }) => at <= startedAt)?.environment.entries;
}

function wordsOfRan(caller: Caller, protection: Protection, { models, rollups, versions }: Ran): Words {
  const wider: Protection = {
    ...protection,
    flow: protection.flow.with(models),
    rollups: new Set([...protection.rollups, ...rollups]),
  };
  return quotableWords(caller, wider, versions);
}
