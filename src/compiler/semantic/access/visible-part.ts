import type { MemberFacts } from '../../../domain/semantic-model.ts';
import type { Semantics } from '../../../domain/semantics.ts';
import type { VisibleSemantics } from '../../../domain/visible-semantics.ts';

/** Semantics without what a caller does not see of them. */
export function visiblePart<Whole extends Semantics>(whole: Whole, view: VisibleSemantics): Whole {
  const models = new Map(view.models.map((model) => [model.name.toLowerCase(), model]));
  const metrics = new Map(view.metrics.map((metric) => [metric.name, metric]));
  return {
    ...whole,
    semanticModels: whole.semanticModels.flatMap((semantic) => {
      const shown = models.get(semantic.name.value.toLowerCase());
      if (shown === undefined) return [];
      const names = new Set(shown.members.map(({ name }) => name.toLowerCase()));
      const isShown = ({ name }: MemberFacts): boolean => names.has(name.value.toLowerCase());
      return {
        ...semantic,
        ...(semantic.dimensions === undefined ? {} : { dimensions: semantic.dimensions.filter(isShown) }),
        measures: semantic.measures.filter(isShown),
        segments: semantic.segments.filter(isShown),
        joins: semantic.joins.filter(({ model }) => models.has(model.value.toLowerCase())),
      };
    }),
    metrics: whole.metrics.flatMap((metric) => {
      const shown = metrics.get(metric.name.value);
      if (shown === undefined) return [];
      const names = new Set(shown.dimensions.map(({ name }) => name));
      return { ...metric, dimensions: metric.dimensions.filter(({ name }) => names.has(name)) };
    }),
  };
}
