import { LOCAL_ADMIN } from '../../src/domain/local-admin.ts';
import { createChannel } from '../../src/operations/notify/create-channel.ts';
import { knownTarget } from '../../src/operations/notify/known-target.ts';
import { settledSetting } from '../../src/operations/notify/own-settings.ts';
import { createRule } from '../../src/operations/notify/rules.ts';
import { testChannel } from '../../src/operations/notify/test-channel.ts';
import type { Product } from '../../src/operations/platform.ts';
import { servedProduct } from '../support/served-product.ts';
import { codeOf } from './code-of.ts';
import { acting, type DiagnosticCase } from './diagnostic-case.ts';

/** The code with which something is refused in a product that was just applied. */
const refusing = (code: string, act: (product: Product) => Promise<unknown>): DiagnosticCase =>
  acting(code, async () => {
    const served = await servedProduct({
      'config.yaml': 'name: shop\n',
      'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
    });
    try {
      return await codeOf(act(served.product));
    } finally {
      await served.close();
    }
  });

const inbox = { name: 'mine', kind: 'inbox', config: {}, isEnabled: true } as const;

/** Channels, rules and followers that cannot be. */
export const notificationCases: readonly DiagnosticCase[] = [
  refusing('notification.bad-channel', (product) =>
    createChannel(product, LOCAL_ADMIN, { ...inbox, kind: 'webhook', config: { url: 'http://10.0.0.1/' } }),
  ),
  refusing('notification.bad-rule', (product) =>
    createRule(product, LOCAL_ADMIN, {
      ...{ name: 'x', isEnabled: true, filter: { events: ['no.event'] }, timing: 'immediate' },
      audience: { owners: true },
    }),
  ),
  refusing('notification.no-target', (product) => knownTarget(product, LOCAL_ADMIN, 'model:s.none')),
  refusing('notification.not-testable', async (product) => {
    const { channel } = await createChannel(product, LOCAL_ADMIN, inbox);
    const openChannel = () => {
      throw new Error('nothing is opened');
    };
    await testChannel(product, LOCAL_ADMIN, channel.id, { signal: AbortSignal.timeout(1000), openChannel });
  }),
  acting('notification.full', () => codeOf((async () => settledSetting('full', 'channel', 'x'))())),
];
