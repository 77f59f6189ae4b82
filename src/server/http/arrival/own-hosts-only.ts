/*
 * Without authentication every caller may do everything, so it must not be reached by pages of other sites:
 *
 *   a name that was made to mean this machine (DNS rebinding)  ─▶ its Host is not ours: 421
 *   a page that sends a request without reading the answer     ─▶ its Origin is not ours: 403 for whatever could change something
 */
import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';

const LOOKING = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses requests under names that are neither loopback names nor `hosts`, and changes that pages of sites beside `origins` ask for. */
export function ownHostsOnly(
  hosts: readonly string[],
  origins: readonly string[],
): (request: FastifyRequest) => void {
  const named = new Set(hosts.map((host) => canonicalHost(isIPv6(host) ? `[${host}]` : host)));
  return ({ headers, method }) => {
    const { host, origin } = headers;
    // Only questions about the server's health come without one.
    if (host === undefined) return;
    const own = canonicalHost(host.replace(/:\d+$/, ''));
    if (!isLoopback(own) && !named.has(own))
      throw new Problem(421, diagnostic('http.foreign-host', { host }), { headers: { connection: 'close' } });
    if (LOOKING.has(method) || (origin !== undefined && origins.includes(origin))) return;
    const site = headers['sec-fetch-site'];
    const isSameSite = site === undefined || site === 'same-origin' || site === 'none';
    if (!isSameSite || (origin !== undefined && !isOrigin(origin, host)))
      throw new Problem(403, diagnostic('http.foreign-origin', { origin: origin ?? `a ${site} page` }));
  };
}

/** An address in its shortest form, a name in lower case and without the dot of the root. */
function canonicalHost(host: string): string {
  const lower = host.toLowerCase();
  if (lower.startsWith('[') && isIPv6(lower.slice(1, -1))) return new URL(`http://${lower}/`).hostname;
  return isIPv4(lower) ? lower : lower.replace(/(?<=[^.])\.$/, '');
}

function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === '[::1]' || host === 'localhost' || host.endsWith('.localhost');
}

/** By host and port: behind a proxy the scheme is another. */
function isOrigin(origin: string, host: string): boolean {
  const found = URL.parse(origin);
  const own = URL.parse(`${found?.protocol ?? 'http:'}//${host}`);
  return found !== null && own !== null && found.host !== '' && found.host === own.host;
}
