/* Answers from before: what somebody asked while they might see it is read again when they may not any more. */
import { RESULT_FORMATS } from '../../src/domain/result-format.ts';
import type { Chance } from './chance.ts';
import { memberQuestionOf, metricQuestion, type Question, sqlQuestionOf } from './questions.ts';
import type { Sent, ServedWorld } from './served-world.ts';
import { semanticSql } from './spell-question.ts';
import type { CallerName, EnvironmentRole, SemanticModel, World, WorldModel } from './world.ts';

export interface KeptAnswer {
  readonly caller: CallerName;
  readonly environment: EnvironmentRole;
  readonly question: Question;
  readonly id: string;
  /** As it was sent, with its key. */
  readonly sent: Sent;
  /** Everybody may read what it reads, now and then. */
  readonly isHarmless: boolean;
}

/** Ways to read an answer again, each an operation. */
export interface KeptDoor {
  readonly name: string;
  readonly operation: string;
  readonly ask: (kept: KeptAnswer) => Sent;
  /** It has the rows of this answer. */
  readonly hasRows: boolean;
}

export const KEPT_DOORS: readonly KeptDoor[] = [
  ...RESULT_FORMATS.map(
    (format): KeptDoor => ({
      name: `kept result as ${format}`,
      operation: 'getStatementResult',
      ask: ({ id }) => ({ method: 'GET', path: `/query/statement/${id}/result?format=${format}` }),
      hasRows: true,
    }),
  ),
  {
    name: 'kept statement',
    operation: 'getStatement',
    ask: ({ id }) => ({ method: 'GET', path: `/query/statement/${id}?wait=1` }),
    hasRows: false,
  },
  {
    name: 'kept statement cancelled',
    operation: 'cancelStatement',
    ask: ({ id }) => ({ method: 'POST', path: `/query/statement/${id}/cancel` }),
    hasRows: false,
  },
  { name: 'replay', operation: 'submitStatement', ask: ({ sent }) => sent, hasRows: true },
  {
    name: 'kept statements',
    operation: 'listStatements',
    ask: () => ({ method: 'GET', path: '/query/statement?limit=1000' }),
    hasRows: false,
  },
  {
    name: 'kept activity',
    operation: 'listQueryActivity',
    ask: () => ({ method: 'GET', path: '/activity/queries?limit=1000' }),
    hasRows: false,
  },
  {
    name: 'kept connection',
    operation: 'queryGraphql',
    ask: () => ({
      method: 'POST',
      path: '/query/semantic/graphql',
      body: { query: '{ statements(first: 50) { edges { node { id sql status } } } }' },
    }),
    hasRows: false,
  },
];

/** Asks what the caller may see now, and keeps it. */
export async function keepAnswers(
  served: ServedWorld,
  {
    caller,
    environment,
    chance,
  }: { readonly caller: CallerName; readonly environment: EnvironmentRole; readonly chance: Chance },
): Promise<readonly KeptAnswer[]> {
  const kept: KeptAnswer[] = [];
  for (const [at, question] of questionsOf(served.world, chance).entries()) {
    const sql = question.kind === 'sql' ? question.sql : semanticSql(question);
    const sent: Sent = {
      method: 'POST',
      path: '/query/statement',
      body: { sql, wait: 20, environment: served.environmentName(environment) },
      headers: { 'idempotency-key': `kept-${caller}-${environment}-${at}` },
    };
    const got = await served.send(caller, sent);
    // Callers who may not have asked it have nothing to keep.
    if (got.status !== 200) continue;
    const { id } = JSON.parse(got.body) as { readonly id: string };
    const isHarmless =
      question.kind === 'sql' && question.target.name === 'free.h' && question.form === 'star';
    kept.push({ caller, environment, question, id, sent, isHarmless });
  }
  return kept;
}

function questionsOf(world: World, chance: Chance): readonly Question[] {
  const model = (name: string): WorldModel =>
    world.open.models.find((each) => each.name === name) as WorldModel;
  const star = (name: string): Question => sqlQuestionOf('star', { chance, world, target: model(name) });
  const semantic = (purpose: string): SemanticModel =>
    world.semantics.find((each) => each.purpose === purpose) as SemanticModel;
  return [
    ...['raw.a', 'mart.m', 'down.d0', 'own.m', 'beside.s0', 'vault.d', 'free.h'].map(star),
    sqlQuestionOf('cast that fails', { chance, world, target: model('vault.d') }),
    ...['main', 'vault', 'link'].map((purpose) => memberQuestionOf(chance, world, semantic(purpose))),
    metricQuestion(chance, world),
  ];
}
