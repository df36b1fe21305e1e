import { useTranslation } from 'react-i18next';
import type { DoctorFinding } from '../../../contract/index.ts';
import { keyChangeOf } from '../../components/callouts/merchant-key.tsx';
import { wordsOf } from '../../i18n/reason.ts';
import { formatInteger } from '../../lib/format.ts';

/** Name of a check: a part of the machine, a service, or a setting. */
export function useCheckName(): (check: string) => string {
  const { t, i18n } = useTranslation();
  return (check) => {
    const paths = [`help.checks.names.${check}`, `services.${check}`, `settings.keys.${check}.name`];
    const found = paths.find((path) => i18n.exists(path)) as 'help.title' | undefined;
    return found === undefined ? check : t(found);
  };
}

/** The finding and the fix of a check, in the language of the page if they can be translated. */
export function useFindingText(): (finding: DoctorFinding) => { message: string; fix: string } {
  const { t, i18n } = useTranslation();
  const inLanguage = (value: string | number): string =>
    typeof value === 'number' ? formatInteger(value, i18n.language) : value;
  return ({ message, fix, failure, passed }) => {
    if (failure !== undefined) {
      const { message: told, hint } = wordsOf(failure);
      const changed = keyChangeOf(failure);
      return {
        message: told,
        // The page has a button for what the hint names as a command of the terminal.
        fix: changed?.since ? t(`common.${changed.of}.hint`) : (hint ?? fix),
      };
    }
    if (passed === undefined) return { message, fix };
    const values = Object.fromEntries(Object.entries(passed.values).map(([name, value]) => [name, inLanguage(value)]));
    // The required values depend on the text. The host sends both.
    const key = `help.checks.passedTexts.${passed.text}` as 'help.checks.passedTexts.disk';
    return { message: t(key, values as { megabytes: string }).trim(), fix };
  };
}
