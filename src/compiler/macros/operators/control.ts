import { quoteText } from '../../../foundation/sql/quote.ts';
/** Macros that decide, define and look up. */
import type { Token } from '../../../foundation/sql/token.ts';
import { identifierText, stringText, tokenize } from '../../../foundation/sql/tokenize.ts';
import { lambdaOf, rangeFragment } from '../arguments.ts';
import type { CallArgument, Expander, MacroCall, MacroResult, Operator, TokenRange } from '../call.ts';
import { type Constant, isSymbol, isTruthy } from '../constant.ts';
import { floatText } from '../constant-functions.ts';
import { EMPTY, type Fragment, joined, madeFragment } from '../fragment.ts';
import { badArguments } from '../problems.ts';
import { fillTemplate, nameSql } from '../values.ts';

/** `@DEF(x, value)` and `@DEF(f, x -> …)`: gives no text of its own. */
export const define: Operator = (call, expander) => {
  const [name, value, ...rest] = call.arguments;
  const word =
    name === undefined || name.to !== name.from + 1 ? undefined : (name.source.tokens[name.from] as Token);
  if (value === undefined || rest.length > 0 || (word?.kind !== 'word' && word?.kind !== 'name'))
    return badArguments(call.name, 'a name and one value: @DEF(name, value)', call.place);
  const key = identifierText(word).toLowerCase();
  const lambda = lambdaOf(value);
  expander.define(
    key,
    lambda === undefined ? expander.expand(value, call.scope) : { lambda, scope: call.scope },
  );
  return undefined;
};

/** `@VAR('name', default)`. */
export const variable: Operator = (call, expander) =>
  lookUp(call, expander, (name) => expander.configValue(name));

/** `@BLUEPRINT_VAR('name', default)`. */
export const blueprintVar: Operator = (call, expander) =>
  lookUp(call, expander, (name) => expander.blueprintValue(name));

function lookUp(
  call: MacroCall,
  expander: Expander,
  lookUpName: (name: string) => string | undefined,
): MacroResult {
  const [first, second, third] = call.arguments;
  const name = first === undefined ? undefined : stringArgument(first, call, expander);
  if (name === undefined || third !== undefined || (second?.name !== undefined && second.name !== 'default'))
    return badArguments(
      call.name,
      `a name in quotes and perhaps a default: @${call.name.toUpperCase()}('name', default)`,
      call.place,
    );
  const value = lookUpName(name.toLowerCase());
  if (value !== undefined) return madeFragment(value, call.place);
  return second === undefined ? madeFragment('NULL', call.place) : expander.expand(second, call.scope);
}

/** The text of an argument that is one string; undefined when it is something else. */
export function stringArgument(
  argument: TokenRange,
  call: MacroCall,
  expander: Expander,
): string | undefined {
  return stringOf(expander.expand(argument, call.scope), expander);
}

export function stringOf(fragment: Fragment, expander: Expander): string | undefined {
  const { tokens } = tokenize(fragment.text, expander.dialect);
  const [first] = tokens;
  return tokens.length === 2 && first?.kind === 'string' ? stringText(first, expander.dialect) : undefined;
}

const STATEMENT_WORDS =
  /^(ALTER|CREATE|DROP|INSERT|UPDATE|DELETE|MERGE|TRUNCATE|GRANT|REVOKE|COMMENT|ANALYZE|VACUUM|OPTIMIZE|CALL|COPY|SET|RESET|EXPORT|IMPORT|ATTACH|DETACH|USE|PRAGMA|INSTALL|LOAD|CHECKPOINT|REFRESH|EXECUTE|SELECT|WITH|MSCK|CLUSTER|UNCACHE|CACHE)$/i;

/** `@IF(condition, then, else)`; as a whole statement the second argument may be a statement, commas and all. */
export const ifMacro: Operator = (call, expander) => {
  const [condition, yes, no, ...rest] = call.arguments;
  if (condition === undefined || yes === undefined)
    return badArguments(
      call.name,
      'a condition, a value and perhaps another: @IF(condition, value, otherwise)',
      call.place,
    );
  const isMet = isTruthy(expander.evaluateRange(condition, call));
  const first = yes.source.tokens[yes.from] as Token;
  if (call.isWholeStatement && first.kind === 'word' && STATEMENT_WORDS.test(first.text)) {
    const statement = expander.expand({ ...yes, to: call.inside.to }, call.scope);
    return isMet ? statement : undefined;
  }
  if (rest.length > 0)
    return badArguments(call.name, `at most three arguments, not ${call.arguments.length}`, call.place);
  const [then, otherwise] = [yes, no].map((branch) =>
    branch === undefined ? undefined : branchOf(branch, call, expander),
  );
  return isMet ? then : otherwise;
};

function branchOf(branch: CallArgument, call: MacroCall, expander: Expander): MacroResult {
  const { items, isSpliced } = expander.items(branch, call.scope);
  return isSpliced ? items : items[0];
}

/** The condition of `@WHERE(condition) …`: any text means keep, none means drop. */
export const clauseSwitch: Operator = (call, expander) => {
  const [condition, ...rest] = call.arguments;
  if (condition === undefined || rest.length > 0)
    return badArguments(
      call.name,
      `one condition before its clause: @${call.name.toUpperCase()}(condition) …`,
      call.place,
    );
  return isTruthy(expander.evaluateRange(condition, call)) ? madeFragment('TRUE', call.place) : undefined;
};

/** `@EVAL(expression)`: the value now; a text becomes SQL as it is, without quotes. */
export const evaluateMacro: Operator = (call, expander) => {
  if (call.arguments.length === 0) return badArguments(call.name, 'one expression: @EVAL(1 + 1)', call.place);
  return constantResult(expander.evaluateRange(call.inside, call), call);
};

/** How a value is written back into SQL. */
export function constantResult(value: Constant, call: MacroCall): MacroResult {
  if (value === null) return undefined;
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const result = constantResult(item, call);
      return result === undefined ? [] : [result as Fragment];
    });
  const text = isSymbol(value)
    ? value.symbol
    : typeof value === 'boolean'
      ? value
        ? 'TRUE'
        : 'FALSE'
      : typeof value === 'number'
        ? floatText(value)
        : String(value);
  return text === '' ? EMPTY : madeFragment(text, call.place);
}

/** `@SQL('text with @variables')`: the filled text as SQL; any other expression is evaluated first. */
export const sql: Operator = (call, expander) => {
  const [first] = call.arguments;
  if (first === undefined) return badArguments(call.name, "a text: @SQL('a + @b')", call.place);
  const raw = rangeFragment(first);
  const written = stringOf(raw, expander);
  if (written !== undefined) {
    const filled = fillTemplate(written, (name) => expander.bareValue(name, call.scope));
    return expander.again(madeFragment(filled, call.place), call.scope);
  }
  const value = expander.expand(first, call.scope);
  const text = stringOf(value, expander);
  return text === undefined
    ? constantResult(expander.evaluate(value, call), call)
    : expander.again(madeFragment(text, call.place), call.scope);
};

export const and: Operator = (call, expander) => connect(call, expander, ' AND ');
export const or: Operator = (call, expander) => connect(call, expander, ' OR ');

function connect(call: MacroCall, expander: Expander, operator: string): MacroResult {
  const conditions = call.arguments
    .flatMap((argument) => expander.items(argument, call.scope).items)
    .filter(({ text }) => text !== '' && !/^null$/i.test(text.trim()));
  if (conditions.length === 0) return madeFragment('TRUE', call.place);
  return joined(
    conditions.length === 1
      ? conditions
      : conditions.map((condition) => parenthesised(condition, call, expander)),
    operator,
    call.place,
  );
}

/** In parentheses when a connector inside could be torn apart by one outside. */
function parenthesised(condition: Fragment, call: MacroCall, expander: Expander): Fragment {
  if (!/\b(and|or)\b/i.test(condition.text)) return condition;
  let depth = 0;
  let isLoose = false;
  let between = 0;
  for (const token of expander.sourceOf(condition).tokens) {
    if (token.text === '(' || token.text === '[') depth++;
    else if (token.text === ')' || token.text === ']') depth--;
    else if (depth === 0 && token.kind === 'word') {
      const word = token.text.toUpperCase();
      if (word === 'BETWEEN') between++;
      else if (word === 'CASE') depth++;
      else if (word === 'OR' || (word === 'AND' && between-- <= 0)) isLoose = true;
    } else if (token.kind === 'word' && token.text.toUpperCase() === 'END') depth--;
  }
  return isLoose
    ? joined([madeFragment('(', call.place), condition, madeFragment(')', call.place)], '', call.place)
    : condition;
}

/** `@RESOLVE_TEMPLATE('s3://…/@{table_name}', mode := 'table')`: parts of the physical name of this model put into a text. */
export const resolveTemplate: Operator = (call, expander) => {
  const [first, second] = call.arguments;
  const template = first === undefined ? undefined : stringOf(rangeFragment(first), expander);
  const mode = second === undefined ? 'literal' : stringArgument(second, call, expander)?.toLowerCase();
  if (template === undefined || (mode !== 'literal' && mode !== 'table'))
    return badArguments(call.name, "a text in quotes and perhaps mode := 'literal' or 'table'", call.place);
  const names = tokenize(expander.context.thisModel, expander.dialect)
    .tokens.filter(({ kind }) => kind === 'word' || kind === 'name')
    .map(identifierText);
  const [table = '', schema = '', catalog = ''] = names.reverse();
  const text = template
    .replaceAll('@{catalog_name}', catalog)
    .replaceAll('@{schema_name}', schema)
    .replaceAll('@{table_name}', table);
  return madeFragment(
    mode === 'table'
      ? text
          .split('.')
          .map((part) => nameSql(part, expander.dialect))
          .join('.')
      : quoteText(text, expander.dialect),
    call.place,
  );
};
