import { type TokenDesign, tokenDesignSchema } from '../../contract/index.ts';
import { decodeContract, parseSchema } from '../../token/index.ts';

/**
 * The contract of redeemable tokens in a locking script.
 * @returns undefined where it is none; `design` is null where no answer can hold it: anybody can pay a wallet a contract with any numbers, nested
 *   to any depth
 */
export function contractDesign(
  lockingScript: Uint8Array,
): { readonly issuer: Uint8Array; readonly design: TokenDesign | null } | undefined {
  const contract = decodeContract(lockingScript);
  return contract && { issuer: contract.issuer, design: shownDesign(contract.schema) };
}

function shownDesign(schema: unknown): TokenDesign | null {
  try {
    return tokenDesignSchema.safeParse(parseSchema(schema)).data ?? null;
  } catch {
    return null;
  }
}
