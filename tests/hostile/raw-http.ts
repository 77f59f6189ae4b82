import { connect } from 'node:net';

/** What came back on a connection: the first answer in parts, and everything as it came. */
export interface RawAnswer {
  /** 0 when nothing came that looks like an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly text: string;
  /** How many answers came. */
  readonly count: number;
  /** The server closed the connection by itself. */
  readonly isClosed: boolean;
}

export interface RawOptions {
  /** Half-closes the connection when everything is sent. */
  readonly end?: boolean;
  /** Waits until the server closes, for at most as long. */
  readonly untilClosedMs?: number;
}

const PATIENCE_MS = 10_000;

/** Sends bytes as they are to this machine; ends when an answer is whole, or as the options say. */
export function rawHttp(port: number, bytes: string | Buffer, options: RawOptions = {}): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let isClosed = false;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes);
      if (options.end === true) socket.end();
    });
    const timer = setTimeout(() => socket.destroy(), options.untilClosedMs ?? PATIENCE_MS);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (options.untilClosedMs === undefined && isWhole(Buffer.concat(chunks).toString('latin1')))
        socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => {
      isClosed = true;
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ ...partsOf(Buffer.concat(chunks).toString('utf8')), isClosed });
    });
  });
}

const HEAD = /^HTTP\/1\.[01] (\d{3}) [^\r]*\r\n([\s\S]*?)\r\n\r\n/;

function isWhole(text: string): boolean {
  const [whole, status, head = ''] = HEAD.exec(text) ?? [];
  if (whole === undefined || status === '100') return false;
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return text.length - whole.length >= Number(length);
  return /^transfer-encoding: chunked/im.test(head) ? text.endsWith('0\r\n\r\n') : true;
}

function partsOf(text: string): Omit<RawAnswer, 'isClosed'> {
  const [whole = '', status = '0', head = ''] = HEAD.exec(text) ?? [];
  return {
    status: Number(status),
    head,
    body: text.slice(whole.length),
    text,
    count: text.match(/HTTP\/1\.[01] \d{3} /g)?.length ?? 0,
  };
}

/** The code of a problem; undefined when the answer is none. */
export function codeOf({ head, body }: RawAnswer): string | undefined {
  if (!/^content-type: application\/problem\+json/im.test(head)) return undefined;
  const [json = ''] = /\{.*\}/s.exec(body) ?? [];
  try {
    return (JSON.parse(json) as { readonly code: string }).code;
  } catch {
    return undefined;
  }
}
