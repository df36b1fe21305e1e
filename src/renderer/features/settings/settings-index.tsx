import { UnstyledButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SettingGroup } from '../../../contract/index.ts';
import classes from './parts.module.css';

/** Distance below the top of the content at which a section counts as current, in pixels. */
const READ_AT = 120;

export const sectionId = (group: SettingGroup): string => `settings-${group}`;

function sectionOf(group: SettingGroup): HTMLElement | null {
  return document.getElementById(sectionId(group));
}

/** The visible sections. The index follows the scroll position and stays visible. */
export function SettingsIndex({ groups }: { groups: readonly { group: SettingGroup; count: number }[] }) {
  const { t } = useTranslation();
  const [current, setCurrent] = useState<SettingGroup>();
  useEffect(() => {
    const main = document.querySelector('main');
    let frame = 0;
    const follow = (): void => {
      frame = 0;
      const top = main?.getBoundingClientRect().top ?? 0;
      const atEnd = main !== null && main.scrollTop + main.clientHeight >= main.scrollHeight - 2 && main.scrollTop > 0;
      const begun = groups.filter(({ group }) => (sectionOf(group)?.getBoundingClientRect().top ?? 0) - top <= READ_AT);
      setCurrent((atEnd ? groups.at(-1) : (begun.at(-1) ?? groups[0]))?.group);
    };
    const onScroll = (): void => {
      if (frame === 0) frame = requestAnimationFrame(follow);
    };
    follow();
    main?.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      main?.removeEventListener('scroll', onScroll);
    };
  }, [groups]);
  const goTo = (group: SettingGroup): void => {
    const section = sectionOf(group);
    section?.scrollIntoView({ block: 'start' });
    section?.focus({ preventScroll: true });
    setCurrent(group);
  };
  return (
    <nav className={classes.index} aria-label={t('settings.index')}>
      {groups.map(({ group, count }) => (
        <UnstyledButton
          key={group}
          className={classes.indexEntry}
          aria-current={group === current ? 'location' : undefined}
          onClick={() => goTo(group)}
        >
          <span>{t(`settings.groups.${group}`)}</span>
          {count > 0 && (
            <span className={classes.indexCount} title={t('settings.changedCount', { count })}>
              {count}
            </span>
          )}
        </UnstyledButton>
      ))}
    </nav>
  );
}
