import { expect, test } from 'vitest';
import type { UserCode } from '../../domain/user-code.ts';
import { loadConfig } from '../load/config/load-config.ts';
import { renderHooks, storedHooks } from './environment-hooks.ts';

const NO_CODE: UserCode = {
  functions: async () => ({ functions: [], problems: [] }),
  call: () => Promise.reject(new Error('no code')),
  close: async () => {},
};
const TEXT = `name: t
variables: {token: "{{ env_var('TOKEN') }}", other: "{{ env_var('TOKEN') }}"}
before_all: ["SELECT '{{ env_var('SECRET') }}', @token"]
after_all: ['SELECT 1']
`;

test('what is stored of before_all has templates instead of values, and is filled when it is rendered', async () => {
  const { config } = loadConfig({
    files: [{ path: 'config.yaml', text: TEXT }],
    folderName: 't',
    environment: { TOKEN: 'first-token', SECRET: 'first-secret' },
  });
  const around = storedHooks(config, {
    gateway: 'local',
    userFunctions: [],
    sources: new Map([['config.yaml', TEXT]]),
  });
  if (around === undefined) throw new Error('nothing was stored');
  expect(JSON.stringify(around)).not.toContain('first');
  expect(around.applied.variables).toEqual({ token: "{{ env_var('TOKEN') }}" });
  const at = around.at?.beforeAll;
  expect(TEXT.slice(at?.start, at?.end)).toBe('before_all');
  const rendered = await renderHooks([...around.beforeAll, ...around.afterAll], around, {
    stage: 'before_all',
    environment: 'prod',
    executionTime: 0,
    dialect: 'duckdb',
    userCode: NO_CODE,
    userFunctions: [],
    variables: { TOKEN: 'later-token', SECRET: 'later-secret' },
  });
  expect(rendered).toEqual(["SELECT 'later-secret', 'later-token'", 'SELECT 1']);
});

test('without statements nothing is stored', () => {
  const { config } = loadConfig({ files: [], folderName: 't', environment: {} });
  const nothing = { gateway: 'local', userFunctions: [], sources: new Map<string, string>() };
  expect(storedHooks(config, nothing)).toBeUndefined();
});
