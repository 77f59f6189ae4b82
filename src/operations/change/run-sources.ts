import type { Plan } from '../../domain/plan.ts';
import type { Run } from '../../domain/run.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import type { SourceRange } from '../../foundation/diagnostics/diagnostic.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Texts of the files that the errors of a run are about, so that they have lines. A run works from applied state: a file
 * that was edited since is left out, because the offsets are those of the text that was applied.
 */
export async function runSources(
  { files }: Pick<Workspace, 'files'>,
  { state }: OpenedWorldReader,
  { run, plan }: { readonly run: Run; readonly plan?: Plan },
): Promise<ReadonlyMap<string, string>> {
  const places = [run.error?.at, ...run.models.map(({ error }) => error?.at)].flatMap((at) => at?.file ?? []);
  if (places.length === 0) return new Map();
  const read = (await files.read([...new Set(places)])).files;
  const contents = await contentsIn(state, run, plan);
  return new Map(
    [...read].filter(([file, text]) => {
      const own = contents.filter(({ model }) => model.file === file);
      // Only statements around everything stand in no model's file.
      return own.length > 0 ? own.every((content) => isSame(content, text)) : isKey(run.error?.at, text);
    }),
  );
}

const isKey = (at: SourceRange | undefined, text: string): boolean =>
  /^(before|after)_all$/.test(text.slice(at?.start, at?.end));

async function contentsIn(
  { snapshots }: OpenedWorldReader['state'],
  { environment, models }: Run,
  plan: Plan | undefined,
): Promise<readonly SnapshotContent[]> {
  const failed = new Set(models.filter(({ error }) => error !== undefined).map(({ name }) => name));
  const entries = plan?.target.entries ?? (await snapshots.environment(environment))?.entries ?? [];
  const fresh = new Map(plan?.snapshots.map(({ snapshot, content }) => [snapshot.fingerprint, content]));
  const wanted = entries
    .filter(({ model }) => failed.has(model))
    .map(({ fingerprint }) => fingerprint)
    .filter((fingerprint) => !fresh.has(fingerprint));
  return [...fresh.values(), ...(await snapshots.contents(wanted)).values()];
}

function isSame({ model: { source } }: SnapshotContent, text: string): boolean {
  if (source.kind !== 'sql') return true;
  const { query } = source;
  return text.slice(query.start, query.start + query.text.length) === query.text;
}
