/* Every door that a question can come in by. */
import { DataProductClient, DataProductError } from '../../src/client/index.ts';
import { RESULT_FORMATS } from '../../src/domain/result-format.ts';
import {
  type Columns,
  graphqlObserved,
  jsonOf,
  type Observed,
  observedOfCommand,
  ordered,
  rowsIn,
  statementObserved,
  together,
} from './observe.ts';
import type { MemberQuestion, MetricQuestion, Question } from './questions.ts';
import { type Got, type ServedWorld, TENANT } from './served-world.ts';
import { commandOptions, graphqlOf, type Json, queryJson, semanticSql } from './spell-question.ts';
import type { Caller, EnvironmentRole } from './world.ts';
import { PRODUCT_NAME } from './write-world.ts';

export interface Asked<Asks extends Question = Question> {
  readonly served: ServedWorld;
  readonly caller: Caller;
  readonly environment: EnvironmentRole;
  readonly question: Asks;
  /** Different each time. */
  readonly number: number;
  /** Whether the default environment is named. */
  readonly isNamed: boolean;
}

export interface QuestionDoor {
  readonly name: string;
  readonly asks: readonly Question['kind'][];
  /** Operations of the two APIs that it uses. */
  readonly operations: readonly string[];
  readonly who: 'http' | 'command';
  ask(asked: Asked): Promise<Observed>;
}

const environmentOf = ({ served, environment, isNamed }: Asked): { readonly environment?: string } =>
  environment === 'default' && !isNamed ? {} : { environment: served.environmentName(environment) };

const post = (
  asked: Asked,
  path: string,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Got> =>
  asked.served.send(asked.caller.name, {
    method: 'POST',
    path,
    body: { ...body, ...environmentOf(asked) },
    headers,
  });

const sqlOf = (question: Question): string =>
  question.kind === 'sql' ? question.sql : semanticSql(question);

const statement = (
  asked: Asked,
  more: Json = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Got> =>
  post(asked, '/query/statement', { sql: sqlOf(asked.question), wait: 20, ...more }, headers);

/** Submitted, asked after, fetched. */
async function fetched(asked: Asked, format: string): Promise<Observed> {
  const { served, caller, question } = asked;
  const submitted = await statement(asked, { wait: 0 });
  const id = jsonOf(submitted)['id'];
  if (submitted.status >= 400 || typeof id !== 'string') return statementObserved(question, submitted);
  const ended = await served.send(caller.name, { method: 'GET', path: `/query/statement/${id}?wait=20` });
  if (ended.status >= 400 || jsonOf(ended)['status'] !== 'SUCCESS')
    return statementObserved(question, ended, together(submitted, ended));
  const result = await served.send(caller.name, {
    method: 'GET',
    path: `/query/statement/${id}/result?format=${format}`,
  });
  const told = together(submitted, ended, result);
  if (result.status >= 400) return statementObserved(question, result, told);
  const found = await rowsIn(question, format, result);
  // What is packed in the bytes is unpacked in the rows.
  const rows = { text: JSON.stringify(found.rows ?? []) };
  return { told: together(told, rows), status: result.status, code: '', ...found };
}

const SEMANTIC = ['members', 'metric'] as const;
const ALL = ['sql', ...SEMANTIC] as const;

type SemanticAsked = Asked<MemberQuestion | MetricQuestion>;

const client = ({ served, caller }: Asked): DataProductClient =>
  new DataProductClient({
    fqdn: served.url,
    dpName: PRODUCT_NAME,
    tenant: TENANT,
    accessToken: served.tokenOf(caller.name),
  });

/** What the client of this language says. */
async function byClient(
  work: () => Promise<Partial<Observed> & { readonly shown: unknown }>,
): Promise<Observed> {
  try {
    const { shown, ...rest } = await work();
    return { told: { text: JSON.stringify(shown) }, status: 200, code: '', ...rest };
  } catch (error) {
    if (!(error instanceof DataProductError)) throw error;
    const told = { text: JSON.stringify({ ...error, message: error.message, detail: error.detail }) };
    const isFailed = error.code?.startsWith('engine.') === true || error.statusCode === 409;
    return { told, status: error.statusCode, code: String(error.code), ...(isFailed ? { isFailed } : {}) };
  }
}

async function byCommand(asked: Asked, ...more: readonly string[]): Promise<Observed> {
  const { served, caller, question, environment } = asked;
  const groups = caller.name === 'as-group' ? caller.groups.flatMap((group) => ['--as-group', group]) : [];
  const end = await served.command(
    'query',
    ...commandOptions(question),
    ...groups,
    '--env',
    served.environmentName(environment),
    ...more,
  );
  return observedOfCommand(question, end);
}

const HTTP_DOORS: readonly QuestionDoor[] = [
  {
    name: 'statement',
    asks: ALL,
    operations: ['submitStatement'],
    who: 'http',
    ask: async (asked) => statementObserved(asked.question, await statement(asked)),
  },
  ...RESULT_FORMATS.map(
    (format): QuestionDoor => ({
      name: `result as ${format}`,
      asks: ALL,
      operations: ['submitStatement', 'getStatement', 'getStatementResult'],
      who: 'http',
      ask: (asked) => fetched(asked, format),
    }),
  ),
  {
    name: 'statement after the administrator',
    asks: ALL,
    operations: ['submitStatement'],
    who: 'http',
    ask: async (asked) => {
      const root = asked.served.world.callers.find(({ name }) => name === 'root') as Caller;
      await statement({ ...asked, caller: root });
      return statementObserved(asked.question, await statement(asked));
    },
  },
  {
    name: 'statement under the key of the administrator',
    asks: ALL,
    operations: ['submitStatement'],
    who: 'http',
    ask: async (asked) => {
      const root = asked.served.world.callers.find(({ name }) => name === 'root') as Caller;
      const key = { 'idempotency-key': `matrix-${asked.number}` };
      await statement({ ...asked, caller: root }, {}, key);
      await statement(asked, {}, key);
      return statementObserved(asked.question, await statement(asked, {}, key));
    },
  },
  {
    name: 'client',
    asks: ALL,
    operations: ['submitStatement', 'getStatement', 'getStatementResult'],
    who: 'http',
    ask: (asked) =>
      byClient(async () => {
        const { cols, rows } = await client(asked).query.run(sqlOf(asked.question), environmentOf(asked));
        return { shown: { cols, rows }, rows: ordered(asked.question, cols as Columns, rows as never) };
      }),
  },
  {
    name: 'transpile',
    asks: ALL,
    operations: ['transpile'],
    who: 'http',
    ask: async (asked) => {
      const { question } = asked;
      const body =
        question.kind === 'metric'
          ? { metric: question.metric.name }
          : question.kind === 'members' && asked.isNamed
            ? { query: queryJson(question) }
            : { sql: sqlOf(question) };
      const got = await post(asked, '/query/transpile', body);
      const seen = statementObserved(question, got);
      return got.status < 300 ? { ...seen, isAnswered: true } : seen;
    },
  },
  {
    name: 'semantic sql beside models',
    asks: ['sql'],
    operations: ['querySemanticSql'],
    who: 'http',
    ask: async (asked) => {
      const { semantics } = asked.served.world;
      const open = semantics.find(({ purpose }) => purpose === 'open');
      const count = open?.members.find(({ kind }) => kind === 'measure')?.name;
      const sql = `SELECT q.* FROM (${sqlOf(asked.question)}) AS q, (SELECT MEASURE(${count}) AS c FROM ${open?.name}) AS s`;
      return statementObserved(asked.question, await post(asked, '/query/semantic/sql', { sql, wait: 20 }));
    },
  },
  {
    name: 'semantic rest',
    asks: ['members'],
    operations: ['querySemantic'],
    who: 'http',
    ask: async (asked) => {
      const query = queryJson(asked.question as MemberQuestion);
      return statementObserved(
        asked.question,
        await post(asked, '/query/semantic/rest', { query, wait: 20 }),
      );
    },
  },
  {
    name: 'semantic sql',
    asks: SEMANTIC,
    operations: ['querySemanticSql'],
    who: 'http',
    ask: async (asked) =>
      statementObserved(
        asked.question,
        await post(asked, '/query/semantic/sql', { sql: sqlOf(asked.question), wait: 20 }),
      ),
  },
  {
    name: 'metric',
    asks: ['metric'],
    operations: ['queryMetric'],
    who: 'http',
    ask: async (asked) => {
      const { metric } = asked.question as MetricQuestion;
      const body = { dimensions: [metric.dimension], wait: 20 };
      return statementObserved(asked.question, await post(asked, `/query/metric/${metric.name}`, body));
    },
  },
  {
    name: 'metric in the address',
    asks: ['metric'],
    operations: ['getMetric'],
    who: 'http',
    ask: async (asked) => {
      const { metric } = asked.question as MetricQuestion;
      const query = new URLSearchParams({
        dimensions: metric.dimension,
        wait: '20',
        ...environmentOf(asked),
      });
      const path = `/query/metric/${metric.name}?${query}`;
      return statementObserved(
        asked.question,
        await asked.served.send(asked.caller.name, { method: 'GET', path }),
      );
    },
  },
  {
    name: 'graphql of the api',
    asks: SEMANTIC,
    operations: ['queryGraphql'],
    who: 'http',
    ask: async (asked) => {
      const { question } = asked as SemanticAsked;
      const { query } = graphqlOf(question);
      return graphqlObserved(question, await post(asked, '/query/semantic/graphql', { query }));
    },
  },
  {
    name: 'graphql',
    asks: SEMANTIC,
    operations: ['graphql'],
    who: 'http',
    ask: async (asked) => {
      const { question } = asked as SemanticAsked;
      const { query } = graphqlOf(question);
      return graphqlObserved(question, await post(asked, `${asked.served.base}/graphql`, { query }));
    },
  },
  {
    name: 'graphql in the address',
    asks: SEMANTIC,
    operations: ['graphqlPage'],
    who: 'http',
    ask: async (asked) => {
      const { question } = asked as SemanticAsked;
      const query = new URLSearchParams({ query: graphqlOf(question).query, ...environmentOf(asked) });
      const path = `${asked.served.base}/graphql?${query}`;
      return graphqlObserved(question, await asked.served.send(asked.caller.name, { method: 'GET', path }));
    },
  },
];

const COMMAND_DOORS: readonly QuestionDoor[] = [
  {
    name: 'command',
    asks: ALL,
    operations: [],
    who: 'command',
    ask: (asked) => byCommand(asked, '--json'),
  },
  {
    name: 'command as csv',
    asks: ALL,
    operations: [],
    who: 'command',
    ask: (asked) => byCommand(asked, '--format', 'csv'),
  },
];

export const QUESTION_DOORS: readonly QuestionDoor[] = [...HTTP_DOORS, ...COMMAND_DOORS];
