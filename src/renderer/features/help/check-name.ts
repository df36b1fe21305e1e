import { useTranslation } from 'react-i18next';

/** What a check is called: a part of the machine, a service, or a setting by its name. */
export function useCheckName(): (check: string) => string {
  const { t, i18n } = useTranslation();
  return (check) => {
    const paths = [`help.checks.names.${check}`, `services.${check}`, `settings.keys.${check}.name`];
    const found = paths.find((path) => i18n.exists(path)) as 'help.title' | undefined;
    return found === undefined ? check : t(found);
  };
}
