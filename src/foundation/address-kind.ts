/*
 * What an IP address is for, by the registries of special-purpose addresses (RFC 6890 and its updates). Of IPv6 only what is
 * listed as global counts as public, so a range that is assigned later is refused until it is known here. Addresses that carry
 * another one are what that one is:
 *
 *   ::ffff:10.0.0.1        mapped            ─▶ 10.0.0.1      private
 *   64:ff9b::10.0.0.1      NAT64             ─▶ 10.0.0.1      private
 *   ::10.0.0.1, 2002:a00:1::, 2001:0:…       compatible, 6to4, Teredo: given up, so never public
 */
import { isIPv4, isIPv6 } from 'node:net';

export type AddressKind =
  | 'public'
  | 'loopback'
  | 'private'
  /** Between a provider and its customers (RFC 6598). */
  | 'shared'
  | 'link-local'
  | 'multicast'
  /** A host that is not there: none, all, examples, benchmarks, and what is kept for later. */
  | 'reserved';

type Range = readonly [string, number, AddressKind];

const RANGES_4: readonly Range[] = [
  ['0.0.0.0', 8, 'reserved'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

/** The first that fits counts; what fits none is reserved. */
const RANGES_6: readonly Range[] = [
  ['::1', 128, 'loopback'],
  ['64:ff9b:1::', 48, 'private'],
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['2002::', 16, 'reserved'],
  ['3fff::', 20, 'reserved'],
  ['2000::', 3, 'public'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'multicast'],
];

const CARRIERS: readonly (readonly [string, number])[] = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
];

/** Undefined for a text that is not an address, such as a name or `0x7f.1`. */
export function addressKind(text: string): AddressKind | undefined {
  if (isIPv4(text)) return kindOf4(numberOf4(text));
  if (!isIPv6(text)) return undefined;
  const [address = '', zone] = text.split('%');
  const number = numberOf6(address);
  const kind = CARRIERS.some(([begin, bits]) => isWithin(number, numberOf6(begin), 128 - bits))
    ? kindOf4(number & 0xffffffffn)
    : (RANGES_6.find(([begin, bits]) => isWithin(number, numberOf6(begin), 128 - bits))?.[2] ?? 'reserved');
  // A zone is a network of this machine.
  return zone !== undefined && kind === 'public' ? 'reserved' : kind;
}

const kindOf4 = (number: bigint): AddressKind =>
  RANGES_4.find(([begin, bits]) => isWithin(number, numberOf4(begin), 32 - bits))?.[2] ?? 'public';

const isWithin = (number: bigint, begin: bigint, freeBits: number): boolean =>
  number >> BigInt(freeBits) === begin >> BigInt(freeBits);

const numberOf4 = (text: string): bigint =>
  text.split('.').reduce((number, part) => number * 256n + BigInt(part), 0n);

function numberOf6(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<bigint>(zeros).fill(0n), ...right].reduce(
    (number, group) => number * 65_536n + group,
    0n,
  );
}

/** An address of four numbers at the end stands for two groups. */
const groupsOf = (text: string): readonly bigint[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (!group.includes('.')) return [BigInt(`0x${group}`)];
        const number = numberOf4(group);
        return [number >> 16n, number & 0xffffn];
      });
