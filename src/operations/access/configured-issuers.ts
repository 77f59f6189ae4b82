/** `server.jwt: [{issuer, audience, jwks_url}]` of config.yaml, which its schema has checked. */
export function configuredIssuers(
  configured: unknown,
): readonly { readonly issuer: string; readonly audience: string; readonly url: string }[] {
  if (!Array.isArray(configured)) return [];
  return configured.flatMap((each: unknown) => {
    const { issuer, audience, jwks_url: url } = (each ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof issuer !== 'string' || typeof audience !== 'string' || typeof url !== 'string') return [];
    return { issuer, audience, url };
  });
}
