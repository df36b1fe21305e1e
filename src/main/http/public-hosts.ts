import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';

const PRIVATE = new BlockList();
const V4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
];
const V6: [string, number][] = [
  ['::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // addresses that hold an IPv4 address, to which a router translates them: translated (RFC 2765), NAT64, Teredo, 6to4
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
];
for (const [net, prefix] of V4) PRIVATE.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of V6) PRIVATE.addSubnet(net, prefix, 'ipv6');

/** True for addresses that are not public: this machine, local networks, link-local, multicast, IPv6 forms of IPv4 addresses. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  // the list itself checks IPv4-mapped IPv6 (`::ffff:…`) as IPv4
  return family !== 0 && PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** True if a URL contains a private address literally. Names are resolved and checked when connecting. */
export function namesPrivateHost(url: URL): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || isPrivateAddress(host);
}

/** Resolves a name and refuses it, as `EPRIVATE`, if any of its addresses is private. The checked addresses are the ones connected to. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const hidden = addresses.find(({ address }) => isPrivateAddress(address));
    const [first] = addresses;
    if (hidden !== undefined || first === undefined) {
      const refused = Object.assign(new Error(`${hostname} is a private address`), { code: 'EPRIVATE' });
      return callback(refused, '', 0);
    }
    if (options.all === true) return callback(null, addresses);
    return callback(null, first.address, first.family);
  });
};
