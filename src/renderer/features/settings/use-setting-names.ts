import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

/** Returns the name and meaning of a key. A key without texts is shown as it is. */
export function useSettingNames(): (key: string) => { name: string; help: string } {
  const { t, i18n } = useTranslation();
  return useCallback(
    (key) => {
      const path = `settings.keys.${key}` as 'settings.keys.network';
      return i18n.exists(`${path}.name`)
        ? { name: t(`${path}.name`), help: t(`${path}.help`) }
        : { name: key, help: '' };
    },
    [t, i18n],
  );
}
