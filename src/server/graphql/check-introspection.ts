/*
 * How many values an introspection would answer with, counted without making them. Types name fields and fields name types,
 * so a short document can ask for more than any memory holds; but the same selection of the same type is the same number
 * each time, which makes counting cheap.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLDirective,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  type GraphQLType,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isWrappingType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { failure } from '../../domain/failure.ts';

/** Tools ask for everything about once; this is room for those that ask twice. */
const TIMES_MAX = 3;
const VALUES_MIN = 200_000;

type Thing =
  | { readonly kind: 'schema'; readonly of: GraphQLSchema }
  | { readonly kind: 'type'; readonly of: GraphQLType }
  | { readonly kind: 'field'; readonly of: GraphQLField<unknown, unknown> }
  | { readonly kind: 'input'; readonly of: GraphQLArgument | GraphQLInputField }
  | { readonly kind: 'value'; readonly of: GraphQLEnumValue }
  | { readonly kind: 'directive'; readonly of: GraphQLDirective };

const limits = new WeakMap<GraphQLSchema, number>();

/** Throws `graphql.too-large` when a document asks for much more than the whole schema. */
export function checkIntrospection(schema: GraphQLSchema, document: DocumentNode): void {
  const roots = introspections(document);
  if (roots.length === 0) return;
  let limit = limits.get(schema);
  if (limit === undefined) {
    const whole = parse(getIntrospectionQuery());
    limit = Math.max(VALUES_MIN, TIMES_MAX * new Counting(whole, Number.POSITIVE_INFINITY).document(schema));
    limits.set(schema, limit);
  }
  new Counting(document, limit).document(schema);
}

/** `__schema` and `__type`, wherever they stand. */
function introspections(document: DocumentNode): readonly FieldNode[] {
  const found: FieldNode[] = [];
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const each of selections) {
      if (each.kind === Kind.FIELD && ['__schema', '__type'].includes(each.name.value)) found.push(each);
      if (each.kind === Kind.INLINE_FRAGMENT) visit(each.selectionSet);
    }
  };
  for (const each of document.definitions)
    if (each.kind === Kind.OPERATION_DEFINITION || each.kind === Kind.FRAGMENT_DEFINITION)
      visit(each.selectionSet);
  return found;
}

class Counting {
  readonly #document: DocumentNode;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #limit: number;
  readonly #known = new Map<SelectionSetNode, Map<object, number>>();
  #counted = 0;

  constructor(document: DocumentNode, limit: number) {
    this.#document = document;
    this.#limit = limit;
    this.#fragments = new Map(
      document.definitions.flatMap((each) =>
        each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
      ),
    );
  }

  document(schema: GraphQLSchema): number {
    const types = Object.values(schema.getTypeMap());
    let sum = 0;
    for (const { name, selectionSet } of introspections(this.#document)) {
      if (selectionSet === undefined) continue;
      sum +=
        name.value === '__schema'
          ? this.#selection(selectionSet, { kind: 'schema', of: schema })
          : // Which one is asked for may be a variable.
            Math.max(...types.map((of) => this.#selection(selectionSet, { kind: 'type', of })));
      this.#check(sum);
    }
    return sum;
  }

  /** What has been counted once is part of every sum, so both bound the same. */
  #check(count: number): void {
    if (count > this.#limit || this.#counted > this.#limit)
      throw failure('graphql.too-large', { what: 'values of the schema', max: Math.floor(this.#limit) });
  }

  #selection(set: SelectionSetNode, thing: Thing): number {
    let known = this.#known.get(set);
    if (known === undefined) {
      known = new Map();
      this.#known.set(set, known);
    }
    const before = known.get(thing.of);
    if (before !== undefined) return before;
    this.#counted++;
    let sum = 0;
    for (const each of set.selections) {
      if (each.kind === Kind.FIELD) sum += 1 + this.#below(each, thing);
      else if (each.kind === Kind.INLINE_FRAGMENT) sum += this.#selection(each.selectionSet, thing);
      else {
        const fragment = this.#fragments.get(each.name.value);
        if (fragment !== undefined) sum += this.#selection(fragment.selectionSet, thing);
      }
      this.#check(sum);
    }
    known.set(thing.of, sum);
    return sum;
  }

  #below({ name, selectionSet }: FieldNode, thing: Thing): number {
    if (selectionSet === undefined) return 0;
    let sum = 0;
    for (const inner of thingsBelow(thing, name.value)) sum += this.#selection(selectionSet, inner);
    this.#check(sum);
    return sum;
  }
}

const typeThing = (of: GraphQLType): Thing => ({ kind: 'type', of });

function thingsBelow(thing: Thing, field: string): readonly Thing[] {
  switch (thing.kind) {
    case 'schema': {
      if (field === 'types') return Object.values(thing.of.getTypeMap()).map(typeThing);
      if (field === 'directives') return thing.of.getDirectives().map((of) => ({ kind: 'directive', of }));
      const root = field === 'queryType' ? thing.of.getQueryType() : undefined;
      return root ? [typeThing(root)] : [];
    }
    case 'type':
      return belowType(thing.of, field);
    case 'field':
      if (field === 'args') return thing.of.args.map((of) => ({ kind: 'input', of }));
      return field === 'type' ? [typeThing(thing.of.type)] : [];
    case 'input':
      return field === 'type' ? [typeThing(thing.of.type)] : [];
    case 'directive':
      return field === 'args' ? thing.of.args.map((of) => ({ kind: 'input', of })) : [];
    case 'value':
      return [];
  }
}

function belowType(type: GraphQLType, field: string): readonly Thing[] {
  if (field === 'ofType') return isWrappingType(type) ? [typeThing(type.ofType)] : [];
  if (field === 'fields' && isObjectType(type))
    return Object.values(type.getFields()).map((of) => ({ kind: 'field', of }));
  if (field === 'inputFields' && isInputObjectType(type))
    return Object.values(type.getFields()).map((of) => ({ kind: 'input', of }));
  if (field === 'enumValues' && isEnumType(type))
    return type.getValues().map((of) => ({ kind: 'value', of }));
  // The schemas here have no interfaces and no unions.
  return [];
}
