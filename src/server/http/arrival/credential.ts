import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';

/** What a request shows of its caller. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly value: string }
  | { readonly kind: 'apikey'; readonly value: string };

/**
 * Reads the header list as it came: Node drops a second Authorization and joins other duplicates, and a request with two
 * credentials must not be that of either.
 */
export function readCredential(rawHeaders: readonly string[]): Credential {
  const found: Credential[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] as string;
    switch (rawHeaders[i]?.toLowerCase()) {
      case 'authorization':
        found.push(bearerOf(value));
        break;
      case 'apikey':
        found.push({ kind: 'apikey', value: value.trim() });
        break;
    }
  }
  if (found.length > 1) throw new Problem(400, diagnostic('auth.ambiguous-credentials', {}));
  return found[0] ?? { kind: 'none' };
}

/** Another scheme, or nothing behind it, is an unknown credential. */
function bearerOf(value: string): Credential {
  const [, token = ''] = /^Bearer +([^\s]+)\s*$/i.exec(value) ?? [];
  return { kind: 'bearer', value: token };
}
