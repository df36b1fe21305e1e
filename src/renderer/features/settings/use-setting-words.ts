import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type SettingEntry, settingRows } from '../../../contract/index.ts';
import { useSettingNames } from './use-setting-names.ts';

/** Texts for keys and values. */
export interface SettingWords {
  /** Name and meaning of a key. A key without texts is shown as it is. */
  (key: string): { name: string; help: string };
  /** Text of one of the values that a key can be chosen from. */
  option(key: string, value: string): string;
  /** A value formatted for display. */
  value(key: string, value: SettingEntry['value']): string;
  /** When a saved change takes effect. */
  applies(key: string): string;
}

export function useSettingWords(): SettingWords {
  const { t, i18n } = useTranslation();
  const names = useSettingNames();
  return useMemo(() => {
    const option = (key: string, value: string): string => {
      // The name of each language in that language.
      if (key === 'language' && value !== 'system')
        return new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value;
      const path = `settings.options.${key}.${value.replaceAll('.', '_')}` as 'settings.options.theme.dark';
      return i18n.exists(path) ? String(t(path)) : value;
    };
    const value = (key: string, held: SettingEntry['value']): string => {
      if (held === null) return t('settings.secret');
      if (typeof held === 'boolean') return t(held ? 'settings.on' : 'settings.off');
      return held === '' ? t('settings.defaultEmpty') : option(key, String(held));
    };
    const applies = (key: string): string => {
      const restarts = settingRows.get(key)?.restarts;
      if (restarts === undefined) return t('settings.applies.atOnce');
      if (restarts === 'application') return t('settings.applies.nextStart');
      return t('settings.applies.serviceRestart', { names: t(`services.${restarts}`) });
    };
    return Object.assign((key: string) => names(key), { option, value, applies });
  }, [t, i18n, names]);
}
