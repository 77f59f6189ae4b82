import { partyKey, targetKey } from './follower.ts';
import type { Impact, ImpactReport, Reached } from './impact.ts';
import { LOCAL_ADMIN } from './local-admin.ts';
import { maySee, type PerspectiveViewer } from './perspective.ts';

/** Who reads what a change reaches. */
export interface ImpactReader {
  readonly viewer: PerspectiveViewer;
  /** Keys of those in whose names they follow; `all`: who administers the product knows all followers. */
  readonly parties: 'all' | ReadonlySet<string>;
  /** Whether statements of others may be read. */
  readonly seesStatements: boolean;
  /** Absent: the names of all models, members and metrics. */
  readonly knows?: {
    readonly models: ReadonlySet<string>;
    /** `semantic.member`, in lower case. */
    readonly members: ReadonlySet<string>;
    readonly metrics: ReadonlySet<string>;
  };
}

/** The owner of a folder, at the command line: private perspectives of users stay theirs. */
export const OWNER_READER: ImpactReader = {
  viewer: {
    principalId: LOCAL_ADMIN.principalId,
    shareKeys: [`user:${LOCAL_ADMIN.principalId}`],
    isAdmin: true,
  },
  parties: 'all',
  seesStatements: true,
};

/** What one reader may see of it: of others' private perspectives, followers and statements nothing, not even how many there are. */
export function impactFor(report: ImpactReport, reader: ImpactReader): ImpactReport {
  const { viewer, parties, seesStatements, knows } = reader;
  const perspectives = report.perspectives.filter(({ perspective }) => maySee(perspective, viewer));
  const untouched = {
    ...report.untouched,
    perspectives: report.untouched.perspectives.filter((each) => maySee(each, viewer)),
  };
  const consumers = report.consumers.filter(
    ({ principalId }) => seesStatements || principalId === viewer.principalId,
  );
  const shownIds = new Set(
    perspectives.map(({ perspective: { id } }) => targetKey({ kind: 'perspective', name: id })),
  );
  const followers = report.followers.filter(
    ({ party, target }) =>
      (parties === 'all' || parties.has(partyKey(party))) &&
      (!target.startsWith('perspective:') || shownIds.has(target)),
  );
  const shown = { ...report, perspectives, consumers, followers, untouched };
  return knows === undefined ? shown : namesFor(shown, knows);
}

function namesFor(report: ImpactReport, knows: NonNullable<ImpactReader['knows']>): ImpactReport {
  const { models, members, metrics } = knows;
  // `model.column`, or the name of a model, a semantic model or a metric.
  const isKnown = (text: string): boolean =>
    models.has(text) ||
    models.has(text.slice(0, Math.max(0, text.lastIndexOf('.')))) ||
    members.has(text.toLowerCase()) ||
    metrics.has(text) ||
    [...members].some((member) => member.startsWith(`${text.toLowerCase()}.`));
  const through = <Each extends { readonly through: readonly string[] }>(each: Each): Each => ({
    ...each,
    through: each.through.filter(isKnown),
  });
  const semantics = report.semantics.flatMap((each): readonly Impact[] => {
    const kept = { ...each, through: each.through.filter(isKnown) };
    if (each.kind === 'metric') return metrics.has(each.name) ? [kept] : [];
    const shown = each.members.filter((member) => members.has(`${each.name}.${member}`.toLowerCase()));
    return shown.length === 0 ? [] : [{ ...kept, members: shown }];
  });
  const rowsOf = (rows: Reached | undefined): { readonly rows?: Reached } =>
    rows === undefined ? {} : { rows: through(rows) };
  return {
    models: report.models.flatMap((each) =>
      models.has(each.name) ? [{ ...each, ...rowsOf(each.rows), columns: each.columns.map(through) }] : [],
    ),
    semantics,
    perspectives: report.perspectives.map(through),
    consumers: report.consumers.map(through).filter((each) => each.through.length > 0),
    followers: report.followers.filter(({ target }) => {
      const [, kind, name = ''] = /^(model|metric):(.*)$/s.exec(target) ?? [];
      return kind === undefined || (kind === 'model' ? models : metrics).has(name);
    }),
    untouched: {
      ...report.untouched,
      models: report.untouched.models.filter((name) => models.has(name)),
      members: report.untouched.members.filter((name) => members.has(name.toLowerCase())),
      metrics: report.untouched.metrics.filter((name) => metrics.has(name)),
    },
  };
}
