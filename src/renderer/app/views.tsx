import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link, Route, Switch } from 'wouter';
import { Page } from '../components/page.tsx';
import { Dashboard } from '../features/dashboard/dashboard.tsx';
import { AddressPage } from '../features/explorer/address-page.tsx';
import { BlockPage } from '../features/explorer/block-page.tsx';
import { Explorer } from '../features/explorer/explorer.tsx';
import { MempoolPage } from '../features/explorer/mempool-page.tsx';
import { OutpointPage } from '../features/explorer/outpoint-page.tsx';
import { Gateway } from '../features/gateway/gateway.tsx';
import { JobPage } from '../features/jobs/job-page.tsx';
import { Jobs } from '../features/jobs/jobs.tsx';
import { MintWizard } from '../features/mint/mint-wizard.tsx';
import { ProjectPage } from '../features/projects/project-page.tsx';
import { Projects } from '../features/projects/projects.tsx';
import { Sandbox } from '../features/sandbox/sandbox.tsx';
import { Settings } from '../features/settings/settings.tsx';
import { TokenDesignPage } from '../features/token-bench/design-page.tsx';
import { TokenHistoryPage } from '../features/token-bench/history-page.tsx';
import { TokenJobPage } from '../features/token-bench/job-page.tsx';
import { TokenBench } from '../features/token-bench/token-bench.tsx';
import { TransactionPage } from '../features/transactions/transaction-page.tsx';
import { DocumentPage } from '../features/writer/document-page.tsx';
import { Writer } from '../features/writer/writer.tsx';
import { routes } from './routes.ts';

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

export function Views() {
  return (
    <Switch>
      <Route path="/">
        <Dashboard />
      </Route>
      <Route path="/projects">
        <Projects />
      </Route>
      <Route path="/projects/:uid">{({ uid }) => <ProjectPage key={uid} uid={uid} />}</Route>
      <Route path="/projects/:uid/mint/:jobId?">
        {({ uid, jobId }) => <MintWizard key={uid} uid={uid} jobId={jobId} />}
      </Route>
      <Route path="/jobs">
        <Jobs />
      </Route>
      <Route path="/jobs/:id">{({ id }) => <JobPage key={id} id={id} />}</Route>
      <Route path="/sandbox">
        <Sandbox />
      </Route>
      <Route path="/settings">
        <Settings />
      </Route>
      <Route path="/token-bench">
        <TokenBench />
      </Route>
      <Route path="/token-bench/new">
        <TokenDesignPage />
      </Route>
      <Route path="/token-bench/jobs/:id">{({ id }) => <TokenJobPage key={id} id={id} />}</Route>
      <Route path="/token-bench/history/:outpoint">
        {({ outpoint }) => <TokenHistoryPage key={outpoint} outpoint={outpoint} />}
      </Route>
      <Route path="/writer">
        <Writer tab="queue" />
      </Route>
      <Route path="/writer/documents">
        <Writer tab="documents" />
      </Route>
      <Route path="/writer/documents/:id">{({ id }) => <DocumentPage key={id} id={id} />}</Route>
      <Route path="/writer/dead">
        <Writer tab="dead" />
      </Route>
      <Route path="/writer/keys">
        <Writer tab="keys" />
      </Route>
      <Route path="/writer/try">
        <Writer tab="try" />
      </Route>
      <Route path="/explorer">
        <Explorer />
      </Route>
      <Route path="/explorer/mempool">
        <MempoolPage />
      </Route>
      <Route path="/explorer/block/:hash">{({ hash }) => <BlockPage key={hash} hash={hash} />}</Route>
      <Route path="/explorer/address/:address">
        {({ address }) => <AddressPage key={address} address={address} />}
      </Route>
      <Route path="/explorer/outpoint/:outpoint">
        {({ outpoint }) => <OutpointPage key={outpoint} outpoint={outpoint} />}
      </Route>
      <Route path="/gateway/:view?">{({ view }) => <Gateway view={view} />}</Route>
      <Route path="/tx/:txid">{({ txid }) => <TransactionPage key={txid} txid={txid} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
