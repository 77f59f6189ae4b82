import { addressKind } from '../foundation/address-kind.ts';
import { plainHost } from './channel-address.ts';

/** An address of email, with the name that may stand before it. */
export interface MailAddress {
  readonly name: string;
  /** ASCII alone; a domain of other letters is in its ASCII form. */
  readonly address: string;
}

const LOCAL_LENGTH_MAX = 64;
const ADDRESS_LENGTH_MAX = 254;
const ATOM = String.raw`[!#$%&'*+/=?^_\x60{|}~\dA-Za-z-]+`;
const LOCAL = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`);

/** Reads `a@b.c` and `Name <a@b.c>`, nothing else: quoted local parts, comments, routes and lists are ways to name another recipient. */
export function parseMailAddress(text: string): MailAddress | undefined {
  if (/\p{Cc}/u.test(text)) return undefined;
  const [, name = '', named] = /^([^<>]*)<([^<>]*)>$/.exec(text.trim()) ?? [];
  const plain = named ?? text.trim();
  const at = plain.indexOf('@');
  const [local, written] = [plain.slice(0, Math.max(at, 0)), plain.slice(at + 1)];
  if (local.length > LOCAL_LENGTH_MAX || !LOCAL.test(local)) return undefined;
  const domain = written.endsWith('.') ? undefined : plainHost(written);
  if (domain === undefined || addressKind(domain) !== undefined) return undefined;
  const address = `${local}@${domain}`;
  return address.length > ADDRESS_LENGTH_MAX
    ? undefined
    : { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
