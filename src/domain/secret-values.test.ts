import { describe, expect, test } from 'vitest';
import type { Config } from './config.ts';
import { hiddenRun, secretValues } from './secret-values.ts';

describe('a value of the environment', () => {
  test('is hidden once it was read, under the name it was read by', () => {
    const { variables, hide } = secretValues({ TOKEN: "it's-hunter2", OTHER: 'not-read' });
    expect(hide("near it's-hunter2")).toBe("near it's-hunter2");
    expect(variables['TOKEN']).toBe("it's-hunter2");
    expect(hide("LINE 1: SELECT 'it''s-hunter2', it's-hunter2, not-read")).toBe(
      "LINE 1: SELECT '{{ env_var('TOKEN') }}', {{ env_var('TOKEN') }}, not-read",
    );
  });

  test('that is short is hidden as a word of its own only, and a very short one never', () => {
    const { variables, hide } = secretValues({ A: 'prod', B: 'abc', USER: 'someone' });
    void [variables['A'], variables['B'], variables['USER']];
    expect(hide("'prod' of products, abc, someone")).toBe("'{{ env_var('A') }}' of products, abc, someone");
  });

  test('is not read by looking at the names', () => {
    const { variables, hide } = secretValues({ TOKEN: 'hunter2-hunter2' });
    expect(Object.keys(variables)).toEqual(['TOKEN']);
    expect(hide('hunter2-hunter2')).toBe('hunter2-hunter2');
  });
});

test('what the configuration calls a secret is hidden', () => {
  const { noteConfig, hide } = secretValues({});
  noteConfig({
    gateways: { g: { connection: { options: { password: 'open sesame' } } } },
    sensitive: [{ path: ['gateways', 'g', 'connection', 'options', 'password'], shown: '***' }],
  } as never as Config);
  expect(hide('password=open sesame')).toBe('password=***');
});

test('the record of a run has it nowhere', () => {
  const { variables, hide } = secretValues({ TOKEN: 'hunter2-hunter2' });
  void variables['TOKEN'];
  const error = {
    code: 'engine.type-mismatch',
    severity: 'error',
    message: "'hunter2-hunter2' is no INT",
    hint: 'cast hunter2-hunter2',
  } as const;
  const run = {
    id: 'r',
    kind: 'run',
    environment: 'prod',
    who: 'me',
    startedAt: 0,
    executionTime: 0,
    status: 'failed',
    models: [{ name: 's.a', status: 'failed', intervals: [], rows: 0, ms: 0, audits: [], error }],
    error,
  } as const;
  expect(JSON.stringify(hiddenRun(run, hide))).not.toContain('hunter2');
});
