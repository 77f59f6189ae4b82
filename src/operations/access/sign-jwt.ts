import { importJWK, SignJWT } from 'jose';
import type { Workspace } from '../workspace.ts';
import { OWN_ISSUER, ownKey } from './own-key.ts';

/** Signs a JWT for a principal with the project's own key. */
export async function signJwt(
  workspace: Workspace,
  { tenant, name, expiresAt }: { readonly tenant: string; readonly name: string; readonly expiresAt: number },
): Promise<string> {
  const { privateKey, publicKey } = await ownKey(workspace);
  return new SignJWT({ tenant })
    .setProtectedHeader({ alg: 'EdDSA', kid: publicKey.kid ?? '' })
    .setSubject(name)
    .setIssuer(OWN_ISSUER)
    .setAudience(OWN_ISSUER)
    .setIssuedAt(Math.floor(workspace.clock.now() / 1000))
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(await importJWK(privateKey, 'EdDSA'));
}
