/** Which columns DuckDB's COLUMNS(…) stands for. */
import type { Expression, Lambda } from '../tree.ts';
import type { ScopeColumn } from './columns.ts';
import { type ColumnSelection, type NameScope, type ResolveSession, report } from './name-scope.ts';
import { expandStar } from './stars.ts';

/** The columns a COLUMNS argument selects: a star, a regular expression, a list of names, or a lambda over names. */
export function matchingColumns(
  session: ResolveSession,
  scope: NameScope,
  argument: Expression,
): ColumnSelection {
  if (argument.kind === 'star') return expandStar(session, scope, argument);
  const every: ScopeColumn[] = [];
  let open: ColumnSelection['open'];
  for (const relation of scope.fromItems) {
    for (const column of relation.all()) if (relation.hidden?.has(column.key) !== true) every.push(column);
    if (relation.open !== undefined) open = [...(open ?? []), ...relation.open];
  }
  const columns = chosen(argument, every);
  if (columns !== undefined) return { columns, open };
  report(session, 'star-not-expanded', 'COLUMNS', { span: argument.span, isCertain: false });
  return { columns: [], open: open ?? [] };
}

function chosen(argument: Expression, every: readonly ScopeColumn[]): readonly ScopeColumn[] | undefined {
  switch (argument.kind) {
    case 'literal': {
      const pattern = expressionOf(argument.text);
      return pattern === undefined ? undefined : every.filter((column) => pattern.test(column.name));
    }
    case 'list': {
      const names = argument.items.map((item) =>
        item.kind === 'literal' ? item.text.toLowerCase() : undefined,
      );
      if (names.includes(undefined)) return undefined;
      return names.flatMap((name) => every.filter((column) => column.key === name).slice(0, 1));
    }
    case 'lambda': {
      const answers = every.map((column) => holds(argument, column.name));
      return answers.includes(undefined) ? undefined : every.filter((_, at) => answers[at] === true);
    }
    default:
      return undefined;
  }
}

/** DuckDB's regular expressions are RE2's; undefined for those that JavaScript cannot read. */
function expressionOf(text: string): RegExp | undefined {
  const isInsensitive = text.startsWith('(?i)');
  try {
    return new RegExp(isInsensitive ? text.slice(4) : text, isInsensitive ? 'iu' : 'u');
  } catch {
    return undefined;
  }
}

/** Whether a lambda accepts a name, where it is one of the few that people write; undefined otherwise. */
function holds(lambda: Lambda, name: string): boolean | undefined {
  const variable = lambda.parameters[0]?.name.toLowerCase();
  const value = (e: Expression): string | undefined => {
    if (e.kind === 'literal' && e.type === 'string') return e.text;
    return e.kind === 'column' && e.qualifiers.length === 0 && e.name.name.toLowerCase() === variable
      ? name
      : undefined;
  };
  const test = (e: Expression): boolean | undefined => {
    switch (e.kind) {
      case 'like': {
        const text = value(e.operand);
        const pattern = value(e.pattern);
        if (text === undefined || pattern === undefined || (e.operator !== 'LIKE' && e.operator !== 'ILIKE'))
          return undefined;
        return likePattern(pattern, e.operator === 'ILIKE').test(text) !== e.negated;
      }
      case 'in': {
        const text = value(e.operand);
        const items = e.set.kind === 'list' ? e.set.items.map(value) : [undefined];
        return text === undefined || items.includes(undefined)
          ? undefined
          : items.includes(text) !== e.negated;
      }
      case 'unary': {
        const inner = e.operator === 'NOT' ? test(e.operand) : undefined;
        return inner === undefined ? undefined : !inner;
      }
      case 'binary': {
        const left = value(e.left);
        const right = value(e.right);
        if (left === undefined || right === undefined) return undefined;
        return e.operator === '=' ? left === right : e.operator === '<>' ? left !== right : undefined;
      }
      default:
        return undefined;
    }
  };
  return test(lambda.body);
}

function likePattern(pattern: string, isInsensitive: boolean): RegExp {
  const source = pattern
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('%', '.*')
    .replaceAll('_', '.');
  return new RegExp(`^${source}$`, isInsensitive ? 'isu' : 'su');
}
