/** Sends attacks on a few connections as fast as the server takes them, and counts what came back. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { askHttp, type HttpAnswer } from './ask-http.ts';
import type { Attack, Attacks } from './attacks.ts';

const ANSWER_MS_MAX = 20_000;
const REFUSALS_MAX = 30;

export interface AttackerReport {
  readonly sent: number;
  readonly bytesRead: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** How many different functions, productions and operations were tried. */
  readonly tried: Readonly<Record<string, number>>;
  /** Answers that call themselves a mistake of the server, the first ones. */
  readonly bugs: readonly string[];
  /** Callers that the server suspended. */
  readonly suspended: number;
}

export async function attack(
  server: { readonly url: string },
  {
    attacks,
    tokens,
    connections,
  }: { readonly attacks: Attacks; readonly tokens: readonly string[]; readonly connections: number },
  isOver: () => boolean,
): Promise<AttackerReport> {
  const byStatus: Record<string, number> = {};
  const tried = new Map<string, Set<string>>();
  const bugs: string[] = [];
  let sent = 0;
  let bytesRead = 0;
  let suspended = 0;
  /** Statements that were accepted and may not have begun. */
  const accepted: { readonly attack: Attack; readonly id: string; readonly token: string }[] = [];
  const count = ({ kind, what }: Attack): void => {
    const known = tried.get(kind) ?? new Set();
    tried.set(kind, known.add(what));
  };
  const remember = (attack: Attack, token: string, { status, text }: HttpAnswer): void => {
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    // Nothing was looked at.
    if (status === 429) return;
    const { kind, what } = attack;
    const [, id] = status === 202 && kind !== 'operation' ? (/"id":"([^"]+)"/.exec(text) ?? []) : [];
    if (id === undefined) count(attack);
    else accepted.push({ attack, id, token });
    if (/"(?:http|statement)\.bug"/.test(text) && bugs.length < 20)
      bugs.push(`${kind} ${what}: ${text.slice(0, 600)}`);
  };
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      let next = attacks.next();
      for (let refusals = 0; !isOver(); ) {
        const who = suspended;
        const token = tokens[who] ?? '';
        const answer = await askHttp(server.url, { ...next, agent, token, msMax: ANSWER_MS_MAX });
        const { status, text, bytes } = answer;
        sent++;
        bytesRead += bytes;
        remember(next, token, answer);
        // A caller that brought the engine down too often is heard no longer; the next one goes on.
        const isSuspended = status === 429 && text.includes('"statement.suspended"');
        if (isSuspended && who === suspended && who < tokens.length - 1) suspended++;
        // The permitted rate is what the server says it is; what it refused is sent again, for a while.
        else if (status === 429) await sleep(100);
        const isAgain = status === 429 && ++refusals < REFUSALS_MAX;
        if (isAgain) continue;
        next = attacks.next();
        refusals = 0;
      }
      agent.destroy();
    }),
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const { attack, id, token } of accepted) {
    const path = `${attack.path}/${id}`;
    const { text } = await askHttp(server.url, { path, agent, token, msMax: ANSWER_MS_MAX });
    // What has not begun has cost no one anything.
    if (/"status":"(?:IN_PROGRESS|SUCCESS|FAILED|CANCELLED)"/.test(text)) count(attack);
    // Well below the permitted rate.
    await sleep(15);
  }
  agent.destroy();
  return {
    sent,
    bytesRead,
    byStatus,
    tried: Object.fromEntries([...tried].map(([kind, what]) => [kind, what.size])),
    bugs,
    suspended,
  };
}
