import type { Audit } from './audit.ts';
import type { Model } from './model.ts';

/** No model can be called so. */
const standaloneName = (audit: string): string => `plinth__audit.${audit}`;

/** The standalone audits of a project that are not skipped, each as a model of its own. */
export function standaloneModels(audits: readonly Audit[]): readonly Model[] {
  return audits.filter(({ isStandalone, skip }) => isStandalone && !skip).map(standaloneModel);
}

function standaloneModel(audit: Audit): Model {
  const { name, file, dialect, at } = audit;
  return {
    name: standaloneName(name),
    file,
    kind: { kind: 'embedded' },
    source: { kind: 'external' },
    dialect,
    cron: '@daily',
    ...{ grains: [], references: [], tags: [], terms: [], columnDescriptions: {}, columnTags: {} },
    audits: [{ name, arguments: {}, at }],
    inlineAudits: [audit],
    ...{ declaredDependencies: [], partitionedBy: [], clusteredBy: [] },
    ...{ physicalProperties: {}, virtualProperties: {}, sessionProperties: {} },
    ...{ isEnabled: true, allowPartials: false, ignoredRules: [], signals: [], profiles: [] },
    ...{ optimizeQuery: false, blueprint: {}, dependencies: [], columns: [], hasAllColumns: true },
    ...{ lineage: [], reads: {}, usedMacros: {} },
    ranges: { name: at, audits: at },
  };
}
