import type { ConnectionTestInput, SettingEntry } from '../../../../contract/index.ts';
import { isChanged, type Value } from '../setting-form.ts';

const tested = ['bitcoinRpcUrl', 'apiKey', 'apiKeyHeader', 'ignoreCertificate'] as const;

/** The settings of the upstream that were typed and not saved yet: what is left out is tested as it is saved. */
export function testInput(
  entries: readonly SettingEntry[],
  drafts: Readonly<Record<string, Value>>,
): ConnectionTestInput {
  const typed = tested.flatMap((key) => {
    const entry = entries.find((one) => one.key === key);
    const draft = drafts[key];
    return entry !== undefined && isChanged(entry, draft)
      ? [[key, typeof draft === 'string' ? draft.trim() : draft]]
      : [];
  });
  return Object.fromEntries(typed) as ConnectionTestInput;
}
