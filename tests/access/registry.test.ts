/** Doors are listed by the product itself: one that is new fails here until a cell of the matrix asks by it, or a reason says why it carries no rows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { DqGroup } from '../../src/client/dq-group.ts';
import { PerspectivesGroup } from '../../src/client/perspectives-group.ts';
import { QueryGroup } from '../../src/client/query-group.ts';
import { ActivityGroup, MetadataGroup } from '../../src/client/resource-groups.ts';
import { ENVIRONMENT_PLACES } from './environment-places.ts';
import { generateWorld } from './generate-world.ts';
import { KEPT_DOORS } from './kept-answers.ts';
import { NAME_PLACES } from './name-places.ts';
import { EXPORT_FORMATS } from './passive-doors.ts';
import { QUESTION_DOORS } from './question-doors.ts';
import {
  ASKED,
  ASKED_COMMANDS,
  CLIENT_METHODS,
  documents,
  environmentOperations,
  everyOperation,
  GRAPHQL_ARGUMENTS,
  OWNERS_COMMANDS,
  ROWLESS,
} from './registry.ts';
import { ServedWorld } from './served-world.ts';

let served: ServedWorld;
beforeAll(async () => {
  served = await ServedWorld.start(generateWorld(0));
});
afterAll(() => served?.stop());

test('every operation of both APIs is asked by a cell, or cannot carry rows', async () => {
  const ids = await everyOperation(served);
  expect(ids.filter((id) => !ASKED.has(id) && ROWLESS[id] === undefined)).toEqual([]);
  expect([...ASKED, ...Object.keys(ROWLESS)].filter((id) => !ids.includes(id))).toEqual([]);
  expect([...ASKED].filter((id) => ROWLESS[id] !== undefined)).toEqual([]);
});

test('every operation that takes an environment is asked about one that is not for the caller', async () => {
  expect(Object.keys(ENVIRONMENT_PLACES).toSorted()).toEqual(
    (await environmentOperations(served)).toSorted(),
  );
});

test('every format of results and of exports is asked for', async () => {
  const formats: Record<string, readonly string[]> = {};
  for (const { paths } of await documents(served))
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
      for (const { name, schema } of (operation['parameters'] ?? []) as readonly {
        readonly name: string;
        readonly schema: { readonly enum?: readonly string[] };
      }[])
        if (name === 'format') formats[String(operation['operationId'])] = schema.enum ?? [];
  expect(formats).toEqual({
    exportProduct: EXPORT_FORMATS,
    getPerspectiveResult: formats['getStatementResult'],
    getStatementResult: expect.any(Array),
  });
  for (const format of formats['getStatementResult'] ?? []) {
    expect(QUESTION_DOORS.map(({ name }) => name)).toContain(`result as ${format}`);
    expect(KEPT_DOORS.map(({ name }) => name)).toContain(`kept result as ${format}`);
  }
});

test('every root field of GraphQL and every argument of one is known', async () => {
  const query =
    '{ __schema { queryType { fields { name args { name } } } mutationType { name } subscriptionType { name } } }';
  const got = await served.send('root', { method: 'POST', path: '/query/semantic/graphql', body: { query } });
  const { queryType, ...others } = JSON.parse(got.body).data.__schema as {
    readonly queryType: {
      readonly fields: readonly {
        readonly name: string;
        readonly args: readonly { readonly name: string }[];
      }[];
    };
  };
  expect(others).toEqual({ mutationType: null, subscriptionType: null });
  const { semantics, metrics } = served.world;
  expect(queryType.fields.map(({ name }) => name).toSorted()).toEqual(
    [
      '_meta',
      'statements',
      ...semantics.map(({ name }) => name),
      ...metrics.map(({ name }) => name),
    ].toSorted(),
  );
  const names = queryType.fields
    .filter(({ name }) => name !== 'statements')
    .flatMap(({ args }) => args.map(({ name }) => name));
  expect(Object.keys(GRAPHQL_ARGUMENTS).toSorted()).toEqual([...new Set(names)].toSorted());
  const places = NAME_PLACES.map(({ name }) => `name in ${name}`);
  for (const words of Object.values(GRAPHQL_ARGUMENTS))
    if (words.startsWith('name in')) expect(places).toContain(words);
});

test('every command that answers for a group is run, and every other one is for the owner of the machine', () => {
  for (const { name, options } of COMMANDS) {
    const isForGroups = options.some((option) => option.name === 'as-group');
    if (isForGroups) expect([...ASKED_COMMANDS], name).toContain(name);
    else expect([...OWNERS_COMMANDS], name).toContain(name);
  }
  expect([...OWNERS_COMMANDS].filter((name) => !COMMANDS.some((command) => command.name === name))).toEqual(
    [],
  );
});

test('every method of the client asks an operation that is known', () => {
  for (const { prototype } of [QueryGroup, ActivityGroup, MetadataGroup, DqGroup, PerspectivesGroup])
    for (const name of Object.getOwnPropertyNames(prototype).filter((each) => each !== 'constructor')) {
      const operation = CLIENT_METHODS[name] ?? name.replace(/^iter/, 'list');
      expect(ASKED.has(operation) || ROWLESS[operation] !== undefined, name).toBe(true);
    }
});
