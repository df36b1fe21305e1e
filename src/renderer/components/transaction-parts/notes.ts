import type { DecodedTransaction, PreCheck, TransactionWarning } from '../../../contract/index.ts';

/** The check with the same meaning as a warning. */
const sameCheck: Partial<Record<TransactionWarning['code'], PreCheck['code']>> = {
  unsigned: 'unsigned',
  'input-unknown': 'input-missing',
  'input-spent': 'input-spent',
  'input-mined': 'input-mined',
  'input-disputed': 'input-disputed',
  'outputs-exceed-inputs': 'outputs-exceed-inputs',
};

/** The warnings of a transaction that no failed check covers. */
export function furtherWarnings({ checks, warnings }: DecodedTransaction): readonly TransactionWarning[] {
  return warnings.filter((warning) => !checks.some(({ code }) => code === sameCheck[warning.code]));
}
