// Without schemas, since it is part of the first script of the page.

/** What a network other than the sandbox may lack; a key only if a token service is set. */
export const networkNeeds = ['upstream', 'apiKey', 'wallet', 'backup'] as const;
export type NetworkNeed = (typeof networkNeeds)[number];

/** The uses of a network and what they need. None needs an account with anybody, unless the person set a token service. */
export const networkUses = {
  /** Mints, pays and receives. */
  mint: ['upstream', 'apiKey', 'wallet', 'backup'],
  /** Lets programs use the node endpoint. */
  gateway: ['upstream'],
} as const satisfies Readonly<Record<string, readonly NetworkNeed[]>>;
export type NetworkUse = keyof typeof networkUses;

/** What is missing for a use. */
export function missingFor(use: NetworkUse, missing: readonly NetworkNeed[]): NetworkNeed[] {
  return missing.filter((need) => (networkUses[use] as readonly NetworkNeed[]).includes(need));
}
