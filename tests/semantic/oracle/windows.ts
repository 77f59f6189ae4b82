import type { Component, Question } from './question.ts';
import type { Row, Value } from './value.ts';

type Groups = Map<string, { dimensions: readonly Value[]; rows: readonly Row[] }>;

/** Groups of a component with a window or shift; undefined for plain ones. */
export function windowGroups(_question: Question, component: Component): Groups | undefined {
  if (component.measure?.rolling === undefined && component.shifts.length === 0) return undefined;
  throw new Error('windows are not computed yet');
}
