import { Button } from '@mantine/core';
import { IconArrowRight, IconPhoto, IconTerminal2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { DropAnywhere } from '../../components/drop/drop-anywhere.tsx';
import { icon, smallIcon } from '../../components/icon.ts';
import { Page } from '../../components/page.tsx';
import { handOver } from '../../lib/dropped-files.ts';
import { routes } from '../../lib/routes.ts';
import { answered } from './answered.ts';
import classes from './welcome.module.css';

const paths = [
  { path: 'create', Icon: IconPhoto },
  { path: 'develop', Icon: IconTerminal2 },
] as const;

/** The start page with two choices: create something, or connect a program. */
export function Welcome() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  return (
    <Page
      title={t('welcome.title')}
      purpose={t('welcome.purpose')}
      actions={
        <Button
          variant="default"
          onClick={() => {
            answered();
            navigate(routes.dashboard);
          }}
        >
          {t('welcome.skip')}
        </Button>
      }
    >
      <DropAnywhere
        text={t('drop.firstToken')}
        onFiles={(files) => {
          answered();
          handOver('first-token', files);
          navigate(routes.welcomeStep('create'));
        }}
      />
      <div className={classes.paths}>
        {paths.map(({ path, Icon }) => (
          <Link key={path} href={routes.welcomeStep(path)} className={classes.path} onClick={answered}>
            <span className={classes.pathIcon}>
              <Icon {...icon} size={28} />
            </span>
            <span className={classes.pathTitle}>{t(`welcome.${path}.title`)}</span>
            <span className={classes.pathText}>{t(`welcome.${path}.text`)}</span>
            <span className={classes.pathGo}>
              {t(`welcome.${path}.go`)}
              <IconArrowRight {...smallIcon} />
            </span>
          </Link>
        ))}
      </div>
      <p className={classes.note}>{t('welcome.again')}</p>
    </Page>
  );
}
