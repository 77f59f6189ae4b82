import type { FastifyRequest } from 'fastify';
import type { Identity } from '../../domain/principal.ts';
import type { Product } from '../../operations/platform.ts';

/** What is known of a request once its gate is passed. */
export interface KnownRequest {
  identity: Identity;
  product?: Product;
  /** What was denied, in words for the audit log. */
  denied?: string;
  startedAt: number;
}

export const knownRequest = (request: FastifyRequest): KnownRequest => {
  const holder = request as unknown as { known: KnownRequest | null };
  holder.known ??= { identity: undefined as never, startedAt: 0 };
  return holder.known;
};

export const pathOf = ({ url }: FastifyRequest): string => (url.split('?')[0] ?? url).slice(0, 200);

/** Ids are made by each folder for itself, so that one could be made to be another's. */
export const rateName = ({ tenant, tokenId, principalId }: Identity): string =>
  `${tenant} ${tokenId ?? principalId}`;
