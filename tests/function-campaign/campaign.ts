import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Call, callsOf } from './calls.ts';
import { allowedFunctions } from './functions.ts';
import { FATAL, type Made, makeCalls } from './run.ts';

// Calls every allowed function with extreme values, in processes of their own. Progress goes to stderr, the findings to stdout, and
// with --list every call to a file. It fails when a call brought a process down or when a function was not called.
//   node tests/function-campaign/campaign.ts --seed 1 --calls 40 [--functions json_,list_] [--seconds 600] [--unbounded] [--list FILE]

/** Processes at once. */
const WORKERS = 2;

export interface CampaignOptions {
  readonly seed: number;
  /** Of each function. */
  readonly calls: number;
  /** Only functions whose names begin so; all without it. */
  readonly functions?: readonly string[];
  readonly seconds?: number;
  readonly runMs?: number;
  readonly isUnbounded?: boolean;
  readonly say?: (line: string) => void;
}

export interface CampaignSummary {
  readonly allowed: number;
  /** Functions that were called, and that DuckDB answered at least once. */
  readonly called: number;
  readonly answered: number;
  readonly calls: number;
  readonly notCalled: readonly string[];
  readonly outcomes: Readonly<Record<string, number>>;
  /** Calls that brought a process down. */
  readonly fatal: readonly Made[];
  /** Calls that went on after an interrupt. */
  readonly deaf: readonly Made[];
  readonly made: readonly Made[];
}

export async function campaign(options: CampaignOptions): Promise<CampaignSummary> {
  const {
    seed,
    calls: count,
    functions = [],
    seconds = 3_600,
    runMs = 1_000,
    isUnbounded = false,
    say = () => undefined,
  } = options;
  const all = await allowedFunctions();
  const chosen = [...all].filter(
    ([name]) => functions.length === 0 || functions.some((part) => name.startsWith(part)),
  );
  const until = performance.now() + seconds * 1_000;
  const made: Made[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    // A process is shared by a few functions: its start takes longer than most calls.
    const SOME = 12;
    for (let at = next; at < chosen.length; at = next) {
      next = at + SOME;
      const calls: readonly Call[] = chosen
        .slice(at, at + SOME)
        .flatMap(([name, overloads]) => callsOf(name, overloads, { seed, count }));
      made.push(...(await makeCalls(calls, { runMs, isUnbounded, until, say })));
      say(
        `${Math.min(next, chosen.length)} of ${chosen.length} functions, ${made.length} calls, ${made.filter(isFatal).length} fatal`,
      );
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const called = new Set(made.map(({ name }) => name));
  const outcomes: Record<string, number> = {};
  for (const { outcome } of made) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return {
    allowed: chosen.length,
    called: called.size,
    answered: new Set(made.filter(({ outcome }) => outcome === 'answered').map(({ name }) => name)).size,
    calls: made.length,
    notCalled: chosen.map(([name]) => name).filter((name) => !called.has(name)),
    outcomes,
    fatal: made.filter(isFatal),
    deaf: made.filter(({ outcome }) => outcome === 'ignores interrupts'),
    made,
  };
}

const isFatal = ({ outcome }: Made): boolean => FATAL.has(outcome);

function tellFindings({ fatal, deaf, ...rest }: CampaignSummary): string {
  const lines = [...fatal, ...deaf].map(
    ({ name, outcome, sql, detail }) => `${outcome}\t${name}\t${sql.slice(0, 300)}\t${detail.slice(0, 200)}`,
  );
  return [
    ...new Set(lines),
    `${rest.called} of ${rest.allowed} functions called, ${rest.answered} answered at least once, ${rest.calls} calls: ${JSON.stringify(rest.outcomes)}`,
    ...(rest.notCalled.length > 0 ? [`not called: ${rest.notCalled.join(' ')}`] : []),
  ].join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      calls: { type: 'string', default: '40' },
      functions: { type: 'string', default: '' },
      seconds: { type: 'string', default: '3600' },
      unbounded: { type: 'boolean', default: false },
      list: { type: 'string' },
    },
  });
  const summary = await campaign({
    seed: Number(values.seed),
    calls: Number(values.calls),
    functions: values.functions.split(',').filter((part) => part !== ''),
    seconds: Number(values.seconds),
    isUnbounded: values.unbounded,
    say: (line) => console.error(line),
  });
  if (values.list !== undefined)
    writeFileSync(values.list, summary.made.map((call) => `${JSON.stringify(call)}\n`).join(''));
  console.log(tellFindings(summary));
  process.exit(summary.fatal.length === 0 && summary.notCalled.length === 0 ? 0 : 1);
}
