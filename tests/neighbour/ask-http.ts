import { type Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface HttpQuestion {
  readonly agent: Agent;
  readonly token: string;
  readonly path: string;
  readonly method?: string;
  readonly body?: string | undefined;
  readonly msMax: number;
  /** How the answer is read: as fast as it comes, slowly, or not to its end. */
  readonly reading?: 'all' | 'slow' | 'hang up';
}

const KEPT_MAX = 1_000_000;
const SLOW_MS = 20;
const HANG_UP_BYTES = 100_000;

/** Status 0 when there was no answer in time. The text is cut after a million characters; the rest is read all the same. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
}

export function askHttp(
  url: string,
  { agent, token, path, method, body, msMax, reading = 'all' }: HttpQuestion,
): Promise<HttpAnswer> {
  return new Promise((resolve) => {
    const { port } = new URL(url);
    let text = '';
    let bytes = 0;
    let status = 0;
    const asked = request({
      host: '127.0.0.1',
      port,
      agent,
      path,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        // The Platform API takes tokens in a header of their own.
        ...(path.startsWith('/platform-api/') ? { apikey: token } : { authorization: `Bearer ${token}` }),
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
    });
    const late = setTimeout(() => asked.destroy(), msMax);
    const end = (problem?: Error): void => {
      clearTimeout(late);
      resolve({
        status: problem === undefined ? status : 0,
        text: problem === undefined ? text : String(problem),
        bytes,
      });
    };
    asked.on('error', end);
    asked.on('response', async (answer) => {
      status = answer.statusCode ?? 0;
      try {
        for await (const chunk of answer) {
          bytes += (chunk as Buffer).length;
          if (text.length < KEPT_MAX) text += (chunk as Buffer).toString('utf8');
          if (reading === 'slow') await sleep(SLOW_MS);
          if (reading === 'hang up' && bytes > HANG_UP_BYTES) break;
        }
        if (reading === 'hang up') asked.destroy();
        end();
      } catch (problem) {
        end(problem as Error);
      }
    });
    asked.end(body);
  });
}
