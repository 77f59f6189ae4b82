/** The trust block of a statement, as its JSON has it. */
import {
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';

const text = (description: string) => ({ type: GraphQLString, description });
const required = (description: string) => ({ type: new GraphQLNonNull(GraphQLString), description });
const count = (description: string) => ({ type: GraphQLInt, description });
const listOf = (type: GraphQLObjectType, description: string) => ({
  type: new GraphQLList(new GraphQLNonNull(type)),
  description,
});

/** What a check or incident is about. */
const ABOUT: GraphQLFieldConfigMap<unknown, unknown> = {
  check: required('pack/rule'),
  model: required('the model whose rows it looks at'),
  severity: required('error or warning'),
};

const FAILING_CHECK = new GraphQLObjectType({
  name: 'FailingCheck',
  description: 'A check whose newest result is not a pass.',
  fields: {
    ...ABOUT,
    dimension: required('the dimension of quality'),
    outcome: required('fail, error, warn or not_evaluated'),
    result_id: required('its address in REST ends with it'),
    at: required('when it was found'),
  },
});

const OPEN_INCIDENT = new GraphQLObjectType({
  name: 'OpenIncident',
  description: 'An incident that no pass has closed yet.',
  fields: {
    id: required('its address in REST ends with it'),
    ...ABOUT,
    opened_at: required('when it began'),
  },
});

export const TRUST_TYPE = new GraphQLObjectType({
  name: 'Trust',
  description: 'What was known of the data behind an answer when it was asked for.',
  fields: {
    promotion_id: required('the promotion that it was compiled for'),
    promoted_at: text('when that was promoted'),
    as_of: text('when the rest of this was known'),
    data_version: text('the same as long as no table behind the answer changes'),
    newest: text('how new the rows are'),
    age_seconds: { type: GraphQLFloat, description: 'from newest to as_of' },
    max_age: text('the age that is promised'),
    freshness: text('fresh, late, stale or unknown; null: nothing is promised'),
    failing_checks: listOf(FAILING_CHECK, 'on the columns that it used; null without activity:read'),
    failing_checks_total: count('how many there are'),
    open_incidents: listOf(OPEN_INCIDENT, 'on the same columns'),
    open_incidents_total: count('how many there are'),
  },
});

/** Names that types of a product cannot have. */
export const TRUST_TYPE_NAMES: readonly string[] = [FAILING_CHECK, OPEN_INCIDENT, TRUST_TYPE].map(
  ({ name }) => name,
);

/** Fields of it that are lists. */
export const TRUST_LISTS: ReadonlySet<string> = new Set(['failing_checks', 'open_incidents']);
