/** What a plan looks like, in text and in JSON, with ids, times and durations masked. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { TINY_PROJECT } from './tiny-project.ts';

let project: PlannedProject;
const golden = (name: string): string => `../goldens/cli/${name}`;

beforeAll(() => {
  project = plannedProject();
});
afterAll(() => project.remove());

/** Whatever differs from run to run becomes a word for what it is. */
function masked(text: string): string {
  return text
    .replaceAll(/\b([prv])_[0-9a-z]{16}\b/g, '$1_…')
    .replaceAll(/__[a-z2-7]{26}\b/g, '__<version>')
    .replaceAll(/"(version|fingerprint)":"[a-z2-7]{26}"/g, '"$1":"<hash>"')
    .replaceAll(/"(at|created_at|started_at|ended_at)":"[^"]+"/g, '"$1":"<time>"')
    .replaceAll(/"ms":\d+/g, '"ms":0')
    .replaceAll(/"who":"[^"]+"/g, '"who":"<who>"')
    .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, '<duration>')
    .replaceAll(/\(plinth[^)]*\)+/g, '(<who>)');
}

/** Lines of JSON, laid out; the order of models that are built side by side is not fixed, so events are sorted. */
function laidOut(stdout: string): string {
  const lines = masked(stdout).trimEnd().split('\n');
  const events = lines.slice(0, -1).sort();
  const answer = JSON.stringify(JSON.parse(lines.at(-1) ?? ''), null, 2);
  return `${[...events, answer].join('\n')}\n`;
}

test('the first plan in text, with its stages', async () => {
  const { stdout } = await project.plinth('plan', '--explain');
  await expect(masked(stdout)).toMatchFileSnapshot(golden('plan-new.txt'));
});

test('the first plan in JSON', async () => {
  const { stdout } = await project.plinth('plan', '--json');
  await expect(laidOut(stdout)).toMatchFileSnapshot(golden('plan-new.json'));
});

test('the plan applied, as events and one object', async () => {
  const { stdout, code } = await project.plinth('plan', '--yes', '--json');
  expect(code).toBe(0);
  const lines = masked(stdout).trimEnd().split('\n');
  const { data, ...envelope } = JSON.parse(lines.at(-1) ?? '') as { data: Record<string, unknown> };
  expect(envelope).toEqual({ schema: 'plinth.plan/1', ok: true, diagnostics: [] });
  const names = (data['models'] as { name: string }[]).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  await expect(`${JSON.stringify(names, null, 2)}\n`).toMatchFileSnapshot(golden('plan-applied-models.json'));
});

test('the plan that has nothing to do', async () => {
  await expect(masked((await project.plinth('plan')).stdout)).toMatchFileSnapshot(golden('plan-nothing.txt'));
});

test('a change with its SQL, what it reaches and what is not rebuilt, in text and JSON', async () => {
  project.write(
    'models/revenue.sql',
    (TINY_PROJECT['models/revenue.sql'] as string).replace(
      'SUM(o.amount) AS revenue',
      'SUM(o.amount * 2) AS revenue, MIN(o.day) AS first_day',
    ),
  );
  project.write(
    'models/regions.sql',
    "MODEL (name raw.regions, kind SEED (path '../seeds/regions.csv'), grain region, owner ada);\n",
  );
  const text = await project.plinth('plan', 'dev', '--explain');
  await expect(masked(text.stdout)).toMatchFileSnapshot(golden('plan-change.txt'));
  const json = await project.plinth('plan', 'dev', '--json');
  await expect(laidOut(json.stdout)).toMatchFileSnapshot(golden('plan-change.json'));
});

test('the run of the next day in text', async () => {
  project.now('2025-01-05T06:00:00Z');
  const { stderr, code } = await project.plinth('run');
  expect(code).toBe(0);
  await expect(masked(stderr)).toMatchFileSnapshot(golden('run.txt'));
});
