import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { LintRule } from '../lint-rule.ts';

export const noMissingExternal: LintRule = {
  name: 'no-missing-external',
  byDefault: 'off',
  why: 'Declared external tables have known columns, so lineage reaches the source.',
  examples: {
    bad: { 'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT id FROM «other.lines»\n' },
    good: {
      'models/a.sql': 'MODEL (name marts.a, kind FULL);\nSELECT id FROM other.lines\n',
      'external_models.yaml': '- name: other.lines\n  columns: {id: int, amount: decimal}\n',
    },
  },
  check({ project, tables }) {
    const known = new Set(project.models.map(({ name }) => name));
    return project.models.flatMap((model) => {
      const missing = model.dependencies.filter((table) => !known.has(table));
      if (missing.length === 0) return [];
      const uses = new Map(tables(model).map((use) => [use.name, use]));
      return missing.map((table) => {
        const use = uses.get(table);
        const at =
          use === undefined ? model.ranges['query'] : { file: model.file, start: use.start, end: use.end };
        const found = diagnostic('lint.no-missing-external', { model: model.name, table }, { at });
        return { model: model.name, diagnostic: found };
      });
    });
  },
};
