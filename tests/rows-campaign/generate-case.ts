/** A case by its seed: which theme it has, what its project is, and what happens to it. */
import { FEATURES, type Feature, THEMES, type Theme } from './features.ts';
import { generateProject } from './generate.ts';
import { firstRows } from './sources.ts';
import { type Case, generateSteps } from './steps.ts';
import { chanceOf } from './values.ts';

export interface CaseRequest {
  readonly seed: number;
  readonly steps: number;
  /** By the seed when absent. */
  readonly theme?: string | undefined;
  readonly without?: readonly Feature[];
}

export function generateCase({ seed, steps, theme: wanted, without = [] }: CaseRequest): Case {
  const theme =
    wanted === undefined ? THEMES[seed % THEMES.length] : THEMES.find(({ name }) => name === wanted);
  if (theme === undefined) throw new Error(`there is no theme ${wanted}`);
  const features = featuresOf(theme, without);
  const chance = chanceOf(seed * 7919 + 13);
  const project = generateProject(chance, features);
  return {
    seed,
    theme: theme.name,
    features: [...features],
    project,
    rows: firstRows(chance, features.has('null-times')),
    steps: generateSteps(project, steps, { chance, features }),
  };
}

function featuresOf({ features }: Theme, without: readonly Feature[]): ReadonlySet<Feature> {
  return new Set(FEATURES.filter((feature) => features.includes(feature) && !without.includes(feature)));
}
