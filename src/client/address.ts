import { badParameter, requiredSegment, requiredText } from './data-product-error.ts';

/** `https://{fqdn}/{service}/tenants/{tenant}/data-products/{tenant}-{dpName}/api/v1`. */
export function baseAddress(where: {
  readonly fqdn: unknown;
  readonly tenant: unknown;
  readonly dpName: unknown;
  readonly service: string;
}): string {
  const origin = originOf(requiredText('fqdn', where.fqdn));
  const tenant = requiredSegment('tenant', where.tenant);
  const product = `${tenant}-${requiredSegment('dpName', where.dpName)}`;
  const segments = [where.service, 'tenants', tenant, 'data-products', product];
  return `${origin}/${segments.map(encodeURIComponent).join('/')}/api/v1`;
}

/** `https://` is understood; `http://` and a port may be said, anything else is refused. */
function originOf(fqdn: string): string {
  const written = fqdn.trim();
  const text = written.includes('://') ? written : `https://${written}`;
  // Without this, a user name before an @ would make another host of what looks like this one.
  if (/[\s@\\?#]/.test(text) || !URL.canParse(text))
    throw badParameter('fqdn', 'must be a host name, with http:// and a port if need be');
  const { protocol, pathname, origin } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw badParameter('fqdn', 'must begin with https:// or http://, or with the host itself');
  if (pathname !== '/') throw badParameter('fqdn', 'must be a host name without a path');
  return origin;
}

/** A token that cannot break a header: what is wrong with it is said without showing it. */
export function checkedToken(accessToken: unknown): string {
  const token = requiredText('accessToken', accessToken).trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw badParameter('accessToken', 'has spaces or characters that no token has');
  return token;
}
