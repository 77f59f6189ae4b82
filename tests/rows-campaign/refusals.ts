/** Refusals that are right: the code, and when it may be heard. Everything else that is refused is a problem. */
import { isForwardOnlyKind, isRebuiltWhole, modelOf, type Project, readsOf } from './definition.ts';
import type { Names } from './oracle.ts';
import type { Step } from './steps.ts';

export interface RefusedStep {
  readonly step: Step;
  readonly project: Project;
  /** What the project is compared with. */
  readonly before: Names | undefined;
  readonly isThere: boolean;
}

type Condition = (refused: RefusedStep) => boolean;

/** A forward-only change takes a column away or makes it narrower. */
const losesColumn: Condition = ({ step, project, before }) =>
  step.do === 'plan' &&
  project.models.some((model) => {
    const shown = before?.get(model.name);
    const isForward = step.isForwardOnly === true || isForwardOnlyKind(model.kind);
    return (
      isForward &&
      shown !== undefined &&
      JSON.stringify(shown.definition.query) !== JSON.stringify(model.query)
    );
  });

const isSelected: Condition = ({ step }) => step.do === 'plan' && step.select !== undefined;

/** What is restated, or something below it, cannot be filled for a part of its time. */
const restatesWhole: Condition = ({ step, project }) => {
  if (step.do !== 'plan' || step.restate === undefined) return false;
  const reached = new Set([step.restate]);
  for (const model of project.models)
    if (readsOf(model).some((name) => reached.has(name))) reached.add(model.name);
  return [...reached].some((name) => {
    const model = modelOf(project, name);
    return model !== undefined && (isRebuiltWhole(model.kind) || model.query?.past !== undefined);
  });
};

const isMissing: Condition = ({ isThere }) => !isThere;

const ALLOWED: Readonly<Record<string, Condition>> = {
  'plan.destructive-change': losesColumn,
  'plan.loss-while-filling': losesColumn,
  'plan.unselected-parent': isSelected,
  'plan.kept-reader': isSelected,
  'plan.broken-reference': isSelected,
  'plan.unknown-model': ({ step, project, before }) => {
    const name =
      step.do === 'plan' ? (step.restate ?? step.select) : step.do === 'run' ? step.select : undefined;
    return name !== undefined && (modelOf(project, name) === undefined || before?.get(name) === undefined);
  },
  'plan.cannot-roll-back': ({ step }) => step.do === 'rollback',
  'plan.no-promotion': ({ step }) => step.do === 'rollback',
  'environment.unknown': isMissing,
  'plan.bad-range': ({ step }) => step.do === 'plan' && step.start !== undefined,
};

/** Why a refusal is wrong, in words; undefined when it is right. */
export function refusalProblem(code: string, refused: RefusedStep): string | undefined {
  if (ALLOWED[code]?.(refused) === true) return undefined;
  // Which code says that is the product's choice.
  if (code.startsWith('plan.') && restatesWhole(refused)) return undefined;
  return `refused with ${code}`;
}
