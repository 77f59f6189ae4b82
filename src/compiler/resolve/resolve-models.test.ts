import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelDefinition } from '../../domain/model.ts';
import type { UserCode } from '../../domain/user-code.ts';
import { createLibraryClient, limitedClient } from '../../foundation/sql/library/library-client.ts';
import type { CompileContext } from './compile-context.ts';
import { compileProject } from './compile-project.ts';
import { type ResolvedModels, resolveModels } from './resolve-models.ts';

/** On this text the SQL library loops for ever. */
const ENDLESS = 'CREATE TABLE c (pk BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10';
const NO_CODE: UserCode = {
  functions: async () => ({ functions: [], problems: [] }),
  call: async () => {
    throw new Error('there are no functions');
  },
  close: async () => {},
};

const client = createLibraryClient();
afterAll(() => client.close());

let compileContext: CompileContext;
let healthy: readonly ModelDefinition[];
beforeAll(async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const compiled = await compileProject({
    folderName: 'test',
    files: new Map([
      ['config.yaml', 'name: test\n'],
      ...names.map((name): [string, string] => [
        `models/${name}.sql`,
        `MODEL (name m.${name}, kind FULL);\nSELECT 1 AS x${' '.repeat(ENDLESS.length)}`,
      ]),
    ]),
    seedPaths: [],
    problems: [],
    variables: {},
    gateway: undefined,
    environment: 'prod',
    source: {
      read: async () => ({ files: new Map(), seedPaths: [], problems: [] }),
      digest: async () => undefined,
    } as never,
    cache: { readAll: async () => new Map(), replaceAll: async () => {} } as never,
    userCode: NO_CODE,
  });
  compileContext = compiled.compileContext;
  healthy = compiled.project.models;
});

const withText = (definition: ModelDefinition, text: string): ModelDefinition =>
  definition.source.kind === 'sql'
    ? { ...definition, source: { ...definition.source, query: { ...definition.source.query, text } } }
    : definition;

const resolve = (definitions: readonly ModelDefinition[], around: CompileContext): Promise<ResolvedModels> =>
  resolveModels(
    definitions.map((definition) => ({ definition, origin: definition, earlier: undefined })),
    around,
    new Set(),
  );

describe('queries on which the SQL library hangs', () => {
  test('after three the library is not asked any more, and none of their results is kept', async () => {
    let asked = 0;
    const library = limitedClient({
      ...client,
      ask: (request) => {
        asked++;
        return client.ask(request, 200);
      },
    });
    const { diagnostics, analyses } = await resolve(
      healthy.map((definition) => withText(definition, ENDLESS)),
      { ...compileContext, library },
    );
    expect(asked).toBe(3);
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'sql.timeout',
      'sql.timeout',
      'sql.timeout',
      'sql.syntax',
      'sql.syntax',
    ]);
    // The whole query is marked: nobody knows where in it the library lost its way.
    const { file, source } = healthy[0] as ModelDefinition;
    const start = source.kind === 'sql' ? source.query.start : -1;
    expect(diagnostics[0]?.at).toEqual({ file, start, end: start + ENDLESS.length });
    expect(analyses.map(({ isTransient }) => isTransient)).toEqual(Array(5).fill(true));
  });
});

test('an exception of ours on one model leaves the others whole', async () => {
  const around: CompileContext = {
    ...compileContext,
    macroContext: (definition, columnsOf) => {
      if (definition.name === 'm.b') throw new TypeError('x is undefined');
      return compileContext.macroContext(definition, columnsOf);
    },
  };
  const { models, diagnostics, analyses } = await resolve(healthy, around);
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    [
      'model.internal-error',
      'Plinth itself failed on m.b, which is a bug of Plinth: TypeError: x is undefined.',
    ],
  ]);
  expect(diagnostics[0]?.at).toEqual(healthy.find(({ name }) => name === 'm.b')?.ranges['name']);
  expect(models.map(({ name, columns }) => `${name} ${columns.length}`).sort()).toEqual([
    'm.a 1',
    'm.b 0',
    'm.c 1',
    'm.d 1',
    'm.e 1',
  ]);
  expect(analyses.map(({ isTransient }) => isTransient ?? false)).toEqual(
    healthy.map(({ name }) => name === 'm.b'),
  );
});

test('an exception while columns are resolved keeps the tables the query reads', async () => {
  const around: CompileContext = {
    ...compileContext,
    tableName: (parts, dialect) => {
      if (parts.every(({ quoted }) => quoted)) throw new RangeError('too deep');
      return compileContext.tableName(parts, dialect);
    },
  };
  const reading = healthy.map((definition) =>
    definition.name === 'm.e' ? withText(definition, 'SELECT x FROM m.a') : definition,
  );
  const { models, diagnostics } = await resolve(reading, around);
  expect(diagnostics.map(({ code }) => code)).toEqual(['model.internal-error']);
  expect(models.find(({ name }) => name === 'm.e')?.dependencies).toEqual(['m.a']);
});
