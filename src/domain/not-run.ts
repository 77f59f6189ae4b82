import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { diagnostic } from './diagnostics/catalog.ts';
import type { Project } from './project.ts';

/** What a plan would be expected to run of the project and does not. */
export function notRunByPlan({ tests, dqPacks }: Pick<Project, 'tests' | 'dqPacks'>): readonly Diagnostic[] {
  const ofModels = tests.filter(({ subject }) => subject.kind === 'model').length;
  return [
    ...(ofModels === 0 ? [] : [diagnostic('plan.tests-not-run', { tests: wereNot(ofModels, 'model test') })]),
    ...packsNotRun(dqPacks.length),
  ];
}

/** The same of the dq packs that an environment has, by the keys of its definitions. */
export function notRunInEnvironment(definitions: Readonly<Record<string, string>>): readonly Diagnostic[] {
  return packsNotRun(Object.keys(definitions).filter((key) => key.startsWith('dq:')).length);
}

const packsNotRun = (count: number): readonly Diagnostic[] =>
  count === 0 ? [] : [diagnostic('dq.not-run', { packs: wereNot(count, 'dq pack') })];

/** `2 model tests were not run`. */
export const wereNot = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun} was not run` : `${count} ${noun}s were not run`;
