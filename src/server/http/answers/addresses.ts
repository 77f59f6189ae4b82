import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Platform } from '../../../operations/platform.ts';

/** What whole addresses begin with: `server.public_url`, otherwise the name under which the server was asked. */
export function originOf(
  { publicUrl }: Pick<Platform, 'publicUrl'>,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string {
  return publicUrl ?? `${protocol}://${host}`;
}

/** A path of the server as a link: whole where the server knows how callers reach it. */
export function linkTo({ publicUrl = '' }: Pick<Platform, 'publicUrl'>, path: string): string {
  return `${publicUrl}${path}`;
}

/** `Location` is a link, too. */
export function linkLocations(server: FastifyInstance, platform: Pick<Platform, 'publicUrl'>): void {
  if (platform.publicUrl === undefined) return;
  server.addHook('onSend', (_, reply, payload, done) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/'))
      reply.header('location', linkTo(platform, location));
    done(null, payload);
  });
}
