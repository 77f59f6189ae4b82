/*
 * What a document may cost, known before anything walks through it: tokens are counted before they are parsed, fields before
 * they are validated, because validation compares fields with each other.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  Lexer,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { failure } from '../../domain/failure.ts';

const BYTES_MAX = 100_000;
/** Room for 100 levels of and/or, which are two brackets each. */
const BRACKETS_MAX = 256;
const DEPTH_MAX = 15;
const FIELDS_MAX = 1_000;
const ROOTS_MAX = 10;
const VARIABLE_DEPTH_MAX = 256;

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

const tooMany = (what: string, max: number) => failure('graphql.too-large', { what, max });

/** Throws `graphql.too-large`, or the syntax error of the first text that is not a token. */
export function checkText(text: string): void {
  if (Buffer.byteLength(text) > BYTES_MAX) throw tooMany('bytes', BYTES_MAX);
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (OPENING.has(token.kind)) depth++;
    else if (CLOSING.has(token.kind)) depth--;
    if (depth > BRACKETS_MAX) throw tooMany('brackets inside each other', BRACKETS_MAX);
  }
}

/** Values are walked by recursion later. */
export function checkVariables(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > VARIABLE_DEPTH_MAX) throw tooMany('levels in its variables', VARIABLE_DEPTH_MAX);
  for (const each of Object.values(value)) checkVariables(each, depth + 1);
}

interface Size {
  readonly fields: number;
  readonly depth: number;
}

/** Fragments count wherever they are used, and once where they are not. */
export function checkDocument({ definitions }: DocumentNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  const sizes = new Map<string, Size>();
  const roots = new Map<string, number>();
  const open = new Set<string>();
  const sizeOfFragment = (name: string): Size => {
    const known = sizes.get(name);
    const fragment = fragments.get(name);
    // One that is missing or contains itself is refused by validation.
    if (known !== undefined || fragment === undefined || open.has(name))
      return known ?? { fields: 0, depth: 0 };
    open.add(name);
    const size = sizeOf(fragment.selectionSet);
    open.delete(name);
    sizes.set(name, size);
    return size;
  };
  const sizeOf = ({ selections }: SelectionSetNode): Size => {
    let [fields, depth] = [0, 0];
    for (const each of selections) {
      const isField = each.kind === Kind.FIELD;
      const inner =
        each.kind === Kind.FRAGMENT_SPREAD
          ? sizeOfFragment(each.name.value)
          : each.selectionSet === undefined
            ? { fields: 0, depth: 0 }
            : sizeOf(each.selectionSet);
      fields += inner.fields + (isField ? 1 : 0);
      depth = Math.max(depth, inner.depth + (isField ? 1 : 0));
      if (fields > FIELDS_MAX) throw tooMany('fields', FIELDS_MAX);
      if (depth > DEPTH_MAX) throw tooMany('levels of fields', DEPTH_MAX);
    }
    return { fields, depth };
  };
  const rootsOf = ({ selections }: SelectionSetNode): number => {
    let count = 0;
    for (const each of selections) {
      if (each.kind === Kind.FIELD) count++;
      else if (each.kind === Kind.INLINE_FRAGMENT) count += rootsOf(each.selectionSet);
      else count += rootsOfFragment(each.name.value);
      if (count > ROOTS_MAX) throw tooMany('root fields', ROOTS_MAX);
    }
    return count;
  };
  const rootsOfFragment = (name: string): number => {
    const known = roots.get(name);
    const fragment = fragments.get(name);
    if (known !== undefined || fragment === undefined) return known ?? 0;
    roots.set(name, 0);
    const count = rootsOf(fragment.selectionSet);
    roots.set(name, count);
    return count;
  };
  let fields = 0;
  for (const each of definitions) {
    if (each.kind !== Kind.OPERATION_DEFINITION && each.kind !== Kind.FRAGMENT_DEFINITION) continue;
    fields +=
      each.kind === Kind.FRAGMENT_DEFINITION
        ? sizeOfFragment(each.name.value).fields
        : sizeOf(each.selectionSet).fields;
    if (fields > FIELDS_MAX) throw tooMany('fields', FIELDS_MAX);
    if (each.kind === Kind.OPERATION_DEFINITION) rootsOf(each.selectionSet);
  }
}
