import type { Caller } from '../../../domain/semantic-query.ts';
import type { AuditFacts } from '../../../domain/snapshot.ts';
import { hiddenColumns, type Protection } from './protected-data.ts';

/** What may be quoted of the rows of some versions of models. */
export interface Words {
  mayQuote(model: string): boolean;
  /** A text that belongs to no single model may quote the rows of any. */
  mayQuoteAll(): boolean;
}

/** Models by name, in each version that counts: what their audits read besides. */
export type Versions = ReadonlyMap<
  string,
  { readonly isRollup: boolean; readonly audits: readonly (AuditFacts | undefined)[] }
>;

/** What may be quoted of models in these versions: all that a model is made of, and that its audits read, has to be readable. */
export function quotableWords(caller: Caller, protection: Protection, versions: Versions): Words {
  const readable = new Map<string, boolean>();
  const isReadable = (model: string): boolean => {
    const found =
      readable.get(model) ?? (versions.has(model) && hiddenColumns(protection, caller, model) === 'none');
    readable.set(model, found);
    return found;
  };
  const mayQuoteAll = (): boolean =>
    [...versions].every(([model, each]) => each.isRollup || isReadable(model));
  return {
    mayQuoteAll,
    mayQuote(model) {
      const audits = versions.get(model)?.audits.filter((facts) => facts !== undefined) ?? [];
      if (audits.some(({ mayReadMore }) => mayReadMore === true) && !mayQuoteAll()) return false;
      // Tables that no file describes are read by name, and have no model.
      const made = [...protection.flow.above(model)].filter((each) => versions.has(each));
      const read = audits.flatMap(({ reads = {} }) => Object.values(reads).flat());
      return [model, ...made, ...read].every(isReadable);
    },
  };
}
