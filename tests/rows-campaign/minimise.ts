/** A failing case made small: steps, models, audits and signals are left out as long as it still fails in the same way. */
import { type Definition, filesOf, type Project } from './definition.ts';
import { isWhole, removed } from './edits.ts';
import { type Played, play } from './play.ts';
import { type Case, type Step, stepName } from './steps.ts';
import { dayText } from './values.ts';
import type { Problem } from './verify-work.ts';

export interface Minimised {
  readonly case: Case;
  readonly problems: readonly Problem[];
  readonly trials: number;
}

/** Bounded in trials; what it has by then is small enough to read. */
export async function minimise(
  failing: Case,
  problems: readonly Problem[],
  { trialsMax = 120 }: { readonly trialsMax?: number } = {},
): Promise<Minimised> {
  const [first] = problems;
  if (first === undefined) throw new Error('nothing is wrong with this case');
  let best: Minimised = { case: failing, problems, trials: 0 };
  let trials = 0;
  const attempt = async (smaller: Case): Promise<boolean> => {
    if (trials >= trialsMax) return false;
    trials++;
    const found = await problemsOf(smaller);
    if (!found.problems.some(({ kind }) => kind === first.kind)) return false;
    // Nothing comes after the step that fails.
    best = {
      case: { ...smaller, steps: smaller.steps.slice(0, found.played.length) },
      problems: found.problems,
      trials,
    };
    return true;
  };
  await attempt(failing);
  for (
    let size = Math.ceil(best.case.steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  )
    for (let at = best.case.steps.length - 1 - size; at >= 0; at -= size)
      await attempt({ ...best.case, steps: best.case.steps.filter((_, i) => i < at || i >= at + size) });
  for (let isSmaller = true; isSmaller && trials < trialsMax; ) {
    isSmaller = false;
    for (const project of smallerProjects(best.case.project))
      if (await attempt({ ...best.case, project })) {
        isSmaller = true;
        break;
      }
    for (let at = best.case.steps.length - 2; at >= 0; at--)
      if (await attempt({ ...best.case, steps: best.case.steps.filter((_, i) => i !== at) }))
        isSmaller = true;
  }
  return { ...best, trials };
}

async function problemsOf(
  given: Case,
): Promise<{ readonly problems: readonly Problem[]; readonly played: readonly Played[] }> {
  try {
    return await play(given);
  } catch (error) {
    return { problems: [{ kind: 'thrown', text: String(error) }], played: [] };
  }
}

/** Projects with one thing less. */
function smallerProjects(project: Project): readonly Project[] {
  const without = (model: Definition, changed: Definition): Project => ({
    ...project,
    models: project.models.map((each) => (each === model ? changed : each)),
  });
  const all = [
    ...(project.standalones.length > 0 ? [{ ...project, standalones: [] }] : []),
    ...project.models.flatMap((model) => removed(project, model) ?? []),
    ...project.models.flatMap((model) =>
      model.audits.length > 0 ? [without(model, { ...model, audits: [] })] : [],
    ),
    ...project.models.flatMap((model) =>
      model.hasSignal ? [without(model, { ...model, hasSignal: false })] : [],
    ),
    ...project.models.flatMap((model) => (model.start > 0 ? [without(model, { ...model, start: 0 })] : [])),
    ...project.models.flatMap(({ query, ...model }) =>
      query !== undefined && query.where.length > 0
        ? [
            {
              ...project,
              models: project.models.map((each) =>
                each.name === model.name ? { ...each, query: { ...query, where: [] } } : each,
              ),
            },
          ]
        : [],
    ),
  ];
  return all.filter(isWhole);
}

/** A case as a person can read and repeat it. */
export function describeCase(given: Case, problems: readonly Problem[]): string {
  const files = Object.entries(filesOf(given.project)).filter(([path]) =>
    /^(?:models|audits|seeds)\//.test(path),
  );
  return [
    `seed ${given.seed}, ${given.theme}: ${given.project.models.length} models, ${given.steps.length} steps`,
    ...problems.slice(0, 5).map(({ kind, text }) => `  ${kind}: ${text}`),
    '  files:',
    ...files.flatMap(([path, text]) => [
      `    ${path}`,
      ...text
        .trimEnd()
        .split('\n')
        .map((line) => `      ${line}`),
    ]),
    '  steps:',
    ...given.steps.map((step, i) => `    ${i + 1}. ${describeStep(step)}`),
  ].join('\n');
}

function describeStep(step: Step): string {
  switch (step.do) {
    case 'edit':
      return `edit ${step.model}: ${step.edit} (${step.n})`;
    case 'define':
      return `define ${step.definition.name}`;
    case 'pour':
      return `${step.table} gets other rows`;
    case 'data':
      return `rows of the external tables: ${step.change} (${step.n})`;
    case 'advance':
      return `${step.days} days go by`;
    case 'hold':
      return step.isHole === true
        ? `the signal holds back the day that is ${step.after} after the last that is over`
        : `the signal holds back days from ${step.after} after the last that is over`;
    case 'kill':
      return `run prod, killed after commit ${step.at + 1}`;
    case 'janitor':
      return `janitor ${step.later} days later`;
    case 'plan': {
      const words = [
        ...(step.select === undefined ? [] : [`--select ${step.select}`]),
        ...(step.restate === undefined ? [] : [`--restate-model ${step.restate}`]),
        ...(step.start === undefined ? [] : [`--start ${dayText(step.start)}`]),
        ...(step.end === undefined ? [] : [`--end ${dayText(step.end)}`]),
        ...(step.isForwardOnly === true ? ['--forward-only'] : []),
        ...(step.effectiveFrom === undefined ? [] : [`--effective-from ${dayText(step.effectiveFrom)}`]),
        ...(step.mayLose === true ? ['--allow-destructive-model (all)'] : []),
        ...(step.skipsBackfill === true ? ['--skip-backfill'] : []),
        ...(step.withRun === true ? ['--run'] : []),
      ];
      return ['plan', step.environment, ...words].join(' ');
    }
    case 'run':
      return `run ${step.environment}${step.select === undefined ? '' : ` --select ${step.select}`}`;
    default:
      return stepName(step);
  }
}
