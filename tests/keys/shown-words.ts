/** Writes one word for each key into one project, serves it, and looks through which doors the words come out. */

import type { RegisteredKey } from '../../src/compiler/load/registered-keys.ts';
import { hash128 } from '../../src/foundation/hash128.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { startServer } from '../../src/server/start-server.ts';
import { planProduct } from '../support/served-product.ts';
import { temporaryProject } from '../support/temporary-project.ts';
import type { Evidence } from './evidence.ts';
import { filesOf, type KeyProject, PROJECT } from './project.ts';
import { written } from './written-key.ts';

interface Asked {
  readonly key: RegisteredKey;
  readonly evidence: Extract<Evidence, { kind: 'shown' }>;
}

export interface Shown {
  readonly word: string;
  readonly doors: readonly string[];
}

const START: KeyProject = {
  ...PROJECT,
  config: {
    ...PROJECT.config,
    users: [{ username: 'mara' }],
    access: [{ principal: 'mara', role: 'owner' }],
  },
  // The table that it reads is in no warehouse.
  more: Object.fromEntries(Object.entries(PROJECT.more).filter(([path]) => path !== 'models/outside.sql')),
  semantic: { ...PROJECT.semantic, ai_context: { examples: [{ query: 'one' }] } },
  metric: { ...PROJECT.metric, ai_context: { examples: [{ query: 'one' }] } },
};

const PATHS = [
  '/metadata',
  '/metadata/semantic',
  '/metadata/models',
  '/metadata/models/m.subject',
  '/metadata/models/m.orders',
  ...['odcs', 'odps', 'llms.txt', 'graphql'].map((format) => `/metadata/export?format=${format}`),
];

export async function wordsShown(asked: readonly Asked[]): Promise<readonly Shown[]> {
  let project = START;
  const words = asked.map(({ key, evidence }) => {
    // Far from any other word, so that a search which forgives mistakes does not take one for another.
    const word = `w${hash128(key.place, key.path).slice(0, 16)}`;
    const value = evidence.as?.(word) ?? word;
    project = written(project, key, value, evidence.at);
    return JSON.stringify(value).includes(word) ? word : String(value);
  });
  const texts = await doorsOf(filesOf(project), words);
  return words.map((word) => ({
    word,
    doors: [...texts].filter(([, text]) => text.includes(word)).map(([door]) => door),
  }));
}

async function doorsOf(
  files: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const folder = temporaryProject(files);
  const options = { folders: [folder.folder], variables: {}, executionTime: Date.UTC(2024, 0, 11) };
  try {
    const platform = await openPlatform(options);
    for (const product of platform.products) await planProduct(product);
    await platform.close();
    const server = await startServer({
      ...options,
      host: '127.0.0.1',
      port: 0,
      auth: 'disabled',
      hasScheduler: false,
      isForced: false,
      log: () => undefined,
    });
    try {
      const base = server.products[0]?.baseUrl ?? '';
      const texts = new Map<string, string>();
      for (const path of PATHS) texts.set(path, await (await fetch(`${base}${path}`)).text());
      for (const word of words) {
        const answer = await fetch(`${base}/metadata/search?q=${encodeURIComponent(word)}`);
        const { items = [] } = (await answer.json()) as { readonly items?: readonly unknown[] };
        if (items.length > 0) texts.set(`/metadata/search?q=${word}`, word);
      }
      return texts;
    } finally {
      await server.close();
    }
  } finally {
    folder.delete();
  }
}
