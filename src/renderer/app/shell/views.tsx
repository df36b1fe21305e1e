import { Button, Skeleton } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Route, Switch } from 'wouter';
import { Page } from '../../components/page.tsx';
import { SkeletonRows } from '../../components/query-view.tsx';
import { routes } from '../../lib/routes.ts';
import { features } from '../features.ts';
import { loadSearchBody } from '../search/search.tsx';

/** The longest wait for a moment in which the window has nothing else to do. */
const IDLE_TIMEOUT_MS = 3_000;
/** Where a browser does not tell when it is idle. */
const PRELOAD_PAUSE_MS = 300;

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

/** Stands for a page whose code is on its way: its heading, its sentence, and what is below them. */
function Loading() {
  return (
    <div aria-busy="true">
      <Skeleton height={30} width={220} mb={10} />
      <Skeleton height={16} width={420} mb={28} />
      <SkeletonRows rows={4} height={96} />
    </div>
  );
}

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(resolve, { timeout: IDLE_TIMEOUT_MS });
    else setTimeout(resolve, PRELOAD_PAUSE_MS);
  });
}

/** Once the first page stands, the code of the search and of the others is loaded one by one while the window is idle, so that opening them takes no wait. */
function usePreload(): void {
  useEffect(() => {
    let left = false;
    const load = async (): Promise<void> => {
      for (const preload of [loadSearchBody, ...views.map((one) => one.preload)]) {
        await idle();
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
