import {
  type AddressNetwork,
  encodeAddress,
  equalBytes,
  formatOutpoint,
  fromHex,
  hash160,
  type Outpoint,
  toHex,
} from '../../chain/index.ts';
import type { TokenContract, TokenHolding, TokenOverview } from '../../contract/index.ts';
import { decodeToken } from '../../token/index.ts';
import type { TokenWallet } from '../ports/wallet.ts';
import { contractDesign } from '../transaction-jobs/contract-design.ts';
import { kindIdOf } from './review.ts';
import type { TokenCheck } from './token-checks.ts';

/**
 * What the accounts own of tokens: contracts to be issued, and tokens by kind, the largest holding of a symbol first.
 * @param wallets of the accounts, the main one first
 * @param checkOf what is known of a token's history
 */
export function holdingsOf(
  wallets: readonly [TokenWallet, ...TokenWallet[]],
  addresses: AddressNetwork,
  checkOf: (token: Outpoint) => TokenCheck,
): Pick<TokenOverview, 'address' | 'issuer' | 'contracts' | 'holdings'> {
  const [main] = wallets;
  if (main.status().state !== 'ready') return { address: null, issuer: null, contracts: [], holdings: [] };
  const issuerOf = (wallet: TokenWallet): Uint8Array => hash160(fromHex(wallet.publicKey()));
  const open = wallets.filter((wallet) => wallet.status().state === 'ready');
  const issuers = open.map(issuerOf);
  const outputs = open.flatMap((wallet, at) =>
    wallet.nonFundingOutputs().map((output) => ({ ...output, issuer: issuers[at] as Uint8Array })),
  );
  const contracts: TokenContract[] = [];
  const holdings = new Map<string, TokenHolding>();
  const sizes = new Map<string, Set<number | null>>();
  for (const { utxo, height, owner, issuer } of outputs) {
    const { satoshis, lockingScript } = utxo;
    const state = { outpoint: formatOutpoint(utxo), satoshis, confirmed: height !== null, inUse: owner !== undefined };
    const contract = contractDesign(lockingScript);
    if (contract && equalBytes(contract.issuer, issuer)) contracts.push({ ...state, schema: contract.design });
    const token = decodeToken(lockingScript);
    if (!token) continue;
    const kind = kindIdOf(token);
    const holding = holdings.get(kind) ?? {
      kind,
      symbol: token.symbol,
      splittable: token.splittable,
      mergeable: token.splittable && token.template.merges,
      issuer: encodeAddress(token.redemption, addresses),
      ownIssue: issuers.some((own) => equalBytes(token.redemption, own)),
      data: token.data ? toHex(token.data) : null,
      satoshis: 0,
      satsPerToken: null,
      tokens: [],
    };
    const { history, satsPerToken } = checkOf(utxo);
    const held = { ...state, address: encodeAddress(token.owner, addresses), history };
    sizes.set(kind, (sizes.get(kind) ?? new Set()).add(satsPerToken));
    holdings.set(kind, {
      ...holding,
      satoshis: holding.satoshis + (history === 'notGenuine' ? 0 : satoshis),
      tokens: [...holding.tokens, held].sort((a, b) => b.satoshis - a.satoshis || (a.outpoint < b.outpoint ? -1 : 1)),
    });
  }
  return {
    address: main.tokenAddress(),
    issuer: { address: main.address(), tokenId: toHex(issuerOf(main)) },
    contracts,
    holdings: [...holdings.values()]
      .map((holding) => ({ ...holding, satsPerToken: onlyOf(sizes.get(holding.kind)) }))
      .sort((a, b) => a.symbol.localeCompare(b.symbol) || b.satoshis - a.satoshis),
  };
}

/** The one size of all tokens whose contract is known. */
function onlyOf(sizes: ReadonlySet<number | null> = new Set()): number | null {
  const known = [...sizes].filter((size) => size !== null);
  return known.length === 1 ? (known[0] ?? null) : null;
}
