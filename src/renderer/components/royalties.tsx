import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RunPlan } from '../../contract/index.ts';
import { Id } from './values/values.tsx';

/** The receivers of a share of later sales. They cannot be changed after the mint. */
export function Royalties({ royalties }: { royalties: RunPlan['royalties'] }) {
  const { t, i18n } = useTranslation();
  if (royalties.length === 0) return null;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent', maximumFractionDigits: 4 });
  return (
    <div>
      <Text size="sm">{t('common.royalties.title')}</Text>
      <ul style={{ margin: '4px 0', paddingInlineStart: 20, fontSize: 13 }}>
        {royalties.map(({ destination, percentage }) => (
          <li key={`${destination} ${percentage}`}>
            {t('common.royalties.share', { percent: percent.format(Number(percentage)) })}{' '}
            <Id value={destination} what={t('common.royalties.receiver')} full />
          </li>
        ))}
      </ul>
    </div>
  );
}
