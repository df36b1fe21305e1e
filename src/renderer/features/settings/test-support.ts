import type { SettingEntry } from '../../../contract/index.ts';

/** An unchanged setting, as the host lists it. */
export function entry(key: string, value: SettingEntry['default'], secret = false): SettingEntry {
  return {
    key,
    value: secret ? null : value,
    default: value,
    isSet: false,
    secret,
    origin: 'default',
    overridden: false,
    restarts: [],
  };
}
