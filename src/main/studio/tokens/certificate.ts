import { contentTypeOf, essence, type Network, PlanchetError, type TokenDetail } from '../../../contract/index.ts';
import type { Pictures } from '../../ports/pictures.ts';

const NOTE =
  'The code holds the outpoint of the token when this page was made. The page is for showing and is no proof by itself: the proof bundle of the token can be verified in any browser, without a network.';

interface CertificateSubject extends Pick<TokenDetail, 'token' | 'provenance'> {
  readonly content: Uint8Array;
  readonly network: Network;
  readonly pictures: Pick<Pictures, 'certificate'>;
}

/** The certificate of a token as PNG. @throws PlanchetError `conflict` where no block holds it yet */
export async function certificateOf(subject: CertificateSubject): Promise<Blob> {
  const { token, provenance, content, network, pictures } = subject;
  const [mint] = provenance;
  const now = provenance.at(-1);
  if (mint === undefined || now === undefined || now.blockHash === null) {
    throw new PlanchetError('bundle.not-mined', { txid: token.outpoint.slice(0, 64) });
  }
  const type = essence(token.content?.contentType ?? '');
  const facts: (readonly [string, string] | false)[] = [
    token.projectName !== null && [token.collectionId === null ? 'Project' : 'Collection', token.projectName],
    [
      'Inscribed',
      `${mint.at === null ? '' : `${new Date(mint.at).toISOString().slice(0, 10)}, `}block ${mint.blockHeight ?? '–'} of the ${network} network`,
    ],
    ['Block', mint.blockHash ?? '–'],
    ['Inscription', mint.outpoint],
    now.outpoint !== mint.outpoint && ['Now at', `${now.outpoint}, block ${now.blockHeight ?? '–'}`],
    now.address !== null && ['Owner', now.address],
    ['Content', `${type}, ${content.length} bytes`],
    token.content !== null && ['SHA-256', token.content.sha256],
  ];
  const png = await pictures.certificate({
    heading: 'Certificate of a one-satoshi token',
    name: token.name || token.outpoint,
    facts: facts.filter((fact) => fact !== false),
    note: NOTE,
    code: now.outpoint,
    art: type === 'image/svg+xml' || contentTypeOf(type)?.pixels !== undefined ? content : null,
  });
  return new Blob([png as Uint8Array<ArrayBuffer>], { type: 'image/png' });
}
