/** A short life of a token, the same wherever it is run: what it gives can be compared. */
import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import {
  contract,
  decodeToken,
  encodeAddress,
  hash160,
  issue,
  p2pkhScript,
  publicKeyOf,
  satoshis,
  toHex,
  transfer,
  type Utxo,
} from '../../src/token/index.ts';

const key = (n: number): PrivateKey => PrivateKey.fromHex(n.toString(16).padStart(64, '0'));
const hashOf = (owner: PrivateKey): Uint8Array => hash160(publicKeyOf(owner));
const addressOf = (owner: PrivateKey): string => encodeAddress(hashOf(owner), 'test');
const coin = (owner: PrivateKey, amount: number, vout: number): Utxo => ({
  txid: 'ab'.repeat(32),
  vout,
  satoshis: satoshis(amount),
  lockingScript: p2pkhScript(hashOf(owner)),
});

/** Contract, issue and transfer: their txids, and what the moved token's script says. */
export function live(): { txids: string[]; owner: string; symbol: string; expectedOwner: string } {
  const [issuer, alice, bob, payer] = [key(1), key(2), key(3), key(4)];
  const payment = (vout: number) => ({ paymentUtxo: coin(payer, 20_000, vout), paymentKey: payer });
  const contracted = contract({
    issuerKey: issuer,
    inputUtxos: [coin(issuer, 10_000, 0)],
    paymentUtxos: [coin(payer, 20_000, 1)],
    paymentKey: payer,
    schema: { symbol: 'CAFE', satsPerToken: 10, tokenId: toHex(hashOf(issuer)), totalSupply: 1_000, name: 'Coffee' },
    tokenSatoshis: 10_000,
  });
  const issued = issue({
    issuerKey: issuer,
    issueInfo: [{ address: addressOf(alice), satoshis: 10_000, data: 'first edition' }],
    contractUtxo: contracted.outputs[0] as Utxo,
    isSplittable: true,
    symbol: 'CAFE',
    ...payment(2),
  });
  const moved = transfer({
    ownerKey: alice,
    tokenUtxo: issued.outputs[0] as Utxo,
    destination: addressOf(bob),
    ...payment(3),
  });
  const token = decodeToken((moved.outputs[0] as Utxo).lockingScript);
  return {
    txids: [contracted.txid, issued.txid, moved.txid],
    owner: toHex(token?.owner ?? new Uint8Array()),
    symbol: token?.symbol ?? '',
    expectedOwner: toHex(hashOf(bob)),
  };
}
