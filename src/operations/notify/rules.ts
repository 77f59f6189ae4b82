/** Notification rules of one principal. Those for owners and followers write into the inboxes of others, so they are for owners of the product. */
import { entityTag } from '../../domain/entity-tag.ts';
import type { NotificationRule } from '../../domain/notification.ts';
import type { Identity } from '../../domain/principal.ts';
import { newId } from '../new-id.ts';
import type { Product } from '../platform.ts';
import { checkRule, type WrittenNotificationRule } from './check-rule.ts';
import { found, OWNED_MAX, settledSetting } from './own-settings.ts';

export const ruleTag = ({ since: _, ...stored }: NotificationRule): string => entityTag(stored);

export const listRules = (
  { world }: Product,
  { principalId }: Identity,
): Promise<readonly NotificationRule[]> =>
  world.state.notifications.settings('rule', { ownerId: principalId });

export async function findRule(
  { world }: Product,
  { principalId: ownerId }: Identity,
  id: string,
): Promise<NotificationRule> {
  const [rule] = await world.state.notifications.settings('rule', { id, ownerId });
  return found(rule, 'rule', id);
}

export async function createRule(
  product: Product,
  asker: Identity,
  written: WrittenNotificationRule,
): Promise<NotificationRule> {
  await checkRule(product, asker, written);
  const { world } = product;
  const now = world.clock.now();
  const rule = {
    ...written,
    id: newId('n', now),
    ownerId: asker.principalId,
    createdAt: now,
    updatedAt: now,
  };
  const outcome = await world.state.notifications.putSetting('rule', rule, {
    ...{ isNew: true, most: OWNED_MAX.rule, events: [] },
  });
  settledSetting(outcome, 'rule', rule.name);
  return findRule(product, asker, rule.id);
}

export async function changeRule(
  product: Product,
  asker: Identity,
  id: string,
  change: Partial<WrittenNotificationRule> & { readonly expected: readonly string[] | undefined },
): Promise<NotificationRule> {
  const { since: _, ...before } = await findRule(product, asker, id);
  const { expected = [entityTag(before)], ...written } = change;
  const rule = { ...before, ...written, updatedAt: product.world.clock.now() };
  await checkRule(product, asker, rule);
  const outcome = await product.world.state.notifications.putSetting('rule', rule, {
    ...{ expected, most: OWNED_MAX.rule, events: [] },
  });
  settledSetting(outcome, 'rule', id);
  return findRule(product, asker, id);
}

export async function removeRule(
  product: Product,
  asker: Identity,
  id: string,
  expected: readonly string[] | undefined,
): Promise<void> {
  await findRule(product, asker, id);
  const outcome = await product.world.state.notifications.removeSetting('rule', id, { expected, events: [] });
  settledSetting(outcome, 'rule', id);
}
