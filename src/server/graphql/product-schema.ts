/** The GraphQL schema of a product, as one caller may see it: a root field for each semantic model and metric. */
import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { trustJson } from '../../domain/trust-json.ts';
import type { VisibleSemantics } from '../../domain/visible-semantics.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import type { AnswerBudget } from './answer-budget.ts';
import { askQuestion, type GraphqlCaller } from './ask-question.ts';
import { FILTER_TYPE_NAMES, orderType, whereType } from './filter-types.ts';
import { GraphqlNames } from './graphql-names.ts';
import {
  type QuestionField,
  type QuestionFields,
  type QuestionRoot,
  questionRoots,
  wordsOf,
} from './question-fields.ts';
import {
  ARGUMENT_TYPE_NAMES,
  compareArgs,
  isCompared,
  MODEL_ARGS,
  metricArgs,
  type RootArgs,
  rootQuestion,
  SHARED_ARGS,
} from './root-question.ts';
import { bucketScalar, SCALAR_NAMES, scalarOf } from './scalars.ts';
import { selectedColumns } from './selected-columns.ts';
import { type ShapedRows, shapedRows } from './shaped-rows.ts';
import { CONNECTION_TYPE_NAMES, statementsField } from './statement-connection.ts';

/** What resolvers get: the caller, and where they note which statement answered. */
export interface GraphqlContext extends GraphqlCaller {
  readonly promotionId: string;
  readonly budget: AnswerBudget;
  readonly answered: (statement: AnsweredStatement) => void;
  /** Takes the rows of a root field, by its name in the answer. */
  readonly filled: (field: string, rows: ShapedRows) => void;
}

/** Which statement answered a root field. */
export interface AnsweredStatement {
  readonly field: string;
  readonly id: string;
  readonly strategy: string;
  readonly rows: number;
  readonly truncated: boolean;
  /** Rows without the limit, when that was asked for. */
  readonly total?: number;
  readonly notes: readonly string[];
  /** What is known of the data behind it. */
  readonly trust: Readonly<Record<string, unknown>>;
}

const schemas = new WeakMap<VisibleSemantics, GraphQLSchema>();

/** Made once for all callers who see the same of one promotion. */
export function productSchema(semantics: VisibleSemantics): GraphQLSchema {
  let schema = schemas.get(semantics);
  if (schema === undefined) {
    schema = new SchemaBuilder(semantics).schema();
    schemas.set(semantics, schema);
  }
  return schema;
}

const META = new GraphQLObjectType<unknown, GraphqlContext>({
  name: 'Meta',
  description: 'The data that answers.',
  fields: {
    product: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'The name of the data product.',
      resolve: (_, __, { product }) => product.name,
    },
    tenant: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'The tenant of the product.',
      resolve: (_, __, { product }) => product.tenant,
    },
    environment: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'The environment that is asked.',
      resolve: (_, __, { environment }) => environment,
    },
    promotion_id: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'The state of the data that answers.',
      resolve: (_, __, { promotionId }) => promotionId,
    },
  },
});

class SchemaBuilder {
  readonly #semantics: VisibleSemantics;
  readonly #types = new GraphqlNames([
    'Query',
    META.name,
    ...SCALAR_NAMES,
    ...FILTER_TYPE_NAMES,
    ...ARGUMENT_TYPE_NAMES,
    ...CONNECTION_TYPE_NAMES,
  ]);
  /** Times with the same buckets share a type. */
  readonly #times = new Map<string, GraphQLObjectType>();

  constructor(semantics: VisibleSemantics) {
    this.#semantics = semantics;
  }

  schema(): GraphQLSchema {
    const names = new GraphqlNames(['_meta', 'statements']);
    const fields: Record<string, GraphQLFieldConfig<unknown, GraphqlContext>> = {
      _meta: { type: new GraphQLNonNull(META), description: META.description, resolve: () => ({}) },
      statements: statementsField as GraphQLFieldConfig<unknown, GraphqlContext>,
    };
    for (const root of questionRoots(this.#semantics)) fields[names.take(root.name)] = this.#rootField(root);
    return new GraphQLSchema({
      query: new GraphQLObjectType({
        name: 'Query',
        description: 'Semantic models and metrics that may be asked.',
        fields,
      }),
    });
  }

  #typeName = (wanted: string): string => this.#types.take(wanted);

  #rootField(root: QuestionRoot): GraphQLFieldConfig<unknown, GraphqlContext> {
    const name = this.#typeName(`${root.name.slice(0, 1).toUpperCase()}${root.name.slice(1)}`);
    const { compareField } = root;
    const description =
      root.description || `The ${root.kind === 'model' ? 'semantic model' : 'metric'} ${root.name}.`;
    const row = this.#objectType(name, root.fields, { isNamed: true, description, compareField });
    return {
      // May be null, so that one question that fails leaves the others their answers.
      type: new GraphQLList(new GraphQLNonNull(row)),
      description,
      args: this.#args(name, root),
      resolve: (_, args, context, info) => resolveRoot(root, args as RootArgs, { context, info }),
    };
  }

  #args(name: string, root: QuestionRoot): GraphQLFieldConfigArgumentMap {
    const listOf = (type: GraphQLEnumType | ReturnType<typeof orderType>) =>
      new GraphQLList(new GraphQLNonNull(type));
    const segments = this.#choice(`${name}Segment`, 'segment', root.segments);
    const granularity = this.#choice(`${name}Granularity`, 'granularity', root.granularities);
    return {
      where: {
        type: whereType(name, root.fields, this.#typeName),
        description: 'what must hold for a row to count',
      },
      orderBy: {
        type: listOf(orderType(name, root.fields, this.#typeName)),
        description: 'the first decides; rows that are equal in it are ordered by the next',
      },
      ...(segments === undefined
        ? {}
        : { segments: { type: listOf(segments), description: 'conditions with a name; all of them hold' } }),
      ...SHARED_ARGS,
      ...(root.kind === 'model' ? MODEL_ARGS : {}),
      ...(granularity === undefined ? {} : metricArgs(granularity)),
      ...compareArgs(name, root, this.#typeName),
    };
  }

  #choice(name: string, what: string, values: ReadonlyMap<string, string>): GraphQLEnumType | undefined {
    if (values.size === 0) return undefined;
    return new GraphQLEnumType({
      name: this.#typeName(name),
      description: `Which ${what}.`,
      values: Object.fromEntries(
        [...values].map(([key, value]) => [key, { value, description: `The ${what} ${value}.` }]),
      ),
    });
  }

  #objectType(
    name: string,
    fields: QuestionFields,
    {
      isNamed = false,
      description,
      compareField,
    }: {
      readonly isNamed?: boolean;
      readonly description: string;
      readonly compareField?: string | undefined;
    },
  ): GraphQLObjectType {
    const made: Record<string, GraphQLFieldConfig<unknown, GraphqlContext>> = {};
    for (const [key, field] of fields)
      made[key] = {
        type: this.#fieldType(`${name}_${key}`, field),
        description: wordsOf(field),
      };
    if (compareField !== undefined)
      made[compareField] = {
        type: GraphQLString,
        description: 'The compared range that the row belongs to; otherwise null.',
      };
    return new GraphQLObjectType({
      name: isNamed ? name : this.#typeName(name),
      description,
      fields: made,
    });
  }

  #fieldType(name: string, field: QuestionField): GraphQLOutputType {
    switch (field.kind) {
      case 'dimension':
      case 'measure':
        return scalarOf(field.type);
      case 'metric-time':
        return bucketScalar(field.type, 'day');
      case 'time':
        return this.#timeType(name, field);
      case 'join':
        return this.#objectType(name, field.fields, { description: wordsOf(field) });
      default:
        return unreachable(field);
    }
  }

  #timeType(name: string, { type, buckets }: Extract<QuestionField, { kind: 'time' }>): GraphQLObjectType {
    const key = JSON.stringify([type, ...buckets.keys()]);
    let made = this.#times.get(key);
    if (made === undefined) {
      const isPlain = buckets.size === 8;
      made = new GraphQLObjectType({
        name: this.#typeName(isPlain ? `${scalarOf(type).name}Buckets` : name),
        description: 'A time as it is, and the beginnings of the buckets it is in.',
        fields: {
          value: { type: scalarOf(type), description: 'as it is' },
          ...Object.fromEntries(
            [...buckets].map(([field, granularity]) => [
              field,
              { type: bucketScalar(type, granularity), description: `the beginning of its ${granularity}` },
            ]),
          ),
        },
      });
      this.#times.set(key, made);
    }
    return made;
  }
}

/** One root field is one semantic query, one statement, and its rows, which are read when the answer is written. */
async function resolveRoot(
  root: QuestionRoot,
  args: RootArgs,
  { context, info }: { readonly context: GraphqlContext; readonly info: GraphQLResolveInfo },
): Promise<readonly unknown[]> {
  const turn = context.budget.turn();
  try {
    const { dimensions, measures, placeOf } = selectedColumns(info, root, {
      granularity: args.granularity ?? undefined,
      isCompared: isCompared(args),
    });
    const rowsMax = context.product.limits.statements.pageRowsMax;
    const query = rootQuestion(root, args, { dimensions, measures, rowsMax });
    const { statement, rows } = await askQuestion(context, query);
    const shaped = shapedRows(info, rows, placeOf);
    const { total } = statement.stats;
    await turn.reached;
    context.answered({
      field: String(info.path.key),
      id: statement.id,
      strategy: statement.strategy,
      rows: rows.rowCount,
      truncated: statement.isTruncated,
      ...(total === undefined ? {} : { total }),
      notes: statement.notes,
      trust: trustJson(statement),
    });
    turn.take(shaped.size);
    turn.end();
    await shaped.check();
    context.filled(String(info.path.key), shaped);
    // To the library the list is empty; what it made of that is replaced.
    return [];
  } finally {
    turn.end();
  }
}
