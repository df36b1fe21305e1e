import { Button, Checkbox, Stack } from '@mantine/core';
import { IconPhotoPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Item } from '../../../../contract/index.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { icon } from '../../../components/icon.ts';
import { Empty, Panel } from '../../../components/page.tsx';
import { Preview } from '../../../components/preview/preview.tsx';
import layout from '../../../components/styles/layout.module.css';
import { formatBytes } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import mintClasses from '../mint.module.css';
import classes from './select-step.module.css';

interface SelectStepProps {
  projectUid: string;
  drafts: readonly Item[];
  /** Drafts that cannot be part of this mint yet. */
  later: readonly Item[];
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
  onNext: () => void;
}

export function SelectStep({ projectUid, drafts, later, chosen, onChange, onNext }: SelectStepProps) {
  const { t, i18n } = useTranslation();
  const collectionFirst = later.length > 0 && (
    <Callout tone="info" title={t('mint.select.collectionFirst')}>
      {t('mint.select.collectionFirstHint', { count: later.length })}
    </Callout>
  );
  if (drafts.length === 0 && later.length > 0) return collectionFirst;
  if (drafts.length === 0) {
    return (
      <Panel>
        <Empty
          icon={<IconPhotoPlus {...icon} size={24} />}
          title={t('mint.select.emptyTitle')}
          text={t('mint.select.emptyText')}
          action={
            <Button component={Link} href={routes.project(projectUid)}>
              {t('mint.select.emptyAction')}
            </Button>
          }
        />
      </Panel>
    );
  }
  const selected = drafts.filter((item) => chosen.includes(item.id));
  const bytes = selected.reduce((sum, item) => sum + item.file.bytes, 0);
  const all = selected.length === drafts.length;
  return (
    <>
      <Stack gap="md">
        {collectionFirst}
        <Panel
          flush
          title={t('mint.select.title')}
          hint={t('mint.select.hint')}
          actions={
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => onChange(all ? [] : drafts.map((item) => item.id))}
            >
              {t(all ? 'mint.select.none' : 'mint.select.all')}
            </Button>
          }
        >
          {drafts.map((item) => (
            <label key={item.id} className={classes.pick} htmlFor={`pick-${item.id}`}>
              <Checkbox
                id={`pick-${item.id}`}
                size="xs"
                checked={chosen.includes(item.id)}
                aria-label={item.metadata.name}
                onChange={(event) => {
                  const on = event.currentTarget.checked;
                  // The order is that of the project, whatever the order of the clicks.
                  onChange(
                    drafts.filter((one) => (one.id === item.id ? on : chosen.includes(one.id))).map((one) => one.id),
                  );
                }}
              />
              <span className={classes.thumb}>
                <Preview file={item.file} />
              </span>
              <span style={{ minWidth: 0 }}>
                <span className={classes.pickName} style={{ display: 'block' }}>
                  {item.metadata.name}
                </span>
                <span className={layout.dim}>{t(`common.subType.${item.subType}`)}</span>
              </span>
              <span className={`${layout.dim} num`}>
                <span className="mono">{item.file.contentType}</span>
                {' · '}
                {formatBytes(item.file.bytes, i18n.language)}
              </span>
            </label>
          ))}
        </Panel>
      </Stack>
      <div className={mintClasses.bar}>
        <span className={`num ${mintClasses.barNote}`}>
          {t('mint.select.count', { count: selected.length })}
          {selected.length > 0 && ` · ${t('mint.select.size', { size: formatBytes(bytes, i18n.language) })}`}
        </span>
        <Button disabled={selected.length === 0} onClick={onNext}>
          {t('common.continue')}
        </Button>
      </div>
    </>
  );
}
