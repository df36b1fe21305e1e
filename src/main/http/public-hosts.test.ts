import { describe, expect, it } from 'vitest';
import { isPrivateAddress, namesPrivateHost, publicLookup } from './public-hosts.ts';

describe('a private address', () => {
  it.each([
    // first and last of each net
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['224.0.0.0', '255.255.255.255'],
    ['::', '::ffff:ffff'],
    ['fc00::', 'fdff:ffff::'],
    ['fe80::', 'febf:ffff::1%eth0'],
    ['fec0::', 'feff:ffff::'],
    ['ff00::', 'ffff:ffff::'],
    ['::ffff:0:0:0', '::ffff:0:ffff:ffff'],
    ['64:ff9b::', '64:ff9b::ffff:ffff'],
    ['64:ff9b:1::', '64:ff9b:1:ffff:ffff::'],
    ['2001::', '2001:0:ffff:ffff::'],
    ['2002::', '2002:ffff:ffff::'],
  ])('is each from %s to %s', (first, last) => {
    expect([isPrivateAddress(first), isPrivateAddress(last)]).toEqual([true, true]);
  });

  it.each(['::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::10.0.0.1'])(
    'is %s, another form of one',
    (address) => {
      expect(isPrivateAddress(address)).toBe(true);
    },
  );

  it.each([
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '::1:0:0',
    'fbff:ffff::',
    'fe7f:ffff::',
    '::fffe:ffff:ffff:ffff',
    '::ffff:1:0:0',
    '64:ff9b::1:0:0',
    '64:ff9b:2::',
    '2001:1::',
    '2003::',
    '::ffff:8.8.8.8',
    'example.com',
    '',
  ])('is not %s', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

it('a private host is named by a URL as it is, and by the name of this machine', () => {
  const names = (url: string): boolean => namesPrivateHost(new URL(url));
  for (const url of [
    'http://[::1]/',
    'https://10.1.2.3',
    'http://2130706433/',
    'http://LOCALHOST:80',
    'http://a.localhost',
  ])
    expect(names(url), url).toBe(true);
  for (const url of ['http://[2606:4700::1111]/', 'https://8.8.8.8', 'http://localhost.example', 'http://notlocalhost'])
    expect(names(url), url).toBe(false);
});

describe('a name that is looked up', () => {
  const look = (name: string, all: boolean) =>
    new Promise((resolve) => {
      publicLookup(name, { all }, (error, ...answer) => resolve(error ? [error.message, ...answer] : answer));
    });

  it('is refused where it has a private address', async () => {
    for (const all of [true, false]) {
      expect(await look('localhost', all)).toEqual(['localhost is a private address', '', 0]);
      expect(await look('127.0.0.1', all)).toEqual(['127.0.0.1 is a private address', '', 0]);
    }
  });

  it('is answered with its public addresses, or the first', async () => {
    expect(await look('8.8.8.8', true)).toEqual([[{ address: '8.8.8.8', family: 4 }]]);
    expect(await look('8.8.8.8', false)).toEqual(['8.8.8.8', 4]);
    expect(await look('2606:4700::1111', false)).toEqual(['2606:4700::1111', 6]);
  });

  it('that does not exist fails with the error of the system', async () => {
    expect(await look('nobody.invalid', true)).toEqual([expect.stringContaining('getaddrinfo'), '', 0]);
  });
});
