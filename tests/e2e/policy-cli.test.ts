/** `plinth query --as-group` shows what a server would show to members of the group. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GUARDED_CONFIG, GUARDED_FILES, PEOPLE_YML } from '../support/guarded-project.ts';
import { type PlannedProject, plannedProject } from './planned-project.ts';

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject(
    {
      'config.yaml': `${GUARDED_CONFIG}gateways: {local: {connection: {type: duckdb, database: guarded.duckdb}}}\n`,
      ...GUARDED_FILES,
    },
    '2026-01-02',
  );
  expect((await project.plinth('plan', '--yes')).code).toBe(0);
});
afterAll(() => project.remove());

async function asked(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await project.plinth('query', ...args, '--json');
  const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    readonly ok: boolean;
    readonly data?: { readonly rows: readonly unknown[] };
    readonly error?: { readonly code: string };
  };
  return said.ok ? said.data?.rows : said.error?.code;
}

test('models above, below and beside are closed to a group that policies restrict', async () => {
  for (const model of ['raw.people', 'staging.people', 'marts.report', 'side.spend']) {
    expect(await asked('--sql', `SELECT * FROM ${model}`, '--as-group', 'eu')).toBe(
      'policy.model-restricted',
    );
    expect(await asked('--sql', `SELECT * FROM ${model}`)).not.toHaveLength(0);
  }
  expect(await asked('--sql', 'SELECT id FROM raw.people', '--as-group', 'masked')).toHaveLength(3);
  expect(await asked('--sql', 'SELECT email FROM raw.people', '--as-group', 'masked')).toBe(
    'policy.model-restricted',
  );
  expect(await asked('--sql', 'SELECT * FROM rollups.pay__all', '--as-group', 'payers')).toBe(
    'policy.no-access',
  );
});

test('what is hidden and what is not there answer alike', async () => {
  for (const name of ['pay', 'zzz'])
    expect(await asked('--measures', `${name}.amount`, '--as-group', 'eu')).toBe('policy.no-access');
  expect(await asked('--measures', 'people.hidden_spend')).toBe('semantic.unknown-member');
});

test('the policies of the default environment hold in another one', async () => {
  project.write('models/semantics/people.yml', PEOPLE_YML);
  expect((await project.plinth('plan', 'dev', '--yes')).code).toBe(0);
  const mails = ['--dimensions', 'people.email', '--env', 'dev'];
  expect(await asked(...mails)).toHaveLength(3);
  expect(await asked(...mails, '--as-group', 'eu')).toHaveLength(2);
  expect(await asked(...mails, '--as-group', 'masked')).toEqual([['***']]);
  expect(await asked('--sql', 'SELECT * FROM raw.people', '--env', 'dev', '--as-group', 'eu')).toBe(
    'policy.model-restricted',
  );
});
