import { PrivateKey } from '@bsv/sdk';

const key = (n: number) => PrivateKey.fromHex(n.toString(16).padStart(64, '0'));

/** The parties in the tests. */
export const keys = {
  issuer: key(0x11),
  alice: key(0x22),
  bob: key(0x33),
  carol: key(0x44),
  payer: key(0x55),
  mallory: key(0x66),
};
