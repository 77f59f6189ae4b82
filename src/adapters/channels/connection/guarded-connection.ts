/*
 * A connection to a place that a person named, and to nothing behind it. A name is looked up once; the socket connects to an
 * address that was checked, so a name that leads elsewhere a moment later is not asked again:
 *
 *   host ─▶ address? ─ no ─▶ lookup ─▶ every address is checked ─▶ connect to the address ─▶ TLS with the name
 *              └─ yes ──────────────────────┘      └─ one is not allowed: none is connected to
 *
 * The certificate has to be that of the name, so an address that is taken over does not help either.
 */
import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ChannelReach } from '../../../domain/channel.ts';
import { mayReach, NOT_PUBLIC, plainHost } from '../../../domain/channel-address.ts';
import { SendProblem } from './send-problem.ts';

/** Further addresses of a name are for when the first ones do not answer. */
const ADDRESSES_MAX = 4;
const CONNECT_MS = 5000;

export interface HostPlace {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

/** How places are reached; what production leaves out, tests set. */
export interface Reaching extends ChannelReach {
  /** All addresses of a name. */
  readonly lookup?: (host: string) => Promise<readonly string[]>;
  readonly mayReach?: (address: string) => boolean;
  /** Certificates of authorities to trust in the place of those of Node. */
  readonly authorities?: string;
  /** For one attempt as a whole. */
  readonly totalMs?: number;
}

/** Ends with a SendProblem when the place may not be reached or does not answer; the socket is destroyed on abort. */
export async function guardedConnection(
  place: HostPlace,
  reaching: Reaching,
  signal: AbortSignal,
): Promise<Socket> {
  const host = plainHost(place.host);
  if (host === undefined)
    throw new SendProblem('the host is not a name and not an address', { isPermanent: true });
  const isAllowed = reaching.mayReach ?? ((address: string) => mayReach(address, reaching));
  const isLiteral = isIP(host) !== 0;
  const addresses = isLiteral ? [host] : await addressesOf(host, reaching, signal);
  if (!addresses.every(isAllowed)) throw new SendProblem(NOT_PUBLIC, { isPermanent: isLiteral });
  let problem: unknown;
  for (const address of addresses.slice(0, ADDRESSES_MAX)) {
    signal.throwIfAborted();
    try {
      const socket = await connected({ address, port: place.port, isAllowed }, signal);
      return place.isEncrypted ? await encrypted(socket, { host, reaching }, signal) : socket;
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

async function addressesOf(
  host: string,
  { lookup: own = systemLookup }: Reaching,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found = await ended(own(host), signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new SendProblem(`the host ${host} cannot be found (${codeOf(cause)})`, { cause });
  });
  if (found.length === 0) throw new SendProblem(`the host ${host} has no address`);
  return found;
}

const systemLookup = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

interface Checked {
  readonly address: string;
  readonly port: number;
  readonly isAllowed: (address: string) => boolean;
}

function connected({ address, port, isAllowed }: Checked, signal: AbortSignal): Promise<Socket> {
  const socket = connectPlain({ host: address, port, autoSelectFamily: false, signal });
  return opened(socket, 'connect', signal).then(() => {
    if (isAllowed(socket.remoteAddress ?? '')) return socket;
    socket.destroy();
    throw new SendProblem(NOT_PUBLIC);
  });
}

function encrypted(
  socket: Socket,
  { host, reaching: { authorities } }: { readonly host: string; readonly reaching: Reaching },
  signal: AbortSignal,
): Promise<Socket> {
  const tls = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(authorities === undefined ? {} : { ca: authorities }),
    ALPNProtocols: ['http/1.1'],
  });
  return opened(tls, 'secureConnect', signal);
}

/** Waits for a socket to be ready, and destroys one that is not in time. */
function opened<Kind extends Socket>(socket: Kind, event: string, signal: AbortSignal): Promise<Kind> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('ETIMEDOUT')), CONNECT_MS);
    socket.once(event, () => {
      clearTimeout(timer);
      resolve(socket);
    });
    // The listener stays: later errors reach those who use the socket, and without one they would end the process.
    socket.on('error', (cause) => {
      clearTimeout(timer);
      reject(
        signal.aborted
          ? signal.reason
          : new SendProblem(`the host cannot be reached (${codeOf(cause)})`, { cause }),
      );
    });
    socket.once('close', () => {
      clearTimeout(timer);
      reject(signal.aborted ? signal.reason : new SendProblem('the host closed the connection'));
    });
  });
}

/** Ends with the signal, whatever the work does. */
export function ended<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/** What the system calls it; its message could name addresses behind a name. */
export function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? (message === 'ETIMEDOUT' ? message : 'unknown');
}
