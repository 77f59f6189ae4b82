import type { BrokenPerspective } from '../../operations/perspectives/broken-by-plan.ts';
import { counted } from './table.ts';

/** Perspectives that a plan breaks, with what their owners can do. */
export function brokenText(broken: readonly BrokenPerspective[]): readonly string[] {
  if (broken.length === 0) return [];
  return [
    '',
    `Breaks ${counted(broken.length, 'perspective')}`,
    ...broken.flatMap(({ perspective: { slug, owner }, because, rewrite }) => [
      `  ${slug} of ${owner.name}: ${because}`,
      ...(rewrite === undefined
        ? []
        : [
            `    ${rewrite.renames.map(({ model, from, to }) => `${model}.${from} → ${model}.${to}`).join(', ')}: plinth perspective rewrite ${slug}, once the plan is applied`,
          ]),
    ]),
  ];
}
