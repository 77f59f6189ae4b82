/** Tests of models pass and fail as SQLMesh says; where they do not, the reason stands here. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { runTests } from '../../src/operations/project/run-tests.ts';
import { testableProject } from '../../src/operations/project/testable-project.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';
import { VERDICT_DIFFERENCES } from './verdict-differences.ts';
import { VERDICT_CASES, verdictFiles } from './verdict-matrix.ts';

type Verdict = 'pass' | 'fail' | 'error' | 'none';

const { verdicts } = JSON.parse(readFileSync(join(import.meta.dirname, 'sqlmesh-verdicts.json'), 'utf8')) as {
  readonly verdicts: Readonly<Record<string, Verdict>>;
};
const ours = new Map<string, Verdict>();
let project: TemporaryProject;
let workspace: Workspace;

beforeAll(async () => {
  project = temporaryProject(verdictFiles());
  workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: Date.UTC(2026, 0, 2) });
  const loaded = await loadProject(workspace);
  const wrong = new Set([...testableProject(loaded).broken.keys()].map(({ name }) => name));
  for await (const result of runTests(workspace, loaded, loaded.project.tests)) {
    const verdict = result.kind === 'passed' ? 'pass' : result.kind === 'failed' ? 'fail' : 'error';
    ours.set(result.test.name, wrong.has(result.test.name) ? 'error' : verdict);
  }
}, 240_000);
afterAll(async () => {
  await workspace.close();
  project.delete();
});

test('every test of the matrix has a recorded verdict', () => {
  expect(Object.keys(verdicts).toSorted()).toEqual(VERDICT_CASES.map(({ name }) => name).toSorted());
});

test('a test passes where SQLMesh says so, and does not where SQLMesh says so', () => {
  const passes = (verdict: Verdict | undefined): string => (verdict === 'pass' ? 'pass' : 'no pass');
  const different = VERDICT_CASES.flatMap(({ name }) =>
    passes(ours.get(name)) === passes(verdicts[name])
      ? []
      : [[name, `${verdicts[name]} → ${ours.get(name)}`]],
  );
  const explained = Object.entries(VERDICT_DIFFERENCES).flatMap(([, names]) => Object.entries(names));
  expect(Object.fromEntries(different.toSorted())).toEqual(Object.fromEntries(explained.toSorted()));
});
