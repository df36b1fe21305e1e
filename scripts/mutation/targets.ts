/** Files of money, review, consensus, vault and guards, with the tests that should notice a change in them. */
export const targets: Readonly<Record<string, readonly string[]>> = {
  // vault
  'src/main/vault/seal.ts': ['src/main/vault/seal.test.ts'],
  'src/main/vault/vault-format.ts': ['src/main/vault/vault.test.ts'],
  'src/main/vault/sealed-file.ts': ['src/main/vault/vault.test.ts', 'src/main/vault/vault-keychain.test.ts'],
  // guards
  'src/main/http/public-hosts.ts': ['src/main/http/public-hosts.test.ts'],
  'src/main/approvals/permissions.ts': ['src/main/approvals/permissions.test.ts'],
  'src/main/approvals/approval-queue.ts': [
    'src/main/approvals/approval-queue.test.ts',
    'src/main/approvals/remembered-permissions.test.ts',
  ],
  'src/main/gateway/server/request-guard.ts': [
    'src/main/gateway/server/request-guard.test.ts',
    'src/main/gateway/server/attacks.test.ts',
    'src/main/gateway/server/api-keys.test.ts',
    'src/main/gateway/server/pairing.test.ts',
    'src/main/gateway/server/body-limits.test.ts',
  ],
  'src/main/console/http/request-checks.ts': [
    'src/main/console/http/request-checks.test.ts',
    'src/main/console/http/http-attacks.test.ts',
  ],
  // consensus and proofs
  'src/chain/proof/beef.ts': ['src/chain/proof', 'src/main/chain-data/headers/proof-verifier.test.ts'],
  'src/chain/proof/bump.ts': [
    'src/chain/proof/bump.test.ts',
    'src/chain/proof/proof.test.ts',
    'src/chain/proof/merkle-tree.test.ts',
  ],
  'src/chain/proof/merkle-path.ts': ['src/chain/proof', 'src/main/chain-data/headers/proof-verifier.test.ts'],
  'src/chain/proof/node-transaction.ts': ['src/chain/proof', 'src/main/chain-data/headers/proof-verifier.test.ts'],
  'src/main/chain-data/headers/proof-verifier.ts': ['src/main/chain-data/headers/proof-verifier.test.ts'],
  'src/main/chain-data/headers/chain-rules.ts': ['src/main/chain-data/headers'],
  'src/chain/transaction/fees.ts': ['src/chain/transaction/fees.test.ts'],
  'src/chain/transaction/fee-policy.ts': ['src/chain/transaction/fee-policy.test.ts'],
  'src/chain/transaction/malleability.ts': ['src/chain/transaction/malleability.test.ts'],
  'src/chain/block/growing-tree.ts': ['src/main/chain-data/blocks'],
  'src/main/chain-data/blocks/block-scanner.ts': ['src/main/chain-data/blocks'],
  'src/main/chain-data/node/followed-mempool.ts': ['src/main/chain-data/node/followed-mempool.test.ts'],
  'src/chain/verification/verify.ts': ['src/chain/verification', 'src/chain/transaction/sighash.test.ts'],
  // money
  'src/main/wallet/external/known-wallet.ts': ['src/main/wallet/external/known-wallet.test.ts'],
  'src/main/wallet/sending/payments.ts': [
    'src/main/wallet/sending/payments.test.ts',
    'src/main/wallet/sending/replacing.test.ts',
    'src/main/wallet/sending/token-batches.test.ts',
    'src/main/wallet/sending/series.test.ts',
  ],
  'src/main/wallet/sending/coin-signing.ts': ['src/main/wallet/sending/coin-signing.test.ts'],
  'src/main/wallet/coins/signed-spends.ts': ['src/main/wallet/coins/signed-spends.test.ts'],
  'src/main/wallet/coins/spendable.ts': ['src/main/wallet/coins/spendable.test.ts'],
  'src/main/wallet/chain/mempool/mempool-arrivals.ts': ['src/main/wallet/chain/mempool/announced.test.ts'],
  'src/main/writer/queue/own-coins.ts': ['src/main/writer/queue/own-coins.test.ts'],
  'src/main/studio/minting/job-states.ts': ['src/main/studio/minting/job-states.test.ts'],
  'src/main/studio/minting/mint.ts': [
    'src/main/studio/minting/cancel.test.ts',
    'src/main/studio/minting/mint.test.ts',
    'src/main/studio/minting/retry.test.ts',
  ],
  // review
  'src/main/wallet/sending/send-review.ts': [
    'src/main/wallet/sending/send-review.test.ts',
    'src/main/wallet/sending/token-move.test.ts',
  ],
  'src/main/studio/review/fee-checks.ts': [
    'src/main/studio/review/fee-checks.test.ts',
    'src/main/studio/review/review.test.ts',
  ],
  'src/main/studio/review/review-checks.ts': ['src/main/studio/review/review.test.ts'],
};
