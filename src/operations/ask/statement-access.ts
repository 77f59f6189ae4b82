/*
 * Whether a caller may see the words and rows of a statement. They may when they could ask its question now: what counts is who
 * reads, and what policies say at that time, not who asked and what they said then.
 *
 *   asked under   {region = EU, email masked}
 *   read under    the same, or less: {region = EU}, {email masked}, everything        ─▶ shown
 *                 anything else: {region = US}, no policy of one's groups, …          ─▶ refused
 *
 * The same holds for what its words name: a member that is private by now, a model that is closed, a scope that the token lacks.
 */

import { filterMeaning, maskMeaning } from '../../compiler/semantic/access/policy-meaning.ts';
import { type Visibility, visibilityOf } from '../../compiler/semantic/access/visibility.ts';
import type { IndexedModel } from '../../compiler/semantic/indexed-model.ts';
import { accessOf } from '../../compiler/semantic/policies.ts';
import type { SemanticIndex } from '../../compiler/semantic/semantic-index.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { StatementContext } from '../../compiler/semantic/statement-context.ts';
import { Failure, failure } from '../../domain/failure.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { ShownPart, Statement, StatementAccess } from '../../domain/statement.ts';
import { callerOf, mayAsk } from '../access/callers.ts';
import type { ProductReader } from '../product-reader.ts';
import { checkReadable, modelTables } from './readable-models.ts';
import { currentContext } from './statement-contexts.ts';

/** What policies leave a caller of semantic models, as it is kept with a statement. */
export function shownParts(
  { semantics }: Pick<StatementContext, 'semantics'>,
  caller: Caller,
  names: readonly string[],
): StatementAccess['semantics'] {
  const index = indexOf(semantics);
  return Object.fromEntries(
    names.map((name) => {
      const model = index.models.get(name.toLowerCase());
      return [name, model === undefined ? 'all' : shownPart(index, model, caller)];
    }),
  );
}

function shownPart(index: SemanticIndex, model: IndexedModel, caller: Caller): ShownPart {
  const { alternatives } = accessOf(model, caller);
  if (alternatives.length === 0) return 'all';
  return alternatives.map(({ filters, masked }) => ({
    filters: [...new Set(filters.map((filter) => filterMeaning(index, model, filter)))],
    masks: Object.fromEntries([...masked].map((name) => [name, maskMeaning(index, model, name)])),
  }));
}

/** Whether all that was shown then is shown now: each way to see a row then is one that demands and masks no less than one of now. */
function covers(now: ShownPart, then: ShownPart): boolean {
  if (now === 'all') return true;
  if (then === 'all') return false;
  return then.every((one) =>
    now.some(
      ({ filters, masks }) =>
        filters.every((filter) => one.filters.includes(filter)) &&
        Object.entries(masks).every(([name, mask]) => one.masks[name] === mask),
    ),
  );
}

/** Throws `policy.*`, or `access.forbidden` for want of a scope, when the caller could not ask the question of a statement now. */
export async function checkStatementAccess(
  product: ProductReader,
  asker: Identity,
  statement: Statement,
): Promise<void> {
  const caller = callerOf(product, asker);
  const { environment, access, sql } = statement;
  if (!permits(asker, 'query:read', product)) throw failure('access.forbidden', {});
  if (!mayAsk(product, asker, environment)) throw failure('policy.environment', { environment });
  // Nothing is asked about policies that do not apply.
  const { models = [], members = [] } = access ?? {};
  const mayReadModels = access !== undefined && models.length === 0;
  if (
    caller.isUnrestricted &&
    members.length === 0 &&
    (mayReadModels || permits(asker, 'query:models', product))
  )
    return;
  const { verdicts } = product.caches;
  const context = await currentContext(product, environment);
  const known = verdicts.get(statement, (each) => each.context === context && each.asker === asker);
  if (known !== undefined) {
    if (known.refusal !== undefined) throw known.refusal;
    return;
  }
  const refusal = await refusalOf(product, asker, { context, caller, access, sql });
  verdicts.set(statement, { context, asker, refusal });
  if (refusal !== undefined) throw refusal;
}

async function refusalOf(
  product: ProductReader,
  asker: Identity,
  {
    context,
    caller,
    access,
    sql,
  }: {
    readonly context: StatementContext;
    readonly caller: Caller;
    readonly access: StatementAccess | undefined;
    readonly sql: string;
  },
): Promise<Failure | undefined> {
  const { environment, isUnreadable, semantics } = context;
  const models = access?.models ?? [];
  if (models.length > 0 || access === undefined)
    try {
      const mayReadModels = permits(asker, 'query:models', product);
      const tables = await modelTables({ caller, mayReadModels, context });
      checkReadable(models, { sql, caller, context, tables });
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  const index = indexOf(semantics);
  const visibility = visibilityOf(index, caller);
  const hidden = access?.members?.find((word) => !isAskable(index, visibility, word));
  if (hidden !== undefined) return failure('policy.no-access', { name: hidden });
  if (caller.isUnrestricted) return undefined;
  const gone = models.find((model) => !context.models.has(model));
  if (gone !== undefined) return failure('policy.no-access', { name: gone });
  if (access === undefined) return failure('policy.unreadable', { environment: environment.name });
  const asked = Object.entries(access.semantics);
  if (asked.length > 0 && isUnreadable)
    return failure('policy.unreadable', { environment: environment.name });
  for (const [name, then] of asked) {
    const model = index.models.get(name.toLowerCase());
    const isShown =
      model !== undefined &&
      !accessOf(model, caller).isDenied &&
      covers(shownPart(index, model, caller), then);
    if (!isShown) return failure('policy.no-access', { name });
  }
  return undefined;
}

/** Whether a caller can say `model.member`, or the name of a metric. */
function isAskable(index: SemanticIndex, visibility: Visibility, word: string): boolean {
  const [name = '', member] = word.toLowerCase().split('.');
  if (member === undefined) return visibility.metric(name) !== undefined;
  const model = index.models.get(name);
  return model !== undefined && visibility.members(model).has(member);
}

/** A statement as the caller may see it: without its words where they could not ask its question now. */
export async function shownStatement(
  product: ProductReader,
  asker: Identity,
  statement: Statement,
): Promise<Statement> {
  try {
    await checkStatementAccess(product, asker, statement);
    return withTrust(product, asker, statement);
  } catch (error) {
    if (!(error instanceof Failure) || !isDenial(error)) throw error;
    // The same object each time: doors remember what they made of it.
    const { withheld } = product.caches;
    const before = withheld.get(statement);
    if (before !== undefined) return before;
    const shown = withoutWords(statement);
    withheld.set(statement, shown);
    return shown;
  }
}

/** Which checks fail is activity: without permission for that they are counted, not named. */
export function withTrust(product: ProductReader, asker: Identity, statement: Statement): Statement {
  const { checksTotal = 0, incidentsTotal = 0 } = statement.trust.observed ?? {};
  if (checksTotal + incidentsTotal === 0 || permits(asker, 'activity:read', product)) return statement;
  const { unnamed } = product.caches;
  const before = unnamed.get(statement);
  if (before !== undefined) return before;
  const shown: Statement = { ...statement, isUnnamed: true };
  unnamed.set(statement, shown);
  return shown;
}

/** An environment that is gone cannot be asked. */
const isDenial = ({ code }: Failure): boolean =>
  code.startsWith('policy.') || code === 'access.forbidden' || code === 'environment.unknown';

const WITHHELD = 'for those who could ask this now';

function withoutWords(statement: Statement): Statement {
  const { columns: _, rowCount: __, asked: ___, error, stats, ...rest } = statement;
  const { queuedMs, execMs } = stats;
  return {
    ...rest,
    isWithheld: true,
    isUnnamed: true,
    sql: `-- ${WITHHELD}`,
    dependsOn: [],
    notes: [],
    stats: {
      ...(queuedMs === undefined ? {} : { queuedMs }),
      ...(execMs === undefined ? {} : { execMs }),
    },
    ...(error === undefined ? {} : { error: { code: error.code, message: `The words are ${WITHHELD}.` } }),
  };
}
