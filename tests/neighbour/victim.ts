/** Asks all the time, on connections of its own, and remembers how long each answer took and which were wrong. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { askHttp } from './ask-http.ts';
import { type Asked, questions } from './victim-questions.ts';

const PAUSE_MS = 50;
/** An answer that takes longer is a failure. */
const ANSWER_MS_MAX = 30_000;

export interface VictimReport {
  readonly asked: number;
  /** Milliseconds, sorted. */
  readonly times: Readonly<Record<Asked['kind'], readonly number[]>>;
  /** What went wrong, the first ones. */
  readonly wrong: readonly string[];
  readonly wrongCount: number;
}

/** Until `isOver`; at least one round. */
export async function askAsVictim(
  server: { readonly url: string; readonly base: string },
  token: string,
  isOver: () => boolean,
): Promise<VictimReport> {
  const times: Record<Asked['kind'], number[]> = { 'without engine': [], cached: [], fresh: [] };
  const wrong: string[] = [];
  let wrongCount = 0;
  let asked = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  for (let n = 0; n === 0 || !isOver(); n++)
    for (const question of questions(server.base, n)) {
      const begun = performance.now();
      const { status, text } = await askHttp(server.url, {
        agent,
        token,
        path: question.path,
        body: question.body === undefined ? undefined : JSON.stringify(question.body),
        msMax: ANSWER_MS_MAX,
      });
      asked++;
      times[question.kind].push(performance.now() - begun);
      if (!isRight(question, status, text)) {
        wrongCount++;
        if (wrong.length < 10)
          wrong.push(`${question.kind} ${question.path} ${status} ${text.slice(0, 2_000)}`);
      }
      await sleep(PAUSE_MS);
    }
  agent.destroy();
  for (const each of Object.values(times)) each.sort((a, b) => a - b);
  return { asked, times, wrong, wrongCount };
}

function isRight({ isRight: check }: Asked, status: number, text: string): boolean {
  try {
    return check(status, JSON.parse(text) as Readonly<Record<string, unknown>>);
  } catch {
    return false;
  }
}

/** The smallest of the sorted times that is not exceeded by this share of them. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
