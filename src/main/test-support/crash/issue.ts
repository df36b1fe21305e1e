import type { TokenDesign, TokenRequest } from '../../../contract/index.ts';
import type { TestClient } from '../hosts/open-host.ts';

export const TOKEN_DESIGN: TokenDesign = { symbol: 'CAFE', name: 'Coffee voucher', satsPerToken: 10, totalSupply: 100 };

/** Issues the wallet's contract to itself in two tokens; undefined while there is none. */
export async function issueRequest(client: TestClient): Promise<TokenRequest | undefined> {
  const { contracts, address } = await client.redeemableTokens.overview();
  const [contract] = contracts;
  if (contract === undefined || address === null) return undefined;
  const to = [600, 400].map((satoshis) => ({ address, satoshis }));
  return { action: 'issue', contract: contract.outpoint, splittable: true, to };
}
