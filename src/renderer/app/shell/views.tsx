import { Button } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Route, Switch } from 'wouter';
import { Page } from '../../components/page.tsx';
import { SkeletonRows } from '../../components/query-view.tsx';
import { routes } from '../../lib/routes.ts';
import { features } from '../features.ts';

/** Leaves the window free for what the person does between two pages. */
const PRELOAD_PAUSE_MS = 300;

const LOADING_AFTER_MS = 150;

const views = features.flatMap((feature) => feature.views);

function NotFound() {
  const { t } = useTranslation();
  return (
    <Page title={t('app.notFound.title')} purpose={t('app.notFound.text')}>
      <Button component={Link} href={routes.dashboard}>
        {t('app.notFound.home')}
      </Button>
    </Page>
  );
}

/** Stands for a page whose code is on its way; empty at first, since most are there at once. */
function Loading() {
  const { t } = useTranslation();
  const [slow, setSlow] = useState(false);
  useTimeout(() => setSlow(true), LOADING_AFTER_MS, { autoInvoke: true });
  return slow ? <SkeletonRows rows={4} height={96} /> : <div role="status" aria-label={t('common.loading')} />;
}

/** Once the first page stands, the code of the others is loaded one by one, so that opening them takes no wait. */
function usePreload(): void {
  useEffect(() => {
    let left = false;
    const load = async (): Promise<void> => {
      for (const { preload } of views) {
        await new Promise((resolve) => setTimeout(resolve, PRELOAD_PAUSE_MS));
        if (left) return;
        // A page that cannot be loaded says so when it is opened.
        await preload().catch(() => {});
      }
    };
    void load();
    return () => {
      left = true;
    };
  }, []);
}

export function Views() {
  usePreload();
  return (
    <Suspense fallback={<Loading />}>
      <Switch>
        {views.map(({ path, Component, props, keyedBy }) => (
          <Route key={path} path={path}>
            {(params) => (
              <Component
                key={keyedBy === undefined ? undefined : (params as Record<string, string>)[keyedBy]}
                {...params}
                {...props}
              />
            )}
          </Route>
        ))}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </Suspense>
  );
}
