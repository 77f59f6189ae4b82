import { lineage } from '../../compiler/catalog/lineage.ts';
import type { AppliedProduct } from '../../domain/applied-product.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { appliedProduct } from '../catalog/applied-product.ts';
import { focusOf, named } from '../catalog/lineage.ts';
import { visibleProduct } from '../catalog/visible-product.ts';
import type { ProductReader } from '../product-reader.ts';
import { type GateReason, gateReasons } from './gate-reasons.ts';
import { qualityView } from './quality-view.ts';

/** Whether others may go on with data. */
export type Gate =
  | {
      readonly ok: true;
      readonly environment: string;
      readonly decision: 'allow' | 'warn' | 'block';
      readonly reasons: readonly GateReason[];
      /** What the references mean, with all that it is made of. */
      readonly models: readonly string[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Decides by the newest results of what the references are made of; references that mean nothing are refused. */
export async function gate(
  product: ProductReader,
  asker: Identity,
  { refs, environment }: { readonly refs: readonly string[]; readonly environment?: string | undefined },
): Promise<Gate> {
  const view = await qualityView(product, asker, environment);
  const seen = await visibleProduct(product, await appliedProduct(product, asker, environment), asker);
  const found = refs.map((ref) => modelsBehind(seen, ref));
  const diagnostics = found.flatMap((each) => (each.ok ? [] : [each.problem]));
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  const models = new Set(found.flatMap((each) => (each.ok ? each.models : [])).filter(view.isNamed));
  const reasons = await gateReasons(product, view, models);
  const decision = reasons.some(({ effect }) => effect === 'block')
    ? 'block'
    : reasons.length > 0
      ? 'warn'
      : 'allow';
  return { ok: true, environment: view.environment.name, decision, reasons, models: [...models].sort() };
}

type Behind =
  | { readonly ok: true; readonly models: readonly string[] }
  | { readonly ok: false; readonly problem: Diagnostic };

/** `model`, `semantic:NAME`, `metric:NAME`, or the name of a semantic model or metric alone. */
function modelsBehind(seen: AppliedProduct, ref: string): Behind {
  const spelled = named(ref) === undefined ? [ref, `semantic:${ref}`, `metric:${ref}`] : [ref];
  const [first, ...others] = spelled.map((each) => focusOf(seen, each));
  const focus = [first, ...others].find((each) => each?.ok === true) ?? first;
  if (focus === undefined || !focus.ok)
    return { ok: false, problem: (focus as { readonly problem: Diagnostic }).problem };
  const { column: _, ...whole } = focus.found;
  const { nodes } = lineage(seen, { ...whole, direction: 'upstream', depthMax: Number.POSITIVE_INFINITY });
  return { ok: true, models: nodes.filter(({ id }) => named(id) === undefined).map(({ name }) => name) };
}
