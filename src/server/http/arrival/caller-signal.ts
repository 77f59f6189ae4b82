import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/** Aborted when the caller goes before the answer is there. */
export function signalOf(socket: Socket, reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const leave = (): void => controller.abort();
  socket.once('close', leave);
  reply.raw.once('finish', () => socket.off('close', leave));
  return controller.signal;
}
