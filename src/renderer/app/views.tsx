import { Button } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Route, Switch } from 'wouter';
import { Page } from '../components/page.tsx';
import { routes } from '../lib/routes.ts';
import { features } from './features.ts';

/** Leaves the window free for what the person does between two pages. */
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
    <Suspense fallback={null}>
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
