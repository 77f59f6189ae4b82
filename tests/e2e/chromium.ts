import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The browser of this machine; undefined when it has none, which tests say in their names. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

/** One page of a browser without a window, driven as a person with a keyboard would. */
export interface BrowserPage {
  open(url: string): Promise<void>;
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until an expression is true, a few seconds at most. */
  until(expression: string): Promise<void>;
  type(text: string): Promise<void>;
  press(key: string, modifiers?: { readonly control?: boolean }): Promise<void>;
  /** What the browser complained about: exceptions, refused loads, violations of the page's policy. */
  readonly complaints: readonly string[];
  /** Addresses that were asked for. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

const KEYS: Readonly<Record<string, number>> = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  ArrowDown: 40,
  Delete: 46,
  ' ': 32,
};
const UNTIL_MS_MAX = 20_000;

export async function browserPage(program: string): Promise<BrowserPage> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-browser-'));
  const child = spawn(
    program,
    [
      '--headless=new',
      '--no-sandbox',
      '--remote-debugging-port=0',
      `--user-data-dir=${folder}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const port = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const [, found] = /ws:\/\/127\.0\.0\.1:(\d+)\//.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on('close', () => reject(new Error(said)));
  });
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as readonly {
    readonly type: string;
    readonly webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const complaints: string[] = [];
  const requests: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    if (message.method === 'Network.requestWillBeSent') requests.push(message.params?.request?.url ?? '');
    if (message.method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(message.params));
    if (
      message.method === 'Log.entryAdded' &&
      ['error', 'warning'].includes(message.params?.entry?.level ?? '')
    )
      complaints.push(JSON.stringify(message.params?.entry));
  });
  let last = 0;
  const send = (method: string, params: object = {}): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
  const evaluate = async (expression: string): Promise<unknown> =>
    (await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })).result?.result
      ?.value;
  const press: BrowserPage['press'] = async (key, { control = false } = {}) => {
    const event = { key, windowsVirtualKeyCode: KEYS[key], modifiers: control ? 2 : 0 };
    await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  };
  const until = async (expression: string): Promise<void> => {
    for (let left = UNTIL_MS_MAX / 50; left > 0; left--) {
      if ((await evaluate(expression)) === true) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`never true: ${expression}`);
  };
  return {
    complaints,
    requests,
    evaluate,
    press,
    until,
    async open(url) {
      await send('Page.navigate', { url });
      await until(`location.href.startsWith(${JSON.stringify(url)}) && document.readyState === 'complete'`);
    },
    async type(text) {
      for (const key of text) {
        await send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key });
        await send('Input.dispatchKeyEvent', { type: 'keyUp', key });
      }
    },
    async close() {
      socket.close();
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly params?: {
    readonly request?: { readonly url: string };
    readonly entry?: { readonly level: string };
  };
}
