import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { openFolder, openGivenFiles, realPlace, type Workspace } from '../workspace.ts';

export const OWN_ISSUER = 'plinth';

const FILE = 'jwt.json';

/** The key of the project, which only its owner can read; made at the first use. */
export async function ownKey({
  folder,
}: Workspace): Promise<{ readonly privateKey: JWK; readonly publicKey: JWK }> {
  const home = join(folder, '.plinth', 'keys');
  const path = join(home, FILE);
  if (realPlace(path) === undefined) {
    const pair = await generateKeyPair('EdDSA', { extractable: true });
    const key = { ...(await exportJWK(pair.privateKey)), kid: crypto.randomUUID(), alg: 'EdDSA', use: 'sig' };
    // Another process may have made it at this moment: that one counts.
    openFolder(home, { isPrivate: true }).create(FILE, JSON.stringify(key));
  }
  const privateKey = JSON.parse(openGivenFiles().text(path)) as JWK;
  const { d: _, ...publicKey } = privateKey;
  return { privateKey, publicKey };
}
