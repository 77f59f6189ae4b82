import { auditMayRead } from '../../compiler/catalog/audit-may-read.ts';
import type { Environment } from '../../domain/environment.ts';
import type { HeldGroup } from '../../domain/quarantine.ts';
import type { CheckReader } from '../../domain/visible-check.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** Whether it tells something that is hidden from the caller that rows of a model fail these audits. */
export async function tellsOfHidden(
  { state }: OpenedWorldReader,
  { entries }: Environment,
  { groups, hidden }: { readonly groups: readonly HeldGroup[]; readonly hidden: CheckReader['hidden'] },
): Promise<(group: HeldGroup) => boolean> {
  const masked = new Set(groups.flatMap(({ model }) => (typeof hidden(model) === 'string' ? [] : [model])));
  const wanted = entries.filter(({ model }) => masked.has(model));
  const contents = await state.snapshots.contents(wanted.map(({ fingerprint }) => fingerprint));
  const fingerprints = new Map(wanted.map(({ model, fingerprint }) => [model, fingerprint]));
  return ({ model, audits }) => {
    const columns = hidden(model);
    if (typeof columns === 'string') return columns === 'all';
    const content = contents.get(fingerprints.get(model) ?? '');
    const uses = content?.model.audits ?? [];
    // An audit that is not there any more may have read anything.
    return audits.some((name) => {
      const own = [...(content?.model.inlineAudits ?? []), ...(content?.audits ?? [])].find(
        (each) => each.name === name,
      );
      const asked = uses.filter((use) => use.name === name);
      return asked.length === 0 || asked.some((use) => auditMayRead(use, own, columns));
    });
  };
}
