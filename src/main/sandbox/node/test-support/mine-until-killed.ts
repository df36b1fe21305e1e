/** Mines on a chain in the given folder, with reorganisations, until it is killed. Prints each txid after the node has accepted it. */
import { pino } from 'pino';
import { satoshis } from '../../../../chain/index.ts';
import { systemClock } from '../../../clock.ts';
import { SandboxNode } from '../node.ts';
import { faucetKey, lockingScriptOf, openNodeStore, otherKey, verifyHere, walletKey } from './open-node.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('which folder?');
const store = await openNodeStore(folder);
const node = await SandboxNode.open({
  store,
  clock: systemClock,
  logger: pino({ level: 'silent' }),
  verify: verifyHere,
  genesis: { wallet: lockingScriptOf(walletKey), faucet: faucetKey },
});
for (let round = 0; ; round++) {
  const txid = await node.fund(lockingScriptOf(otherKey), satoshis(1_000 + round));
  process.stdout.write(`${txid}\n`);
  if (round % 3 === 0) await node.mine(2);
  if (round % 4 === 1) await node.reorg(1 + (round % 3));
}
