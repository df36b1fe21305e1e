import type { ConnectionTestInput, SettingEntry } from '../../../../contract/index.ts';
import { isChanged, type Value } from '../setting-form.ts';

const tested = ['bitcoinRpcUrl', 'apiKey', 'apiKeyHeader', 'ignoreCertificate'] as const;

/** The upstream settings that were typed and not saved yet. The saved values are used for the rest. */
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
