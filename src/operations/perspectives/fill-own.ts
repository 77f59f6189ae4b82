import { fillPerspective } from '../../compiler/semantic/perspectives/fill-perspective.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { OwnQuestion } from '../ask/compile-own.ts';
import type { Product } from '../platform.ts';
import { findPerspective } from './find-perspective.ts';
import { viewerOf } from './viewer-of.ts';

/** The question of a perspective for the owner of a folder, whom policies do not concern. */
export async function fillOwn(
  product: Product,
  asker: Identity,
  { slug, values }: { readonly slug: string; readonly values: Readonly<Record<string, unknown>> },
): Promise<
  | { readonly ok: true; readonly question: OwnQuestion }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] }
> {
  const filled = fillPerspective(await findPerspective(product, viewerOf(product, asker), slug), values);
  if (!filled.ok) return filled;
  const { question } = filled;
  return {
    ok: true,
    question: question.kind === 'sql' ? question : { kind: 'json', data: question.query },
  };
}
