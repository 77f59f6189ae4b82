/** Plans and rollbacks that widen access: said in a section of their own, and refused unless that is allowed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hash128 } from '../../src/foundation/hash128.ts';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { newToken, type ServedProject, servedProject } from './served-project.ts';

const config = (access = '[]', users = '[]'): string =>
  `name: people\naccess: ${access}\nusers: ${users}\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\n`;
const semantic = (policies: string): string =>
  `kind: semantic\nname: people\ndepends_on: m.people\ndimensions: [id, country, email]\npolicies: ${policies}\n`;
const EU = '{member: country, operator: equals, values: [EU]}';
const STRICT = `[{group: eu, filter: [${EU}], mask: [email]}]`;
const LOOSE = `[{group: eu, filter: [${EU}]}]`;
const FILES = {
  'config.yaml': config(),
  'models/raw.sql':
    "MODEL (name m.raw, kind FULL);\nSELECT 1::INTEGER AS id, 'EU'::TEXT AS country, 'a@x'::TEXT AS email",
  'models/people.sql': 'MODEL (name m.people, kind FULL);\nSELECT id, country, email FROM m.raw',
  'models/semantics/people.yml': semantic('[]'),
};
const PEOPLE = 'models/semantics/people.yml';

interface Wider {
  readonly who: string;
  readonly kind: string;
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly models?: readonly string[];
}
const widerIn = (data: Record<string, unknown> | undefined): readonly Wider[] =>
  data?.['wider_access'] as readonly Wider[];

describe('at the command line', () => {
  let project: PlannedProject;
  let first: Awaited<ReturnType<PlannedProject['json']>>;
  let second: typeof first;
  beforeAll(async () => {
    project = plannedProject(FILES);
    first = await project.json('plan', '--yes');
    project.write(PEOPLE, semantic(STRICT));
    second = await project.json('plan', '--yes');
    expect([first.code, second.code]).toEqual([0, 0]);
  });
  afterAll(() => project?.remove());

  const rowsOf = async (): Promise<string> =>
    (await project.plinth('query', '--as-group', 'eu', '--dimensions', 'people.email', '--format', 'csv'))
      .stdout;

  test('the first plan has nothing to be wider than, and a policy that comes makes nothing wider', () => {
    expect([first, second].map(({ data }) => widerIn(data))).toEqual([[], []]);
  });

  test('rollback over a policy is refused with who sees what, and done when it is allowed', async () => {
    const refused = await project.plinth('rollback', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('Wider access: needs --allow-wider-access');
    expect(refused.stdout).toContain('eu  semantic people');
    expect(refused.stdout).toContain('rows: country equals EU → all');
    expect(refused.stdout).toContain('masked: email → none');
    expect(refused.stdout).toContain('SQL may read m.people, m.raw');
    expect(refused.stdout).toContain('all callers  semantic people');
    expect(refused.stderr).toContain('plan.widens-access');
    expect(await rowsOf()).not.toContain('a@x');
    const asJson = await project.json('rollback', '--yes');
    expect([asJson.code, asJson.error?.['code']]).toEqual([1, 'plan.widens-access']);
    const done = await project.json('rollback', '--yes', '--allow-wider-access');
    expect([done.code, widerIn(done.data).map(({ who }) => who)]).toEqual([0, ['*', 'eu']]);
    expect(await rowsOf()).toContain('a@x');
    // Back again is narrower.
    const back = await project.json('plan', '--yes');
    expect([back.code, widerIn(back.data)]).toEqual([0, []]);
  });

  test('a mask that is gone: shown by a preview, in the stored plan and in its file, refused by plan and apply', async () => {
    project.write(PEOPLE, semantic(LOOSE));
    const shown = await project.json('plan', '-o', 'plan.json');
    expect(shown.code).toBe(0);
    const expected = [
      {
        who: 'eu',
        kind: 'semantic',
        name: 'people',
        reason: expect.any(String),
        before: { rows: 'country equals EU', masked: ['email'] },
        after: { rows: 'country equals EU', masked: [] },
        models: [],
      },
    ];
    expect(widerIn(shown.data)).toEqual(expected);
    const id = String(shown.data?.['plan_id']);
    const stored = await project.json('plans', id);
    expect(widerIn(stored.data?.['plan'] as Record<string, unknown>)).toEqual(expected);
    for (const words of [
      ['plan', '--yes'],
      ['apply', 'plan.json', '--yes'],
      ['apply', id, '--yes'],
    ]) {
      const refused = await project.json(...words);
      expect([refused.code, refused.error?.['code']], words.join(' ')).toEqual([1, 'plan.widens-access']);
      expect(refused.error?.['message']).toContain('eu (people)');
    }
    // A file that keeps quiet about it, though its digest is right, is found out.
    const { plan, ...head } = JSON.parse(readFileSync(join(project.folder, 'plan.json'), 'utf8')) as {
      warehouse_id: string;
      plan: { widerAccess?: unknown };
    };
    const { widerAccess, ...quiet } = plan;
    expect(widerAccess).toBeDefined();
    const digest = hash128(head.warehouse_id, JSON.stringify(quiet));
    project.write('quiet.json', JSON.stringify({ ...head, digest, plan: quiet }));
    const found = await project.json('apply', 'quiet.json', '--yes');
    expect([found.code, found.error?.['code']]).toEqual([1, 'plan.widens-access']);
    expect(await rowsOf()).not.toContain('a@x');
    const done = await project.json('apply', 'plan.json', '--yes', '--allow-wider-access');
    expect(done.code).toBe(0);
    expect(await rowsOf()).toContain('a@x');
    project.write(PEOPLE, semantic(STRICT));
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
  });

  test('a new environment is not wider, whatever it leaves out: the policies of the default one hold too', async () => {
    project.write(PEOPLE, semantic('[]'));
    const dev = await project.json('plan', 'dev', '--yes');
    expect([dev.code, widerIn(dev.data)]).toEqual([0, []]);
    project.write(PEOPLE, semantic(STRICT));
  });

  test('a semantic model over protected data, and one that is gone', async () => {
    project.write(
      'models/semantics/raw.yml',
      'kind: semantic\nname: raw_people\ndepends_on: m.raw\ndimensions: [email]\n',
    );
    const added = await project.json('plan');
    expect(widerIn(added.data).map(({ who, name }) => `${who} ${name}`)).toEqual([
      '* raw_people',
      'eu raw_people',
    ]);
    project.write('models/semantics/raw.yml', '');
    project.write(PEOPLE, 'kind: semantic\nname: folk\ndepends_on: m.people\ndimensions: [country]\n');
    const gone = await project.json('plan');
    expect(
      widerIn(gone.data)
        .filter(({ name }) => name === 'people')
        .map(({ who, models }) => `${who} ${models}`),
    ).toEqual(['* m.people,m.raw', 'eu m.people,m.raw']);
    project.write(PEOPLE, semantic(STRICT));
  });

  test('what config.yaml gives is compared with what it gave when the environment was applied', async () => {
    project.write('models/semantics/raw.yml', '');
    project.write(
      'config.yaml',
      config('[{principal: ada, role: editor}]', '[{username: emil, groups: [eu]}]'),
    );
    const shown = await project.json('plan');
    expect(widerIn(shown.data).map(({ who, name, before, after }) => [who, name, before, after])).toEqual([
      ['ada', 'role', [], ['editor']],
      ['emil', 'groups', [], ['eu']],
    ]);
    expect(shown.data?.['access_changed']).toBe(true);
    expect((await project.json('plan', '--yes')).error?.['code']).toBe('plan.widens-access');
    expect((await project.json('plan', '--yes', '--allow-wider-access')).code).toBe(0);
    project.write(
      'config.yaml',
      config('[{principal: ada, role: consumer}]', '[{username: emil, groups: [eu]}]'),
    );
    const less = await project.json('plan', '--yes');
    expect([less.code, widerIn(less.data), less.data?.['access_changed']]).toEqual([0, [], true]);
    const same = await project.plinth('plan', '--yes');
    expect(same.stdout).toContain('is up to date');
  });

  test('a record of what was applied that is gone counts as one that showed nothing to anyone', async () => {
    const state = new DatabaseSync(join(project.folder, '.plinth/state.db'));
    state.exec('PRAGMA foreign_keys = OFF; DELETE FROM plans');
    state.close();
    project.write(PEOPLE, semantic(`${STRICT}\ndescription: People.`));
    const shown = await project.json('plan');
    expect(widerIn(shown.data).map(({ who, before }) => [who, before])).toEqual([
      ['eu', { rows: 'none', masked: [] }],
    ]);
  });
});

describe('over HTTP', () => {
  let served: ServedProject;
  let editor = '';
  let reader = '';
  beforeAll(async () => {
    served = await servedProject({ ...FILES, [PEOPLE]: semantic(STRICT) }, async (project) => {
      await project.plinth('user', 'create', 'ed', '--tenant', 'default', '--role', 'developer');
      await project.plinth('user', 'create', 'con', '--tenant', 'default', '--role', 'viewer');
      editor = await newToken(project, '--user', 'ed');
      reader = await newToken(project, '--user', 'con');
    });
  });
  afterAll(() => served?.stop());

  const ask = async (method: string, path: string, token: string, body?: unknown) => {
    const answer = await fetch(`${served.products[0]?.base_url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  test('the plan says it, to those who may apply it; applying it is 409 without the field', async () => {
    served.write(PEOPLE, semantic(LOOSE));
    const made = await ask('POST', '/activity/plans', editor, { environment: 'prod' });
    expect(made.status).toBe(201);
    expect(widerIn(made.body).map(({ who, name }) => `${who} ${name}`)).toEqual(['eu people']);
    const path = `/activity/plans/${String(made.body['id'])}`;
    expect(widerIn((await ask('GET', path, editor)).body)).toHaveLength(1);
    expect(widerIn((await ask('GET', path, reader)).body)).toEqual([]);
    for (const body of [undefined, {}, { allow_wider_access: false }]) {
      const refused = await ask('POST', `${path}/apply`, editor, body);
      expect([refused.status, refused.body['code']]).toEqual([409, 'plan.widens-access']);
      expect(String(refused.body['errors'] ?? '') + String(refused.body['detail'])).not.toContain('--allow');
    }
    expect((await ask('POST', `${path}/apply`, editor, { allow: true })).status).toBe(422);
    expect((await ask('POST', `${path}/apply`, reader, { allow_wider_access: true })).status).toBe(403);
    expect((await ask('POST', `${path}/apply`, editor, { allow_wider_access: true })).status).toBe(202);
  });
});
