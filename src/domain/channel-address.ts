/** Addresses that a channel may have, as far as their text shows; what a name leads to is checked when it is connected to. */
import { type AddressKind, addressKind } from '../foundation/address-kind.ts';
import type { ChannelReach } from './channel.ts';

const URL_LENGTH_MAX = 2048;
const NAME_LENGTH_MAX = 253;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** Higher ports of other protocols, to which a request could be a command: NFS, SIP, X11, IRC, Redis, memcached and the like. */
const FOREIGN_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
  6697, 10_080, 11_211,
]);
const MAIL_PORTS = new Set([25, 465, 587]);
const FIRST_FREE_PORT = 1024;

/** Whether an address may be connected to. Multicast and reserved ones never may: a receiver cannot be there. */
export function mayReach(address: string, { allowPrivate }: ChannelReach): boolean {
  const kind = addressKind(address);
  return kind !== undefined && (kind === 'public' || (allowPrivate && INNER.has(kind)));
}

const INNER: ReadonlySet<AddressKind> = new Set(['loopback', 'private', 'shared', 'link-local']);

/** Why messages cannot go to a URL; undefined when they can. Does not repeat the URL, which can be a secret. */
export function channelUrlProblem(text: string, reach: ChannelReach): string | undefined {
  const url = URL.parse(text);
  if (url === null || text.length > URL_LENGTH_MAX) return 'the address is not a URL';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return 'the address begins with neither https nor http';
  if (url.protocol === 'http:' && !reach.allowPrivate)
    return 'the address begins with http, and only a server that allows private addresses sends without encryption';
  if (url.username !== '' || url.password !== '') return 'the address contains a user or a password';
  const port = portOf(url);
  if (port < FIRST_FREE_PORT ? port !== 80 && port !== 443 : FOREIGN_PORTS.has(port))
    return `the port ${port} is not one of a receiver: 443, 80, or one from 1024 on that is not of another protocol`;
  return channelHostProblem(url.hostname, reach);
}

/** Why mail cannot be handed to a port; undefined when it can. */
export function mailPortProblem(port: number): string | undefined {
  const isOne =
    MAIL_PORTS.has(port) || (port >= FIRST_FREE_PORT && port <= 65_535 && !FOREIGN_PORTS.has(port));
  return Number.isInteger(port) && isOne
    ? undefined
    : `the port ${port} is not one of a mail server: 25, 465, 587, or one from 1024 on that is not of another protocol`;
}

/** Why a host cannot be reached; undefined when it can, or when only its addresses will show it. */
export function channelHostProblem(text: string, reach: ChannelReach): string | undefined {
  const host = plainHost(text);
  if (host === undefined) return 'the host is not a name and not an address';
  return addressKind(host) === undefined || mayReach(host, reach) ? undefined : NOT_PUBLIC;
}

export const NOT_PUBLIC = 'the host does not have a public address';

/** A name in ASCII, or an address in its one spelling: `0x7f.1` is 127.0.0.1. Undefined when it is neither. */
export function plainHost(text: string): string | undefined {
  const isBracketed = /^\[[\d:.a-f]+\]$/i.test(text);
  if (!isBracketed && /[\s/?#@\\:[\]%]/.test(text) && addressKind(text) === undefined) return undefined;
  const written = !isBracketed && text.includes(':') ? `[${text}]` : text;
  const host = URL.parse(`http://${written}/`)
    ?.hostname.replace(/\.$/, '')
    .replace(/^\[|\]$/g, '');
  if (host === undefined || addressKind(host) !== undefined) return host;
  const labels = host.split('.');
  return host.length <= NAME_LENGTH_MAX && labels.every((label) => LABEL.test(label)) ? host : undefined;
}

/** As it is connected to. */
export const portOf = ({ port, protocol }: URL): number =>
  port !== '' ? Number(port) : protocol === 'https:' ? 443 : 80;
