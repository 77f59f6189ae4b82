/** Calls of users' functions: asked for here, answered outside, put in as SQL text. */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { UserCall, UserCodeProblem, UserFunction } from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { listItems } from './arguments.ts';
import type { Expander, MacroCall, MacroResult } from './call.ts';
import { EMPTY, type Fragment, madeFragment } from './fragment.ts';
import { MacroProblem, range } from './problems.ts';
import { numberSql } from './values.ts';

/** Calls that have no answer yet, by key. */
export interface UserCalls {
  readonly needs: Map<string, UserCall>;
  /** How often an answer was missing: a call whose arguments wait for another is not asked for yet. */
  missing: number;
}

/** Under which key the answer of a call is kept: the function's code, its arguments and what it may look at. */
export function callKey(hash: string, call: UserCall): string {
  return hash128(
    call.function.toLowerCase(),
    hash,
    JSON.stringify(call.arguments),
    JSON.stringify(call.context),
  );
}

/** The answer to a call as text, or nothing yet (and then it is asked for). */
export function callUserFunction(
  user: UserFunction,
  call: MacroCall,
  expander: MacroExpanderParts,
  calls: UserCalls,
): MacroResult {
  const missingBefore = calls.missing;
  const named: Record<string, unknown> = {};
  const given: unknown[] = [];
  for (const argument of call.arguments) {
    const { items } = expander.items(argument, call.scope);
    const values = items.map((item) => argumentData(item, expander));
    if (argument.name === undefined) given.push(...values);
    else named[argument.name] = values.length === 1 ? values[0] : values;
  }
  if (Object.keys(named).length > 0) given.push(named);
  if (calls.missing > missingBefore) return madeFragment('NULL', call.place);
  return answered(
    user,
    call,
    expander,
    calls,
    { function: user.name, arguments: given, context: contextData(expander, new Map()) },
    new Map(),
  );
}

type MacroExpanderParts = Expander & {
  readonly reads: {
    readonly variables: Set<string>;
    readonly context: Set<'gateway' | 'environment' | 'runtime-stage' | 'times'>;
  };
};

function answered(
  user: UserFunction,
  call: MacroCall,
  expander: MacroExpanderParts,
  calls: UserCalls,
  requested: UserCall,
  columns: ReadonlyMap<string, unknown>,
): MacroResult {
  const key = callKey(user.hash, requested);
  const answer = expander.context.answers.get(key);
  if (answer === undefined) {
    calls.needs.set(key, requested);
    calls.missing++;
    return madeFragment('NULL', call.place);
  }
  if (!answer.ok) throw failed(user, call, answer.problem);
  const table = neededTable(answer.value);
  if (table !== undefined) {
    const known = new Map([...columns, [table, expander.columnsOf(table) ?? null]]);
    return answered(
      user,
      call,
      expander,
      calls,
      { ...requested, context: contextData(expander, known) },
      known,
    );
  }
  return resultOf(answer.value, user, call, expander);
}

/** What `this` is made of on the other side; see `MacroContext` of domain/user-macro.ts. */
function contextData(
  expander: MacroExpanderParts,
  columns: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> {
  const { context, reads } = expander;
  // Which variables the code reads is not known, so it depends on all of them; `*` stands for those that do not exist yet.
  for (const name of [...Object.keys(context.variables), '*']) reads.variables.add(name);
  reads.context.add('gateway').add('environment').add('runtime-stage');
  return {
    dialect: context.dialect,
    gateway: context.gateway,
    environment: context.environment,
    runtimeStage: context.runtimeStage,
    thisModel: context.thisModel,
    variables: context.variables,
    blueprint: context.sqlVariables,
    columns: Object.fromEntries(columns),
  };
}

/** The worker answers `{ needsColumnsOf: table }` when the code asked for columns it was not given. */
function neededTable(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('needsColumnsOf' in value)) return undefined;
  return typeof value.needsColumnsOf === 'string' ? value.needsColumnsOf : undefined;
}

/** Lists become arrays; everything else is SQL text, strings with their quotes. */
function argumentData(fragment: Fragment, expander: Expander): unknown {
  const items =
    fragment.text.startsWith('[') || fragment.text.startsWith('(')
      ? listItems(fragment, expander)
      : undefined;
  if (items === undefined || (fragment.text.startsWith('(') && items.length < 2)) return fragment.text;
  return items.map((item) => argumentData(item, expander));
}

function resultOf(value: unknown, user: UserFunction, call: MacroCall, expander: Expander): MacroResult {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    return value.flatMap((item) => {
      const result = resultOf(item, user, call, expander);
      return result === undefined ? [] : Array.isArray(result) ? result : [result as Fragment];
    });
  }
  switch (typeof value) {
    case 'string':
      // A comment at the end of the text must not swallow what follows it.
      return value.trim() === ''
        ? EMPTY
        : expander.again(
            madeFragment(/--[^\n]*$/.test(value) ? `${value}\n` : value, call.place),
            call.scope,
          );
    case 'number':
      return madeFragment(numberSql(value), call.place);
    case 'bigint':
      return madeFragment(value.toString(), call.place);
    case 'boolean':
      return madeFragment(value ? 'TRUE' : 'FALSE', call.place);
  }
  throw new MacroProblem(
    diagnostic(
      'macro.bad-result',
      {
        macro: call.written,
        found: typeof value === 'object' ? 'an object' : `a ${typeof value}`,
        place: user.file,
      },
      { at: range(call.place) },
    ),
  );
}

function failed(user: UserFunction, call: MacroCall, problem: UserCodeProblem): MacroProblem {
  const place = `${problem.file || user.file}${problem.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`}`;
  return new MacroProblem(
    diagnostic(
      'macro.user-code-failed',
      { macro: call.written, reason: problem.message, place },
      { at: range(call.place) },
    ),
  );
}
