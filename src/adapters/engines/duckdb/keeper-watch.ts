/** What a keeper looks after while statements run, and ends for when there is no other way. */
import type { KeeperSession } from './keeper-session.ts';
import type { WireError } from './keeper-wire.ts';

interface Watched {
  readonly running: () => readonly KeeperSession[];
  readonly end: (error: WireError) => void;
}

export const LOST: WireError = {
  code: 'engine.lost',
  parameters: { detail: 'a statement of another caller needed too much memory' },
  isRetryable: true,
};

const callsOf = (sessions: readonly KeeperSession[]): ReadonlySet<object> =>
  new Set(sessions.flatMap(({ running }) => running ?? []));

const WATCH_MS = 50;
/** What readers had is given back within so long after they were stopped; far above the limit there is less time. */
const READERS_FIRST_MS = 2_500;
const READERS_FIRST_MS_FAR = 1_000;
const FAR = 1.25;
/** From when everything was stopped to the end of the keeper. */
const OBEY_MS = 1_000;

/**
 * DuckDB's own limit does not cover everything it allocates: beyond ours, what runs is stopped, first what only
 * reads, a moment later the rest, and if that does not help, the keeper.
 */
export function watchMemory({ residentMax, running, end }: Watched & { readonly residentMax: number }): void {
  let since: number | undefined;
  /** Calls, not sessions: the next call of a session may be another's. */
  const suspects = new Set<object>();
  /** What ran when the memory was last within its limit. */
  let before: ReadonlySet<object> = new Set();
  let hadReaders = false;
  setInterval(() => {
    const resident = process.memoryUsage.rss();
    if (resident <= residentMax) {
      since = undefined;
      hadReaders = false;
      suspects.clear();
      before = callsOf(running());
      return;
    }
    const megabytes = Math.round(resident / 1024 ** 2);
    const all = running();
    since ??= Date.now();
    const readers = all.filter((session) => session.isReading);
    for (const call of [...before, ...callsOf(all)]) suspects.add(call);
    hadReaders ||= readers.length > 0;
    const isFar = resident > residentMax * FAR;
    const firstMs = !hadReaders ? 0 : isFar ? READERS_FIRST_MS_FAR : READERS_FIRST_MS;
    const stopped = Date.now() - since < firstMs ? readers : all;
    const error: WireError = {
      code: 'engine.out-of-memory',
      parameters: { detail: `the process that keeps the database has grown to ${megabytes} MB` },
      // Of several statements only one may be the cause, also one that has ended since; alone, each may fit.
      isRetryable: suspects.size > 1 || before.size === 0,
    };
    for (const session of stopped) session.stop(error);
    if (Date.now() - since < Math.max(firstMs, OBEY_MS) + OBEY_MS) return;
    // What still runs did not obey; the others lose the keeper through no fault of theirs.
    for (const session of all) session.blame(error);
    end(all.length === 0 ? error : LOST);
  }, WATCH_MS).unref();
}

/** DuckDB's parser obeys no interrupt. On a machine that is busy with others it may take longer, but not more of this process. */
const INSPECT_MS = 5_000;
const INSPECT_CPU_MS = 3_000;
const INSPECTIONS_WATCH_MS = 250;

/** Ends the keeper when DuckDB reads a text for too long, and says so to its sender. */
export function watchInspections({ running, end }: Watched): void {
  const begun = new Map<object, { readonly at: number; readonly cpu: NodeJS.CpuUsage }>();
  setInterval(() => {
    const inspecting = running().filter((session) => session.inspection !== undefined);
    const tokens = new Set(inspecting.map(({ inspection }) => inspection));
    for (const token of begun.keys()) if (!tokens.has(token)) begun.delete(token);
    const late = inspecting.filter(({ inspection = {} }) => {
      const known = begun.get(inspection) ?? { at: performance.now(), cpu: process.cpuUsage() };
      begun.set(inspection, known);
      const { user, system } = process.cpuUsage(known.cpu);
      return performance.now() - known.at > INSPECT_MS && (user + system) / 1_000 > INSPECT_CPU_MS;
    });
    if (late.length === 0) return;
    const seconds = INSPECT_MS / 1_000;
    for (const session of late) session.blame({ code: 'query.too-costly', parameters: { seconds } });
    end({ ...LOST, parameters: { detail: 'a text of another caller took too long to read' } });
  }, INSPECTIONS_WATCH_MS).unref();
}
