import { Button, Skeleton } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Route, Switch } from 'wouter';
import pageClasses from '../../components/page.module.css';
import { Page } from '../../components/page.tsx';
import { SkeletonRows } from '../../components/query-view.tsx';
import { firstView } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { features } from '../features.ts';
import { loadSearchBody } from '../search/search.tsx';

/** The longest wait for an idle moment of the window. */
const IDLE_TIMEOUT_MS = 3_000;
/** Used in browsers without `requestIdleCallback`. */
const PRELOAD_PAUSE_MS = 300;

const views = features.flatMap((feature) => feature.views);
/** Pages that one click in the navigation opens. Pages below them are loaded when they are opened. */
const near = features.flatMap((feature) => firstView(feature) ?? []).filter(({ isHeavy }) => !isHeavy);

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

/** Placeholder of a page whose code is being loaded: its heading, its sentence and the space of its content. */
function Loading() {
  return (
    <div className={pageClasses.page} aria-busy="true">
      <div className={pageClasses.header}>
        <div className={pageClasses.heading}>
          <Skeleton height={30} width={220} mb={6} />
          <Skeleton height={16} width={420} maw="100%" />
        </div>
      </div>
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

/** Loads the code of the search and of nearby views one by one while the window is idle, after the first page has rendered, so that they open without a wait. */
function usePreload(): void {
  useEffect(() => {
    let left = false;
    const load = async (): Promise<void> => {
      for (const preload of [loadSearchBody, ...near.map((one) => one.preload)]) {
        await idle();
        if (left) return;
        // A page that cannot be loaded shows the failure when it is opened.
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
