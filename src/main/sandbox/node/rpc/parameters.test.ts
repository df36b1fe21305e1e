import { afterAll, beforeAll, expect, it } from 'vitest';
import { RpcWorld } from '../test-support/rpc-world.ts';

const ghost = 'ab'.repeat(32);
const NOT_STRING = '-1 JSON value is not a string as expected';
const NOT_INTEGER = '-1 JSON value is not an integer as expected';
const NOT_BOOLEAN = '-1 JSON value is not a boolean as expected';
const NOT_ARRAY = '-1 JSON value is not an array as expected';
const NO_HASH = "must be hexadecimal string (not '') and length of it must be divisible by 2";

/** Fewest parameters of each command that needs some. */
const fewest: Readonly<Record<string, number>> = {
  getblockhash: 1,
  getblockheader: 1,
  getblock: 1,
  getblockbyheight: 1,
  getblockstats: 1,
  getblockstatsbyheight: 1,
  getmempoolentry: 1,
  getmempoolancestors: 1,
  getmempooldescendants: 1,
  gettxout: 2,
  gettxouts: 2,
  gettxoutproof: 1,
  verifytxoutproof: 1,
  getmerkleproof: 1,
  getmerkleproof2: 2,
  verifymerkleproof: 1,
  getrawtransaction: 1,
  decoderawtransaction: 1,
  decodescript: 1,
  sendrawtransaction: 1,
  generate: 1,
  generatetoaddress: 2,
  invalidateblock: 1,
  reconsiderblock: 1,
};

/** A value of the wrong type in each place, and what the node says of it (node-rpc.md sections 0 to 5). */
const wrongTypes: readonly [call: string, params: readonly unknown[], failure: string][] = [
  ['getblockhash', ['1'], NOT_INTEGER],
  ['getblockhash', [2 ** 31], '-1 JSON integer out of range'],
  ['getblockheader', [5], NOT_STRING],
  ['getblockheader', [ghost, {}], '-8 Invalid verbosity input type'],
  ['getblock', [true], NOT_STRING],
  ['getblock', [ghost, []], '-8 Invalid verbosity input type'],
  ['getblockbyheight', ['1'], NOT_INTEGER],
  ['getchaintxstats', ['5'], NOT_INTEGER],
  ['getchaintxstats', [5, 7], NOT_STRING],
  ['getblockstats', [5], NOT_STRING],
  ['getblockstatsbyheight', ['5'], NOT_INTEGER],
  ['getblockstatsbyheight', [5, 'txs'], NOT_ARRAY],
  ['getrawmempool', [1], NOT_BOOLEAN],
  ['getmempoolentry', [5], `-8 parameter 1 ${NO_HASH}`],
  ['getmempoolancestors', [5], `-8 parameter 1 ${NO_HASH}`],
  ['getmempooldescendants', [ghost, 'yes'], NOT_BOOLEAN],
  ['gettxout', [5, 0], NOT_STRING],
  ['gettxout', [ghost, '0'], NOT_INTEGER],
  ['gettxout', [ghost, 0, 'yes'], NOT_BOOLEAN],
  ['gettxouts', [{}, []], '-3 Expected type array, got object'],
  ['gettxouts', [[], 'value'], '-3 Expected type array, got string'],
  ['gettxouts', [[], ['value'], 1], NOT_BOOLEAN],
  ['gettxoutproof', [ghost], NOT_ARRAY],
  ['gettxoutproof', [[ghost], 5], NOT_STRING],
  ['verifytxoutproof', [5], NOT_STRING],
  ['getmerkleproof', [5], `-8 txid ${NO_HASH}`],
  ['getmerkleproof2', ['', 5], `-8 txid ${NO_HASH}`],
  ['getmerkleproof2', ['', ghost, 'yes'], NOT_BOOLEAN],
  ['getmerkleproof2', ['', ghost, false, 5], NOT_STRING],
  ['verifymerkleproof', ['text'], '-3 Expected type object, got string'],
  ['getrawtransaction', [5], `-8 parameter 1 ${NO_HASH}`],
  ['getrawtransaction', [ghost, 'yes'], '-3 Invalid type provided. Verbose parameter must be a boolean.'],
  ['decoderawtransaction', [5], '-3 Expected type string, got number'],
  ['decodescript', [null], '-3 Expected type string, got null'],
  ['help', [5], NOT_STRING],
  ['sendrawtransaction', [{}], '-3 Expected type string, got object'],
  ['sendrawtransaction', ['00', 1], '-3 Expected type bool, got number'],
  ['generate', ['1'], NOT_INTEGER],
  ['generatetoaddress', [1, 5], NOT_STRING],
  ['invalidateblock', [5], NOT_STRING],
  ['reconsiderblock', [5], NOT_STRING],
];

let world: RpcWorld;
beforeAll(async () => {
  world = await RpcWorld.open();
});
afterAll(() => world.opened.remove());

it('too few parameters are answered with the help of the command, enough of them with something else', async () => {
  for (const command of world.rpc.commands) {
    const help = `-1 ${await world.call<string>('help', command)}\n`;
    const least = fewest[command] ?? 0;
    const given = Array.from({ length: least }, () => ({}));
    if (least > 0) expect(await world.failureOf(command, ...given.slice(1))).toBe(help);
    expect(await world.failureOf(command, ...given), command).not.toBe(help);
  }
});

it.each(wrongTypes)('%s %j: %s', async (command, params, failure) => {
  expect(await world.failureOf(command, ...params)).toBe(failure);
});
