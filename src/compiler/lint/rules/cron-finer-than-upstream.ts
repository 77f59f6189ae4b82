import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { parseCron } from '../../../foundation/time/cron.ts';
import { type LintRule, nameRange, ownModels } from '../lint-rule.ts';

/** How far apart the ticks of a cron are; undefined when it cannot be read (that is reported elsewhere). */
function spacingOf(cron: string, zone: string | undefined): number | undefined {
  const parsed = parseCron(cron, zone ?? 'UTC');
  return parsed.kind === 'cron' ? parsed.spacingMs : undefined;
}

export const cronFinerThanUpstream: LintRule = {
  name: 'cron-finer-than-upstream',
  byDefault: 'warning',
  why: 'A model cannot be fresher than what it reads.',
  examples: {
    bad: {
      'models/orders.sql':
        "MODEL (name marts.orders, kind FULL, cron '@daily');\nSELECT order_id FROM raw.orders\n",
      'models/recent.sql':
        "MODEL (name marts.recent, kind FULL, cron «'@hourly'»);\nSELECT order_id FROM marts.orders\n",
    },
    good: {
      'models/orders.sql':
        "MODEL (name marts.orders, kind FULL, cron '@hourly');\nSELECT order_id FROM raw.orders\n",
      'models/recent.sql':
        "MODEL (name marts.recent, kind FULL, cron '@hourly');\nSELECT order_id FROM marts.orders\n",
    },
    unless: [
      {
        because: 'a view is always as fresh as what it reads',
        files: {
          'models/orders.sql':
            "MODEL (name marts.orders, kind VIEW, cron '@daily');\nSELECT order_id FROM raw.orders\n",
          'models/recent.sql':
            "MODEL (name marts.recent, kind FULL, cron '@hourly');\nSELECT order_id FROM marts.orders\n",
        },
      },
    ],
  },
  check({ project }) {
    const own = ownModels(project);
    // When an external table is filled is known only where its file says so.
    const reported = project.models.filter(
      ({ kind, ranges }) => kind.kind === 'external' && ranges['cron'] !== undefined,
    );
    const scheduled = new Map([...own, ...reported].map((model) => [model.name, model]));
    return own.flatMap((model) => {
      const spacing = spacingOf(model.cron, model.cronTz);
      return model.dependencies.flatMap((name) => {
        const upstream = scheduled.get(name);
        // Seeds change with their file and views are always as fresh as what they read: neither has a rhythm of its own.
        if (
          upstream === undefined ||
          spacing === undefined ||
          ['seed', 'view', 'embedded'].includes(upstream.kind.kind) ||
          model.kind.kind === 'view'
        )
          return [];
        const theirs = spacingOf(upstream.cron, upstream.cronTz);
        if (theirs === undefined || spacing >= theirs) return [];
        const parameters = {
          model: model.name,
          cron: model.cron,
          upstream: name,
          upstreamCron: upstream.cron,
        };
        return [
          {
            model: model.name,
            diagnostic: diagnostic('lint.cron-finer-than-upstream', parameters, {
              at: model.ranges['cron'] ?? nameRange(model),
            }),
          },
        ];
      });
    });
  },
};
